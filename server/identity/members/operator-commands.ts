import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  serverAdministrator,
  type WithNamedTenant,
  type WithOwningTenant,
} from '#server/identity/access/guards/admin.ts';
import { countSessions, endAllSessions, endSessionsOf } from '#server/identity/access/sessions.ts';
import { atTheServer, recordAdministration } from '#server/identity/audit/audit-log.ts';
import type { MailParts } from '#server/identity/mail/outbox.ts';
import { lockAccount } from '#server/identity/tenants/operator-commands.ts';
import type { TenantAccount } from '#server/identity/tenants/schema.ts';
import { createInvite } from './invites.ts';
import { withLockedMember } from './locked-member.ts';
import { selectMemberByEmail, updateMember } from './members.ts';
import { resetMfa } from './mfa-reset.ts';
import { issueResetLink } from './password-reset-links.ts';
import type { CreatedInvite, PasswordResetLink, Role } from './schema.ts';

type Parts = Pick<Services, 'database'> & MailParts;

interface RestoredAdministrator {
  account: TenantAccount;
  email: string;
  /** False if the member was already an active administrator. */
  changed: boolean;
  mfaCleared: boolean;
  /** Null for a member who signs in with an identity provider and has no password. */
  link: PasswordResetLink | null;
}

/**
 * Makes a member an active administrator again and issues a link to set a new password, in one transaction.
 * @param email in lower case
 * @returns undefined if the tenant has no such member
 * @throws AppError 404, whose message names the tenant; 409 for the service key's tenant
 */
export async function restoreAdministrator(
  { database, ...parts }: Parts,
  tenantId: string,
  email: string,
  { clearMfa }: { clearMfa: boolean },
): Promise<RestoredAdministrator | undefined> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const member = await selectMemberByEmail(tx, tenantId, email);
    if (!member) return undefined;
    const { userId, provider } = member;
    // The functions below open a transaction by calling this function: give them the transaction that is already open.
    const withOwningTenant: WithOwningTenant = (work) => work(tx, tenantId, serverAdministrator);
    const changed = await restoreMemberStatus(withOwningTenant, userId);
    if (clearMfa) await resetMfa(atTheServer, withOwningTenant, parts.settings, userId);
    const link =
      provider === 'email' ? await issueResetLink(atTheServer, withOwningTenant, parts, userId) : null;
    return { account, email, changed, mfaCleared: clearMfa, link };
  });
}

function restoreMemberStatus(withOwningTenant: WithOwningTenant, userId: string): Promise<boolean> {
  return withLockedMember(withOwningTenant, userId, async ({ tx, tenantId, admin, member }) => {
    const role: Role = 'global_administrator';
    if (member.active && member.role === role) return false;
    await updateMember(tx, tenantId, userId, { active: true, role });
    await recordAdministration(tx, atTheServer, admin, {
      action: 'administrator_restored',
      tenantId,
      target: userId,
      details: { role_from: member.role, role_to: role, active_from: member.active, active_to: true },
    });
    return true;
  });
}

/**
 * Creates an invite by a command on the server, even for a tenant without an administrator.
 * @param invite `email` is in lower case; null for an invite that anyone with the token may use
 * @throws AppError 404, whose message names the tenant; 409 for the service key's tenant, and if 20 invites are pending
 */
export async function inviteByOperator(
  { database, ...parts }: Parts,
  tenantId: string,
  invite: { email: string | null; role: Role },
): Promise<{ account: TenantAccount; invite: CreatedInvite }> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const withNamedTenant: WithNamedTenant = (_parameter, work) => work(tx, tenantId, serverAdministrator);
    const created = await createInvite(atTheServer, withNamedTenant, parts, {
      tenant_id: tenantId,
      ...invite,
    });
    return { account, invite: created };
  });
}

/**
 * Ends all sessions of a tenant, or of one member. For a whole tenant, also deletes pending MFA challenges and reset
 * links.
 * @param email of the member, in lower case; undefined for all members
 * @returns the number of sessions that were active
 * @throws AppError 404 for an unknown tenant or member; 409 for the service key's tenant
 */
export async function endSessions(
  database: Database,
  tenantId: string,
  email: string | undefined,
): Promise<{ account: TenantAccount; sessions: number }> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const member = email === undefined ? undefined : await selectMemberByEmail(tx, tenantId, email);
    if (email !== undefined && !member)
      throw new AppError('not_found', 'the workspace has no member with this email address');
    const sessions = await countSessions(tx, tenantId, member?.userId);
    if (member) await endSessionsOf(tx, tenantId, member.userId);
    else await endAllSessions(tx, tenantId);
    await recordAdministration(tx, atTheServer, serverAdministrator, {
      action: 'sessions_ended',
      tenantId,
      target: member?.userId ?? tenantId,
      details: { sessions },
    });
    return { account, sessions };
  });
}

/** A member, with the number of active sessions. */
interface MemberSessions {
  userId: string;
  email: string;
  role: string;
  active: boolean;
  sessions: number;
  /** When the latest token of an active session was issued; null without a session. */
  lastUsedAt: Date | null;
}

/** Returns at most `limit` members of a tenant, those with the latest use first, and the number of all members. */
export async function readMemberSessions(
  tx: Tx,
  tenantId: string,
  limit: number,
): Promise<{ members: MemberSessions[]; total: number }> {
  const rows = await tx.execute<
    Omit<MemberSessions, 'lastUsedAt'> & { lastUsedAt: string | null; total: number }
  >(sql`
    select user_id as "userId", email, role, active, coalesce(s.sessions, 0) as sessions,
      s.last_used_at as "lastUsedAt", (count(*) over ())::int as total
    from users left join (
      select user_id, count(distinct family_id)::int as sessions, max(issued_at) as last_used_at from tokens
      where tenant_id = ${tenantId} and expires_at > now() and consumed_at is null group by user_id) s using (user_id)
    where tenant_id = ${tenantId}
    order by s.last_used_at desc nulls last, email limit ${limit}`);
  return {
    members: rows.map(({ total: _total, lastUsedAt, ...member }) => ({
      ...member,
      lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    })),
    total: rows[0]?.total ?? 0,
  };
}

/** The active administrators of a tenant: the first 20, oldest members first, and the number of all. */
export interface Administrators {
  emails: string[];
  total: number;
}

const maxAdministratorsListed = 20;

/**
 * Returns the administrators of each of these tenants, read in platform scope. Tenants without administrators are left
 * out.
 */
export async function administratorsOf(
  database: Database,
  tenantIds: readonly string[],
): Promise<Map<string, Administrators>> {
  const rows = await database.inPlatform((tx) =>
    selectAdministrators(tx, tenantIds, maxAdministratorsListed),
  );
  const found = new Map<string, Administrators>();
  for (const { tenantId, email, total } of rows) {
    const known = found.get(tenantId);
    if (known) known.emails.push(email);
    else found.set(tenantId, { emails: [email], total });
  }
  return found;
}

/** Returns at most `limit` active administrators of each tenant, oldest first, with the number of all. */
async function selectAdministrators(
  tx: Tx,
  tenantIds: readonly string[],
  limit: number,
): Promise<{ tenantId: string; email: string; total: number }[]> {
  const ofTenant = sql`partition by ${users.tenantId}`;
  const ranked = tx.$with('ranked').as(
    tx
      .select({
        tenantId: users.tenantId,
        email: users.email,
        place: sql<number>`row_number() over (${ofTenant} order by ${users.createdAt}, ${users.userId})`.as(
          'place',
        ),
        total: sql<number>`(count(*) over (${ofTenant}))::int`.as('total'),
      })
      .from(users)
      .where(
        and(
          sql`${users.tenantId} = any(array(
            select jsonb_array_elements_text(${JSON.stringify(tenantIds)}::jsonb)))`,
          eq(users.active, true),
          eq(users.role, 'global_administrator'),
        ),
      ),
  );
  return tx
    .with(ranked)
    .select({ tenantId: ranked.tenantId, email: ranked.email, total: ranked.total })
    .from(ranked)
    .where(sql`${ranked.place} <= ${limit}`)
    .orderBy(asc(ranked.tenantId), asc(ranked.place));
}
