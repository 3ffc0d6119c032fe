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

/**
 * The signed-in member of a client. The token store decides who that is. The session renews the tokens, once for all
 * concurrent calls.
 */
export interface Session {
  /** Returns the current tokens, after renewing them if they expire soon. Null if no member is signed in. */
  current(): Promise<Tokens | null>;
  /** Returns new tokens in place of those that the service rejected. Null if the member is no longer signed in. */
  renew(refused: Tokens): Promise<Tokens | null>;
  /** Signs in with tokens that were just issued. */
  begin(tokens: Tokens): Promise<void>;
  /** Signs out. The tokens are removed even if `revoke` fails. */
  end(revoke: (refreshToken: string) => Promise<unknown>): Promise<void>;
}

/**
 * Milliseconds that another process may need to save refreshed tokens. If two processes refresh the same token at the
 * same time, one gets new tokens and the other a rejection, at about the same time. The latter needs the time until
 * the new tokens are saved.
 */
const savedBy = 500;

/** The requests that the session sends to the service. */
export interface SessionGrants {
  /**
   * Refreshes tokens. A repetition with the same key returns new tokens, and those that were issued for the key
   * before become invalid.
   */
  refresh(refreshToken: string, retryKey: string): Promise<OAuth2TokenResponse>;
  /**
   * Whether the service accepts an access token. Also true if the request fails for another reason than a rejection.
   */
  accepts(accessToken: string): Promise<boolean>;
}

export function createSession(store: TokenStore | undefined, { refresh, accepts }: SessionGrants): Session {
  const saved = inOrder(store ?? memoryStore());
  /**
   * Changes with each sign-in and sign-out. If it has changed during a refresh, the result of the refresh is
   * discarded.
   */
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
    // An earlier call or another process has already renewed the tokens. Do not send the old refresh token: a late
    // second use ends the whole session.
    if (kept?.access_token !== refused.access_token) return kept;
    // The member has signed out, or another sign-in has happened since. Do not save these tokens.
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
      // If the store fails here, the next call tries again to empty it. This call must report the rejection.
      if (refusal && begunIn === era) await saved.save(null).catch(() => {});
      throw error;
    }
    if (begunIn !== era) return saved.load();
    const now = store ? await saved.load() : kept;
    // Another process has repeated this refresh with the same key, so the service has ended one of the two results.
    // Use the one that is still accepted.
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
        // A temporary failure of a refresh does not make a call fail as long as the old token is valid. An error of
        // the store does.
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
      // Do not wait for a refresh in progress: if the old refresh token is revoked, tokens that were issued for it
      // end, too.
      const revoked = tokens.then((kept) => kept && revoke(kept.refresh_token));
      for (const outcome of await Promise.allSettled([cleared, revoked]))
        if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

/**
 * Returns a function that returns the retry key for a refresh of the saved tokens. If the tokens have no key yet, the
 * function creates one and saves it with them.
 */
function keepRetryKeys(saved: OrderedStore) {
  /** The refresh that this process has begun, for a token store that does not keep the retry key. */
  let begun: (Tokens & { refresh_retry_key: string }) | undefined;

  /**
   * Returns the retry key that was saved with these tokens. If the tokens have no key, creates one and saves it
   * first. Null if the tokens are no longer the saved ones.
   */
  return async (kept: Tokens): Promise<string | null> => {
    if (kept.refresh_retry_key !== undefined) return kept.refresh_retry_key;
    if (begun?.refresh_token !== kept.refresh_token)
      begun = { ...kept, refresh_retry_key: newIdempotencyKey() };
    const { refresh_retry_key } = begun;
    await saved.save(begun);
    // If two processes begin at the same time, both must use the key that was saved last.
    const now = await saved.load();
    if (now?.access_token !== kept.access_token) return null;
    return now.refresh_retry_key ?? refresh_retry_key;
  };
}

/**
 * Returns the tokens that another process has saved since `kept`; null if it has saved no others. @param mayFollow
 * whether another process may still be saving them
 */
async function savedInsteadOf(saved: OrderedStore, kept: Tokens, mayFollow: boolean): Promise<Tokens | null> {
  const now = await saved.load();
  if (now?.access_token !== kept.access_token) return now;
  if (!mayFollow) return null;
  await pause(savedBy, undefined);
  return savedInsteadOf(saved, kept, false);
}
