import { useSyncExternalStore } from 'react';

let message = '';
/** Alternates an invisible character, so that the same text is announced twice. */
let turn = false;
const listeners = new Set<() => void>();

/** Announces events to screen readers: saved, next 4 of 20, not saved. Not needed for elements that receive the focus. */
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
