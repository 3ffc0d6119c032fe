import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { mfaChallenges, recoveryCodes, users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import { type PageEnd, readCursor, writeCursor } from '#server/paging.ts';
import type { UserRow } from './schema.ts';

export interface JoiningMember {
  tenantId: string;
  userId: string;
  /** Lowercase. */
  email: string;
  /** `email`, or the identity provider's name. */
  provider: string;
  providerSubject?: string | null;
  role: string;
  /** Null for a member of an identity provider. */
  passwordHash: string | null;
}

/**
 * Adds a member to a tenant.
 * @throws AppError 400 where the tenant has a member of that e-mail, or that provider subject, revoked ones included
 */
export async function addMember(tx: Tx, member: JoiningMember): Promise<void> {
  if (await insertMember(tx, member)) return;
  throw new AppError('malformed_request', 'email already registered for tenant');
}

interface MemberQuery {
  includeRevoked: boolean;
  limit: number;
  cursor?: string | undefined;
}

/** A page of a tenant's roster, oldest member first. */
export async function listMembers(
  tx: Tx,
  tenantId: string,
  { includeRevoked, limit, cursor }: MemberQuery,
): Promise<{ users: UserRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await selectMembers(tx, { tenantId, includeRevoked, limit: limit + 1, after });
  const users = rows.slice(0, limit).map(userRowOf);
  const last = users.at(-1);
  const more = rows.length > limit && last;
  return {
    users,
    nextCursor: more ? writeCursor({ updated_at: last.created_at, id: last.user_id }) : null,
  };
}

/** A 2.2 */
export function userRowOf(member: MemberRow): UserRow {
  return {
    user_id: member.userId,
    email: member.email,
    provider: member.provider,
    role: member.role,
    active: member.active,
    created_at: member.createdAt.toISOString(),
    totp_enrolled: member.totpEnrolled,
  };
}

/** Everything of a member but what is secret. */
const columns = {
  tenantId: users.tenantId,
  userId: users.userId,
  email: users.email,
  provider: users.provider,
  role: users.role,
  active: users.active,
  createdAt: users.createdAt,
  totpEnrolled: sql<boolean>`${users.totpSecret} is not null`,
};

export type MemberRow = Pick<
  typeof users.$inferSelect,
  'tenantId' | 'userId' | 'email' | 'provider' | 'role' | 'active' | 'createdAt'
> & { totpEnrolled: boolean };

type NewMember = typeof users.$inferInsert;

const isMember = (tenantId: string, userId: string) =>
  and(eq(users.tenantId, tenantId), eq(users.userId, userId)) as SQL;

/** Inserts a member; false where the tenant has one of that e-mail or that provider subject already. */
async function insertMember(tx: Tx, member: NewMember): Promise<boolean> {
  const inserted = await tx
    .insert(users)
    .values(member)
    .onConflictDoNothing()
    .returning({ userId: users.userId });
  return inserted.length > 0;
}

export async function findMember(tx: Tx, tenantId: string, userId: string): Promise<MemberRow | undefined> {
  const [row] = await tx.select(columns).from(users).where(isMember(tenantId, userId));
  return row;
}

/** A tenant's member of an address, revoked or not; `email` in lowercase. */
export async function selectMemberByEmail(
  tx: Tx,
  tenantId: string,
  email: string,
): Promise<MemberRow | undefined> {
  const [row] = await tx
    .select(columns)
    .from(users)
    .where(and(eq(users.tenantId, tenantId), eq(users.email, email)));
  return row;
}

/** Which tenant a member belongs to, over all tenants: for the operator key alone. */
export async function selectTenantOfMember(tx: Tx, userId: string): Promise<string | undefined> {
  const [row] = await tx.select({ tenantId: users.tenantId }).from(users).where(eq(users.userId, userId));
  return row?.tenantId;
}

interface MemberListing {
  tenantId: string;
  includeRevoked: boolean;
  limit: number;
  after: PageEnd | undefined;
}

/** Oldest first. */
async function selectMembers(
  tx: Tx,
  { tenantId, includeRevoked, limit, after }: MemberListing,
): Promise<MemberRow[]> {
  return tx
    .select(columns)
    .from(users)
    .where(
      and(
        eq(users.tenantId, tenantId),
        includeRevoked ? undefined : eq(users.active, true),
        after &&
          sql`(${users.createdAt}, ${users.userId}) > (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(asc(users.createdAt), asc(users.userId))
    .limit(limit);
}

export async function updateMember(
  tx: Tx,
  tenantId: string,
  userId: string,
  changes: { active?: boolean; role?: string; passwordHash?: string },
): Promise<MemberRow> {
  const [row] = await tx.update(users).set(changes).where(isMember(tenantId, userId)).returning(columns);
  return row as MemberRow;
}

/** Whether the tenant has an active administrator beside this member. */
export async function hasOtherAdministrator(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  const rows = await tx
    .select({ one: sql`1` })
    .from(users)
    .where(
      and(
        eq(users.tenantId, tenantId),
        ne(users.userId, userId),
        eq(users.active, true),
        eq(users.role, 'global_administrator'),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** Of each tenant the active administrators, oldest first and at most `limit`, and how many there are. */
export async function selectAdministrators(
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

/** Takes a member's authenticator away, enrolled or waiting for its confirmation, with its recovery codes. */
export async function deleteAuthenticator(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await Promise.all([
    tx
      .update(users)
      .set({ totpSecret: null, totpPendingSecret: null, totpLastStep: null, mfaFailedAt: [] })
      .where(isMember(tenantId, userId)),
    tx
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.tenantId, tenantId), eq(recoveryCodes.userId, userId))),
  ]);
}

/** Ends the sign-ins of a member that wait for a code. */
export async function deleteChallenges(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await tx
    .delete(mfaChallenges)
    .where(and(eq(mfaChallenges.tenantId, tenantId), eq(mfaChallenges.userId, userId)));
}
