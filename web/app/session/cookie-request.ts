import { session } from './keeper.ts';
import { type SignInOutcome, sameOriginRequest } from './sign-in-request.ts';

/**
 * Sends a request to an endpoint that accepts only the session cookie, such as those for the member's own
 * authenticator. The cookie expires with the access token, so an expiring token is renewed first, which also renews the
 * cookie. If there is no session, the member is asked to sign in again, and then the request is sent.
 * @throws LinguaLoopError; its status is null if there is no response
 */
export async function cookieRequest<T>(address: string, body: object): Promise<SignInOutcome<T>> {
  const tokens = await session.current();
  const outcome = await sameOriginRequest<T>(address, body);
  // A wrong code is also a 401. It must not be sent again, because each attempt is counted.
  if (outcome.ok || outcome.error.detail !== 'authentication required' || !tokens) return outcome;
  await session.renew(tokens);
  return sameOriginRequest<T>(address, body);
}
