import { and, desc, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { invites } from '#db/schema/identity.ts';
import type { PageEnd } from '#server/http/paging.ts';
import type { MemberLanguage } from '#server/member-languages.ts';
import type { InviteStatus } from './schema.ts';

/** The transitions between the states of an invite. Expiry needs no transition: it depends only on the time. */
const transitions: Record<InviteStatus, readonly InviteStatus[]> = {
  pending: ['redeemed', 'withdrawn', 'expired'],
  redeemed: [],
  withdrawn: [],
  expired: [],
};

/** SQL: the state of a row, by the database's clock. */
const inviteStatus = sql<InviteStatus>`case
  when ${invites.redeemedAt} is not null then 'redeemed'
  when ${invites.withdrawnAt} is not null then 'withdrawn'
  when ${invites.expiresAt} <= now() then 'expired'
  else 'pending' end`;

/**
 * SQL: whether a row is `pending`, written exactly like the condition of the index of pending invites, so that
 * PostgreSQL uses the index.
 */
const isPending = sql`(${invites.redeemedAt} is null and ${invites.withdrawnAt} is null
  and ${invites.expiresAt} > now())`;

/** The column values that change a row to a state. */
const entering = {
  redeemed: (userId: string) => ({ redeemedAt: sql`now()`, redeemedBy: userId }),
  withdrawn: () => ({ withdrawnAt: sql`now()` }),
};

/** The condition of an update: the invite is in a state from which it may change to `to`. */
function mayBecome(to: keyof typeof entering): SQL {
  const sources = (Object.keys(transitions) as InviteStatus[]).filter((from) =>
    transitions[from].includes(to),
  );
  return inArray(inviteStatus, sources);
}

/** The columns of an invite without the hash of its secret. */
const columns = {
  inviteId: invites.inviteId,
  email: invites.email,
  role: invites.role,
  languages: invites.languages,
  status: inviteStatus,
  createdBy: invites.createdBy,
  byOperator: invites.byOperator,
  createdAt: invites.createdAt,
  expiresAt: invites.expiresAt,
  redeemedAt: invites.redeemedAt,
  redeemedBy: invites.redeemedBy,
};

export type InviteRow = Omit<typeof invites.$inferSelect, 'tenantId' | 'secretHash' | 'withdrawnAt'> & {
  status: InviteStatus;
};

interface NewInvite {
  tenantId: string;
  inviteId: string;
  secretHash: Uint8Array;
  email: string | null;
  role: string;
  languages: MemberLanguage[];
  createdBy: string;
  byOperator: boolean;
  ttlSeconds: number;
}

const hasSecret = (tenantId: string, secretHash: Uint8Array) =>
  and(eq(invites.tenantId, tenantId), eq(invites.secretHash, secretHash)) as SQL;

export async function insertInvite(tx: Tx, { ttlSeconds, ...invite }: NewInvite): Promise<InviteRow> {
  const expiresAt = sql`now() + make_interval(secs => ${ttlSeconds})`;
  const [row] = await tx
    .insert(invites)
    .values({ ...invite, expiresAt })
    .returning(columns);
  return row as InviteRow;
}

export async function countPendingInvites(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(invites)
    .where(and(eq(invites.tenantId, tenantId), isPending));
  return row?.count ?? 0;
}

interface InviteListing {
  tenantId: string;
  pendingOnly: boolean;
  limit: number;
  after?: PageEnd | undefined;
}

/** Returns a page of a tenant's invites, latest first. */
export async function selectInvites(
  tx: Tx,
  { tenantId, pendingOnly, limit, after }: InviteListing,
): Promise<InviteRow[]> {
  return tx
    .select(columns)
    .from(invites)
    .where(
      and(
        eq(invites.tenantId, tenantId),
        pendingOnly ? isPending : undefined,
        after &&
          sql`(${invites.createdAt}, ${invites.inviteId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(desc(invites.createdAt), desc(invites.inviteId))
    .limit(limit);
}

export async function selectPendingInvite(
  tx: Tx,
  tenantId: string,
  secretHash: Uint8Array,
): Promise<InviteRow | undefined> {
  const [row] = await tx
    .select(columns)
    .from(invites)
    .where(and(hasSecret(tenantId, secretHash), isPending));
  return row;
}

/**
 * Redeems a pending invite for this address. If several calls are concurrent, one gets the invite, and the others get
 * undefined.
 */
export async function markRedeemed(
  tx: Tx,
  tenantId: string,
  secretHash: Uint8Array,
  { userId, email }: { userId: string; email: string },
): Promise<{ inviteId: string; role: string } | undefined> {
  const [row] = await tx
    .update(invites)
    .set(entering.redeemed(userId))
    .where(
      and(
        hasSecret(tenantId, secretHash),
        mayBecome('redeemed'),
        or(isNull(invites.email), eq(invites.email, email)),
      ),
    )
    .returning({ inviteId: invites.inviteId, role: invites.role });
  return row;
}

/** Withdraws an invite. Returns false if the invite is not pending. */
export async function markWithdrawn(tx: Tx, tenantId: string, inviteId: string): Promise<boolean> {
  const rows = await tx
    .update(invites)
    .set(entering.withdrawn())
    .where(and(eq(invites.tenantId, tenantId), eq(invites.inviteId, inviteId), mayBecome('withdrawn')))
    .returning({ inviteId: invites.inviteId });
  return rows.length > 0;
}

/**
 * Withdraws all pending invites that this administrator created.
 * @param createdBy the administrator's email address
 */
export async function markWithdrawnOf(tx: Tx, tenantId: string, createdBy: string): Promise<void> {
  await tx
    .update(invites)
    .set(entering.withdrawn())
    .where(and(eq(invites.tenantId, tenantId), eq(invites.createdBy, createdBy), mayBecome('withdrawn')));
}
