import { isTenantId, type Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { procedure } from '#server/trpc.ts';
import { presentsOperatorKey } from '../operator.ts';
import {
  accessTokenHashes,
  type PrincipalTenant,
  readPrincipal,
  type SessionPrincipal,
} from '../principal.ts';
import { hasTenants, serviceTenantId } from '../service-key.ts';

/** The service key's tenant is nobody's account: no route enters it, and nobody becomes a member of it (A 5.1 rule 6). */
function isAccountId(tenantId: string): boolean {
  return isTenantId(tenantId) && tenantId !== serviceTenantId;
}

/** Who administers, believed (A 5.2 "Admin"). */
export interface Administrator {
  /** The signed-in member, and its tenant; null for the operator key alone, and in open dev mode. */
  user: SessionPrincipal['user'] | null;
  tenant: PrincipalTenant | null;
  /** The operator key itself, be it beside a session: it reaches any tenant. */
  operatorKey: boolean;
  /** Platform-operator standing (A 5.1 rule 8): the key, a designated operator, or open dev mode. */
  operator: boolean;
  /** A command on the server, rather than a request. */
  atServer?: true;
}

/** `tx` is a transaction in the session's own tenant; null where there is no session. */
type AsAdministrator = <T>(work: (admin: Administrator, tx: Tx | null) => Promise<T>) => Promise<T>;

/** The session is none; the operator key beside it may still be one. */
class NoSession extends Error {}

/**
 * Believes an administrator: by an administrator's bearer or cookie, else by the operator key, else by nothing at all in
 * open dev mode (A 5.1 rule 7). A tenant's key never is one.
 * @throws AppError 401, 403
 */
export function asAdministrator(ctx: RequestContext): AsAdministrator {
  const { credentials, services } = ctx;
  const { database, settings } = services;
  const { bearer, apiKey, unreadable, cookie } = credentials;
  const operatorKey = presentsOperatorKey(credentials, settings);
  const token = bearer ?? (unreadable ? null : cookie);
  return async (work) => {
    if (token !== null) {
      try {
        const session = { ...credentials, bearer: token, apiKey: null };
        return await database.inTenantOfCredential(accessTokenHashes(token), async (tx, owner) => {
          const principal = await readPrincipal(tx, owner, session, settings);
          if (typeof principal === 'string' || principal.kind !== 'session') throw new NoSession();
          const { user, tenant } = principal;
          if (!operatorKey && user.role !== 'global_administrator')
            throw new AppError('forbidden', 'admin role required');
          return work({ user, tenant, operatorKey, operator: operatorKey || principal.operator }, tx);
        });
      } catch (error) {
        if (!(error instanceof NoSession)) throw error;
      }
    }
    const nothing = token === null && apiKey === null && !unreadable;
    const open = nothing && settings.OPERATOR_API_KEY === undefined && !(await hasTenants(database));
    if (operatorKey || open) return work({ user: null, tenant: null, operatorKey, operator: true }, null);
    throw new AppError('unauthenticated', 'admin credentials required');
  };
}

/**
 * Opens a transaction in the tenant that an id belongs to: an administrator's own, or, for the operator key, the one that
 * `tenantOf` finds over all tenants. Undefined where that finds none.
 */
export type WithOwningTenant = <T>(
  work: (tx: Tx, tenantId: string, admin: Administrator) => Promise<T>,
  tenantOf: (tx: Tx) => Promise<string | undefined>,
) => Promise<T | undefined>;

function withOwningTenantOf(
  { services, credentials }: RequestContext,
  asAdmin: AsAdministrator,
): WithOwningTenant {
  const { database } = services;
  return async (work, tenantOf) => {
    let elsewhere: Administrator | undefined;
    const done = await asAdmin(async (admin, tx) => {
      if (tx && admin.tenant && !admin.operatorKey) return work(tx, admin.tenant.id, admin);
      elsewhere = admin;
      return undefined;
    });
    if (!elsewhere) return done;
    const admin = elsewhere;
    const tenantId = await database.inPlatform(tenantOf);
    // X-Tenant-ID narrows every credential.
    if (tenantId === undefined || (credentials.tenantId ?? tenantId) !== tenantId) return undefined;
    return database.inTenant(tenantId, (tx) => work(tx, tenantId, admin));
  };
}

/** What `?tenant_id` means at a route. */
interface TenantParameter {
  named: string | undefined;
  /** Whether an ordinary administrator's foreign tenant is passed over, or answered 404 (C 7). */
  foreign: 'ignored' | 'not_found';
  /** The 400 for the operator key without it. */
  missing: string;
  /** Whether an operator's session must name a tenant too. */
  operatorMustName?: boolean;
}

/** Opens a transaction in the tenant that `?tenant_id` names, or in the administrator's own. */
export type WithNamedTenant = <T>(
  parameter: TenantParameter,
  work: (tx: Tx, tenantId: string, admin: Administrator) => Promise<T>,
) => Promise<T>;

function withNamedTenantOf(ctx: RequestContext, asAdmin: AsAdministrator): WithNamedTenant {
  const { database } = ctx.services;
  return async <T>(parameter: TenantParameter, work: Parameters<WithNamedTenant>[1]) => {
    const { named, foreign, missing, operatorMustName = false } = parameter;
    const entered = await asAdmin(async (admin, tx) => {
      const own = admin.tenant?.id;
      if (named === undefined && (own === undefined || (operatorMustName && admin.operator)))
        throw new AppError('malformed_request', missing);
      if (tx && own !== undefined && (named ?? own) === own) return { done: await work(tx, own, admin) };
      if (admin.operator) return { admin, tenantId: named as string };
      if (foreign === 'not_found') throw tenantNotFound();
      return { done: await work(tx as Tx, own as string, admin) };
    });
    if ('done' in entered) return entered.done as T;
    const { admin, tenantId } = entered;
    const narrowed = ctx.credentials.tenantId ?? tenantId;
    if (!isAccountId(tenantId) || narrowed !== tenantId) throw tenantNotFound();
    return (await database.inTenant(tenantId, (tx) => work(tx, tenantId, admin))) as T;
  };
}

export function tenantNotFound(): AppError {
  return new AppError('not_found', 'tenant not found');
}

/** Whether the caller was looked at already, whatever came of it. */
function remembering(asAdmin: AsAdministrator): { asAdmin: AsAdministrator; looked(): boolean } {
  let looked = false;
  return {
    asAdmin: (work) => {
      looked = true;
      return asAdmin(work);
    },
    looked: () => looked,
  };
}

/**
 * A 5.2 "Admin": the body calls what suits it of `withOwningTenant`, `withNamedTenant` and `asAdministrator`, which believe the
 * caller in the transaction that the work needs anyway. Where it never came to that, because the input was refused, the
 * caller is looked at now: who may not call is told so first.
 */
export const adminProcedure = procedure.meta({ guard: 'admin' }).use(async ({ ctx, next }) => {
  const { asAdmin, looked } = remembering(asAdministrator(ctx));
  const result = await next({
    ctx: {
      withOwningTenant: withOwningTenantOf(ctx, asAdmin),
      withNamedTenant: withNamedTenantOf(ctx, asAdmin),
      asAdministrator: asAdmin,
    },
  });
  if (!result.ok && !looked()) await asAdmin(async () => {});
  return result;
});

/**
 * A 5.2 "Platform operator", after "Admin". `asOperator` leaves the caller's own tenant before the work begins.
 * @param refusal the 403 for an administrator who is none
 */
export function operatorProcedure(refusal: string) {
  return procedure.meta({ guard: 'platform_operator' }).use(async ({ ctx, next }) => {
    const { asAdmin, looked } = remembering(asAdministrator(ctx));
    const asOperator = (): Promise<Administrator> =>
      asAdmin(async (admin) => {
        if (!admin.operator) throw new AppError('forbidden', refusal);
        return admin;
      });
    const result = await next({ ctx: { asOperator } });
    if (!result.ok && !looked()) await asOperator();
    return result;
  });
}

/**
 * Whoever runs commands on the server, who could as well read the operator key there: they may what it may. The audit log
 * tells the two apart.
 */
export const serverAdministrator: Administrator = {
  user: null,
  tenant: null,
  operatorKey: true,
  operator: true,
  atServer: true,
};
