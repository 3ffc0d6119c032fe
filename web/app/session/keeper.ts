import { newIdempotencyKey } from '#sdk/random-key.ts';
import type { Session } from '#sdk/session.ts';
import type { Tokens } from '#sdk/tokens.ts';
import type { OAuth2TokenResponse } from '#sdk/types.ts';
import { deployment } from '../deployment.ts';
import { signInRequest } from './sign-in-request.ts';

/**
 * The name of the key in `localStorage`, which all tabs share, like the cookie. The key is useless without the cookie.
 */
const storageKey = 'lingualoop-refresh-retry';

/** The key, if the browser does not allow the page to store it. */
let unstored: string | undefined;

/**
 * Returns the retry key of the next refresh. The key is stored before the refresh is sent, and stays the same until a
 * response has arrived. A tab that lost the response, was closed or crashed can therefore repeat the refresh with the
 * same key.
 */
function refreshRetryKey(): string {
  try {
    const begun = localStorage.getItem(storageKey);
    if (begun !== null) return begun;
    const key = newIdempotencyKey();
    localStorage.setItem(storageKey, key);
    return key;
  } catch {
    unstored ??= newIdempotencyKey();
    return unstored;
  }
}

/** Deletes the key, after a response to the refresh or if the session has ended. */
function forgetRefreshRetryKey(): void {
  unstored = undefined;
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // The key was not stored.
  }
}

/**
 * The token response of the endpoints below /signin. It contains no refresh token, because that is in a cookie that
 * scripts cannot read.
 */
export type Issued = Omit<OAuth2TokenResponse, 'refresh_token'>;

/**
 * The state of the sign-in. `starting`: the state is not known yet. `expired`: the session ended while the member
 * worked; the screen stays open, and the member is asked to sign in again.
 */
export type SessionState =
  | { kind: 'starting' }
  /**
   * `failure` is set if the service did not respond to a request with the session cookie; the cookie may then still be
   * valid.
   */
  | { kind: 'signed_out'; failure?: { of: 'resume' | 'sign_out'; error: unknown } }
  /** Nobody is signed in, and a visitor looks at the demo workspace, with a cookie that scripts cannot read. */
  | { kind: 'visiting' }
  | { kind: 'signed_in'; tokens: Tokens }
  | { kind: 'expired'; tokens: Tokens };

/**
 * Messages between the tabs of the application. Access tokens are only in the memory of tabs, and never in a storage.
 */
type Message = { kind: 'ask' } | { kind: 'tokens'; tokens: Tokens } | { kind: 'signed_out' };

/** Maximum milliseconds that a tab waits for tokens from other tabs. */
const answerWithin = 200;
/** A lock that all tabs share, so that a new tab can find out whether there are others. */
const tabLock = 'lingualoop-tab';

const refreshLock = 'lingualoop-refresh';

let state: SessionState = { kind: 'starting' };
/**
 * True if this page is about to be reloaded for another member. Until then, it must not send the tokens of the previous
 * member to other tabs.
 */
let isLeaving = false;
const listeners = new Set<() => void>();
/** Requests that wait until the member has signed in again. */
let waiting: ((tokens: Tokens | null) => void)[] = [];
const channel = new BroadcastChannel('lingualoop-session');

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if (isLeaving) return;
  if (data.kind === 'tokens') adopt(data.tokens);
  else if (data.kind === 'signed_out') enter({ kind: 'signed_out' });
  else if (state.kind === 'signed_in' && !isDue(state.tokens)) tell({ kind: 'tokens', tokens: state.tokens });
};

function tell(message: Message): void {
  channel.postMessage(message);
}

function enter(next: SessionState): void {
  state = next;
  if (next.kind === 'signed_in' || next.kind === 'signed_out') {
    const held = waiting;
    waiting = [];
    for (const resolve of held) resolve(next.kind === 'signed_in' ? next.tokens : null);
  }
  for (const listener of listeners) listener();
}

/**
 * Stores tokens that this tab or another tab has received. If they belong to another member, the page is reloaded, so
 * that they are not used for the work of the previous member.
 */
function adopt(tokens: Tokens): void {
  const before = state.kind === 'signed_in' || state.kind === 'expired' ? state.tokens : undefined;
  if (state.kind === 'visiting' || (before && !isSamePerson(before, tokens))) {
    isLeaving = true;
    enter({ kind: 'starting' });
    location.reload();
  } else enter({ kind: 'signed_in', tokens });
}

function isSamePerson(one: Tokens, other: Tokens): boolean {
  return one.user.user_id === other.user.user_id && one.user.tenant_id === other.user.tenant_id;
}

/**
 * Whether a token must be renewed before it is used: in its last 30 s, or in the last tenth of its lifetime if that is
 * shorter.
 */
function isDue({ expires_at, expires_in }: Tokens): boolean {
  return Date.now() >= expires_at - Math.min(30_000, expires_in * 100);
}

/**
 * Refreshes the tokens only once for all tabs and requests, because a refresh token can be used only once, and using it
 * again later ends the session. Requests that waited for the lock take the tokens of the request that held it.
 * @param stale the tokens to replace
 * @returns null if the session has ended
 */
async function refresh(stale: Tokens | undefined): Promise<Tokens | null> {
  const { held = [] } = await navigator.locks.query();
  const mustWait = held.some(({ name }) => name === refreshLock);
  return navigator.locks.request(refreshLock, async () => {
    const isFresh = () =>
      state.kind === 'signed_in' && state.tokens.access_token !== stale?.access_token ? state.tokens : null;
    // The other tab releases the lock and sends its tokens, but the tokens may arrive after the lock.
    if (mustWait && !isFresh()) await askOthers();
    const fresh = isFresh();
    if (fresh) return fresh;
    const before = state;
    const ask = () => signInRequest<Issued>('refresh', { retry_key: refreshRetryKey() });
    const request = ask();
    setAsked();
    // Repeats the request once if its response was lost.
    const response = await request.catch(ask);
    if (response.ok || response.error.status === 401) forgetRefreshRetryKey();
    // The member has signed out during the request.
    if (state !== before && state.kind === 'signed_out') return null;
    if (response.ok) return begin(response.body);
    if (response.error.status !== 401) throw response.error;
    return null;
  });
}

/** Stores new tokens in all tabs, so that the member is signed in. */
export function begin(issued: Issued): Tokens {
  const now = Date.now();
  const tokens: Tokens = {
    ...issued,
    refresh_token: '',
    expires_at: now + issued.expires_in * 1000,
    refresh_expires_at: now + issued.refresh_expires_in * 1000,
  };
  adopt(tokens);
  tell({ kind: 'tokens', tokens });
  return tokens;
}

async function renew(refused: Tokens): Promise<Tokens | null> {
  if (state.kind === 'signed_in' && state.tokens.access_token !== refused.access_token) return state.tokens;
  if (state.kind === 'signed_out') return null;
  if (state.kind !== 'expired') {
    const fresh = await refresh(refused);
    if (fresh) return fresh;
    // Another tab may have signed in or out during the refresh.
    const now = sessionState();
    if (now.kind === 'signed_out') return null;
    if (now.kind === 'signed_in' && now.tokens.access_token !== refused.access_token) return now.tokens;
    // Waiting requests continue after the member has signed in again.
    enter({ kind: 'expired', tokens: refused });
  }
  return new Promise((resolve) => waiting.push(resolve));
}

/**
 * The session of the SDK's client. If a token cannot be renewed, the request waits until the member has signed in
 * again.
 */
export const session: Session = {
  async current() {
    if (state.kind === 'starting') await start();
    if (state.kind === 'expired') return renew(state.tokens);
    if (state.kind !== 'signed_in') return null;
    return isDue(state.tokens) ? renew(state.tokens) : state.tokens;
  },
  renew,
  begin: async () => {},
  end: async () => {},
};

const { promise, resolve: setAsked } = Promise.withResolvers<void>();

/** Resolves when the request for the session was sent, or when it is clear that none is needed. */
export const asked: Promise<void> = promise;

let starting: Promise<void> | undefined;

/** Determines the state of the sign-in: from another tab, or with the cookie of an earlier visit. */
export function start(): Promise<void> {
  starting ??= (async () => {
    const { held = [] } = await navigator.locks.query();
    void navigator.locks.request(tabLock, { mode: 'shared' }, () => new Promise(() => {}));
    if (held.some(({ name }) => name === tabLock)) await askOthers();
    if (state.kind !== 'starting') return;
    if (deployment.signedOut) enter({ kind: 'signed_out' });
    else await resume();
  })().finally(setAsked);
  return starting;
}

/** Signs in with the cookie of an earlier visit, if there is one. Called again after a temporary failure. */
export async function resume(): Promise<void> {
  try {
    if (await refresh(undefined)) return;
    if (state.kind !== 'signed_in') enter({ kind: deployment.demo ? 'visiting' : 'signed_out' });
  } catch (error) {
    if (state.kind !== 'signed_in') enter({ kind: 'signed_out', failure: { of: 'resume', error } });
  }
}

/** Asks the other tabs for tokens. Resolves when the first tokens arrive, or after `answerWithin`. */
function askOthers(): Promise<void> {
  return new Promise((resolve) => {
    const forget = onSessionChange(done);
    const timer = setTimeout(done, answerWithin);
    function done() {
      clearTimeout(timer);
      forget();
      resolve();
    }
    tell({ kind: 'ask' });
  });
}

/** Signs out in all tabs. If the service cannot be reached, the cookie stays, and the screen informs the member. */
export async function signOut(): Promise<void> {
  const error = await signInRequest('signout', {}).then(
    (outcome) => (outcome.ok ? undefined : outcome.error),
    (thrown: unknown) => thrown,
  );
  forgetRefreshRetryKey();
  tell({ kind: 'signed_out' });
  enter({ kind: 'signed_out', ...(error !== undefined && { failure: { of: 'sign_out' as const, error } }) });
}

export function sessionState(): SessionState {
  return state;
}

/** Whether a visitor looks at the demo workspace, where nothing can be changed. */
export function isVisitor(): boolean {
  return state.kind === 'visiting';
}

/** The screens of the demo workspace. The others only change something, or are about the members of a workspace. */
const visited = /^\/(app(\/files|\/texts|\/edit\/documents\/[^/]+)?|jobs\/[^/]+)\/?$/;

/** Whether a screen is open to the visitor; true for members. */
export function isOpen(path: string): boolean {
  return !isVisitor() || visited.test(path);
}

/** Calls `listener` on each change. @returns a function that unsubscribes */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
