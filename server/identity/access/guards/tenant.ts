import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { PresentedCredentials, RequestContext, Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { admitFirst, procedure } from '#server/trpc.ts';
import { type AllowingScopes, requireScope } from '../api-keys.ts';
import {
  accessTokenHashes,
  type KeyPrincipal,
  type Principal,
  presentedHashes,
  presentsOperatorKey,
  readPrincipal,
  requireAdministrator,
} from '../principal.ts';
import { requireProof } from '../proof.ts';
import { serviceTenantId, withServiceTenant } from '../service-key.ts';
import { nothing } from './session.ts';
import { visitOf } from './visitor.ts';

/**
 * Opens a transaction as the tenant of the request's credential; throws a 401 without a credential, and a 403 for an
 * API key without a scope that allows the call. `prefetch` is a
 * query that is sent in the first packet of the transaction, before the caller is authenticated; it can read only the
 * tenant of the credential. Only `work` receives the result.
 */
export type WithTenant = <T, E = undefined>(
  work: (tx: Tx, principal: Principal, prefetched: E) => Promise<T>,
  prefetch?: (tx: Tx) => Promise<E>,
) => Promise<T>;

/**
 * The audience of the response. `operator` is true if the operator key is in X-API-Key together with a tenant's access
 * token, or after `withTenant` has authenticated an operator's session.
 */
export interface Audience {
  operator: boolean;
}

/** Thrown to roll back the transaction if the caller is not authenticated. */
class Unauthenticated extends Error {}

export function withTenantOf(
  ctx: RequestContext,
  audience: Audience,
  scopes: AllowingScopes,
  credentials: PresentedCredentials = ctx.credentials,
  hashes = presentedHashes(credentials),
): WithTenant {
  const { database, settings } = ctx.services;
  return async (work, prefetch) => {
    try {
      return await database.inTenantOfCredential(hashes, async (tx, owner) => {
        const [principal, prefetched] = await Promise.all([
          readPrincipal(tx, owner, credentials, settings),
          prefetch?.(tx) as Promise<never>,
        ]);
        if (typeof principal === 'string') throw new Unauthenticated();
        ctx.notes.tenantId = principal.tenant.id;
        if (principal.kind === 'api_key') {
          recordKeyUse(ctx.services, principal);
          requireScope(principal.scopes, scopes);
        } else if (principal.operator) audience.operator = true;
        return work(tx, principal, prefetched);
      });
    } catch (error) {
      if (!(error instanceof Unauthenticated)) throw error;
      const asService: typeof work = (tx, principal, prefetched) => {
        ctx.notes.tenantId = principal.tenant.id;
        return work(tx, principal, prefetched);
      };
      return withServiceTenant(ctx.services, credentials, asService, prefetch);
    }
  };
}

export function audienceOf({ credentials, services }: RequestContext): Audience {
  return { operator: presentsOperatorKey(credentials, services.settings) };
}

/** Returns what a procedure gets for its caller: the credential's tenant or, for a visitor, the demo workspace. */
export function callerOf(
  ctx: RequestContext,
  scopes: AllowingScopes,
  procedure: string,
): { services: Services; withTenant: WithTenant; audience: Audience } {
  const visit = visitOf(ctx, procedure);
  if (visit)
    return { services: visit.services, withTenant: visit.withVisitor, audience: { operator: false } };
  const audience = audienceOf(ctx);
  return { services: ctx.services, withTenant: withTenantOf(ctx, audience, scopes), audience };
}

const tenantGuard = (...scopes: AllowingScopes) =>
  procedure.meta({
    guard: 'tenant_identity',
    scopes,
    admit: (ctx, path) => callerOf(ctx, scopes, path).withTenant(nothing),
  });

/**
 * Accepts an API key with one of the scopes, or a member's access token. Authenticates first. The handler runs inside
 * the guard's transaction, which is rolled back if the handler fails.
 */
export const tenantProcedure = (...scopes: AllowingScopes) =>
  tenantGuard(...scopes).use(({ ctx, next, path }) => {
    const { services, withTenant, audience } = callerOf(ctx, scopes, path);
    return withTenant(async (tx, principal) => {
      const result = await next({ ctx: { services, tx, principal, audience } });
      if (!result.ok) throw result.error;
      return result;
    });
  });

/**
 * Like `tenantProcedure`, for work that must not hold a transaction open, such as model calls, rendering and transfers.
 * The handler reaches the data only by `ctx.withTenant`.
 */
export const deferredTenantProcedure = (...scopes: AllowingScopes) =>
  tenantGuard(...scopes)
    .use(admitFirst)
    .use(({ ctx, next, path }) => next({ ctx: callerOf(ctx, scopes, path) }));

/**
 * Like `deferredTenantProcedure`, for operations with an order of checks in which the credential is not the first. The
 * procedure calls `ctx.withTenant` or `ctx.admit` at its place in this order.
 */
export const orderedTenantProcedure = (...scopes: AllowingScopes) =>
  tenantGuard(...scopes).use(({ ctx, next, path }) => next({ ctx: callerOf(ctx, scopes, path) }));

/**
 * Like `deferredTenantProcedure`, for the download of golden translations: also accepts the session cookie if the
 * request has no other credential. If another credential is invalid, the request is rejected.
 */
export const deferredTenantOrCookieProcedure = (...scopes: AllowingScopes) => {
  const withTenantOf = (ctx: RequestContext) => withTenantOrCookieOf(ctx, audienceOf(ctx), scopes);
  return procedure
    .meta({ guard: 'tenant_identity_or_cookie', scopes, admit: (ctx) => withTenantOf(ctx)(nothing) })
    .use(admitFirst)
    .use(({ ctx, next }) => next({ ctx: { withTenant: withTenantOf(ctx) } }));
};

export function withTenantOrCookieOf(
  ctx: RequestContext,
  audience: Audience,
  scopes: AllowingScopes,
): WithTenant {
  const { bearer, apiKey, unreadable, cookie } = ctx.credentials;
  if (bearer !== null || apiKey !== null || unreadable || cookie === null)
    return withTenantOf(ctx, audience, scopes);
  const credentials = { ...ctx.credentials, bearer: cookie };
  return withTenantOf(ctx, audience, scopes, credentials, accessTokenHashes(cookie));
}

/** @param needsProof whether a session over `/trpc` needs a recent proof of identity */
const tenantAdminProcedureWith = (scopes: AllowingScopes, needsProof: boolean) => {
  const administratorOf = (ctx: RequestContext): { withTenant: WithTenant; audience: Audience } => {
    const audience = audienceOf(ctx);
    const withTenant = withTenantOrCookieOf(ctx, audience, scopes);
    const withTenantAsAdmin: WithTenant = (work, prefetch) =>
      withTenant(async (tx, principal, prefetched) => {
        if (principal.kind === 'session') requireAdministrator(principal.user);
        if (needsProof && ctx.transport === 'rpc' && principal.kind === 'session')
          requireProof(principal.family);
        return work(tx, principal, prefetched);
      }, prefetch);
    return { withTenant: withTenantAsAdmin, audience };
  };
  return procedure
    .meta({ guard: 'tenant_admin', scopes, admit: (ctx) => administratorOf(ctx).withTenant(nothing) })
    .use(admitFirst)
    .use(({ ctx, next }) => next({ ctx: administratorOf(ctx) }));
};

/** Accepts an API key with one of the scopes, or an administrator's session by bearer token or cookie. */
export const deferredTenantAdminProcedure = (...scopes: AllowingScopes) =>
  tenantAdminProcedureWith(scopes, false);

/**
 * Like `deferredTenantAdminProcedure`; a session over `/trpc` needs a recent proof of identity, else the response is
 * 403.
 */
export const provedTenantAdminProcedure = (...scopes: AllowingScopes) =>
  tenantAdminProcedureWith(scopes, true);

/** Milliseconds between two records of the use of a key. */
const interval = 60_000;

/** Maximum number of keys whose latest record a process remembers. */
const maxKeys = 10_000;

type KeyUseServices = Pick<Services, 'backgroundWork' | 'database' | 'log'>;

/** The time of this process's latest record of each key, by tenant and key. Per database, for tests. */
const recorded = new WeakMap<Services['database'], Map<string, number>>();

/**
 * Records that a key was used, at most about once a minute per key and process. The request continues immediately. The
 * statement compares the stored time, so several processes together also write about once a minute.
 */
function recordKeyUse(services: KeyUseServices, { tenant, keyId }: KeyPrincipal): void {
  if (tenant.id === serviceTenantId) return;
  const { backgroundWork, database, log } = services;
  const times = recorded.get(database) ?? new Map<string, number>();
  recorded.set(database, times);
  const key = `${tenant.id} ${keyId ?? ''}`;
  const now = performance.now();
  if (now - (times.get(key) ?? Number.NEGATIVE_INFINITY) < interval) return;
  // Forgetting only causes statements that change nothing.
  if (times.size >= maxKeys) times.clear();
  times.set(key, now);
  const which = keyId === null ? sql`workspace and revoked_at is null` : sql`key_id = ${keyId}`;
  const write = database.inTenant(tenant.id, (tx) =>
    tx.execute(sql`
      update api_keys set last_used_at = now()
      where tenant_id = ${tenant.id} and ${which}
        and (last_used_at is null or last_used_at < now() - make_interval(secs => ${interval / 1000}))`),
  );
  void backgroundWork.track(write).catch((error: unknown) => {
    times.delete(key);
    log.warn({ error: describeForLog(error) }, 'the use of an API key was not recorded');
  });
}
