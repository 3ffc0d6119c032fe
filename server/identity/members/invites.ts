import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { type Page, readCursor, writeCursor } from '#server/http/paging.ts';
import {
  type Administrator,
  tenantNotFound,
  type WithNamedTenant,
} from '#server/identity/access/guards/admin.ts';
import { isDesignatedOperator } from '#server/identity/access/principal.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { type MailParts, queueInviteMail } from '#server/identity/mail/outbox.ts';
import { lockTenant, readTenant } from '#server/identity/tenants/tenant-row.ts';
import { newId } from '#server/platform/ids.ts';
import {
  countPendingInvites,
  type InviteRow,
  insertInvite,
  markWithdrawn,
  selectInvites,
} from './invite-queries.ts';
import { requireStillAdministrator } from './locked-member.ts';
import type { CreatedInvite, InviteCreateRequest, InviteRecord } from './schema.ts';
import { newTenantToken } from './tenant-token.ts';

const pendingAllowed = 20;
const secondsOfDay = 86_400;

/**
 * With the operator key, a request must name a tenant; with an operator's session, it may. If any other administrator
 * names another tenant, the response is 404.
 */
const parameterOf = (named: string | undefined) =>
  ({
    named,
    foreign: 'not_found',
    missing: 'tenant_id query parameter is required with API-key access',
  }) as const;

/**
 * Creates an invite. The token is in the returned value, and in the mail if mail is on and the invite has an address. The
 * database stores its hash, and the sealed token until the mail is sent.
 * @throws AppError 409 if 20 invites are pending; 404 for an unknown tenant or one without access; 403 for a designated
 *   operator's address, unless an operator creates the invite, and without a recent proof for an administrator's invite
 */
export async function createInvite(
  origin: Origin,
  withNamedTenant: WithNamedTenant,
  parts: MailParts,
  { tenant_id, email = null, role, languages = [], expires_in_days }: InviteCreateRequest,
): Promise<CreatedInvite> {
  const { settings } = parts;
  return withNamedTenant(parameterOf(tenant_id), async (tx, tenantId, admin) => {
    if (role === 'global_administrator') requireProof(admin);
    // The invite would make someone an operator, which only an operator may do.
    if (email !== null && isDesignatedOperator(tenantId, email, settings) && !admin.operator)
      throw new AppError('forbidden', 'inviting an operator requires operator access');
    // Count after taking the lock, in a separate statement, so that concurrent invites are counted.
    if (!(await lockTenant(tx, tenantId))) throw tenantNotFound();
    await requireStillAdministrator(tx, tenantId, admin);
    if ((await countPendingInvites(tx, tenantId)) >= pendingAllowed)
      throw new AppError(
        'state_conflict',
        `a workspace can have at most ${pendingAllowed} pending invites; withdraw one first`,
      );

    const { token, secretHash } = newTenantToken(tenantId);
    const invite = await insertInvite(tx, {
      tenantId,
      inviteId: newId(),
      secretHash,
      email,
      role,
      languages,
      createdBy: nameIn(tenantId, admin),
      byOperator: admin.operator,
      ttlSeconds: expires_in_days ? expires_in_days * secondsOfDay : settings.INVITE_TTL_SECONDS,
    });
    await recordAdministration(tx, origin, admin, {
      action: 'invite_created',
      tenantId,
      target: invite.inviteId,
      details: { email, role, ...(languages.length > 0 && { languages: languages.length }) },
    });
    if (email !== null)
      await queueInviteMail(tx, parts, {
        ...{ tenantId, inviteId: invite.inviteId, address: email, token, expiresAt: invite.expiresAt },
        invitedBy: admin.user && admin.tenant?.id === tenantId ? admin.user.id : null,
      });
    return { ...recordOf(invite), invite_token: token };
  });
}

/**
 * Returns the name of an invite's creator: the member's email address, or `operator` for a caller who does not belong
 * to the tenant.
 */
function nameIn(tenantId: string, { user, tenant }: Administrator): string {
  return user && tenant?.id === tenantId ? user.email : 'operator';
}

interface InviteQuery {
  tenant_id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/**
 * Returns a page of a tenant's invites in any state, latest first.
 * @throws AppError 404 for an unknown tenant or one without access
 */
export async function listInvites(
  withNamedTenant: WithNamedTenant,
  { tenant_id, limit, cursor }: InviteQuery,
): Promise<Page<InviteRecord[]>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  return withNamedTenant(parameterOf(tenant_id), async (tx, tenantId) => {
    const [rows, tenant] = await Promise.all([
      selectInvites(tx, { tenantId, pendingOnly: false, limit: limit + 1, after }),
      readTenant(tx, tenantId),
    ]);
    if (!tenant) throw tenantNotFound();
    const invites = rows.slice(0, limit).map(recordOf);
    const last = invites.at(-1);
    const more = rows.length > limit && last;
    return {
      content: invites,
      nextCursor: more ? writeCursor({ updated_at: last.created_at, id: last.invite_id }) : null,
    };
  });
}

/** Returns a tenant's pending invites, latest first. */
export async function pendingInvites(tx: Tx, tenantId: string): Promise<InviteRecord[]> {
  const rows = await selectInvites(tx, { tenantId, pendingOnly: true, limit: pendingAllowed });
  return rows.map(recordOf);
}

/**
 * Withdraws a pending invite.
 * @throws AppError 404 if the invite is unknown, is not pending, or belongs to another tenant
 */
export async function withdrawInvite(
  origin: Origin,
  withNamedTenant: WithNamedTenant,
  tenantNamed: string | undefined,
  inviteId: string,
): Promise<void> {
  await withNamedTenant(parameterOf(tenantNamed), async (tx, tenantId, admin) => {
    if (!(await readTenant(tx, tenantId))) throw tenantNotFound();
    if (!(await markWithdrawn(tx, tenantId, inviteId))) throw new AppError('not_found', 'invite not found');
    await recordAdministration(tx, origin, admin, {
      action: 'invite_withdrawn',
      tenantId,
      target: inviteId,
    });
  });
}

/** Returns the API's view of an invite. */
function recordOf(invite: InviteRow): InviteRecord {
  return {
    invite_id: invite.inviteId,
    email: invite.email,
    role: invite.role,
    ...(invite.languages.length > 0 && { languages: invite.languages }),
    status: invite.status,
    created_by: invite.createdBy,
    created_at: invite.createdAt.toISOString(),
    expires_at: invite.expiresAt.toISOString(),
    redeemed_at: invite.redeemedAt?.toISOString() ?? null,
    redeemed_by: invite.redeemedBy,
  };
}
