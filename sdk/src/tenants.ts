import { type Invites, invites } from './invites.ts';
import type { CallOptions, TenantOptions } from './options.ts';
import { createListing, type Page } from './pages.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type {
  ProvisionedTenant,
  SecurityPolicy,
  TenantAccount,
  TenantAccountCreate,
  TenantListQuery,
} from './types.ts';

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

/** A second one would be a second tenant, and the key of the first be lost. */
const createCall: Call = { name: 'tenants.create', repeatable: false };
const listCall: Call = { name: 'tenants.list', repeatable: true };
/** The same toggles set twice are the same policy. */
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
