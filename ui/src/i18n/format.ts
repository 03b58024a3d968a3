/** Numbers, sizes, times and dates in the language of the window. */

export type Locale = 'en' | 'zh-CN' | 'en-XA';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const KIBI = 1_024;
const MICROS = 1_000_000;

/** The language whose rules apply; the pseudo language follows English. */
export function rulesOf(locale: Locale): 'en' | 'zh-CN' {
  return locale === 'zh-CN' ? 'zh-CN' : 'en';
}

export function formatNumber(locale: Locale, value: number): string {
  return new Intl.NumberFormat(rulesOf(locale)).format(value);
}

/** Large counts in few characters: `82k`, `1.2M`. */
export function formatCount(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 10_000) return `${(value / 1_000).toFixed(1).replace(/\.0$/, '')}k`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

export function formatBytes(value: number): string {
  if (value < KIBI) return `${value} B`;
  if (value < KIBI * KIBI) return `${(value / KIBI).toFixed(1)} KB`;
  return `${(value / KIBI / KIBI).toFixed(1)} MB`;
}

/** A duration in few characters: `31 ms`, `1.2 s`, `2:05`, `1:02:05`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  return formatClock(ms);
}

/** A running time as on a clock: `00:14`, `1:02:05`. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor((seconds % 3_600) / 60))}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

export function formatTime(locale: Locale, at: number): string {
  return new Intl.DateTimeFormat(rulesOf(locale), {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(at);
}

export function formatDateTime(locale: Locale, at: number): string {
  return new Intl.DateTimeFormat(rulesOf(locale), { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

export function formatMonth(locale: Locale, at: number): string {
  return new Intl.DateTimeFormat(rulesOf(locale), { month: 'long', year: 'numeric' }).format(at);
}

/** How long ago, in the largest whole unit. */
export function formatAgo(locale: Locale, at: number, now: number): string {
  const rules = new Intl.RelativeTimeFormat(rulesOf(locale), { numeric: 'always', style: 'short' });
  const passed = Math.max(0, now - at);
  if (passed < MINUTE_MS) return rules.format(-Math.floor(passed / SECOND_MS), 'second');
  if (passed < HOUR_MS) return rules.format(-Math.floor(passed / MINUTE_MS), 'minute');
  if (passed < 24 * HOUR_MS) return rules.format(-Math.floor(passed / HOUR_MS), 'hour');
  return rules.format(-Math.floor(passed / (24 * HOUR_MS)), 'day');
}

/** An amount in millionths of a dollar. */
export function formatCost(micros: number): string {
  const dollars = micros / MICROS;
  return `$${dollars < 0.01 && dollars > 0 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

/** Chooses between one and many by the rules of English. */
export function plural(count: number, one: string, many: string): string {
  return new Intl.PluralRules('en').select(count) === 'one' ? one : many;
}
