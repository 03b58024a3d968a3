import { useEffect, useState } from 'react';

/** How long a button says that it copied. */
const COPIED_SHOWN_MS = 1_500;

/** Copies plain text, exactly these characters; the answer says that it just happened. */
export function useCopy(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = window.setTimeout(() => {
      setCopied(false);
    }, COPIED_SHOWN_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [copied]);
  const copy = (text: string) => {
    navigator.clipboard
      .writeText(text)
      .then(() => {
        setCopied(true);
      })
      // Nothing was copied, and the button does not say so.
      .catch(() => undefined);
  };
  return [copied, copy];
}
