import { act, fireEvent } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { userItem } from '@/dev/builders';
import { openWindow, settle } from '../../../test/render';
import { rangesOf } from './useMarkedWords';

describe('finding in a session', () => {
  it('searches the store, counts, and goes from hit to hit', async () => {
    const window = await openWindow({
      snapshot: { items: [userItem(3, 'the parser'), userItem(7, 'a parser')] },
    });
    window.backend.on('search', () => ({
      hits: [7, 3].map((seq) => ({ session_id: 's1', title: '', workspace: '', seq, snippet: '', ts: seq })),
    }));
    act(() => {
      fireEvent.keyDown(document.body, { key: 'f', ctrlKey: true });
    });
    const field = window.get('session-find-input');
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: 'parser' } });
    await act(() => new Promise((resolve) => setTimeout(resolve, 200)));
    expect(window.backend.requests('search')).toEqual([
      { query: 'parser', workspace: null, session_id: 's1', limit: 500 },
    ]);
    expect(window.get('session-find-count').dataset).toMatchObject({ count: '2', value: '0' });
    for (const expected of ['2', '1', '2']) {
      fireEvent.keyDown(field, { key: 'Enter' });
      await settle();
      expect(window.get('session-find-count').dataset.value).toBe(expected);
    }
    expect(window.workbench.current.getState().at).toEqual({ seq: 7, query: 'parser' });
    fireEvent.keyDown(field, { key: 'Escape' });
    await settle();
    expect(window.none('session-find-input')).toBe(true);
    expect(window.workbench.current.getState().at.query).toBeNull();
    expect(document.activeElement).toBe(window.get('composer-input'));
  });

  it('marks every word wherever it stands', () => {
    const root = document.createElement('div');
    root.innerHTML = '<p>The Parser <b>parses</b></p><p>a.b (c)</p>';
    expect(rangesOf(root, 'pars').map((range) => range.toString())).toEqual(['Pars', 'pars']);
    expect(rangesOf(root, 'a.b (c').map((range) => range.toString())).toEqual(['a.b', '(c']);
  });
});
