import { deployment } from '../deployment.ts';
import { sameOriginRequest } from './sign-in-request.ts';

/** What this window restores after the redirect from the identity provider. */
export interface Departure {
  /** The path of the requested screen. The query is not stored, because it may contain a tenant's text. */
  next?: string;
  /** Whether this window was opened to sign in again. It is then closed after the sign-in. */
  isAgain?: boolean;
}

/** The name of the item in `sessionStorage`, which belongs to one window. The item contains no secret. */
const storageKey = 'lingualoop-departure';

/**
 * Redirects a window to the identity provider, which then redirects the window to `/signin/sso`.
 * @param to the window: this one, or one that was opened for the sign-in
 * @throws LinguaLoopError
 */
export async function leaveForProvider(
  choice: { tenantId?: string | undefined; inviteToken?: string | undefined; mayCreate?: boolean },
  departure: Departure,
  to: Window = window,
): Promise<void> {
  const outcome = await sameOriginRequest<{ authorization_url: string }>(
    `/api/oauth2/${deployment.ssoProvider}/authorize`,
    {
      redirect_uri: returnAddress(),
      tenant_id: choice.tenantId,
      invite_token: choice.inviteToken,
      // Without a question, a person with an account elsewhere would land in an empty workspace.
      may_create: choice.mayCreate ?? false,
    },
  );
  if (!outcome.ok) throw outcome.error;
  const next = departure.next?.split(/[?#]/)[0];
  to.sessionStorage.setItem(storageKey, JSON.stringify({ ...departure, next }));
  to.location.assign(outcome.body.authorization_url);
}

/**
 * Redirects this window to the identity provider, whose account is then linked to the signed-in member.
 * @param authorizationUrl from `auth.linkSso`, which the caller requests: the sign-in loads this file, but not the SDK
 */
export function leaveToLink(authorizationUrl: string): void {
  sessionStorage.setItem(storageKey, JSON.stringify({ next: '/app/settings/security' }));
  location.assign(authorizationUrl);
}

/** Returns the URL to which the identity provider redirects. */
export const returnAddress = () => `${location.origin}${deployment.basePath}/signin/sso`;

/** Returns what this window stored before it was redirected to the identity provider. */
export function readDeparture(): Departure {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Departure;
  } catch {
    return {};
  }
}
