/** What a link or the identity provider brought to /signin in its address. */
export type Arrival =
  | { kind: 'invite'; token: string }
  | { kind: 'reset'; token: string }
  /** The identity provider sends the person back; without a code, it refused. */
  | { kind: 'sso'; code: string | null; state: string };

/*
 * This module is the first that runs: secrets leave the address, and with it the history, before anything else can read or repeat it.
 */
let arrival = take();
const listeners = new Set<() => void>();

// A link that is pasted into the tab of an open /signin changes the fragment only.
addEventListener('hashchange', () => {
  const next = take();
  if (next) setArrival(next);
});

/** What was brought; undefined when nothing was, or it has been used. */
export function currentArrival(): Arrival | undefined {
  return arrival;
}

export function forgetArrival(): void {
  setArrival(undefined);
}

/** Calls `listener` at each change. @returns what ends that */
export function onArrival(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function setArrival(next: Arrival | undefined): void {
  arrival = next;
  for (const listener of listeners) listener();
}

function take(): Arrival | undefined {
  const { hash, pathname, search } = location;
  const fragment = new URLSearchParams(hash.slice(1));
  const [invite, reset] = [fragment.get('invite_token'), fragment.get('reset_token')];
  if (invite || reset) {
    history.replaceState(history.state, '', pathname + search);
    return invite ? { kind: 'invite', token: invite } : { kind: 'reset', token: reset as string };
  }
  const query = new URLSearchParams(search);
  const state = query.get('state');
  if (!pathname.endsWith('/signin/sso') || !state) return undefined;
  history.replaceState(history.state, '', pathname);
  return { kind: 'sso', code: query.get('code'), state };
}
