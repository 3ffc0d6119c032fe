import type { Database } from '#db/client.ts';
import { serverAdministrator, type WithNamedTenant, type WithOwningTenant } from '#server/access/service.ts';
import { atTheServer, recordAdministration } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { lockAccount, type TenantAccount } from '#server/tenants/service.ts';
import { createInvite } from './invites.ts';
import { withLockedMember } from './locked-member.ts';
import { selectAdministrators, selectMemberByEmail, updateMember } from './members.ts';
import { resetMfa } from './mfa-reset.ts';
import { issueResetLink } from './password-reset-links.ts';
import type { CreatedInvite, PasswordResetLink, Role } from './schema.ts';

type Parts = Pick<Services, 'database' | 'settings'>;

export interface RestoredAdministrator {
  account: TenantAccount;
  email: string;
  /** False where the member was an active administrator already. */
  changed: boolean;
  mfaCleared: boolean;
  /** Null for a member of an identity provider, who has no password. */
  link: PasswordResetLink | null;
}

/**
 * Makes a member an active administrator again, with a link for a new password: all of it, or nothing.
 * @param email in lowercase
 * @returns undefined where the tenant has no such member
 * @throws AppError 404, naming the tenant; 409 for the service key's
 */
export async function restoreAdministrator(
  { database, settings }: Parts,
  tenantId: string,
  email: string,
  { clearMfa }: { clearMfa: boolean },
): Promise<RestoredAdministrator | undefined> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const member = await selectMemberByEmail(tx, tenantId, email);
    if (!member) return undefined;
    const { userId, provider } = member;
    // The transaction that is open, for the use cases that an administrator calls one by one.
    const withOwningTenant: WithOwningTenant = (work) => work(tx, tenantId, serverAdministrator);
    const changed = await restoreMemberStatus(withOwningTenant, userId);
    if (clearMfa) await resetMfa(atTheServer, withOwningTenant, settings, userId);
    const link =
      provider === 'email' ? await issueResetLink(atTheServer, withOwningTenant, settings, userId) : null;
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
 * Invites somebody into a tenant, whose administrators may all be gone.
 * @param email in lowercase; null for an invite that anybody who holds the token may use
 * @throws AppError 404, naming the tenant; 409 for the service key's, and where 20 invites are pending
 */
export async function inviteByOperator(
  { database, settings }: Parts,
  tenantId: string,
  invite: { email: string | null; role: Role },
): Promise<{ account: TenantAccount; invite: CreatedInvite }> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const withNamedTenant: WithNamedTenant = (_parameter, work) => work(tx, tenantId, serverAdministrator);
    const created = await createInvite(atTheServer, withNamedTenant, settings, {
      tenant_id: tenantId,
      ...invite,
    });
    return { account, invite: created };
  });
}

/** The active administrators of a tenant, the oldest members first: some of them where they are many. */
export interface Administrators {
  emails: string[];
  total: number;
}

const administratorsShown = 20;

/** The administrators of each of these tenants, over all tenants; a tenant without any is left out. */
export async function administratorsOf(
  database: Database,
  tenantIds: readonly string[],
): Promise<Map<string, Administrators>> {
  const rows = await database.inPlatform((tx) => selectAdministrators(tx, tenantIds, administratorsShown));
  const found = new Map<string, Administrators>();
  for (const { tenantId, email, total } of rows) {
    const known = found.get(tenantId);
    if (known) known.emails.push(email);
    else found.set(tenantId, { emails: [email], total });
  }
  return found;
}
