import type { Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { procedure } from '#server/trpc.ts';
import { readPrincipal, type SessionPrincipal, tokenHashes } from '../principal.ts';

/**
 * Opens a transaction as the member that the session cookie belongs to. A bearer does not count here.
 * @throws AppError 401
 */
export async function withSessionCookie<T>(
  { credentials, services }: RequestContext,
  work: (tx: Tx, principal: SessionPrincipal) => Promise<T>,
): Promise<T> {
  const { cookie } = credentials;
  if (cookie === null) throw notSignedIn();
  const session = { ...credentials, bearer: cookie, apiKey: null };
  return services.database.inTenantOfCredential(tokenHashes(cookie), async (tx, owner) => {
    const principal = await readPrincipal(tx, owner, session, services.settings);
    if (typeof principal === 'string' || principal.kind !== 'session') throw notSignedIn();
    return work(tx, principal);
  });
}

export function notSignedIn(): AppError {
  return new AppError('unauthenticated', 'authentication required');
}

/** A full session, by its cookie alone (A 4.1, the new recovery codes). */
export const sessionCookieProcedure = procedure.meta({ guard: 'session_cookie' }).use(({ ctx, next }) =>
  next({
    ctx: {
      withSession: <T>(work: Parameters<typeof withSessionCookie<T>>[1]) => withSessionCookie(ctx, work),
    },
  }),
);
