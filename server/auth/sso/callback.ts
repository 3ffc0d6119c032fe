import type { Tx } from '#db/client.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
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
  try {
    if (!email || !identity.emailVerified)
      throw new AppError('forbidden', 'the identity provider has not verified this e-mail address');
    const subject = `${identity.issuer} ${identity.subject}`;
    const { organization } = identity;
    return await signInAs(ctx.services, ctx, { subject, email, organization }, { tenantId, invite });
  } catch (error) {
    if (error instanceof AppError && error.status === 403)
      await database.inPlatform((tx) => recordRefusal(tx, ctx, email, error.message));
    throw error;
  }
}

/** Somebody whom the provider vouches for was not let in. */
async function recordRefusal(
  tx: Tx,
  origin: Origin,
  email: string | undefined,
  reason: string,
): Promise<void> {
  await recordEvent(tx, origin, {
    action: 'sign_in_failed',
    tenantId: null,
    actor: { kind: 'anonymous' },
    ...(email && { target: email }),
    details: { way: 'sso', reason },
  });
}
