import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { readCursor, writeCursor } from '#server/paging.ts';
import { insertMember, type MemberRow, selectMembers } from './queries/members.ts';
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

export interface MemberQuery {
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
