import { useEffect, useState, type ReactNode } from 'react';
import { useT } from '@/i18n';
import './placeholder.css';

/** A skeleton that flashes is worse than none. */
const SKELETON_DELAY_MS = 150;

/** What stands where something is being loaded: nothing at first, then words and grey lines. */
export function Loading({ text, lines = 3 }: { text?: string; lines?: number }) {
  const t = useT();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setShown(true);
    }, SKELETON_DELAY_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, []);
  return (
    <div className="skeleton" role="status" data-shown={shown}>
      <span className="skeleton-text">{text ?? t('common.loading')}</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} className="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}

interface MessageProps {
  title: string;
  text?: string | undefined;
  /** Buttons: what to do next. */
  children?: ReactNode;
}

/** One sentence and one action, where there is nothing to show. */
export function Empty({ title, text, children }: MessageProps) {
  return (
    <div className="placeholder">
      <p className="placeholder-title">{title}</p>
      {text === undefined ? null : <p className="placeholder-text">{text}</p>}
      {children === undefined ? null : <div className="placeholder-actions">{children}</div>}
    </div>
  );
}

/** What failed, and what to press. */
export function Failure({ title, text, children }: MessageProps) {
  return (
    <div className="placeholder" role="alert" data-look="failure">
      <p className="placeholder-title">{title}</p>
      {text === undefined ? null : <p className="placeholder-text selectable">{text}</p>}
      {children === undefined ? null : <div className="placeholder-actions">{children}</div>}
    </div>
  );
}
