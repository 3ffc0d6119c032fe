import { deployment } from '../deployment.ts';
import { sameOriginRequest } from './sign-in-request.ts';

/** The state to restore after the identity provider's redirect. */
export interface Departure {
  /** The path of the requested screen, without its query, which may contain a tenant's text. */
  next?: string;
  /** This window was opened to sign in again, and is closed afterwards. */
  isAgain?: boolean;
}

/** In `sessionStorage`, so that it belongs to this window. It contains no secret. */
const storageKey = 'lingualoop-departure';

/**
 * Redirects a window to the identity provider, which redirects it back to `/signin/sso`.
 * @param to this window, or one that was opened for it
 * @throws LinguaLoopError
 */
export async function leaveForProvider(
  choice: { tenantId?: string | undefined; inviteToken?: string | undefined },
  departure: Departure,
  to: Window = window,
): Promise<void> {
  const outcome = await sameOriginRequest<{ authorization_url: string }>(
    `/api/oauth2/${deployment.ssoProvider}/authorize`,
    {
      redirect_uri: `${location.origin}${deployment.basePath}/signin/sso`,
      tenant_id: choice.tenantId,
      invite_token: choice.inviteToken,
    },
  );
  if (!outcome.ok) throw outcome.error;
  const next = departure.next?.split(/[?#]/)[0];
  to.sessionStorage.setItem(storageKey, JSON.stringify({ ...departure, next }));
  to.location.assign(outcome.body.authorization_url);
}

/** The state of this window before it was redirected to the identity provider. */
export function readDeparture(): Departure {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Departure;
  } catch {
    return {};
  }
}
