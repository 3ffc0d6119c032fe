import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { mfaChallenges, users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import { type Page, type PageEnd, readCursor, writeCursor } from '#server/http/paging.ts';
import type { UserRow } from './schema.ts';

interface JoiningMember {
  tenantId: string;
  userId: string;
  /** In lower case. */
  email: string;
  /** `email`, or the name of the identity provider. */
  provider: string;
  providerSubject?: string | null;
  role: string;
  /** Null for a member who signs in with an identity provider. */
  passwordHash: string | null;
  emailConfirmedAt?: Date | null;
}

/**
 * Adds a member to a tenant.
 * @throws AppError 400 if the tenant already has a member with this email address or provider subject; revoked members
 *   count too
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

/** Returns a page of a tenant's members, oldest first. */
export async function listMembers(
  tx: Tx,
  tenantId: string,
  { includeRevoked, limit, cursor }: MemberQuery,
): Promise<Page<UserRow[]>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await selectMembers(tx, { tenantId, includeRevoked, limit: limit + 1, after });
  const users = rows.slice(0, limit).map(userRowOf);
  const last = users.at(-1);
  const more = rows.length > limit && last;
  return {
    content: users,
    nextCursor: more ? writeCursor({ updated_at: last.created_at, id: last.user_id }) : null,
  };
}

/** Returns the API's view of a member. */
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

/** The columns of a member, without the secrets. */
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

type MemberRow = Pick<
  typeof users.$inferSelect,
  'tenantId' | 'userId' | 'email' | 'provider' | 'role' | 'active' | 'createdAt'
> & { totpEnrolled: boolean };

type NewMember = typeof users.$inferInsert;

const isMember = (tenantId: string, userId: string) =>
  and(eq(users.tenantId, tenantId), eq(users.userId, userId)) as SQL;

/** Inserts a member. Returns false if the tenant already has a member with this email address or provider subject. */
async function insertMember(tx: Tx, member: NewMember): Promise<boolean> {
  const inserted = await tx
    .insert(users)
    .values(member)
    .onConflictDoNothing()
    .returning({ userId: users.userId });
  return inserted.length > 0;
}

/** Returns the email addresses of some members by id; revoked members are included. */
export async function emailsOf(
  tx: Tx,
  tenantId: string,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx
    .select({ userId: users.userId, email: users.email })
    .from(users)
    .where(and(eq(users.tenantId, tenantId), isOneOf(userIds)));
  return new Map(rows.map(({ userId, email }) => [userId, email]));
}

/** Returns those of some users who are active members. */
export async function selectActiveMembers(
  tx: Tx,
  tenantId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx
    .select({ userId: users.userId })
    .from(users)
    .where(and(eq(users.tenantId, tenantId), eq(users.active, true), isOneOf(userIds)));
  return new Set(rows.map(({ userId }) => userId));
}

/** Maximum number of colleagues that a search returns. */
const maxColleagues = 20;

/**
 * Returns the active members of a tenant whose email address contains a text, except the member who asks: at most
 * `maxColleagues`, in the order of their addresses.
 */
export async function findColleagues(
  tx: Tx,
  { tenantId, userId }: Pick<MemberRow, 'tenantId' | 'userId'>,
  search: string,
): Promise<{ user_id: string; name: string }[]> {
  return tx
    .select({ user_id: users.userId, name: users.email })
    .from(users)
    .where(
      and(
        eq(users.tenantId, tenantId),
        eq(users.active, true),
        ne(users.userId, userId),
        sql`strpos(${users.email}, ${search.toLowerCase()}) > 0`,
      ),
    )
    .orderBy(asc(users.email))
    .limit(maxColleagues);
}

function isOneOf(userIds: readonly string[]): SQL {
  return sql`${users.userId} = any(array(select json_array_elements_text(${JSON.stringify(userIds)}::json)))`;
}

export async function findMember(tx: Tx, tenantId: string, userId: string): Promise<MemberRow | undefined> {
  const [row] = await tx.select(columns).from(users).where(isMember(tenantId, userId));
  return row;
}

/**
 * Finds a tenant's member by email address, revoked or not.
 * @param email in lower case
 */
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

/** Returns the tenant of a member, searched among all tenants: only for the operator key. */
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

/** Returns a page of a tenant's members, oldest first. */
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
  changes: { active?: boolean; role?: string; passwordHash?: string | null; providerSubject?: null },
): Promise<MemberRow> {
  const [row] = await tx.update(users).set(changes).where(isMember(tenantId, userId)).returning(columns);
  return row as MemberRow;
}

/** Ends those sign-ins of a member that await a second factor. */
export async function deleteChallenges(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await tx
    .delete(mfaChallenges)
    .where(and(eq(mfaChallenges.tenantId, tenantId), eq(mfaChallenges.userId, userId)));
}
