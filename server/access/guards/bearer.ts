import type { Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { procedure } from '#server/trpc.ts';
import { readPrincipal, type SessionPrincipal, tokenHashes } from '../principal.ts';

/**
 * Opens a transaction as the member that the bearer belongs to.
 * @throws AppError 401
 */
export async function withBearer<T>(
  { credentials, services }: RequestContext,
  work: (tx: Tx, principal: SessionPrincipal) => Promise<T>,
): Promise<T> {
  const { bearer } = credentials;
  if (bearer === null) throw new AppError('unauthenticated', 'missing bearer token');
  const session = { ...credentials, bearer, apiKey: null };
  return services.database.inTenantOfCredential(tokenHashes(bearer), async (tx, owner) => {
    const principal = await readPrincipal(tx, owner, session, services.settings);
    if (principal === 'tenant_inactive')
      throw new AppError('unauthenticated', 'tenant not found for bearer token');
    if (typeof principal === 'string' || principal.kind !== 'session')
      throw new AppError('unauthenticated', 'invalid or expired bearer token');
    return work(tx, principal);
  });
}

/** A 5.2 "Bearer only": the body runs inside one transaction of the member's tenant. */
export const bearerProcedure = procedure.meta({ guard: 'bearer' }).use(({ ctx, next }) =>
  withBearer(ctx, async (tx, principal) => {
    const result = await next({ ctx: { tx, principal } });
    if (!result.ok) throw result.error;
    return result;
  }),
);
