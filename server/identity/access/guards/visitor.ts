import type { Tx } from '#db/client.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { lookUpPrincipal, type VisitorPrincipal } from '../principal.ts';
import { limitAttempts } from '../rate-limit.ts';
import { databaseForVisitors, demoTenantId, isVisitorRead } from '../visits.ts';

/** The requests of one client address in a minute. A screen makes about ten, and then refreshes some. */
const readsAllowed = 300;

/** The requests of visitors that have been counted. */
const counted = new WeakSet<RequestContext['notes']>();

/** The services and the tenant of a visitor of the demo workspace. */
interface Visit {
  services: Services;
  /** @throws AppError 401 without a demo workspace, 429 */
  withVisitor<T, E = undefined>(
    work: (tx: Tx, principal: VisitorPrincipal, prefetched: E) => Promise<T>,
    prefetch?: (tx: Tx) => Promise<E>,
  ): Promise<T>;
}

/**
 * Returns the visit of a request. Undefined if no visitor makes it, or if the procedure is not open to visitors: then
 * the guard finds no credential.
 */
export function visitOf(ctx: RequestContext, procedure: string): Visit | undefined {
  if (!isVisitorRead(ctx, procedure)) return undefined;
  const services = { ...ctx.services, database: databaseForVisitors(ctx.services.database) };
  return {
    services,
    async withVisitor(work, prefetch) {
      // A request counts once, although its guard and its handler open several transactions.
      if (!counted.has(ctx.notes)) {
        counted.add(ctx.notes);
        await limitAttempts(ctx, 'visitor_read', readsAllowed);
      }
      return services.database.inTenant(demoTenantId, async (tx) => {
        const [tenant, prefetched] = await Promise.all([
          lookUpPrincipal(tx, null),
          prefetch?.(tx) as Promise<never>,
        ]);
        if (!tenant?.active) throw new AppError('unauthenticated', 'missing or invalid tenant credentials');
        ctx.notes.tenantId = demoTenantId;
        const principal = { kind: 'visitor', tenant: { id: demoTenantId, name: tenant.name } } as const;
        return work(tx, principal, prefetched);
      });
    },
  };
}
