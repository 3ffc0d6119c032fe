import { pause } from './deadline.ts';
import { isServiceRefusal } from './failed-response.ts';
import { inOrder, isDue, memoryStore, type TokenStore, type Tokens, tokensOf } from './tokens.ts';
import type { OAuth2TokenResponse } from './types.ts';

/** Who is signed in. The store alone says it; this adds that tokens are renewed, once however many calls ask. */
export interface Session {
  /** The tokens to ask with, renewed where they end soon; null where nobody is signed in. */
  current(): Promise<Tokens | null>;
  /** Other tokens than those, which the service refused; null where nobody is signed in any more. */
  renew(refused: Tokens): Promise<Tokens | null>;
  /** Signs in with tokens that were just issued. */
  begin(tokens: Tokens): Promise<void>;
  /** Signs out: forgets the tokens, whatever `revoke` says to the refresh token of theirs. */
  end(revoke: (refreshToken: string) => Promise<unknown>): Promise<void>;
}

/**
 * How long another process that refreshed may take to save what it got. Where both asked at once, both answers, its
 * tokens and our refusal, are under way at the same time.
 */
const savedBy = 500;

/** @param refresh the refresh grant; it is asked once for a refresh token, and never again after an answer */
export function createSession(
  store: TokenStore | undefined,
  refresh: (refreshToken: string) => Promise<OAuth2TokenResponse>,
): Session {
  const saved = inOrder(store ?? memoryStore());
  /** Another one with each sign-in and sign-out: what a refresh brings that began before counts no more. */
  let era = Symbol();
  let renewal: Promise<Tokens | null> | undefined;

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
    // Renewed meanwhile, by a call before this one or by another process. Its old refresh token must not be sent: a late
    // second use ends the whole session (C 7).
    if (kept?.access_token !== refused.access_token) return kept;
    let fresh: Tokens;
    try {
      fresh = tokensOf(await refresh(kept.refresh_token));
    } catch (error) {
      const refusal = isServiceRefusal(error);
      const newer = await savedInsteadOf(kept, refusal);
      if (newer) return newer;
      // Where the store fails, the next call makes up for it: what matters to this one is the refusal.
      if (refusal && begunIn === era) await saved.save(null).catch(() => {});
      throw error;
    }
    if (begunIn !== era) return saved.load();
    await saved.save(fresh);
    return fresh;
  }

  /** What another process has saved since. */
  async function savedInsteadOf(kept: Tokens, refusal: boolean): Promise<Tokens | null> {
    const now = await saved.load();
    if (now?.access_token !== kept.access_token) return now;
    if (!refusal || !store) return null;
    await pause(savedBy, undefined);
    return savedInsteadOf(kept, false);
  }

  return {
    async current() {
      if (renewal) return renewal;
      const kept = await saved.load();
      return kept && isDue(kept) ? renew(kept) : kept;
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
      // A refresh that is under way needs no waiting for: the old token revokes what descends from it, too.
      const revoked = tokens.then((kept) => kept && revoke(kept.refresh_token));
      for (const outcome of await Promise.allSettled([cleared, revoked]))
        if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}
