import type { Session } from '#sdk/session.ts';
import type { Tokens } from '#sdk/tokens.ts';
import type { OAuth2TokenResponse } from '#sdk/types.ts';
import { signInRequest } from './sign-in-request.ts';

/** A token response as /signin/* sends it: the refresh token is in a cookie that scripts cannot read. */
export type Issued = Omit<OAuth2TokenResponse, 'refresh_token'>;

/**
 * Who is signed in. `starting`: not known yet. `expired`: the session ended while the person worked; what they have open stays, and
 * they are asked to sign in again.
 */
export type SessionState =
  | { kind: 'starting' }
  | { kind: 'signed_out' }
  | { kind: 'signed_in'; tokens: Tokens }
  | { kind: 'expired'; tokens: Tokens };

/** What tabs tell each other. Access tokens are in the memory of tabs only, never in a storage. */
type Message = { kind: 'ask' } | { kind: 'tokens'; tokens: Tokens } | { kind: 'signed_out' };

/** Milliseconds that a new tab waits for another one to tell the tokens. */
const answerWithin = 80;

let state: SessionState = { kind: 'starting' };
const listeners = new Set<() => void>();
/** Calls that wait until the person has signed in again. */
let waiting: ((tokens: Tokens | null) => void)[] = [];
const channel = new BroadcastChannel('lingualoop-session');

channel.onmessage = ({ data }: MessageEvent<Message>) => {
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

/** Takes tokens that this or another tab was given. Another person's tokens never continue this person's work. */
function adopt(tokens: Tokens): void {
  const before = state.kind === 'signed_in' || state.kind === 'expired' ? state.tokens : undefined;
  if (before && !isSamePerson(before, tokens)) location.reload();
  else enter({ kind: 'signed_in', tokens });
}

function isSamePerson(one: Tokens, other: Tokens): boolean {
  return one.user.user_id === other.user.user_id && one.user.tenant_id === other.user.tenant_id;
}

/** In its last 30 s, or the last tenth of its life, a token is renewed before it is used. */
function isDue({ expires_at, expires_in }: Tokens): boolean {
  return Date.now() >= expires_at - Math.min(30_000, expires_in * 100);
}

/**
 * Refreshes once, however many tabs and calls ask: a refresh token is good once, and a late second use ends the whole session. Who
 * waited for the lock takes the tokens that its holder got.
 * @returns null if there is no session any more
 */
function refresh(stale: Tokens | undefined): Promise<Tokens | null> {
  return navigator.locks.request('lingualoop-refresh', async () => {
    if (state.kind === 'signed_in' && state.tokens.access_token !== stale?.access_token) return state.tokens;
    const response = await signInRequest<Issued>('refresh', {});
    if (response.ok) return begin(response.body);
    if (response.error.status !== 401) throw response.error;
    return null;
  });
}

/** Signs in with tokens that were just issued, in all tabs. */
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
    // The work goes on when the person has signed in again.
    enter({ kind: 'expired', tokens: refused });
  }
  return new Promise((resolve) => waiting.push(resolve));
}

/** The session of the SDK's calls. A call whose token cannot be renewed waits for the person to sign in again. */
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

let starting: Promise<void> | undefined;

/** Finds out who is signed in: another tab knows, or the cookie of a former visit does. */
export function start(): Promise<void> {
  starting ??= (async () => {
    tell({ kind: 'ask' });
    await new Promise((resolve) => setTimeout(resolve, answerWithin));
    if (state.kind !== 'starting') return;
    const tokens = await refresh(undefined).catch(() => null);
    if (!tokens && state.kind === 'starting') enter({ kind: 'signed_out' });
  })();
  return starting;
}

/** Ends the session, in all tabs, even if the service cannot be reached. */
export async function signOut(): Promise<void> {
  await signInRequest('signout', {}).catch(() => undefined);
  tell({ kind: 'signed_out' });
  enter({ kind: 'signed_out' });
}

export function sessionState(): SessionState {
  return state;
}

/** Calls `listener` at each change. @returns what ends that */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
