import { type RefObject, useEffect, useRef } from 'react';
import { useT } from '../i18n.tsx';
import type { OpenField } from './open-segment.tsx';

/**
 * Takes the keys that a reviewer types after a confirmation, until the next segment is open, and inserts them there.
 * Without it, they would change the confirmed segment. It is a field, so that input methods work too.
 */
export function TypeAhead({ isActive, field }: { isActive: boolean; field: RefObject<OpenField | null> }) {
  const t = useT();
  const element = useRef<HTMLTextAreaElement>(null);
  const typed = useRef('');
  const wasActive = useRef(false);
  useEffect(() => {
    if (isActive && !wasActive.current) element.current?.focus();
    if (!isActive && wasActive.current) {
      field.current?.focus();
      if (typed.current !== '') field.current?.insert(typed.current);
      typed.current = '';
    }
    wasActive.current = isActive;
  }, [isActive, field]);
  if (!isActive) return null;
  return (
    <textarea
      ref={element}
      className="visually-hidden"
      aria-label={t('editor.opening_next')}
      onInput={({ currentTarget }) => {
        typed.current = currentTarget.value;
      }}
    />
  );
}
