import { session } from './keeper.ts';
import { type SignInOutcome, sameOriginRequest } from './sign-in-request.ts';

/**
 * Sends a request to an endpoint that accepts only the session cookie (the member's own authenticator). The cookie lives as
 * long as the access token, so both are renewed first. Without a session, the member is asked to sign in again, and the
 * request then continues.
 * @throws LinguaLoopError with status null without a response
 */
export async function cookieRequest<T>(address: string, body: object): Promise<SignInOutcome<T>> {
  const tokens = await session.current();
  const outcome = await sameOriginRequest<T>(address, body);
  // Not after a wrong code, which is also a 401, and would be counted twice.
  if (outcome.ok || outcome.error.detail !== 'authentication required' || !tokens) return outcome;
  await session.renew(tokens);
  return sameOriginRequest<T>(address, body);
}
