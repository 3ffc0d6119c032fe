/** The parameters of a link, or of the identity provider's redirect, in the URL of /signin. */
export type Arrival =
  | { kind: 'invite'; token: string }
  | { kind: 'reset'; token: string }
  /** The identity provider's redirect; without a code, it rejected the sign-in. */
  | { kind: 'sso'; code: string | null; state: string };

/* This module runs first: secrets are removed from the URL, and from the history, before anything else can read them. */
let arrival = take();
const listeners = new Set<() => void>();

// A link that is pasted into the tab of an open /signin changes only the fragment.
addEventListener('hashchange', () => {
  const next = take();
  if (next) setArrival(next);
});

/** The current parameters; undefined without any, or after their use. */
export function currentArrival(): Arrival | undefined {
  return arrival;
}

export function forgetArrival(): void {
  setArrival(undefined);
}

/** Calls `listener` on each change. @returns a function that unsubscribes */
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
