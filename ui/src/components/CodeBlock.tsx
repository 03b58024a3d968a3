import { Check, ChevronsDownUp, ChevronsUpDown, Copy, WrapText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useT } from '@/i18n';
import { useCopy } from '@/lib/useCopy';
import { tid } from '@/testids';
import { Button, IconButton } from './Button';
import type { CodePiece } from './highlight';
import './code.css';

/** Longer blocks stay plain: colouring them would hold the window up. */
const MAX_HIGHLIGHTED_LINES = 2_000;

/** Blocks with more lines than fit their frame can be opened to their whole height. */
const MAX_FRAMED_LINES = 20;

interface Props {
  code: string;
  language: string;
  /** More is coming; it is coloured when it is finished. */
  growing: boolean;
}

/** Code in a frame of its own: language, copy, wrap. */
export function CodeBlock({ code, language, growing }: Props) {
  const t = useT();
  const [wrap, setWrap] = useState(false);
  const [whole, setWhole] = useState(false);
  const [copied, copy] = useCopy();
  const pieces = useHighlight(code, language, growing);
  const lines = code.split('\n').length;
  return (
    <figure className="code-block" data-testid={tid('msg-code')} data-wrap={wrap} data-whole={whole}>
      <figcaption className="code-header">
        <span className="code-language">{language === '' ? t('md.code.text') : language}</span>
        <IconButton
          testId="msg-code-wrap"
          label={t('md.code.wrap')}
          data-size="small"
          aria-pressed={wrap}
          icon={<WrapText className="icon-small" aria-hidden="true" />}
          onClick={() => {
            setWrap(!wrap);
          }}
        />
        <IconButton
          testId="msg-code-copy"
          label={copied ? t('common.copied') : t('md.code.copy')}
          data-size="small"
          icon={
            copied ? (
              <Check className="icon-small" aria-hidden="true" />
            ) : (
              <Copy className="icon-small" aria-hidden="true" />
            )
          }
          onClick={() => {
            copy(code);
          }}
        />
      </figcaption>
      <pre className="code-body" tabIndex={0} aria-label={language === '' ? t('md.code.text') : language}>
        <code>
          {pieces
            ? pieces.map((piece, at) => (
                <span key={at} className={piece.classes === '' ? undefined : piece.classes}>
                  {piece.text}
                </span>
              ))
            : code}
        </code>
      </pre>
      {lines > MAX_FRAMED_LINES ? (
        <Button
          testId="msg-code-expand"
          look="quiet"
          size="small"
          aria-expanded={whole}
          icon={
            whole ? (
              <ChevronsDownUp className="icon-small" aria-hidden="true" />
            ) : (
              <ChevronsUpDown className="icon-small" aria-hidden="true" />
            )
          }
          onClick={() => {
            setWhole(!whole);
          }}
        >
          {whole ? t('md.code.collapse') : t('md.code.expand')}
        </Button>
      ) : null}
    </figure>
  );
}

function useHighlight(code: string, language: string, growing: boolean): readonly CodePiece[] | null {
  const [result, setResult] = useState<{ code: string; pieces: readonly CodePiece[] | null }>({
    code: '',
    pieces: null,
  });
  useEffect(() => {
    if (growing || language === '' || code.split('\n').length > MAX_HIGHLIGHTED_LINES) return undefined;
    let current = true;
    import('./highlight')
      .then(({ highlight }) => highlight(code, language))
      .then((pieces) => {
        if (current) setResult({ code, pieces });
      })
      // Without colours the code is still there.
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [code, language, growing]);
  return result.code === code ? result.pieces : null;
}
