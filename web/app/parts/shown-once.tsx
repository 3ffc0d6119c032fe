import { useEffect, useId, useRef } from 'react';
import { useT } from '../i18n.tsx';
import { Row } from '../kit/box.tsx';
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
    <div>
      <label htmlFor={id}>{label}</label>
      <Row>
        <input
          style={{ flex: '1 1 14rem', inlineSize: 'auto', fontFamily: 'var(--font-mono)' }}
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
      </Row>
      <p id={`${id}-hint`} className="hint">
        {t('common.shown_once')}
      </p>
    </div>
  );
}
