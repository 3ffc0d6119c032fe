/** What the URL of /signin contained: the parameters of a link, or those of the redirect from the identity provider. */
export type Arrival =
  /** `emailProof` is in the link of a mail. It confirms the address at the sign-up. */
  | { kind: 'invite'; token: string; emailProof: string | null }
  | { kind: 'reset'; token: string }
  /** The redirect from the identity provider. If the provider rejected the sign-in, `code` is null. */
  | { kind: 'sso'; code: string | null; state: string };

/*
 * This module runs before all others and removes secrets from the URL and from the browser's history, before other code
 * can read them.
 */
let arrival = take();
const listeners = new Set<() => void>();

// If a link is pasted into a tab with an open /signin, only the fragment changes, and the page is not loaded again.
addEventListener('hashchange', () => {
  const next = take();
  if (next) setArrival(next);
});

/** The current parameters; undefined without parameters, or after they were used. */
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
    return invite
      ? { kind: 'invite', token: invite, emailProof: fragment.get('email_proof') }
      : { kind: 'reset', token: reset as string };
  }
  const query = new URLSearchParams(search);
  const state = query.get('state');
  if (!pathname.endsWith('/signin/sso') || !state) return undefined;
  history.replaceState(history.state, '', pathname);
  return { kind: 'sso', code: query.get('code'), state };
}
