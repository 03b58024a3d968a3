import { act, fireEvent } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { openWindow, settle, type TestWindow } from '../../../test/render';

async function open(): Promise<TestWindow> {
  const window = await openWindow();
  act(() => {
    window.workbench.ui.setState({ route: { name: 'settings' } });
  });
  await window.find('settings', { value: 'general' });
  return window;
}

const row = (window: TestWindow, key: string) => window.get('setting-row', { key });

async function choose(window: TestWindow, key: string, value: string): Promise<void> {
  fireEvent.click(row(window, key).querySelector(`input[value=${value}]`)!);
  await settle();
}

describe('settings of edits', () => {
  it('are chosen, and reset', async () => {
    const window = await open();
    await choose(window, 'edit_profile', 'exact');
    await choose(window, 'apply_patch', 'on');
    const sent = () => window.backend.requests('set_settings').map(({ settings }) => settings);
    expect(sent()).toMatchObject([
      { edit_profile: 'exact', apply_patch: false },
      { edit_profile: 'exact', apply_patch: true },
    ]);
    fireEvent.click(row(window, 'edit_profile').querySelector('[data-testid=setting-reset]')!);
    await settle();
    expect(sent().at(-1)).toMatchObject({ edit_profile: 'safe', apply_patch: true });
    expect(row(window, 'edit_profile').querySelector('[data-testid=setting-reset]')).toBeNull();
  });
});
