import type { CallOptions, TenantOptions } from './options.ts';
import { createListing, type Page } from './pages.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type {
  CreatedInvite,
  InviteCreateRequest,
  InviteListQuery,
  InviteRecord,
  ProvisionedTenant,
  SecurityPolicy,
  TenantAccount,
  TenantAccountCreate,
  TenantListQuery,
} from './types.ts';

/** Invites into a tenant. `auth.signUp` redeems one. */
export interface Invites {
  /**
   * Invites somebody, and answers the token, this once; nobody is e-mailed. ConflictError where 20 are pending. Sent again
   * only where the service certainly did nothing: after a lost answer `list` tells, and `withdraw` takes it back.
   */
  create(request?: InviteCreateRequest, options?: TenantOptions): Promise<CreatedInvite>;
  /** The invites, newest first, whatever became of them; page after page as they are asked for. */
  list(query?: InviteListQuery, options?: TenantOptions): AsyncIterable<InviteRecord>;
  /** One page of `list`. */
  listPage(query?: InviteListQuery, options?: TenantOptions): Promise<Page<InviteRecord>>;
  /**
   * Takes a pending invite back; NotFoundError for any other. Sent again only where the service certainly did nothing:
   * `list` tells what became of it.
   */
  withdraw(inviteId: string, options?: TenantOptions): Promise<void>;
}

/** Tenants and who may join them: for an administrator's session, or a platform operator; never for a tenant's API key. */
export interface Tenants {
  /**
   * Provisions a tenant, as a platform operator; PermissionDeniedError for anybody else. It has no idempotency key, so it is
   * only sent again where the service certainly did nothing.
   */
  create(request: TenantAccountCreate, options?: CallOptions): Promise<ProvisionedTenant>;
  /** The tenants, newest first, page after page as they are asked for: all of them for an operator, else the own one. */
  list(query?: TenantListQuery, options?: CallOptions): AsyncIterable<TenantAccount>;
  /** One page of `list`. */
  listPage(query?: TenantListQuery, options?: CallOptions): Promise<Page<TenantAccount>>;
  /** Sets who must sign in with a second factor. An operator must name the tenant: BadRequestError without. */
  setSecurityPolicy(policy: SecurityPolicy, options?: TenantOptions): Promise<TenantAccount>;
  readonly invites: Invites;
}

/** Not repeatable: a second call would create a second tenant, and the key of the first would be lost. */
const createCall: Call = { name: 'tenants.create', repeatable: false };
const listCall: Call = { name: 'tenants.list', repeatable: true };
/** Repeatable: setting the same toggles twice gives the same policy. */
const setSecurityPolicyCall: Call = { name: 'tenants.setSecurityPolicy', repeatable: true };

export function tenants(rpc: Rpc, send: Send): Tenants {
  const { create, list, setSecurityPolicy } = rpc.tenants;
  return {
    create: (request, options) => send(createCall, (attempt) => create.mutate(request, attempt), options),
    ...createListing<TenantListQuery, TenantAccount, CallOptions>(send, listCall, (query = {}, attempt) =>
      list.query(query, attempt),
    ),
    setSecurityPolicy(policy, options) {
      const input = { ...policy, tenant_id: options?.tenantId };
      return send(setSecurityPolicyCall, (attempt) => setSecurityPolicy.mutate(input, attempt), options);
    },
    invites: invites(rpc, send),
  };
}

/** Not repeatable: a second call would create a second invite, and the token of the first would be lost. */
const createInviteCall: Call = { name: 'tenants.invites.create', repeatable: false };
const listInvitesCall: Call = { name: 'tenants.invites.list', repeatable: true };
/** Not repeatable: the second one would return 404, as if there had been nothing to withdraw. */
const withdrawCall: Call = { name: 'tenants.invites.withdraw', repeatable: false };

function invites(rpc: Rpc, send: Send): Invites {
  const { createInvite, listInvites, withdrawInvite } = rpc.members;
  return {
    create(request, options) {
      const input = { ...request, tenant_id: options?.tenantId };
      return send(createInviteCall, (attempt) => createInvite.mutate(input, attempt), options);
    },
    ...createListing<InviteListQuery, InviteRecord, TenantOptions>(
      send,
      listInvitesCall,
      (query, attempt, options) => listInvites.query({ ...query, tenant_id: options?.tenantId }, attempt),
    ),
    async withdraw(inviteId, options) {
      const input = { invite_id: inviteId, tenant_id: options?.tenantId };
      await send(withdrawCall, (attempt) => withdrawInvite.mutate(input, attempt), options);
    },
  };
}
