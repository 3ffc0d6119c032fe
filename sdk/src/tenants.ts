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

/** Invites into a tenant. `auth.signUp` redeems one. */
export interface Invites {
  /**
   * Creates an invite and returns the token, this once; no email is sent. ConflictError if 20 are pending. Sent again
   * only if the service certainly did nothing: after a lost response check `list`, and use `withdraw` if necessary.
   */
  create(request?: InviteCreateRequest, options?: TenantOptions): ApiPromise<CreatedInvite>;
  /** The invites, latest first, in any status; pages are read on demand. */
  list(query?: InviteListQuery, options?: TenantOptions): List<InviteRecord>;
  /** One page of `list`. */
  listPage(query?: InviteListQuery, options?: TenantOptions): ApiPromise<Page<InviteRecord>>;
  /**
   * Withdraws a pending invite; NotFoundError for any other. Sent again only if the service certainly did nothing:
   * `list` shows its status.
   */
  withdraw(inviteId: string, options?: TenantOptions): ApiPromise<void>;
}

/**
 * Tenants and their invites: for an administrator's session, or a platform operator; never for a tenant's API key.
 */
export interface Tenants {
  /**
   * Creates a tenant, as a platform operator; PermissionDeniedError for others. It has no idempotency key, so it is
   * only sent again if the service certainly did nothing.
   */
  create(request: TenantAccountCreate, options?: CallOptions): ApiPromise<ProvisionedTenant>;
  /**
   * The tenants, latest first; pages are read on demand: all of them for an operator, else the administrator's own.
   */
  list(query?: TenantListQuery, options?: CallOptions): List<TenantAccount>;
  /** One page of `list`. */
  listPage(query?: TenantListQuery, options?: CallOptions): ApiPromise<Page<TenantAccount>>;
  /** Sets who must sign in with a second factor. An operator must name the tenant: BadRequestError otherwise. */
  setSecurityPolicy(policy: SecurityPolicy, options?: TenantOptions): ApiPromise<TenantAccount>;
  /**
   * Rotates the tenant's API key. The new key is shown this once; the old one ends immediately. For an
   * administrator's session, with the password or an authenticator code again.
   */
  rotateKey(proof: KeyRotationProof, options?: CallOptions): ApiPromise<RotatedKey>;
  /** Invites into a tenant. */
  readonly invites: Invites;
}

/** Not repeatable: a second call would create a second tenant, and the key of the first would be lost. */
const createCall: Call = { name: 'tenants.create', repeatable: false, result: ['api_key'], open: true };
const listCall: Call = { name: 'tenants.list', repeatable: true, result: ['length'] };
/** Repeatable: setting the same toggles twice gives the same policy. */
const setSecurityPolicyCall: Call = { name: 'tenants.setSecurityPolicy', repeatable: true, result: ['id'] };

/** Not repeatable: a second call would replace the key of the first, which would be lost. */
const rotateKeyCall: Call = { name: 'tenants.rotateKey', repeatable: false };

const path = '/api/tenants';

export function tenants(connection: Connection): Tenants {
  const { json, mutate } = connection;
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
    rotateKey: (proof, options) => mutate(rotateKeyCall, proof, options),
    invites: invites(connection),
  };
}

/** Not repeatable: a second call would create a second invite, and the token of the first would be lost. */
const createInviteCall: Call = { name: 'tenants.invites.create', repeatable: false, result: ['invite_id'] };
const listInvitesCall: Call = { name: 'tenants.invites.list', repeatable: true, result: ['length'] };
/** Not repeatable: the second one would return 404, as if there had been nothing to withdraw. */
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
