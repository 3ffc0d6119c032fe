import { and, eq, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { mails } from '#db/schema/mail.ts';
import { queueSending } from './outbox.ts';

/*
 * The states of a mail: `pending` until it ends as `sent`, `dropped` because it has become useless, or `failed`. A worker
 * takes a pending mail with a lease, sends it, and ends it. If the worker dies in between, another one takes the mail
 * after the lease, and the recipient's system may get it twice, with the same Message-ID.
 */

export type MailRow = typeof mails.$inferSelect;
export type MailEnd = 'sent' | 'dropped' | 'failed';

/** Seconds of a lease: longer than the longest attempt to send. */
const leaseSeconds = 120;
/** Seconds before the second attempt. The pause doubles with each further one. */
const firstPauseSeconds = 60;
const maxPauseSeconds = 3600;
/** Days after which the rows of ended mails are deleted. */
const keptDays = 7;
/** Seconds after which the sweep queues a mail that is due and has not been sent. */
const overdueSeconds = 600;

/** The mail, or the seconds until it may be sent. Undefined if the mail has ended. */
type Taken = { mail: MailRow } | { afterSeconds: number; kind: MailRow['kind'] } | undefined;

/** Takes a mail that is due and that no other worker is sending. */
export async function takeMail(tx: Tx, tenantId: string, mailId: string): Promise<Taken> {
  const [mail] = await tx
    .update(mails)
    .set({
      attempts: sql`${mails.attempts} + 1`,
      leasedUntil: sql`now() + make_interval(secs => ${leaseSeconds})`,
      dedupeKey: sql`case when ${mails.kind} in ('documents', 'decisions') then ${mails.mailId} else ${mails.dedupeKey} end`,
    })
    .where(
      and(
        isPending(tenantId, mailId),
        lte(mails.nextAttemptAt, sql`now()`),
        or(isNull(mails.leasedUntil), lte(mails.leasedUntil, sql`now()`)),
      ),
    )
    .returning();
  if (mail) return { mail };
  const [later] = await tx
    .select({
      kind: mails.kind,
      afterSeconds: sql<number>`extract(epoch from
        greatest(${mails.nextAttemptAt}, ${mails.leasedUntil}, now()) - now())::float8`,
    })
    .from(mails)
    .where(isPending(tenantId, mailId));
  return later;
}

/** Ends a mail, and erases its token and address. */
export async function endMail(
  tx: Tx,
  mail: Pick<MailRow, 'tenantId' | 'mailId' | 'attempts'>,
  state: MailEnd,
  reason: string | null = null,
): Promise<void> {
  await tx
    .update(mails)
    .set({ state, reason, ...erased })
    .where(isTaken(mail));
}

/** Queues the next attempt of a mail. */
export async function deferMail(
  tx: Tx,
  mail: Pick<MailRow, 'tenantId' | 'mailId' | 'attempts' | 'kind'>,
  reason: string,
): Promise<void> {
  const pause = Math.min(firstPauseSeconds * 2 ** (mail.attempts - 1), maxPauseSeconds);
  // Mails that failed together are not all sent again at the same moment.
  const afterSeconds = pause * (1 + Math.random() / 4);
  const [deferred] = await tx
    .update(mails)
    .set({
      reason,
      leasedUntil: null,
      nextAttemptAt: sql`now() + make_interval(secs => ${afterSeconds})`,
    })
    .where(isTaken(mail))
    .returning({ mailId: mails.mailId });
  if (deferred) await queueSending(tx, mail, afterSeconds);
}

/** Queues mails that are overdue: their queue jobs may have been lost. */
export async function queueOverdueMails(database: Database): Promise<void> {
  const overdue = await database.inPlatform((tx) =>
    tx
      .select({ tenantId: mails.tenantId, mailId: mails.mailId, kind: mails.kind })
      .from(mails)
      .where(
        and(
          eq(mails.state, sql`'pending'`),
          sql`${mails.nextAttemptAt} < now() - make_interval(secs => ${overdueSeconds})`,
          or(isNull(mails.leasedUntil), lte(mails.leasedUntil, sql`now()`)),
        ),
      )
      .limit(1000),
  );
  for (const mail of overdue) await database.inTenant(mail.tenantId, (tx) => queueSending(tx, mail));
}

/**
 * Ends mails that have expired, for example because MAIL_SERVER was removed, and deletes the rows of old ones. Platform
 * scope.
 * @param heldTenants tenants with a legal hold, whose rows stay; their tokens and addresses are erased like all others
 * @returns the number of deleted rows
 */
export async function pruneMails(tx: Tx, heldTenants: readonly string[]): Promise<number> {
  await tx
    .update(mails)
    .set({ state: 'failed', reason: 'expired', ...erased })
    .where(
      and(
        eq(mails.state, sql`'pending'`),
        // A worker may have taken the mail just before, and then ends it.
        sql`${mails.expiresAt} < now() - make_interval(secs => ${leaseSeconds})`,
      ),
    );
  const [row] = await tx.execute<{ pruned: number }>(sql`
    with pruned as (
      delete from mails where ended_at < now() - make_interval(days => ${keptDays}::int)
        and tenant_id not in (select jsonb_array_elements_text(${JSON.stringify(heldTenants)}::jsonb))
      returning 1)
    select count(*)::int as pruned from pruned`);
  return row?.pruned ?? 0;
}

const erased = { endedAt: sql`now()`, sealedToken: null, address: null, leasedUntil: null };

function isPending(tenantId: string, mailId: string): SQL | undefined {
  return and(eq(mails.tenantId, tenantId), eq(mails.mailId, mailId), eq(mails.state, 'pending'));
}

/** Matches a mail as long as no other worker has taken it since. */
function isTaken({ tenantId, mailId, attempts }: Pick<MailRow, 'tenantId' | 'mailId' | 'attempts'>) {
  return and(isPending(tenantId, mailId), eq(mails.attempts, attempts));
}
