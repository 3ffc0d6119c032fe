import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { emailsOf } from '#server/identity/members/members.ts';

/**
 * Returns who submits a job, as its usage record names the submitter: the ID of the member, or `api_key`. A workspace
 * has one key, and its successors continue it. If a failed text runs again, its submitter is the caller who sent it
 * again. The name is in the usage record, because a report of jobs would miss the deleted ones.
 */
export function submitterOf(principal: Principal): string {
  return principal.kind === 'session' ? principal.user.id : credentialOf(principal);
}

/**
 * Returns the kind of credential with which a job is submitted. A visitor of the demo workspace cannot submit one.
 * @throws AppError 403
 */
export function credentialOf({ kind }: Pick<Principal, 'kind'>): 'session' | 'api_key' {
  if (kind === 'visitor') throw new AppError('forbidden', 'visitors cannot submit work');
  return kind;
}

/** Replaces the IDs of members with their email addresses. Other names, and IDs of unknown members, stay. */
export async function namingMembers<G extends { name: string | null }>(
  tx: Tx,
  tenantId: string,
  groups: readonly G[],
): Promise<G[]> {
  const emails = await emailsOf(
    tx,
    tenantId,
    groups.flatMap(({ name }) => name ?? []),
  );
  return groups.map((group) => ({ ...group, name: emails.get(group.name ?? '') ?? group.name }));
}

/** Returns who submitted a job, as its usage record names the submitter; null if that is not known. */
export async function recordedSubmitter(tx: Tx, tenantId: string, jobId: string): Promise<string | null> {
  const [record] = await tx
    .select({ submittedBy: usageRecords.submittedBy })
    .from(usageRecords)
    .where(and(eq(usageRecords.tenantId, tenantId), eq(usageRecords.jobId, jobId)));
  return record?.submittedBy ?? null;
}
