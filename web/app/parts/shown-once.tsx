import { Check, Copy } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';

/**
 * A secret that the service shows this once: an API key, a link with a token. It is in the memory of this component only, so it is
 * gone when the component is.
 */
export function ShownOnce({ label, value }: { label: string; value: string }) {
  const t = useT();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const copy = async () => {
    // Without permission for the clipboard, the selected text is one key away.
    field.current?.select();
    // Without https there is no clipboard.
    if (!navigator.clipboard) return announce(t('common.copy_by_key'));
    await navigator.clipboard.writeText(value).then(
      () => {
        setCopied(true);
        announce(t('common.copied'));
      },
      () => announce(t('common.copy_by_key')),
    );
  };
  return (
    <div className="shown-once">
      <label htmlFor={id}>{label}</label>
      <div className="shown-once-row">
        <input
          ref={field}
          id={id}
          readOnly
          value={value}
          dir="ltr"
          translate="no"
          spellCheck={false}
          autoComplete="off"
          aria-describedby={`${id}-hint`}
          onFocus={({ target }) => target.select()}
        />
        <button type="button" onClick={() => void copy()}>
          {isCopied ? <Check aria-hidden size="1.1em" /> : <Copy aria-hidden size="1.1em" />}{' '}
          {isCopied ? t('common.copied') : t('common.copy')}
        </button>
      </div>
      <p id={`${id}-hint`} className="hint">
        {t('common.shown_once')}
      </p>
    </div>
  );
}
