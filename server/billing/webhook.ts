import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { paymentEvents } from '#db/schema/billing.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type AuditEvent, recordEvent } from '#server/identity/audit/audit-log.ts';
import type { PaymentEvent, ReceivedEvent } from '#server/platform/payments/processor.ts';
import { tierPrices } from '#server/platform/payments/tiers.ts';
import {
  type BillingAccount,
  changedMetadata,
  lockBilledTenant,
  readBillingAccount,
  updateBilledTenant,
} from './account.ts';
import { requireWebhookSecret } from './capabilities.ts';
import { applyPaymentEvent } from './subscription-sync.ts';

/**
 * Receives a delivery of the payment processor. When this returns, the changes are committed.
 * @param signatures the headers that may contain the signature: one valid signature is enough
 * @throws AppError 400 for an invalid signature; 503 without the signing secret; 500 if the changes could not be
 *   stored, so that the processor delivers the event again
 */
export async function receiveDelivery(
  ctx: RequestContext,
  body: Uint8Array,
  signatures: readonly (string | undefined)[],
): Promise<void> {
  const { log } = ctx.services;
  const webhook = requireWebhookSecret(ctx.services);
  const received = signatures.reduce<ReceivedEvent | null>(
    (read, signature) => read ?? webhook.readEvent(body, signature),
    null,
  );
  if (!received) throw new AppError('malformed_request', 'invalid webhook signature');
  const { id: event_id, type, content } = received;
  if (typeof content === 'string') {
    const level = content === 'ignored' ? 'debug' : content === 'noted' ? 'info' : 'warn';
    log[level]({ event_id, type, outcome: content }, 'payment event');
    return;
  }
  const { tenantId, event } = content;
  try {
    const outcome = await applyEvent(ctx, received, tenantId, event);
    const level = outcome === 'unknown tenant' ? 'warn' : 'info';
    log[level]({ event_id, type, tenant_id: tenantId.slice(0, 64), outcome }, 'payment event');
  } catch (error) {
    throw new AppError('internal_error', 'internal error', { cause: error });
  }
}

type Outcome = 'applied' | 'no change' | 'delivered before' | 'unknown tenant';

/**
 * Applies an event to its tenant. One transaction also records the event and writes the audit log. The tenant's row is
 * locked, so that concurrent events are applied one after another.
 */
function applyEvent(
  ctx: RequestContext,
  { id: eventId, type }: ReceivedEvent,
  tenantId: string,
  event: PaymentEvent,
): Promise<Outcome> {
  const { database, settings } = ctx.services;
  return database.inTenant(tenantId, async (tx) => {
    const row = await lockBilledTenant(tx, tenantId);
    if (!row) return 'unknown tenant';
    const record = { tenantId, eventId, type, createdAt: new Date(event.createdAt) };
    if (!(await insertPaymentEvent(tx, record))) return 'delivered before';

    const before = readBillingAccount(row);
    const after = applyPaymentEvent(before, event, tierPrices(settings));
    const metadata = changedMetadata(before, after);
    const limit =
      after.monthlyCharLimit === before.monthlyCharLimit ? {} : { monthlyCharLimit: after.monthlyCharLimit };
    if (Object.keys({ ...metadata, ...limit }).length === 0) return 'no change';
    await updateBilledTenant(tx, tenantId, { metadata, ...limit });
    await recordEvent(tx, ctx, {
      tenantId,
      actor: { kind: 'payment_processor' },
      ...auditLine(event, eventId, before, after),
    });
    return 'applied';
  });
}

function auditLine(
  event: PaymentEvent,
  event_id: string,
  before: BillingAccount,
  after: BillingAccount,
): Pick<AuditEvent, 'action' | 'target' | 'details'> {
  if (event.kind === 'topup_paid')
    return {
      action: 'topup_credited',
      target: event.sessionId,
      details: { event_id, chars: event.chars, purchased: after.topUpPurchased },
    };
  return {
    action: 'subscription_mirrored',
    ...(event.subscriptionId !== null && { target: event.subscriptionId }),
    details: {
      event_id,
      from: before.subscriptionStatus,
      to: after.subscriptionStatus,
      tier: after.tier,
      monthly_char_limit: after.monthlyCharLimit,
    },
  };
}

/**
 * Records that an event is applied, in the transaction that applies the event. The processor may deliver an event
 * several times: a known event has no effect.
 * @returns false if the event is already known
 */
async function insertPaymentEvent(tx: Tx, event: typeof paymentEvents.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(paymentEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ eventId: paymentEvents.eventId });
  return inserted.length > 0;
}

/**
 * Days for which an applied event is remembered. Stripe repeats deliveries automatically for 3 days, and an operator
 * can repeat them for 30.
 */
const daysKept = 90;

/** Rows that one statement deletes; few, so that it holds its locks briefly. */
const batch = 5000;

/**
 * Deletes the records of events that are too old to be delivered again. The changes made by the events stay; the
 * session id of a top-up stays too.
 * @returns the number of deleted events
 */
export async function prunePaymentEvents(database: Database): Promise<number> {
  let pruned = 0;
  let count: number;
  do {
    count = await database.inPlatform((tx) => deleteOldEvents(tx));
    pruned += count;
  } while (count >= batch);
  return pruned;
}

async function deleteOldEvents(tx: Tx): Promise<number> {
  // The condition is repeated, because rows of several partitions can have the same ctid if the table is split. It is
  // repeated in a form for which no index can be used, so that the rows are found by their places.
  const isOld = sql`applied_at < now() - make_interval(days => ${daysKept})`;
  const isStillOld = sql`applied_at - now() < - make_interval(days => ${daysKept})`;
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${paymentEvents} where ctid = any(array(
        select ctid from ${paymentEvents} where ${isOld} limit ${batch}
        for update skip locked)) and ${isStillOld}
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}
