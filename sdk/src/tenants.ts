import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { type CallOptions, type TenantOptions, tenantOf } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type { Call } from './send.ts';
import type {
  CreatedInvite,
  InviteCreateRequest,
  InviteListQuery,
  InviteRecord,
  KeyRotationProof,
  ProvisionedTenant,
  RotatedKey,
  SecurityPolicy,
  TenantAccount,
  TenantAccountCreate,
  TenantListQuery,
} from './types.ts';

/** Invites into a tenant. A new member redeems an invite with `auth.signUp`. */
export interface Invites {
  /**
   * Creates an invite and returns its token, which the service never shows again. The service sends no email. Throws
   * ConflictError if 20 invites are pending. Retried only if the service certainly did nothing: after a lost
   * response, check `list`, and `withdraw` the invite if necessary.
   */
  create(request?: InviteCreateRequest, options?: TenantOptions): ApiPromise<CreatedInvite>;
  /** Lists the invites in any status, latest first. Pages are requested when they are read. */
  list(query?: InviteListQuery, options?: TenantOptions): List<InviteRecord>;
  /** Returns one page of `list`. */
  listPage(query?: InviteListQuery, options?: TenantOptions): ApiPromise<Page<InviteRecord>>;
  /**
   * Withdraws a pending invite. Throws NotFoundError for any other invite. Retried only if the service certainly did
   * nothing: after a lost response, `list` shows the status of the invite.
   */
  withdraw(inviteId: string, options?: TenantOptions): ApiPromise<void>;
}

/**
 * Tenants and their invites. Requires an administrator's session or a platform operator; a tenant's API key is not
 * accepted.
 */
export interface Tenants {
  /**
   * Creates a tenant. Requires a platform operator; others get PermissionDeniedError. The call has no idempotency
   * key, so it is retried only if the service certainly did nothing.
   */
  create(request: TenantAccountCreate, options?: CallOptions): ApiPromise<ProvisionedTenant>;
  /**
   * Lists the tenants, latest first: all of them for an operator, otherwise only the administrator's own. Pages are
   * requested when they are read.
   */
  list(query?: TenantListQuery, options?: CallOptions): List<TenantAccount>;
  /** Returns one page of `list`. */
  listPage(query?: TenantListQuery, options?: CallOptions): ApiPromise<Page<TenantAccount>>;
  /** Sets which members must use MFA, and whether suspected instructions to the model require a review. Operators must set `tenantId`; otherwise the call throws BadRequestError. */
  setSecurityPolicy(policy: SecurityPolicy, options?: TenantOptions): ApiPromise<TenantAccount>;
  /**
   * Rotates the workspace key. The result has the new key, which the service never shows again; the old key becomes
   * invalid immediately. `apiKeys.rotate` has an overlap. Requires an administrator's session and, as `proof`, the password or a verification
   * code.
   */
  rotateKey(proof: KeyRotationProof, options?: CallOptions): ApiPromise<RotatedKey>;
  /** The invites into a tenant. */
  readonly invites: Invites;
}

/** Not repeatable: a second call would create a second tenant, and the API key of the first would be lost. */
const createCall: Call = { name: 'tenants.create', repeatable: false, result: ['api_key'], open: true };
const listCall: Call = { name: 'tenants.list', repeatable: true, result: ['length'] };
/** Repeatable: setting the same policy twice has the same effect as setting it once. */
const setSecurityPolicyCall: Call = { name: 'tenants.setSecurityPolicy', repeatable: true, result: ['id'] };

const path = '/api/tenants';

export function tenants(connection: Connection): Tenants {
  const { json, mutateOnce } = connection;
  return {
    create: (request, options) => json(createCall, { method: 'POST', path, json: request }, options),
    ...createListing<TenantListQuery, TenantAccount[], TenantAccount, CallOptions>(
      (query, options) => json(listCall, { method: 'GET', path, query }, options),
      (accounts) => accounts,
    ),
    setSecurityPolicy: (policy, options) =>
      json(
        setSecurityPolicyCall,
        { method: 'PATCH', path: `${path}/security`, query: tenantOf(options), json: policy },
        options,
      ),
    // Not repeatable: a second call would replace the API key of the first one, which would be lost.
    rotateKey: (proof, options) => mutateOnce('tenants.rotateKey', proof, options),
    invites: invites(connection),
  };
}

/** Not repeatable: a second call would create a second invite, and the token of the first one would be lost. */
const createInviteCall: Call = { name: 'tenants.invites.create', repeatable: false, result: ['invite_id'] };
const listInvitesCall: Call = { name: 'tenants.invites.list', repeatable: true, result: ['length'] };
/** Not repeatable: a second call would return 404, as if the invite had never existed. */
const withdrawCall: Call = { name: 'tenants.invites.withdraw', repeatable: false };

function invites({ done, json }: Connection): Invites {
  const at = `${path}/invites`;
  return {
    create: (request = {}, options) =>
      json(createInviteCall, { method: 'POST', path: at, query: tenantOf(options), json: request }, options),
    ...createListing<InviteListQuery, InviteRecord[], InviteRecord, TenantOptions>(
      (query, options) =>
        json(
          listInvitesCall,
          { method: 'GET', path: at, query: { ...query, ...tenantOf(options) } },
          options,
        ),
      (records) => records,
    ),
    withdraw: (inviteId, options) =>
      done(
        withdrawCall,
        { method: 'DELETE', path: `${at}/${encodeURIComponent(inviteId)}`, query: tenantOf(options) },
        options,
      ),
  };
}
