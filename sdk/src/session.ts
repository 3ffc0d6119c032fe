import { pause } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { isServiceRefusal } from './failed-response.ts';
import { newIdempotencyKey } from './random-key.ts';
import {
  inOrder,
  isDue,
  memoryStore,
  type OrderedStore,
  type TokenStore,
  type Tokens,
  tokensOf,
} from './tokens.ts';
import type { OAuth2TokenResponse } from './types.ts';

/** The signed-in member. The store is the source of truth; this also renews tokens, once for all concurrent calls. */
export interface Session {
  /** Returns the current tokens, renewed if they expire soon; null if no member is signed in. */
  current(): Promise<Tokens | null>;
  /** Returns new tokens to replace those that the service rejected; null if no member is signed in any longer. */
  renew(refused: Tokens): Promise<Tokens | null>;
  /** Signs in with tokens that were just issued. */
  begin(tokens: Tokens): Promise<void>;
  /** Signs out: removes the tokens even if `revoke` fails for their refresh token. */
  end(revoke: (refreshToken: string) => Promise<unknown>): Promise<void>;
}

/**
 * How long, in milliseconds, another process may take to save refreshed tokens. If two processes refresh at the same
 * time, both responses, one with the tokens and one with the rejection, are on their way together.
 */
const savedBy = 500;

/** The session's requests to the service. */
export interface SessionGrants {
  /** The refresh grant. Repeated with the same key, it gives another pair, and the previous pair of that key ends. */
  refresh(refreshToken: string, retryKey: string): Promise<OAuth2TokenResponse>;
  /** Whether the service accepts an access token; true unless it rejects it. */
  accepts(accessToken: string): Promise<boolean>;
}

export function createSession(store: TokenStore | undefined, { refresh, accepts }: SessionGrants): Session {
  const saved = inOrder(store ?? memoryStore());
  /** Changes with each sign-in and sign-out. The result of a refresh that began before is discarded. */
  let era = Symbol();
  let renewal: Promise<Tokens | null> | undefined;
  const savedRetryKey = keepRetryKeys(saved);

  const enterEra = () => {
    era = Symbol();
    renewal = undefined;
  };

  const renew = (refused: Tokens) => {
    if (renewal) return renewal;
    const mine = renewOnce(refused).finally(() => {
      if (renewal === mine) renewal = undefined;
    });
    renewal = mine;
    return mine;
  };

  async function renewOnce(refused: Tokens): Promise<Tokens | null> {
    const begunIn = era;
    const kept = await saved.load();
    // Already renewed by an earlier call or another process. Do not send the old refresh token: a late second use ends
    // the whole session.
    if (kept?.access_token !== refused.access_token) return kept;
    // Signed in or out since then: these tokens must not be saved again.
    if (begunIn !== era) return saved.load();
    const retryKey = await savedRetryKey(kept);
    if (retryKey === null) return saved.load();
    let fresh: Tokens;
    try {
      fresh = tokensOf(await refresh(kept.refresh_token, retryKey));
    } catch (error) {
      const refusal = isServiceRefusal(error);
      const newer = await savedInsteadOf(saved, kept, refusal && store !== undefined);
      if (newer) return newer;
      // If the store fails, the next call retries the write; this call must report the rejection.
      if (refusal && begunIn === era) await saved.save(null).catch(() => {});
      throw error;
    }
    if (begunIn !== era) return saved.load();
    const now = store ? await saved.load() : kept;
    // Another process has repeated this refresh: the service has ended one of the two pairs.
    if (now?.access_token !== kept.access_token && !(now && (await accepts(fresh.access_token)))) return now;
    await saved.save(fresh);
    return fresh;
  }

  return {
    async current() {
      try {
        if (renewal) return await renewal;
        const kept = await saved.load();
        return kept && isDue(kept) ? await renew(kept) : kept;
      } catch (error) {
        // If a refresh fails temporarily before the token has ended, no call fails. An error of the store makes it
        // fail.
        if (!(error instanceof LinguaLoopError) || isServiceRefusal(error)) throw error;
        const kept = await saved.load();
        if (kept && isDue(kept) && Date.now() < kept.expires_at) return kept;
        throw error;
      }
    },
    renew,
    begin(tokens) {
      enterEra();
      return saved.save(tokens);
    },
    async end(revoke) {
      enterEra();
      const tokens = saved.latest();
      const cleared = tokens.catch(() => {}).then(() => saved.save(null));
      // Do not wait for a refresh in progress: revoking the old token also revokes those that descend from it.
      const revoked = tokens.then((kept) => kept && revoke(kept.refresh_token));
      for (const outcome of await Promise.allSettled([cleared, revoked]))
        if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

/** Reads the refresh's key of saved tokens, and saves a new one with tokens that have none. */
function keepRetryKeys(saved: OrderedStore) {
  /** The refresh that this process has begun, for a store that does not keep its key. */
  let begun: (Tokens & { refresh_retry_key: string }) | undefined;

  /**
   * The key to refresh these tokens with: the one that was saved with them, or for tokens without one a new one that
   * is saved first. Null if the tokens are no longer the saved ones.
   */
  return async (kept: Tokens): Promise<string | null> => {
    if (kept.refresh_retry_key !== undefined) return kept.refresh_retry_key;
    if (begun?.refresh_token !== kept.refresh_token)
      begun = { ...kept, refresh_retry_key: newIdempotencyKey() };
    const { refresh_retry_key } = begun;
    await saved.save(begun);
    // Of two processes that begin together, both use the key that was saved last.
    const now = await saved.load();
    if (now?.access_token !== kept.access_token) return null;
    return now.refresh_retry_key ?? refresh_retry_key;
  };
}

/** Returns the tokens that another process has saved since. @param mayFollow whether another process may still be saving them */
async function savedInsteadOf(saved: OrderedStore, kept: Tokens, mayFollow: boolean): Promise<Tokens | null> {
  const now = await saved.load();
  if (now?.access_token !== kept.access_token) return now;
  if (!mayFollow) return null;
  await pause(savedBy, undefined);
  return savedInsteadOf(saved, kept, false);
}
