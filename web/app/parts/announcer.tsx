import { useSyncExternalStore } from 'react';

let message = '';
/**
 * Each announcement ends with or without an invisible character, in turn, so that a repeated text is announced again.
 */
let turn = false;
const listeners = new Set<() => void>();

/**
 * Announces an event to screen readers, such as "saved" or "next 4 of 20". Elements that receive the focus need no
 * announcement.
 */
export function announce(text: string): void {
  turn = !turn;
  message = turn ? text : `${text}\u00a0`;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The page's only live region. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div aria-live="polite" className="visually-hidden">
      {text}
    </div>
  );
}
