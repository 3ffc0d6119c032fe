import { Copy } from 'lucide-react';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';

/** Copies a text. Not shown where the browser has no clipboard for the page, as over plain HTTP. */
export function CopyButton({ text }: { text: string }) {
  const t = useT();
  if (!navigator.clipboard) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => announce(t('common.copied')),
      () => announce(t('jobs.copy_refused')),
    );
  return (
    <button type="button" className="small" onClick={() => void copy()}>
      <Copy aria-hidden="true" size={16} /> {t('common.copy')}
    </button>
  );
}
