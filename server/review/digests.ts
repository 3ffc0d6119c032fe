import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { queueDigestMails, type WorkOfMember } from '#server/identity/mail/outbox.ts';
import { maxCounted } from '#server/identity/mail/write-mail.ts';
import { addJob, type TaskPayloads } from '#server/platform/job-queue.ts';
import { reviewableStatuses } from '#server/texts/job-states.ts';

const hourMs = 3_600_000;
/** Hours after the digest hour of MAIL_SERVER in which the digests of a day may begin. They are for the morning. */
const hoursOfDigests = 6;
/** Milliseconds of a run. Then the task is queued again, with its position. */
const runMs = 10_000;
const tenantsPerPage = 200;

/**
 * Adds the digests of the day to the outbox, if it is the time for them: for each member of a tenant in which items
 * await review, the number of these items, and of those that are assigned to the member. May run twice, and may be interrupted at any point: a member has at most one
 * digest for each day.
 */
export async function queueDigests(
  { database, settings, log }: Pick<Services, 'database' | 'log' | 'settings'>,
  { after = '' }: TaskPayloads['queue_digests'],
  now = Date.now(),
): Promise<void> {
  const day = settings.MAIL_SERVER ? digestDay(now, settings.MAIL_SERVER.digest_hour) : null;
  if (day === null) return;
  const end = Date.now() + runMs;
  let last: string | undefined = after;
  let added = 0;
  while (last !== undefined) {
    if (Date.now() > end) {
      const position = { after: last };
      await database.inPlatform((tx) => addJob(tx, 'queue_digests', position, { key: 'queue_digests:rest' }));
      break;
    }
    const page = await database.inPlatform((tx) => selectTenants(tx, last as string));
    for (const tenantId of page)
      added += await database.inTenant(tenantId, async (tx) => {
        const items = await countWaiting(tx, tenantId);
        if (items === 0) return 0;
        const work = await countWork(tx, tenantId);
        return queueDigestMails(tx, settings, { tenantId, day, items, work });
      });
    last = page.length < tenantsPerPage ? undefined : page.at(-1);
  }
  if (added > 0) log.info({ day, mails: added }, 'digests queued');
}

/** Returns the day whose digests are due, as `YYYY-MM-DD`; null at another time of the day. All times are in UTC. */
export function digestDay(now: number, hour: number): string | null {
  const sinceHour = new Date(now - hour * hourMs);
  return sinceHour.getUTCHours() < hoursOfDigests ? sinceHour.toISOString().slice(0, 10) : null;
}

/** SQL: a row for each item of a tenant that awaits review, at most `limit` of each status. */
function waitingItems(tenantId: SQL, limit: number): SQL {
  // A parameter would keep PostgreSQL from planning for few rows.
  const rows = sql.raw(`${limit}`);
  const parts = [
    ...reviewableStatuses.map(
      (status) => sql`(select 1 from translation_jobs i
        where i.tenant_id = ${tenantId} and i.status = ${sql.raw(`'${status}'`)} limit ${rows})`,
    ),
    sql`(select 1 from document_jobs i
      where i.tenant_id = ${tenantId} and i.status = 'translated' and i.approved_at is null limit ${rows})`,
  ];
  return sql.join(parts, sql` union all `);
}

/** Returns active tenants in which something awaits review, in the order of their IDs. Platform scope. */
async function selectTenants(tx: Tx, after: string): Promise<string[]> {
  const rows = await tx.execute<{ tenantId: string }>(sql`
    select t.tenant_id as "tenantId" from tenants t
    cross join lateral (select from (${waitingItems(sql`t.tenant_id`, 1)}) one limit 1) waiting
    where t.active and t.tenant_id > ${after}
    order by t.tenant_id limit ${tenantsPerPage}::int`);
  return rows.map(({ tenantId }) => tenantId);
}

/** Counts the texts and documents of a tenant that await review, at most one more than a digest shows. */
async function countWaiting(tx: Tx, tenantId: string): Promise<number> {
  const limit = maxCounted + 1;
  const [row] = await tx.execute<{ items: number }>(sql`
    select count(*)::int as items from (
      select from (${waitingItems(sql`${tenantId}`, limit)}) waiting limit ${limit}) counted`);
  return row?.items ?? 0;
}

/** Counts the items of each member whose review is next. */
async function countWork(tx: Tx, tenantId: string): Promise<WorkOfMember[]> {
  const rows = await tx.execute<WorkOfMember & Record<string, unknown>>(sql`
    select holder as "userId", count(*)::int as assigned,
      count(*) filter (where due_at between now() and now() + interval '1 day')::int as "dueSoon",
      count(*) filter (where due_at < now())::int as overdue
    from review_assignments where tenant_id = ${tenantId} and closed_at is null and holder is not null group by holder`);
  return [...rows];
}
