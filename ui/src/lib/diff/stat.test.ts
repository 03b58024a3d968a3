import { describe, expect, it } from 'vitest';
import type { DiffStat } from '@/bindings';
import { readCase } from '../../../test/cases';
import { align, diffStat, LineNumbers, MAX_EXACT_LINES, ProposalCounter, splitLines } from './index';

interface StatCase {
  id: string;
  old: string;
  ai: string;
  final: string;
  expect: Partial<DiffStat>;
  why: string;
}

const cases = (JSON.parse(readCase('edit-cases.json')) as { diff_stat_cases: StatCase[] }).diff_stat_cases;

describe('statistics of a proposal', () => {
  it('has cases to prove itself on', () => {
    expect(cases).toHaveLength(21);
  });

  it.each(cases)('$id: $why', ({ old, ai, final, expect: expected }) => {
    expect(diffStat(old, ai, final)).toMatchObject(expected);
  });

  it('marks exactly the lines it counts', () => {
    const { stat, owners, dropped } = new ProposalCounter('a\nb\nc\nd\n', 'a\nb1\nb2\nb3\nd\n').count(
      'a\nb1\nhuman\nd\ntail\n',
    );
    expect(owners).toEqual([null, 'ai', 'human', null, 'human']);
    expect([...dropped]).toEqual([[2, 2]]);
    expect(stat.net).toMatchObject({ ai_added: 1, human_added: 2, ai_added_undone: 2 });
  });

  it('says that it only estimates texts that are too large', () => {
    const lines = (word: string) =>
      Array.from({ length: MAX_EXACT_LINES + 1 }, (_, at) => `${word}${at}\n`).join('');
    const stat = diffStat(lines('a'), lines('b'), lines('b'));
    expect(stat.approximate).toBe(true);
    expect(stat.model_added_lines).toBe(MAX_EXACT_LINES + 1);
  });

  it('counts 5,000 lines fast enough to type along', () => {
    const base = Array.from({ length: 5_000 }, (_, at) => `line ${at} ${at % 7 === 0 ? '' : 'x'}`);
    const proposal = base.map((line, at) => (at % 20 === 0 ? `${line} by the model` : line));
    const counter = new ProposalCounter(`${base.join('\n')}\n`, `${proposal.join('\n')}\n`);
    const final = proposal.map((line, at) => (at === 2_500 ? 'mine' : line)).join('\n');
    counter.count(final);
    const start = performance.now();
    const { stat } = counter.count(`${final}\n`);
    expect(performance.now() - start).toBeLessThan(150);
    expect(stat.net.ai_added).toBe(249);
    expect(stat.net.human_added).toBe(1);
  });
});

describe('the canonical alignment', () => {
  it('equals the walk on the full table', () => {
    const random = generator(42);
    for (let round = 0; round < 4_000; round += 1) {
      const alphabet = 2 + Math.floor(random() * 6);
      const old = randomLines(random, alphabet);
      const next = random() < 0.5 ? randomLines(random, alphabet) : edited(old, random, alphabet);
      const found = pairs(old, next);
      expect(found, `${old.join('')} → ${next.join('')}`).toEqual(naivePairs(old, next));
    }
  });

  it('equals it too where the texts end alike over many lines', () => {
    const random = generator(7);
    for (let round = 0; round < 200; round += 1) {
      const tail = Array.from({ length: 150 }, () => letter(random, 3));
      const old = [...randomLines(random, 3), ...tail];
      const next = [...randomLines(random, 3), ...tail];
      expect(pairs(old, next)).toEqual(naivePairs(old, next));
    }
  });

  it('keeps no line twice and no pair crossed in texts above the limit', () => {
    const old = Array.from({ length: 30_000 }, (_, at) => String(at % 900 === 0 ? 'same' : at));
    const next = old.filter((_, at) => at % 3 !== 0);
    for (const other of [next, [...old].reverse()]) {
      const { exact, runs } = align(...numbers(old, other));
      expect(exact).toBe(false);
      let [oldEnd, newEnd] = [0, 0];
      for (const run of runs) {
        expect(run.old).toBeGreaterThanOrEqual(oldEnd);
        expect(run.new).toBeGreaterThanOrEqual(newEnd);
        [oldEnd, newEnd] = [run.old + run.length, run.new + run.length];
      }
    }
  });
});

describe('lines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['\n', 1],
    ['a\rb\n', 1],
    ['a\u2028b', 1],
  ])('%j has %i', (text, count) => {
    expect(splitLines(text)).toHaveLength(count);
  });
});

function numbers(old: readonly string[], next: readonly string[]): [Int32Array, Int32Array] {
  const lines = new LineNumbers();
  return [lines.of(old), lines.of(next)];
}

function pairs(old: readonly string[], next: readonly string[]): [number, number][] {
  return align(...numbers(old, next)).runs.flatMap((run) =>
    Array.from({ length: run.length }, (_, at): [number, number] => [run.old + at, run.new + at]),
  );
}

/** The definition, word for word: the table of all suffixes, and the walk from the start. */
function naivePairs(old: readonly string[], next: readonly string[]): [number, number][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(next.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      table[i]![j] =
        old[i] === next[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  const kept: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < next.length) {
    if (old[i] === next[j]) kept.push([i++, j++]);
    else if (table[i + 1]![j]! >= table[i]![j + 1]!) i += 1;
    else j += 1;
  }
  return kept;
}

function letter(random: () => number, alphabet: number): string {
  return String.fromCharCode(97 + Math.floor(random() * alphabet));
}

function randomLines(random: () => number, alphabet: number): string[] {
  return Array.from({ length: Math.floor(random() * 40) }, () => letter(random, alphabet));
}

function edited(lines: readonly string[], random: () => number, alphabet: number): string[] {
  return lines.flatMap((line) => {
    const dice = random();
    if (dice < 0.1) return [];
    if (dice < 0.2) return [line, letter(random, alphabet)];
    return [dice < 0.3 ? letter(random, alphabet) : line];
  });
}

/** A small generator with a seed, so that a failure can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
