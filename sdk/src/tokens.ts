import type { OAuth2TokenResponse } from './types.ts';

/** The tokens of a signed-in member, as the service answered them, and until when they are good. Plain JSON. */
export interface Tokens extends OAuth2TokenResponse {
  /** When the access token ends, in milliseconds since 1970 by this machine's clock. */
  expires_at: number;
  /** When the refresh token ends, and with it the session. */
  refresh_expires_at: number;
}

/** The tokens of an answer that came just now. */
export function tokensOf(answer: OAuth2TokenResponse): Tokens {
  const now = Date.now();
  return {
    ...answer,
    expires_at: now + answer.expires_in * 1000,
    refresh_expires_at: now + answer.refresh_expires_in * 1000,
  };
}

/** The longest time before its end in which an access token is renewed. */
const longestMargin = 30_000;

/** Whether the access token ends so soon that a call might not arrive with it: in the last tenth of its life, or 30 s. */
export function isDue({ expires_at, expires_in }: Tokens): boolean {
  return Date.now() >= expires_at - Math.min(longestMargin, expires_in * 100);
}

/** Whether both stand for the same member of the same workspace, or both for nobody. */
export function isSameMember(one: Tokens | null, other: Tokens | null): boolean {
  return one?.user.user_id === other?.user.user_id && one?.user.tenant_id === other?.user.tenant_id;
}
