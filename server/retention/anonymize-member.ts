import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { reviewerProfiles } from '#db/schema/reviews.ts';
import { tenantRetention } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { approvalRecords } from '#server/documents/approval-record.ts';
import { AppError } from '#server/errors.ts';
import {
  type Administrator,
  serverAdministrator,
  type WithOwningTenant,
} from '#server/identity/access/guards/admin.ts';
import { isDesignatedOperator, type SessionPrincipal } from '#server/identity/access/principal.ts';
import { atTheServer, type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { deleteMailsTo } from '#server/identity/mail/outbox.ts';
import { requireStillAdministrator, withLockedMember } from '#server/identity/members/locked-member.ts';
import { revokeMember } from '#server/identity/members/member-status.ts';
import { lockAccount } from '#server/identity/tenants/operator-commands.ts';
import type { TenantAccount } from '#server/identity/tenants/schema.ts';
import { addJob, type TaskPayloads } from '#server/platform/job-queue.ts';
import { type RecordedJobs, rewriteRecord } from '#server/records/golden-records.ts';
import type { Settings } from '#server/settings.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { textRecords } from '#server/texts/golden-record.ts';

/*
 * An anonymized member has no email address, password or authenticator any longer. Decisions stay, and have the
 * member's ID instead of the email address. Texts of jobs and documents do not change.
 */

/** Milliseconds of a run. Then the task is queued again, with its position. */
const runMs = 10_000;
/** Rows whose JSON is read in one transaction. */
const pageSize = 500;
/** Rows that one statement changes. */
const rowsPerStep = 1000;
/** Seconds until the task runs: requests of the member that were running have then ended. */
const afterSeconds = 180;

/** Columns that contain the email address of a member. */
const textColumns: readonly [table: string, column: string][] = [
  ['review_claims', 'holder'],
  ['review_comments', 'author'],
  ['segment_events', 'actor'],
  ['document_segments', 'confirmed_by'],
  ['memory_changes', 'actor'],
  ['memory_changes', 'undone_by'],
  ['document_jobs', 'approved_by'],
  ['storage_bindings', 'updated_by'],
  ['invites', 'created_by'],
  ['invites', 'email'],
  ['audit_log', 'target'],
];

/** A table with JSON columns that contain the email address of a member. */
interface JsonTable {
  table: string;
  /** The column that identifies a row within its tenant. */
  id: string;
  columns: readonly string[];
  /** The golden records that contain the JSON. */
  records?: RecordedJobs;
}

const jsonTables: readonly JsonTable[] = [
  { table: 'translation_jobs', id: 'job_id', columns: ['agent_run', 'findings'], records: textRecords },
  {
    table: 'document_jobs',
    id: 'document_id',
    columns: ['review_history', 'golden_record'],
    records: approvalRecords,
  },
  { table: 'segment_events', id: 'event_id', columns: ['before'] },
  { table: 'audit_log', id: 'event_id', columns: ['details'] },
];

/** The names of a member before and afterwards. */
interface Person {
  tenantId: string;
  userId: string;
  email: string;
}

/** Returns the email address of an anonymized member. The domain is reserved, so no mail can be sent there. */
const anonymousEmail = (userId: string) => `${userId}@anonymized.invalid`;

/**
 * Revokes a member, and queues the task that removes the member's email address everywhere.
 * @param email in lower case
 * @returns undefined if the tenant has no such member
 * @throws AppError 404 for an unknown tenant; 409 for its last active administrator, or during a legal hold
 */
export async function scheduleAnonymization(
  database: Database,
  tenantId: string,
  email: string,
): Promise<{ account: TenantAccount; userId: string } | undefined> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const [member] = await tx
      .select({ userId: users.userId })
      .from(users)
      .where(and(eq(users.tenantId, tenantId), eq(users.email, email)));
    if (!member) return undefined;
    const { userId } = member;
    await refuseDuringHold(tx, tenantId);
    const withOwningTenant: WithOwningTenant = (work) => work(tx, tenantId, serverAdministrator);
    await revokeMember(atTheServer, withOwningTenant, userId);
    await queueAnonymization(tx, { tenantId, userId }, atTheServer, serverAdministrator);
    return { account, userId };
  });
}

/**
 * Queues the task for a revoked member of an administrator's own tenant.
 * @throws AppError 404 for an unknown member; 409 for an active one, or during a legal hold; 403 for a designated
 *   operator, unless an operator asks
 */
export async function anonymizeRevoked(
  tx: Tx,
  origin: Origin,
  { user, tenant, operator, family }: SessionPrincipal,
  settings: Settings,
  userId: string,
): Promise<void> {
  const { isProved } = family;
  const admin: Administrator = {
    ...{ user, tenant, operator, operatorKey: false },
    ...{ isProved, hasProof: isProved },
  };
  const withOwningTenant: WithOwningTenant = (work) => work(tx, tenant.id, admin);
  await withLockedMember(withOwningTenant, userId, async ({ tenantId, member }) => {
    await requireStillAdministrator(tx, tenantId, admin);
    if (member.active) throw new AppError('state_conflict', 'revoke the access of the member first');
    if (!operator && isDesignatedOperator(tenantId, member.email, settings))
      throw new AppError('forbidden', 'anonymizing an operator requires operator access');
    await refuseDuringHold(tx, tenantId);
    if (member.email !== anonymousEmail(userId))
      await queueAnonymization(tx, { tenantId, userId }, origin, admin);
  });
}

async function refuseDuringHold(tx: Tx, tenantId: string): Promise<void> {
  const [held] = await tx
    .select()
    .from(tenantRetention)
    .where(and(eq(tenantRetention.tenantId, tenantId), eq(tenantRetention.hold, true)));
  if (held)
    throw new AppError(
      'state_conflict',
      'the workspace has a legal hold, so no data of members can be removed',
    );
}

async function queueAnonymization(
  tx: Tx,
  { tenantId, userId }: { tenantId: string; userId: string },
  origin: Origin,
  admin: Administrator,
): Promise<void> {
  await recordAdministration(tx, origin, admin, { action: 'member_anonymized', tenantId, target: userId });
  const key = `anonymize_member:${userId}`;
  await addJob(tx, 'anonymize_member', { tenantId, userId, part: 0, after: '' }, { key, afterSeconds });
}

type AnonymizingServices = LocatingServices & Pick<Services, 'log'>;

/**
 * Removes a member's email address from all rows and golden records, unless the member has been restored since. May run twice, and may be interrupted at any point.
 * @throws the error of a store, so that the task is retried
 */
export async function anonymizeMember(
  services: AnonymizingServices,
  { tenantId, userId, ...position }: TaskPayloads['anonymize_member'],
): Promise<void> {
  const { database } = services;
  const end = Date.now() + runMs;
  const [member] = await database.inTenant(tenantId, (tx) =>
    tx
      .select({ email: users.email, active: users.active })
      .from(users)
      .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId))),
  );
  if (!member || member.active || member.email === anonymousEmail(userId)) return;
  const person = { tenantId, userId, email: member.email };
  let { part, after } = position;
  while (part < jsonTables.length) {
    const begun = Date.now();
    const last = await renameInPage(services, jsonTables[part]!, person, after);
    [part, after] = last === null ? [part + 1, ''] : [part, last];
    if (Date.now() > end) {
      await database.inTenant(tenantId, (tx) =>
        addJob(
          tx,
          'anonymize_member',
          { tenantId, userId, part, after },
          { key: `anonymize_member:${userId}` },
        ),
      );
      return;
    }
    // Leave at least as much time to others.
    await delay(Math.min(Date.now() - begun, 1000));
  }
  for (const [table, column] of textColumns)
    while ((await database.inTenant(tenantId, (tx) => renameInColumn(tx, table, column, person))) > 0);
  while ((await database.inTenant(tenantId, (tx) => renameInFindings(tx, person))) > 0);
  // The addresses of attempts to sign in that belong to no tenant.
  await database.inPlatform((tx) => renameAttempts(tx, person));
  // This comes last: as long as the row has the address, the task can be repeated.
  await database.inTenant(tenantId, async (tx) => {
    await deleteMailsTo(tx, tenantId, userId, person.email);
    await clearMember(tx, person);
  });
}

/**
 * Renames the member in the JSON of a page of rows, and then in their golden records.
 * @returns the ID of the last row of the page; null if it was the last page
 */
async function renameInPage(
  services: AnonymizingServices,
  { table, id, columns, records }: JsonTable,
  person: Person,
  after: string,
): Promise<string | null> {
  const { tenantId, userId, email } = person;
  const quoted = JSON.stringify(email);
  // After an interruption, the rows of the page may be renamed, but not their records.
  const quotedId = JSON.stringify(userId);
  const own = sql.identifier(id);
  const { last, changed } = await services.database.inTenant(tenantId, async (tx) => {
    const list = sql.join(
      columns.map((name) => sql`${sql.identifier(name)}::text as ${sql.identifier(name)}`),
      sql`, `,
    );
    const rows = await tx.execute<Record<string, string | null>>(sql`
      select ${own} as id, ${list} from ${sql.identifier(table)}
      where tenant_id = ${tenantId} and ${own} > ${after} order by ${own} limit ${pageSize}::int`);
    const found: string[] = [];
    for (const row of rows) {
      if (!columns.some((name) => row[name]?.includes(quoted) || row[name]?.includes(quotedId))) continue;
      // Read it again with a lock, because it may have changed.
      const [locked] = await tx.execute<Record<string, string | null>>(sql`
        select ${list} from ${sql.identifier(table)}
        where tenant_id = ${tenantId} and ${own} = ${row['id']} for no key update`);
      const changes = columns.flatMap((name) => {
        const text = locked?.[name];
        if (!text?.includes(quoted)) return [];
        const renamed = JSON.stringify(renamePerson(JSON.parse(text), email, userId));
        return [sql`${sql.identifier(name)} = ${renamed}::jsonb`];
      });
      if (changes.length > 0)
        await tx.execute(sql`update ${sql.identifier(table)} set ${sql.join(changes, sql`, `)}
          where tenant_id = ${tenantId} and ${own} = ${row['id']}`);
      found.push(String(row['id']));
    }
    return { last: rows.length < pageSize ? null : String(rows.at(-1)?.['id']), changed: found };
  });
  if (records) for (const jobId of changed) await renameInRecord(services, records, tenantId, jobId);
  return last;
}

/** Writes the golden record of a job again from its row. A record in an account that does not open stays. */
async function renameInRecord(
  services: AnonymizingServices,
  records: RecordedJobs,
  tenantId: string,
  jobId: string,
): Promise<void> {
  const record = await services.database.inTenant(tenantId, (tx) => records.recordOf(tx, tenantId, jobId));
  if (!record) return;
  try {
    await rewriteRecord(services, records, record);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'storage_binding_not_verified')) throw error;
    services.log.warn(
      { tenant_id: tenantId, job_id: jobId },
      'a golden record still has the name of a former member',
    );
  }
}

/** @returns the number of changed rows */
async function renameInColumn(tx: Tx, name: string, column: string, person: Person): Promise<number> {
  const { tenantId, userId, email } = person;
  const [table, field] = [sql.identifier(name), sql.identifier(column)];
  const [row] = await tx.execute<{ changed: number }>(sql`
    with changed as (
      update ${table} set ${field} = ${userId} where tenant_id = ${tenantId} and ctid = any(array(
        select ctid from ${table} where tenant_id = ${tenantId} and ${field} = ${email} limit ${rowsPerStep}::int))
      returning 1
    )
    select count(*)::int as changed from changed`);
  return row?.changed ?? 0;
}

/**
 * Renames the member in the findings of segments that the member has resolved.
 * @returns the number of changed rows
 */
async function renameInFindings(tx: Tx, { tenantId, userId, email }: Person): Promise<number> {
  const resolved = JSON.stringify([{ resolution: { by: email } }]);
  const [row] = await tx.execute<{ changed: number }>(sql`
    with changed as (
      update document_segments set issues = (
        select jsonb_agg(case when f #>> '{resolution,by}' = ${email}
          then jsonb_set(f, '{resolution,by}', to_jsonb(${userId}::text)) else f end order by place)
        from jsonb_array_elements(issues) with ordinality as e(f, place))
      where tenant_id = ${tenantId} and ctid = any(array(
        select ctid from document_segments where tenant_id = ${tenantId} and issues @> ${resolved}::jsonb
        limit ${rowsPerStep}::int))
      returning 1
    )
    select count(*)::int as changed from changed`);
  return row?.changed ?? 0;
}

/** Renames the member in attempts to sign in, unless another tenant has a member with the same address. */
async function renameAttempts(tx: Tx, { tenantId, userId, email }: Person): Promise<void> {
  await tx.execute(sql`
    update audit_log set target = ${userId} where tenant_id = '' and target = ${email}
      and not exists (select from users where email = ${email} and tenant_id <> ${tenantId})`);
}

async function clearMember(tx: Tx, { tenantId, userId }: Person): Promise<void> {
  await tx
    .update(users)
    .set({
      email: anonymousEmail(userId),
      passwordHash: null,
      providerSubject: null,
      totpSecret: null,
      totpPendingSecret: null,
    })
    .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)));
  await tx
    .delete(reviewerProfiles)
    .where(and(eq(reviewerProfiles.tenantId, tenantId), eq(reviewerProfiles.userId, userId)));
}

/** The fields that contain the name of a person, in the JSON of jobs, documents, golden records and audit events. */
const nameFields: ReadonlySet<string> = new Set([
  'actor',
  'approved_by',
  'by',
  'claimed_reviewer',
  'completed_by',
  'confirmedBy',
  'confirmed_by',
  'email',
  'reviewer',
]);

/**
 * Replaces the name of a person in a JSON value. Texts of customers do not change, even if they are equal to the name.
 * @returns a copy
 */
export function renamePerson(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamePerson(item, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      field === from && nameFields.has(name) ? to : renamePerson(field, from, to),
    ]),
  );
}
