import type { Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { procedure } from '#server/trpc.ts';
import { hashSecret, type PresentedCredentials } from './credentials.ts';
import { presentsOperatorKey } from './operator.ts';
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

function enterTenant(
  { services }: Pick<RequestContext, 'services'>,
  credentials: PresentedCredentials,
  hashes = presentedHashes(credentials),
): EnterTenant {
  return (work, early) =>
    services.database.inTenantOfCredential(hashes, async (tx, owner) => {
      const [principal, found] = await Promise.all([
        tenantPrincipal(tx, owner, credentials),
        early?.(tx) as Promise<never>,
      ]);
      return work(tx, principal, found);
    });
}

/**
 * Whether the call has operator standing if its tenant is believed (C 7): the operator key in X-API-Key beside a tenant's
 * access token. Alone it resolves to no tenant, so it widens nothing by itself.
 */
function isOperator({ credentials, services }: RequestContext): boolean {
  return presentsOperatorKey(credentials, services.settings);
}

/** A 5.2 "Public". */
export const publicProcedure = procedure.meta({ guard: 'public' });

/**
 * A 5.2 "Tenant identity", in front of everything else: the body runs inside one transaction of the tenant,
 * which the guard's own statements opened, and which is rolled back if the body fails.
 */
export const tenantProcedure = procedure.meta({ guard: 'tenant_identity' }).use(({ ctx, next }) =>
  enterTenant(
    ctx,
    ctx.credentials,
  )(async (tx, principal) => {
    const result = await next({ ctx: { tx, principal, operator: isOperator(ctx) } });
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
  .use(({ ctx, next }) =>
    next({ ctx: { enter: enterTenant(ctx, ctx.credentials), operator: isOperator(ctx) } }),
  );

/**
 * A 5.2 "Tenant identity", and the session cookie where nothing else is presented (B 5, the golden download): a
 * presented but invalid credential is refused, not ignored.
 */
export const tenantOrCookieEntryProcedure = procedure
  .meta({ guard: 'tenant_identity_or_cookie' })
  .use(({ ctx, next }) => next({ ctx: { enter: enterTenantOrCookie(ctx) } }));

function enterTenantOrCookie(ctx: RequestContext): EnterTenant {
  const { bearer, apiKey, unreadable, cookie } = ctx.credentials;
  if (bearer !== null || apiKey !== null || unreadable || cookie === null)
    return enterTenant(ctx, ctx.credentials);
  return enterTenant(ctx, { ...ctx.credentials, bearer: cookie }, tokenHashes(cookie));
}

/** Of what can only be an access token: a key in a cookie is no credential. */
function tokenHashes(token: string) {
  return { accessToken: hashSecret(token), apiKey: null };
}

/**
 * Opens a transaction as an administrator: in the tenant of an administrator's own session, or, for the operator key, in
 * the tenant that `tenantOf` finds over all tenants. Undefined where that finds none.
 */
export type EnterAdmin = <T>(
  work: (tx: Tx, tenantId: string) => Promise<T>,
  tenantOf: (tx: Tx) => Promise<string | undefined>,
) => Promise<T | undefined>;

/** A 5.2 "Admin" for what belongs to a tenant: an administrator's session or the operator key, never a tenant's key. */
export const adminEntryProcedure = procedure
  .meta({ guard: 'admin' })
  .use(({ ctx, next }) => next({ ctx: { enterAdmin: enterAdmin(ctx) } }));

function enterAdmin(ctx: RequestContext): EnterAdmin {
  const { services, credentials } = ctx;
  const { database, settings } = services;
  return async (work, tenantOf) => {
    if (presentsOperatorKey(credentials, settings)) {
      const tenantId = await database.inPlatform(tenantOf);
      // X-Tenant-ID narrows every credential.
      if (tenantId === undefined || (credentials.tenantId ?? tenantId) !== tenantId) return undefined;
      return database.inTenant(tenantId, (tx) => work(tx, tenantId));
    }
    const { bearer, unreadable, cookie } = credentials;
    const token = bearer ?? (unreadable ? null : cookie);
    if (token === null) throw noAdmin();
    const session = { ...credentials, bearer: token, apiKey: null };
    return database.inTenantOfCredential(tokenHashes(token), async (tx, owner) => {
      const principal = await tenantPrincipal(tx, owner, session).catch((error: unknown) => {
        throw error instanceof AppError ? noAdmin() : error;
      });
      if (principal.kind !== 'session') throw noAdmin();
      if (principal.user.role !== 'global_administrator')
        throw new AppError('forbidden', 'admin role required');
      return work(tx, principal.tenant.id);
    });
  };
}

function noAdmin(): AppError {
  return new AppError('unauthenticated', 'admin credentials required');
}
