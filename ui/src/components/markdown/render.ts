import DOMPurify from 'dompurify';
import { Marked, type Tokens } from 'marked';

/** Words the rendering needs; they come from the window's language. */
export interface MarkdownLabels {
  picture: (host: string) => string;
  differs: string;
}

const ALLOWED_TAGS = [
  ...[
    'p',
    'br',
    'strong',
    'em',
    'del',
    'code',
    'pre',
    'ul',
    'ol',
    'li',
    'blockquote',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
  ],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'hr', 'a'],
];

/** Only these addresses can be pressed; everything else is text. */
const ALLOWED_ADDRESS = /^(?:https?:\/\/|mailto:)/i;

/** The only class that may come from a text: the language of a fence. */
const LANGUAGE_CLASS = /^language-[\w+#.-]+$/;

/** Rendered blocks that are kept; streaming asks for the same ones again and again. */
const MAX_CACHED_BLOCKS = 600;

const cache = new Map<string, DocumentFragment>();

/** A block of Markdown as elements. Nothing in it can run, load or navigate by itself. */
export function renderMarkdown(source: string, labels: MarkdownLabels): DocumentFragment {
  const key = `${labels.differs}\n${source}`;
  let fragment = cache.get(key);
  if (!fragment) {
    fragment = build(source, labels);
    cache.set(key, fragment);
    const oldest = cache.keys().next();
    if (cache.size > MAX_CACHED_BLOCKS && oldest.done !== true) cache.delete(oldest.value);
  }
  return fragment.cloneNode(true) as DocumentFragment;
}

function build(source: string, labels: MarkdownLabels): DocumentFragment {
  const html = parserFor(labels).parse(source, { async: false });
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ['href', 'class', 'start'],
    ALLOWED_URI_REGEXP: ALLOWED_ADDRESS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    KEEP_CONTENT: true,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const element of fragment.querySelectorAll('[class]')) {
    if (!LANGUAGE_CLASS.test(element.className)) element.removeAttribute('class');
  }
  for (const link of fragment.querySelectorAll('a')) finishLink(link, labels);
  return fragment;
}

function parserFor(labels: MarkdownLabels): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
      image: ({ href, text }: Tokens.Image) => {
        const label =
          text === ''
            ? labels.picture(hostOf(href) ?? href)
            : `${labels.picture(hostOf(href) ?? '')} ${text}`;
        return `<a href="${escapeHtml(href)}">${escapeHtml(label)}</a>`;
      },
    },
  });
}

/** A link shows where it leads; one whose text names another place is marked. One that leads nowhere is text. */
function finishLink(link: HTMLAnchorElement, labels: MarkdownLabels): void {
  const address = link.getAttribute('href');
  if (address === null) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.title = address;
  const text = link.textContent.trim();
  const named = /^(?:https?:\/\/)?([\w-]+(?:\.[\w-]+)+)/i.exec(text)?.[1]?.toLowerCase();
  if (named === undefined || !/^https?:/i.test(address) || named === hostOf(address)) return;
  if (!/^(?:https?:\/\/|www\.)/i.test(text) && !/\.(?:com|org|net|io|dev|cn|de|test)$/i.test(named)) return;
  const mark = document.createElement('span');
  mark.className = 'md-differs';
  mark.title = labels.differs;
  mark.textContent = ' ⚠';
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', labels.differs);
  link.append(mark);
}

function hostOf(address: string): string | null {
  try {
    const { host } = new URL(address);
    return host === '' ? null : host.toLowerCase();
  } catch {
    return null;
  }
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
