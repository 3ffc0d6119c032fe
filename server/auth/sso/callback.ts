import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isSameBrowser } from './browser-binding.ts';
import { takeState } from './states.ts';
import { requireProvider } from './switch.ts';
import { type SsoSignIn, signInAs } from './tenant-choice.ts';

/**
 * Ends a single sign-on: the state is taken out before anything else, so that it counts once whatever comes of it.
 * @throws AppError 401 for a bad state, a refused code or an invalid ID token; 403; 503 provider out of reach
 */
export async function completeSso(
  ctx: RequestContext,
  provider: string,
  { code, state: name }: { code: string; state: string },
): Promise<SsoSignIn> {
  const { settings, database, secretsKey } = ctx.services;
  const sso = requireProvider(settings, provider);
  const state = await database.inPlatform((tx) => takeState(tx, secretsKey, name));
  if (!state || !isSameBrowser(ctx, name, state.browserHash))
    throw new AppError('unauthenticated', 'invalid or expired sign-in state');
  const { nonce, codeVerifier, redirectUri, tenantId, invite } = state;
  const identity = await sso.identify(code, { state: name, nonce, codeVerifier, redirectUri });
  const email = identity.email?.trim().toLowerCase();
  if (!email || !identity.emailVerified)
    throw new AppError('forbidden', 'the identity provider has not verified this e-mail address');
  const subject = `${identity.issuer} ${identity.subject}`;
  const { organization } = identity;
  return signInAs(ctx.services, ctx, { subject, email, organization }, { tenantId, invite });
}
