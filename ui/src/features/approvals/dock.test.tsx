import { act, fireEvent } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Ask, Question } from '@/bindings';
import { ask, editAsk, execAsk, fileDiff, summary } from '@/dev/builders';
import { arm, openWindow, settle, type TestWindow } from '../../../test/render';

const EXEC = execAsk('c1', 'touch APPROVED');

function decisions(window: TestWindow) {
  return window.backend.requests('decide').map(({ call_id: call, proposal_id: proposal, decision }) => ({
    call,
    proposal,
    decision,
  }));
}

async function withAsks(...asks: Ask[]): Promise<TestWindow> {
  return openWindow({ snapshot: { phase: 'calls', asks, summary: summary({ state: 'waiting' }) } });
}

describe('typing never answers', () => {
  it('keeps the focus and every character in the message field', async () => {
    const window = await openWindow({ snapshot: { phase: 'streaming' } });
    const field = window.get('composer-input') as HTMLTextAreaElement;
    field.focus();
    fireEvent.change(field, { target: { value: 'please ' } });
    act(() => {
      window.session.emit({ type: 'ask_opened', ask: EXEC });
    });
    await settle();
    expect(document.activeElement).toBe(field);
    for (const key of ['y', '1', ' ', 'Enter', 'e', 'Backspace']) fireEvent.keyDown(field, { key });
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    await arm();
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    fireEvent.keyDown(field, { key: 'Backspace', ctrlKey: true });
    await settle();
    expect(decisions(window)).toEqual([]);
    expect(window.get('confirm-card').dataset.state).toBe('ready');
  });

  it('says what it is to readers without taking the focus', async () => {
    const window = await withAsks(EXEC);
    const card = window.get('confirm-card');
    expect(card).toHaveAttribute('role', 'alertdialog');
    expect(card).toHaveAttribute('aria-modal', 'false');
    expect(card).toHaveAccessibleName('Run a command?');
    const live = document.querySelector('[aria-live="assertive"]');
    expect(live?.textContent).toContain('touch APPROVED');
    expect(card.contains(document.activeElement)).toBe(false);
  });

  it('goes to the container of the card by its key, never to a button', async () => {
    const window = await withAsks(EXEC);
    fireEvent.keyDown(document.body, { key: 'Y', ctrlKey: true, shiftKey: true });
    expect(document.activeElement).toBe(window.get('confirm-card'));
    fireEvent.keyDown(window.get('confirm-card'), { key: 'Escape' });
    expect(document.activeElement).toBe(window.get('composer-input'));
    expect(decisions(window)).toEqual([]);
  });
});

describe('a card that has just appeared', () => {
  it('takes no key and no press for half a second', async () => {
    const window = await withAsks(EXEC);
    expect(window.get('confirm-card').dataset.state).toBe('arming');
    const allow = window.get('confirm-allow-once');
    fireEvent.pointerDown(allow);
    fireEvent.click(allow);
    fireEvent.keyDown(window.get('confirm-card'), { key: 'Enter', ctrlKey: true });
    await settle();
    expect(decisions(window)).toEqual([]);
    await arm();
    expect(window.get('confirm-card').dataset.state).toBe('ready');
  });

  it('does not take a press that began before', async () => {
    const window = await withAsks(EXEC);
    const allow = window.get('confirm-allow-once');
    fireEvent.pointerDown(allow);
    fireEvent.keyDown(allow, { key: ' ' });
    await arm();
    fireEvent.click(allow);
    await settle();
    expect(decisions(window)).toEqual([]);
  });

  it('arms anew when what it asks changes', async () => {
    const window = await withAsks(editAsk('c1', 'a\n', 'b\n'));
    await arm();
    act(() => {
      window.session.emit({ type: 'ask_changed', ask: editAsk('c1', 'a\n', 'c\n', { proposal_id: 'p-2' }) });
    });
    await settle();
    expect(window.get('confirm-card').dataset.state).toBe('arming');
  });
});

describe('an answer', () => {
  it('is sent once, with the call and the proposal that were on screen', async () => {
    const window = await withAsks(EXEC, execAsk('c2', 'touch B2'));
    await arm();
    const allow = window.get('confirm-allow-once');
    for (let times = 0; times < 2; times += 1) {
      fireEvent.pointerDown(allow);
      fireEvent.click(allow);
    }
    await settle();
    expect(decisions(window)).toEqual([
      { call: 'c1', proposal: 'p-c1', decision: { kind: 'allow', scope: 'once' } },
    ]);
    expect(window.get('confirm-card').dataset.state).toBe('submitting');
  });

  it('is not given by a key that repeats', async () => {
    const window = await withAsks(EXEC);
    await arm();
    const card = window.get('confirm-card');
    fireEvent.keyDown(card, { key: 'Enter', ctrlKey: true, repeat: true });
    fireEvent.keyDown(window.get('confirm-allow-once'), { key: 'Enter', repeat: true });
    await settle();
    expect(decisions(window)).toEqual([]);
    fireEvent.keyDown(card, { key: 'Enter', ctrlKey: true });
    await settle();
    expect(decisions(window)).toHaveLength(1);
  });

  it('of no carries the words for the model only if there are some', async () => {
    const window = await withAsks(EXEC);
    await arm();
    fireEvent.click(window.get('confirm-reject-feedback'));
    const field = window.get('confirm-feedback-input');
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: 'use a temporary folder' } });
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    await settle();
    expect(decisions(window)[0]?.decision).toEqual({ kind: 'deny', words: 'use a temporary folder' });
  });

  it('can reach further where the backend offers it', async () => {
    const window = await withAsks(EXEC);
    await arm();
    fireEvent.click(window.get('confirm-scope-menu'));
    const item = await window.find('confirm-scope-item', { value: 'session' });
    expect(item.textContent).toContain('Shell(touch *)');
    fireEvent.click(item);
    await settle();
    expect(decisions(window)[0]?.decision).toEqual({ kind: 'allow', scope: 'session' });
  });

  it('that is refused keeps the card, with the reason', async () => {
    const window = await withAsks(EXEC);
    window.backend.refuseOnce('decide', { code: 'NOT_PENDING', message: 'gone', args: [] });
    await arm();
    fireEvent.click(window.get('confirm-allow-once'));
    await settle();
    expect(window.get('confirm-card').dataset.state).toBe('error');
    expect(window.get('confirm-error').dataset.value).toBe('NOT_PENDING');
  });
});

describe('several questions', () => {
  it('leave the one on screen where it is', async () => {
    const window = await withAsks(EXEC);
    act(() => {
      window.session.emit({ type: 'ask_opened', ask: execAsk('c2', 'touch B2') });
    });
    await settle();
    expect(window.get('confirm-card').dataset.key).toBe('c1');
    expect(window.get('confirm-count').dataset).toMatchObject({ count: '2', value: '1' });
    fireEvent.click(window.get('confirm-next'));
    expect(window.get('confirm-card').dataset.key).toBe('c2');
    act(() => {
      window.session.emit({ type: 'ask_opened', ask: execAsk('c3', 'touch C3') });
    });
    await settle();
    expect(window.get('confirm-card').dataset.key).toBe('c2');
  });

  it('that close by themselves say so for a moment', async () => {
    const window = await withAsks(EXEC);
    act(() => {
      window.session.emit({
        type: 'ask_closed',
        call_id: 'c1',
        resolution: { verdict: 'closed', scope: null, rules: [], words: null },
      });
    });
    await settle();
    expect(window.get('confirm-card').dataset.state).toBe('withdrawn');
    expect(window.none('confirm-allow-once')).toBe(true);
  });
});

describe('what is asked', () => {
  it('is whole, and hides no character', async () => {
    const command = `echo ${'x'.repeat(4_000)}\n\u202e; rm -rf x\t \r`;
    const window = await withAsks(execAsk('c1', command));
    const shown = window.get('confirm-command');
    expect(shown.textContent).toBe(command);
    const labels = [...shown.querySelectorAll('[data-label]')].map((box) => box.getAttribute('data-label'));
    expect(labels).toEqual(['U+202E', 'CR']);
  });

  it('says what a command is kept in', async () => {
    const command = execAsk('c1', 'make');
    const sandbox = { mode: 'read_only', network: false, backend: 'bubblewrap' } as const;
    const preview = { ...command.preview, sandbox } as typeof command.preview;
    const window = await withAsks({ ...command, preview });
    expect(window.get('confirm-sandbox').textContent).toBe('Sandbox: Read only, no network');
  });

  it('is only closed when the file changed on disk', async () => {
    const window = await withAsks(editAsk('c1', 'a\n', 'b\n', { state: 'stale' }));
    await arm();
    expect(window.get('confirm-card').dataset.state).toBe('stale');
    expect(window.get('confirm-allow-once')).toBeDisabled();
    fireEvent.keyDown(window.get('confirm-card'), { key: 'Enter', ctrlKey: true });
    await settle();
    expect(decisions(window)).toEqual([]);
    fireEvent.click(window.get('confirm-stale-copy'));
    expect(navigator.clipboard.writeText).toHaveBeenCalledWith('b\n');
    fireEvent.click(window.get('confirm-stale-close'));
    await settle();
    expect(decisions(window)[0]?.decision).toEqual({ kind: 'deny', words: null });
  });

  it('is shown without an editor when it is too large, and can be answered', async () => {
    const diff = fileDiff('', 'x\n', { base_text: null, new_text: null });
    const window = await withAsks(ask('c1', { kind: 'edit', diff }));
    await arm();
    expect(window.none('diff-limit-note')).toBe(false);
    expect(window.none('confirm-expand')).toBe(true);
    fireEvent.click(window.get('confirm-allow-once'));
    await settle();
    expect(decisions(window)[0]?.decision).toEqual({ kind: 'allow', scope: 'once' });
  });

  it('says why a person must look', async () => {
    const window = await withAsks(
      execAsk('c1', 'ls', { confirm_reasons: ['large_shrink'], warnings: [{ code: 'PUSH', args: [] }] }),
    );
    expect(window.get('confirm-reason').textContent).toBe('Most of the file would go');
    expect(window.get('confirm-warning').dataset.value).toBe('PUSH');
  });
});

describe('questions of the agent', () => {
  const question = (change: Partial<Question> = {}): Question => ({
    question: 'Which one?',
    header: 'Choice',
    options: [
      { label: 'A', description: 'first' },
      { label: 'B', description: 'second' },
    ],
    multi_select: false,
    ...change,
  });

  it('always send what was typed, whichever option is marked at the end', async () => {
    const window = await withAsks(ask('c1', { kind: 'questions', questions: [question()] }));
    await arm();
    fireEvent.click(window.get('question-option', { key: '0' }));
    fireEvent.change(window.get('question-other-input'), { target: { value: 'but gently' } });
    expect(window.get('question-other').dataset.state).toBe('on');
    fireEvent.click(window.get('question-option', { key: '1' }));
    fireEvent.click(window.get('question-submit'));
    await settle();
    expect(decisions(window)[0]?.decision).toEqual({
      kind: 'answer',
      answers: [{ options: ['B'], other: 'but gently', skipped: false }],
    });
  });

  it('never send a choice of several by one press, and keep it over a reload', async () => {
    const questions = [question({ multi_select: true }), question({ question: 'And then?' })];
    const asked = ask('c1', { kind: 'questions', questions });
    const window = await withAsks(asked);
    await arm();
    fireEvent.click(window.get('question-option', { key: '0' }));
    fireEvent.click(window.get('question-option', { key: '1' }));
    expect(decisions(window)).toEqual([]);
    window.workbench.current.getState().link?.drafts.flush();
    const saved = window.backend.requests('save_draft').at(-1);
    expect(saved?.key).toBe('ask:p-c1');
    window.unmount();

    const drafts = [{ key: 'ask:p-c1', value: saved?.value ?? '' }];
    const again = await openWindow({ snapshot: { phase: 'calls', asks: [asked], drafts } });
    await arm();
    expect(again.get('question-option', { key: '1' }).dataset.state).toBe('on');
    fireEvent.click(again.get('question-next'));
    fireEvent.click(again.get('question-option', { key: '0' }));
    fireEvent.click(again.get('question-next'));
    expect(again.get('question-preview').textContent).toContain('A · B');
    fireEvent.click(again.get('question-submit'));
    await settle();
    expect(decisions(again)[0]?.decision).toMatchObject({
      answers: [{ options: ['A', 'B'] }, { options: ['A'] }],
    });
  });

  it('are left unanswered only by a second press', async () => {
    const window = await withAsks(ask('c1', { kind: 'questions', questions: [question()] }));
    await arm();
    fireEvent.click(window.get('question-skip'));
    await settle();
    expect(decisions(window)).toEqual([]);
    fireEvent.click(window.get('question-skip'));
    await settle();
    expect(decisions(window)[0]?.decision).toMatchObject({ answers: [{ skipped: true }] });
  });
});
