import { z } from 'zod';
import { findUnstorable } from '../input-limits.ts';
import type { PaymentEvent, ReceivedEvent, Unstored } from './payment-event.ts';

/** An id. In some API versions, Stripe sends the whole object in place of its id. */
const reference = z
  .union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .catch(null);

const metadata = z.record(z.string(), z.unknown()).nullish().catch(null);

const name = z.string().min(1).max(255);

const subscription = z.object({
  id: name,
  status: name,
  metadata,
  items: z
    .object({ data: z.array(z.object({ price: reference }).catch({ price: null })) })
    .nullish()
    .catch(null),
});

const session = z.object({
  id: name,
  mode: z.string().nullish().catch(null),
  payment_status: z.string().nullish().catch(null),
  client_reference_id: z.string().nullish().catch(null),
  subscription: reference,
  metadata,
});

/** The end of the year 9999, in seconds since the epoch. */
const latest = 253_402_300_799;

const envelope = z.object({
  id: name,
  type: name,
  created: z.int().min(0).max(latest),
  data: z.object({ object: z.unknown() }),
});

/** Maximum characters of one payment: far more than the service sells, and small enough that sums are exact. */
const maxCredit = 1_000_000_000_000;

type Content = ReceivedEvent['content'];

/** The function that reads each event type. Events of other types are accepted and ignored. */
const readers: Readonly<Record<string, (object: unknown, createdAt: string) => Content>> = {
  'checkout.session.completed': readSession(readCompleted),
  'checkout.session.async_payment_succeeded': readSession(readTopUp),
  'checkout.session.async_payment_failed': () => 'noted',
  'customer.subscription.created': readSubscription('subscription_changed'),
  'customer.subscription.updated': readSubscription('subscription_changed'),
  'customer.subscription.deleted': readSubscription('subscription_deleted'),
  'invoice.payment_failed': () => 'noted',
};

/**
 * Reads a Stripe event. Only the fields that the service needs are read, because API versions send different fields.
 * @returns undefined if the value is not an event
 */
export function readStripeEvent(sent: unknown): ReceivedEvent | undefined {
  const read = envelope.safeParse(sent);
  if (!read.success) return undefined;
  const { id, type, created, data } = read.data;
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const content = reader?.(data.object, new Date(created * 1000).toISOString()) ?? 'ignored';
  // If PostgreSQL cannot store the ids, skip the event: no tenant has such ids. If the event failed, Stripe would
  // send it again.
  const storable = typeof content === 'string' || !findUnstorable({ id, type, content });
  return { id, type, content: storable ? content : 'skipped: unreadable ids' };
}

type Session = z.infer<typeof session>;
type SessionReader = (session: Session, createdAt: string) => PaymentEvent | Unstored;

/**
 * Returns a function that reads a checkout session. The tenant is in client_reference_id or, if that is missing, in
 * the tenant_id of the metadata. If client_reference_id is not a tenant, the metadata is not used, because the
 * service's own sessions have the same id in both.
 */
function readSession(read: SessionReader) {
  return (object: unknown, createdAt: string): Content => {
    const found = session.safeParse(object);
    if (!found.success) return 'skipped: unreadable session';
    const event = read(found.data, createdAt);
    if (typeof event === 'string') return event;
    return ofTenant(found.data.client_reference_id || found.data.metadata?.['tenant_id'], event);
  };
}

function readCompleted(completed: Session, createdAt: string): PaymentEvent | Unstored {
  const { mode, subscription: subscriptionId = null, payment_status: paid } = completed;
  if (mode === 'subscription' || (!mode && subscriptionId))
    return { kind: 'subscription_session', createdAt, subscriptionId: subscriptionId || null };
  if (mode !== 'payment') return 'noted';
  // If the payment takes days, Stripe sends another event when it has been paid.
  return paid === 'paid' ? readTopUp(completed, createdAt) : 'noted';
}

/** The number of characters comes from the metadata that the service wrote, never from the amount paid. */
function readTopUp({ id, metadata: stamped }: Session, createdAt: string): PaymentEvent | Unstored {
  const text = stamped?.['topup_chars'];
  const chars = typeof text === 'string' && /^\d{1,13}$/.test(text) ? Number(text) : text;
  if (typeof chars !== 'number' || !Number.isInteger(chars) || chars < 1 || chars > maxCredit)
    return 'skipped: no topup_chars';
  return { kind: 'topup_paid', createdAt, sessionId: id, chars };
}

function readSubscription(kind: 'subscription_changed' | 'subscription_deleted') {
  return (object: unknown, createdAt: string): Content => {
    const found = subscription.safeParse(object);
    if (!found.success) return 'skipped: unreadable subscription';
    const { id: subscriptionId, status, items, metadata: stamped } = found.data;
    const priceIds = (items?.data ?? []).flatMap(({ price }) => price ?? []);
    return ofTenant(stamped?.['tenant_id'], { kind, createdAt, subscriptionId, status, priceIds });
  };
}

function ofTenant(tenantId: unknown, event: PaymentEvent): Content {
  if (typeof tenantId !== 'string' || tenantId === '') return 'skipped: no tenant';
  return { tenantId, event };
}
