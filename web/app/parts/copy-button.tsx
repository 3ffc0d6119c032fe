import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';

/** The names of a button that copies a translation with a status. They differ for one that no one has approved. */
export const copyName = (status: string): MessageId =>
  status === 'rejected'
    ? 'common.copy_rejected'
    : status === 'awaiting_review' || status === 'refined'
      ? 'common.copy_draft'
      : 'common.copy';

/** Copies a text to the clipboard. Hidden if the browser offers no clipboard, for example on a URL without https. */
export function CopyButton({ text, name = 'common.copy' }: { text: string; name?: MessageId }) {
  const t = useT();
  const [isCopied, setCopied] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // The browser blocked the clipboard; the member can select the text instead.
      return;
    }
    setCopied(true);
    announce(t('common.copied'));
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}{' '}
      {isCopied ? t('common.copied') : t(name)}
    </button>
  );
}
