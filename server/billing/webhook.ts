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
import { insertPaymentEvent } from './webhook-dedupe.ts';

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
