import { act, fireEvent } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { openWindow, settle, type TestWindow } from '../../../test/render';

async function open(section: 'general' | 'terminal'): Promise<TestWindow> {
  const window = await openWindow();
  act(() => {
    window.workbench.ui.setState({ route: { name: 'settings' } });
  });
  await window.find('settings', { value: 'general' });
  fireEvent.click(window.get(`settings-nav-${section}`));
  await window.find('settings', { value: section });
  return window;
}

const row = (window: TestWindow, key: string) => window.get('setting-row', { key });

async function choose(window: TestWindow, key: string, value: string): Promise<void> {
  fireEvent.click(row(window, key).querySelector(`input[value=${value}]`)!);
  await settle();
}

describe('settings of edits', () => {
  it('are chosen, and reset', async () => {
    const window = await open('general');
    await choose(window, 'edit_profile', 'exact');
    await choose(window, 'apply_patch', 'true');
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

describe('settings of the sandbox', () => {
  it('are chosen one by one', async () => {
    const window = await open('terminal');
    await choose(window, 'sandbox', 'workspace_write');
    await choose(window, 'sandbox_network', 'true');
    await choose(window, 'sandbox_required', 'true');
    expect(window.backend.requests('set_settings').at(-1)?.settings).toMatchObject({
      sandbox: 'workspace_write',
      sandbox_network: true,
      sandbox_required: true,
    });
  });
});
