import { memo, type CSSProperties } from 'react';
import { useT } from '@/i18n';
import { parseHex, readableOn, toHex, type Color, type LogLine, type Span } from '@/lib/ansi';

interface Props {
  /** From zero. */
  at: number;
  line: LogLine | null;
  /** What is looked for, in lower case; empty if nothing is. */
  query: string;
  /** The match that was gone to. */
  current: boolean;
}

/** One line of a log in its colours, with matches marked. */
export const LogLineView = memo(function LogLineView({ at, line, query, current }: Props) {
  const t = useT();
  return (
    <div className="log-line" data-line={at} data-current={current}>
      <span className="log-number numbers" aria-hidden="true">
        {at + 1}
      </span>
      <span className="log-text">
        {line ? line.spans.map((span, index) => <SpanView key={index} span={span} query={query} />) : '…'}
        {line && line.cut > 0 ? <span className="log-cut">{t('log.cut', line.cut)}</span> : null}
      </span>
    </div>
  );
});

function SpanView({ span, query }: { span: Span; query: string }) {
  const { style } = span;
  const content = query === '' ? span.text : marked(span.text, query);
  const classes = CLASSES.filter((name) => style[name]).map((name) => `ansi-${name}`);
  return (
    <span {...(classes.length > 0 ? { className: classes.join(' ') } : {})} style={colors(span)}>
      {content}
    </span>
  );
}

const CLASSES = ['bold', 'dim', 'italic', 'underline', 'strike'] as const;

function marked(text: string, query: string) {
  const lower = text.toLowerCase();
  const parts: React.ReactNode[] = [];
  let from = 0;
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, from)) {
    if (at > from) parts.push(text.slice(from, at));
    parts.push(<mark key={at}>{text.slice(at, at + query.length)}</mark>);
    from = at + query.length;
  }
  parts.push(text.slice(from));
  return parts;
}

function colors({ style }: Span): CSSProperties | undefined {
  const [fg, bg] = style.inverse ? [style.bg, style.fg] : [style.fg, style.bg];
  if (!fg && !bg && !style.inverse) return undefined;
  const background = bg ? cssOf(bg) : style.inverse ? 'var(--text)' : undefined;
  const color = fg ? foreground(fg, bg) : style.inverse || bg ? 'var(--sunken)' : undefined;
  return { ...(color ? { color } : {}), ...(background ? { backgroundColor: background } : {}) };
}

/** On the theme's own ground a colour of the program is moved until it can be read, as the live view does. */
function foreground(color: Color, behind: Color | null): string {
  if (color.kind === 'theme') return cssOf(color);
  const ground = behind?.kind === 'rgb' ? behind.value : parseHex(token('--sunken'));
  return toHex(readableOn(color.value, ground));
}

function cssOf(color: Color): string {
  return color.kind === 'rgb' ? toHex(color.value) : `var(--term-${THEME_NAMES[color.index] ?? 'white'})`;
}

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

const BASE_NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const THEME_NAMES = [...BASE_NAMES, ...BASE_NAMES.map((name) => `bright-${name}` as const)];
