import { useEffect, useId, useRef } from 'react';
import { useT } from '../i18n.tsx';
import { CopyButton } from './copy-button.tsx';

/**
 * A secret that the service returns only once, such as an API key or a link with a token. The secret exists only in
 * this component's memory. It is selected immediately, so that it can be copied if the browser offers no clipboard.
 */
export function ShownOnce({ label, value }: { label: string; value: string }) {
  const t = useT();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
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
        <CopyButton text={value} />
      </div>
      <p id={`${id}-hint`} className="hint">
        {t('common.shown_once')}
      </p>
    </div>
  );
}
