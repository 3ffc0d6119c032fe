import type { Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { procedure } from '#server/trpc.ts';
import { type Principal, presentedHashes, tenantPrincipal } from './principal.ts';

/**
 * Opens a transaction as the tenant that the request's credential belongs to; 401 where there is none. `early` is a
 * query that travels in the transaction's first packet, in the scope that the credential opened but before the caller
 * is believed: only `work` sees its answer.
 */
export type EnterTenant = <T, E = undefined>(
  work: (tx: Tx, principal: Principal, found: E) => Promise<T>,
  early?: (tx: Tx) => Promise<E>,
) => Promise<T>;

function enterTenant({ services, credentials }: RequestContext): EnterTenant {
  return (work, early) =>
    services.database.inTenantOfCredential(presentedHashes(credentials), async (tx, owner) => {
      const [principal, found] = await Promise.all([
        tenantPrincipal(tx, owner, credentials),
        early?.(tx) as Promise<never>,
      ]);
      return work(tx, principal, found);
    });
}

/** A 5.2 "Public". */
export const publicProcedure = procedure.meta({ guard: 'public' });

/**
 * A 5.2 "Tenant identity", in front of everything else: the body runs inside one transaction of the tenant,
 * which the guard's own statements opened, and which is rolled back if the body fails.
 */
export const tenantProcedure = procedure.meta({ guard: 'tenant_identity' }).use(({ ctx, next }) =>
  enterTenant(ctx)(async (tx, principal) => {
    const result = await next({ ctx: { tx, principal } });
    if (!result.ok) throw result.error;
    return result;
  }),
);

/**
 * "Tenant identity" for work that must not hold a transaction (model calls, rendering, transfers): the body
 * calls `ctx.enter`, its only way to any data, when its own order of gates says so.
 */
export const tenantEntryProcedure = procedure
  .meta({ guard: 'tenant_identity' })
  .use(({ ctx, next }) => next({ ctx: { enter: enterTenant(ctx) } }));
