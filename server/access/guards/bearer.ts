import { AppError } from '#server/errors.ts';
import { procedure } from '#server/trpc.ts';
import { readPrincipal, tokenHashes } from '../principal.ts';

/** A 5.2 "Bearer only": the body runs inside one transaction of the member's tenant. */
export const bearerProcedure = procedure.meta({ guard: 'bearer' }).use(({ ctx, next }) => {
  const { database, settings } = ctx.services;
  const { bearer, tenantId } = ctx.credentials;
  if (bearer === null) throw new AppError('unauthenticated', 'missing bearer token');
  const session = { ...ctx.credentials, bearer, apiKey: null, tenantId };
  return database.inTenantOfCredential(tokenHashes(bearer), async (tx, owner) => {
    const principal = await readPrincipal(tx, owner, session, settings);
    if (principal === 'tenant_inactive')
      throw new AppError('unauthenticated', 'tenant not found for bearer token');
    if (typeof principal === 'string' || principal.kind !== 'session')
      throw new AppError('unauthenticated', 'invalid or expired bearer token');
    const result = await next({ ctx: { tx, principal } });
    if (!result.ok) throw result.error;
    return result;
  });
});
