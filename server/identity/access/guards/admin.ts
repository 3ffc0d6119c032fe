import { isTenantId, type Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { admitFirst, procedure } from '#server/trpc.ts';
import {
  accessTokenHashes,
  type PrincipalTenant,
  presentsOperatorKey,
  readPrincipal,
  requireAdministrator,
  type SessionPrincipal,
} from '../principal.ts';
import { requireProof } from '../proof.ts';
import { hasTenants, serviceTenantId } from '../service-key.ts';
import { nothing } from './session.ts';

/**
 * Whether a tenant id belongs to an account. The service key's tenant is not an account: no route opens it, and it has
 * no members.
 */
function isAccountId(tenantId: string): boolean {
  return isTenantId(tenantId) && tenantId !== serviceTenantId;
}

/** The authenticated administrator. */
export interface Administrator {
  /**
   * The signed-in member; null for the operator key without a session, and in open dev mode. The same applies to
   * `tenant`.
   */
  user: SessionPrincipal['user'] | null;
  tenant: PrincipalTenant | null;
  /** Whether the operator key was presented, with or without a session. It gives access to every tenant. */
  operatorKey: boolean;
  /** Whether the caller is a platform operator: by the operator key, as a designated operator, or in open dev mode. */
  operator: boolean;
  /** Whether the caller may do what requires a recent proof of identity. False only for sessions over `/trpc`. */
  isProved: boolean;
  /** Like `isProved`, but also false for a session over REST: for changes that the specification of REST does not name. */
  hasProof: boolean;
  /** Set for a command on the server, which is not a request. */
  atServer?: true;
}

/**
 * Runs `work` as the authenticated administrator. `tx` is a transaction in the tenant of the session; null without a
 * session.
 */
type AsAdministrator = <T>(work: (admin: Administrator, tx: Tx | null) => Promise<T>) => Promise<T>;

/** Thrown if the session is invalid. An operator key in the same request may still be valid. */
class NoSession extends Error {}

/**
 * Authenticates an administrator: by the bearer or cookie of an administrator's session; else by the operator key;
 * else, in open dev mode, without a credential. A tenant's API key is never accepted.
 * @throws AppError 401, 403
 */
export function asAdministrator(ctx: RequestContext): AsAdministrator {
  const { credentials, notes, services } = ctx;
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
          notes.tenantId = tenant.id;
          if (!operatorKey) requireAdministrator(user);
          const operator = operatorKey || principal.operator;
          const hasProof = operatorKey || principal.family.isProved;
          const isProved = hasProof || ctx.transport === 'rest';
          return work({ user, tenant, operatorKey, operator, isProved, hasProof }, tx);
        });
      } catch (error) {
        if (!(error instanceof NoSession)) throw error;
      }
    }
    const nothing = token === null && apiKey === null && !unreadable;
    // A deployment that invites visitors is not in dev mode.
    const mayBeOpen = nothing && settings.OPERATOR_API_KEY === undefined && !settings.DEMO_WORKSPACE;
    const open = mayBeOpen && !(await hasTenants(database));
    if (operatorKey || open)
      return work(
        { user: null, tenant: null, operatorKey, operator: true, isProved: true, hasProof: true },
        null,
      );
    throw new AppError('unauthenticated', 'admin credentials required');
  };
}

/**
 * Opens a transaction in the tenant that owns a resource. For an administrator this is the administrator's own tenant;
 * for the operator key, the tenant that `tenantOf` finds among all tenants. Returns undefined if `tenantOf` finds none.
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
    // X-Tenant-ID limits every credential to that tenant.
    if (tenantId === undefined || (credentials.tenantId ?? tenantId) !== tenantId) return undefined;
    return database.inTenant(tenantId, (tx) => work(tx, tenantId, admin));
  };
}

/** The treatment of `?tenant_id` by a route. */
interface TenantParameter {
  named: string | undefined;
  /**
   * What happens if an administrator who is not an operator names another tenant: the parameter is ignored, or the
   * response is 404.
   */
  foreign: 'ignored' | 'not_found';
  /** The message of the 400 for the operator key without `tenant_id`. */
  missing: string;
  /** Whether an operator with a session must name a tenant too. */
  operatorMustName?: boolean;
}

/** Opens a transaction in the tenant of `?tenant_id`, or else in the administrator's own tenant. */
export type WithNamedTenant = <T>(
  parameter: TenantParameter,
  work: (tx: Tx, tenantId: string, admin: Administrator) => Promise<T>,
) => Promise<T>;

function withNamedTenantOf(ctx: RequestContext, asAdmin: AsAdministrator): WithNamedTenant {
  const { database } = ctx.services;
  return async <T>(parameter: TenantParameter, work: Parameters<WithNamedTenant>[1]) => {
    const { named, foreign, missing, operatorMustName = false } = parameter;
    const outcome = await asAdmin(async (admin, tx) => {
      const own = admin.tenant?.id;
      if (named === undefined && (own === undefined || (operatorMustName && admin.operator)))
        throw new AppError('malformed_request', missing);
      if (tx && own !== undefined && (named ?? own) === own) return { done: await work(tx, own, admin) };
      if (admin.operator) return { admin, tenantId: named as string };
      if (foreign === 'not_found') throw tenantNotFound();
      return { done: await work(tx as Tx, own as string, admin) };
    });
    if ('done' in outcome) return outcome.done as T;
    const { admin, tenantId } = outcome;
    const narrowed = ctx.credentials.tenantId ?? tenantId;
    if (!isAccountId(tenantId) || narrowed !== tenantId) throw tenantNotFound();
    return (await database.inTenant(tenantId, (tx) => work(tx, tenantId, admin))) as T;
  };
}

export function tenantNotFound(): AppError {
  return new AppError('not_found', 'tenant not found');
}

/**
 * Builds the base of procedures for administrators. The handler calls `withOwningTenant`, `withNamedTenant` or
 * `asAdministrator`; these authenticate in the transaction that the work needs anyway.
 * @param check throws if the administrator may not make the call
 */
function adminProcedureWith(check: (admin: Administrator) => void) {
  const checkedOf = (ctx: RequestContext): AsAdministrator => {
    const asAdmin = asAdministrator(ctx);
    return (work) =>
      asAdmin((admin, tx) => {
        check(admin);
        return work(admin, tx);
      });
  };
  return procedure
    .meta({ guard: 'admin', admit: (ctx) => checkedOf(ctx)(nothing) })
    .use(admitFirst)
    .use(({ ctx, next }) => {
      const checked = checkedOf(ctx);
      return next({
        ctx: {
          withOwningTenant: withOwningTenantOf(ctx, checked),
          withNamedTenant: withNamedTenantOf(ctx, checked),
          asAdministrator: checked,
        },
      });
    });
}

export const adminProcedure = adminProcedureWith(nothing);

/** Like `adminProcedure`; a session over `/trpc` needs a recent proof of identity, else the response is 403. */
export const provedAdminProcedure = adminProcedureWith(requireProof);

/**
 * For platform operators; other callers get the same errors as from `adminProcedure`. `asOperator` ends the transaction
 * in the caller's own tenant before the work begins.
 * @param refusal the message of the 403 for administrators who are not operators
 * @param needsProof whether a session over `/trpc` needs a recent proof of identity
 */
export function operatorProcedure(refusal: string, { needsProof = false } = {}) {
  const operatorOf = (ctx: RequestContext): Promise<Administrator> =>
    asAdministrator(ctx)(async (admin) => {
      if (!admin.operator) throw new AppError('forbidden', refusal);
      if (needsProof) requireProof(admin);
      return admin;
    });
  return procedure
    .meta({ guard: 'platform_operator', admit: async (ctx) => void (await operatorOf(ctx)) })
    .use(admitFirst)
    .use(({ ctx, next }) => next({ ctx: { asOperator: () => operatorOf(ctx) } }));
}

/**
 * The caller of an admin command on the server. It has the rights of the operator key, because whoever can run the
 * command can also read the key. The audit log distinguishes the two.
 */
export const serverAdministrator: Administrator = {
  user: null,
  tenant: null,
  operatorKey: true,
  operator: true,
  isProved: true,
  hasProof: true,
  atServer: true,
};
