import { useSyncExternalStore } from 'react';

let message = '';
/** Alternates an invisible character, so that the same words are announced twice. */
let turn = false;
const listeners = new Set<() => void>();

/** Tells people who use a screen reader what happened: saved, next 4 of 20, refused. Not for what has the focus already. */
export function announce(text: string): void {
  turn = !turn;
  message = turn ? text : `${text}\u00a0`;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The live region of the page; there is one. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div aria-live="polite" className="visually-hidden">
      {text}
    </div>
  );
}
