import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { en } from './en';
import { formatClock, formatCount, formatDuration } from './format';
import { chooseLocale, translator } from './text';
import { zhCN } from './zh-CN';

const SOURCE = join(import.meta.dirname, '..');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/i18n/') && !path.includes('/bindings/'))
    .map((path) => readFileSync(path, 'utf8'));
}

describe('the catalogues', () => {
  it('have the same sentences', () => {
    expect(Object.keys(zhCN).sort()).toEqual(Object.keys(en).sort());
  });

  it('have no sentence that nobody says', () => {
    const source = sources(SOURCE).join('\n');
    const made = [...source.matchAll(/`([a-z]+(?:\.[a-z]+)*\.)\$\{/g)].map(([, start]) => start ?? '');
    const silent = Object.keys(en).filter(
      (key) => !source.includes(`'${key}'`) && !made.some((start) => key.startsWith(start)),
    );
    expect(silent).toEqual([]);
  });

  it('are Chinese where they should be', () => {
    const latin = Object.entries(zhCN).filter(
      ([, value]) => typeof value === 'string' && value !== '' && !/[\u4e00-\u9fff]/.test(value),
    );
    const allowed = [
      'app.name',
      'language.en',
      'confirm.told.intro',
      'diff.mark.ai',
      'diff.mark.human',
      'stat.ai',
    ];
    expect(latin.map(([key]) => key).sort()).toEqual(allowed.sort());
  });

  it('write Chinese sentences with Chinese signs', () => {
    const wrong = Object.entries(zhCN).filter(
      ([key, value]) =>
        typeof value === 'string' && key !== 'confirm.told.intro' && /[\u4e00-\u9fff][,;:?!]/.test(value),
    );
    expect(wrong).toEqual([]);
  });
});

describe('sentences', () => {
  it('count in English', () => {
    const t = translator('en');
    expect(t('confirm.told', 1)).toBe('The model will be told about your 1 changed line');
    expect(t('confirm.told', 2)).toBe('The model will be told about your 2 changed lines');
    expect(t('chat.fold', 5, 2)).toBe('5 reads, 2 searches');
    expect(t('chat.fold', 0, 1)).toBe('1 search');
  });

  it('use the words that were agreed on', () => {
    const t = translator('zh-CN');
    expect(t('confirm.allow.edits')).toBe('按我的修改允许一次');
    expect(t('pty.take')).toBe('接管输入');
    expect(t('confirm.told', 2)).toBe('模型会得知你修改的 2 行');
  });
});

it('chooses the language of the system unless told otherwise', () => {
  expect(chooseLocale('system', 'zh-CN')).toBe('zh-CN');
  expect(chooseLocale('system', 'zh_Hans_CN')).toBe('zh-CN');
  expect(chooseLocale('system', 'de')).toBe('en');
  expect(chooseLocale('en', 'zh-CN')).toBe('en');
});

describe('numbers and times', () => {
  it.each([
    [31, '31 ms'],
    [1_240, '1.2 s'],
    [59_000, '59 s'],
    [125_000, '02:05'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('stay short', () => {
    expect(formatClock(3_725_000)).toBe('1:02:05');
    expect([999, 1_500, 82_000, 1_200_000].map(formatCount)).toEqual(['999', '1.5k', '82k', '1.2M']);
  });
});
