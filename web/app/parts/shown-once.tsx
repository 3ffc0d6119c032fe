import { type ReactNode, useEffect, useState } from 'react';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';

/** Puts a text on the clipboard. Absent where the browser has none: on an address without https. */
export function CopyButton({ text }: { text: string }) {
  const t = useT();
  const [isCopied, setCopied] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // The person forbade it; the text can be selected by hand.
      return;
    }
    setCopied(true);
    announce(t('common.copied'));
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {isCopied ? t('common.copied') : t('common.copy')}
    </button>
  );
}

/**
 * A secret that the service tells once, until the person says that it is kept. The browser asks before the page is left with it.
 * @param children the secret, and other ways to keep it than copying
 */
export function ShownOnce({
  text,
  kept,
  onKept,
  children,
}: {
  /** What is copied. */
  text: string;
  /** The words of the button that ends it. */
  kept: string;
  onKept(): void;
  children: ReactNode;
}) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return (
    <div className="shown-once">
      {children}
      <p className="actions">
        <CopyButton text={text} />
      </p>
      <button type="button" className="primary" onClick={onKept}>
        {kept}
      </button>
    </div>
  );
}
