import { session } from './keeper.ts';
import { type SignInOutcome, sameOriginRequest } from './sign-in-request.ts';

/**
 * Asks an address that takes nothing but the session cookie (C 7: one's own authenticator). The cookie lives as long as the access
 * token, so both are renewed first; who has no session any more is asked to sign in again, and the request goes on after that.
 * @throws LinguaLoopError with status null if there was no answer
 */
export async function cookieRequest<T>(address: string, body: object): Promise<SignInOutcome<T>> {
  const tokens = await session.current();
  const outcome = await sameOriginRequest<T>(address, body);
  // Not after a refused code, which is a 401, too, and would be counted twice.
  if (outcome.ok || outcome.error.detail !== 'authentication required' || !tokens) return outcome;
  await session.renew(tokens);
  return sameOriginRequest<T>(address, body);
}
