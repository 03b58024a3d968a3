import { memo, useLayoutEffect, useMemo, useRef, useState, type MouseEvent } from 'react';
import { createPortal } from 'react-dom';
import { useT } from '@/i18n';
import { CodeBlock } from '../CodeBlock';
import { BlockSplitter, type MarkdownBlock } from './blocks';
import { renderMarkdown } from './render';
import './markdown.css';

interface Props {
  text: string;
  /** Nothing more will come. */
  complete: boolean;
  /** Opens an address after a click. */
  onOpenLink: (address: string) => void;
}

/** Untrusted text as paragraphs, lists, tables and code. */
export function Markdown({ text, complete, onOpenLink }: Props) {
  const splitter = useMemo(() => new BlockSplitter(), []);
  const blocks = splitter.update(text, complete);
  const onClick = (event: MouseEvent<HTMLDivElement>) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link) return;
    event.preventDefault();
    onOpenLink(link.getAttribute('href') ?? '');
  };
  return (
    // The links inside take the focus and Enter by themselves; this only catches what they do.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className="markdown selectable" onClick={onClick} onAuxClick={onClick}>
      {blocks.map((block, at) => (
        <Block key={at} kind={block.kind} text={block.text} language={block.language} open={block.open} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ kind, text, language, open }: MarkdownBlock) {
  switch (kind) {
    case 'code':
      return <CodeBlock code={text} language={language} growing={open} />;
    case 'plain':
      return <p className="md-plain">{text}</p>;
    case 'markdown':
      return <MarkdownPart text={text} />;
  }
});

interface CodeHost {
  host: HTMLElement;
  code: string;
  language: string;
}

function MarkdownPart({ text }: { text: string }) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const [hosts, setHosts] = useState<readonly CodeHost[]>([]);
  useLayoutEffect(() => {
    const fragment = renderMarkdown(text, {
      picture: (host) => t('md.picture', host),
      differs: t('md.link.differs'),
    });
    const found = [...fragment.querySelectorAll('pre')].map(toHost);
    box.current?.replaceChildren(fragment);
    // Code inside lists and quotes gets the same frame as code of its own.
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the frames hang in elements that exist only now
    setHosts((before) => (before.length === 0 && found.length === 0 ? before : found));
  }, [text, t]);
  return (
    <>
      <div ref={box} className="md-part" />
      {hosts.map(({ host, code, language }, at) =>
        createPortal(<CodeBlock code={code} language={language} growing={false} />, host, String(at)),
      )}
    </>
  );
}

function toHost(pre: HTMLPreElement): CodeHost {
  const host = document.createElement('div');
  const code = pre.querySelector('code');
  const language = /language-(\S+)/.exec(code?.className ?? '')?.[1] ?? '';
  pre.replaceWith(host);
  return { host, code: pre.textContent.replace(/\n$/, ''), language };
}
