import type { TenantOptions } from './options.ts';
import { createListing, type Page } from './pages.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type { CreatedInvite, InviteCreateRequest, InviteListQuery, InviteRecord } from './types.ts';

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

/** A second one would be a second invite, and the token of the first be lost. */
const createCall: Call = { name: 'tenants.invites.create', repeatable: false };
const listCall: Call = { name: 'tenants.invites.list', repeatable: true };
/** The second one would answer 404, as if there had been nothing to withdraw. */
const withdrawCall: Call = { name: 'tenants.invites.withdraw', repeatable: false };

export function invites(rpc: Rpc, send: Send): Invites {
  const { createInvite, listInvites, withdrawInvite } = rpc.members;
  return {
    create(request, options) {
      const input = { ...request, tenant_id: options?.tenantId };
      return send(createCall, (attempt) => createInvite.mutate(input, attempt), options);
    },
    ...createListing<InviteListQuery, InviteRecord, TenantOptions>(
      send,
      listCall,
      (query, attempt, options) => listInvites.query({ ...query, tenant_id: options?.tenantId }, attempt),
    ),
    async withdraw(inviteId, options) {
      const input = { invite_id: inviteId, tenant_id: options?.tenantId };
      await send(withdrawCall, (attempt) => withdrawInvite.mutate(input, attempt), options);
    },
  };
}
