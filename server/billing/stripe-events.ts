import { z } from 'zod';
import { findUnstorable } from '#server/input-limits.ts';
import type { PaymentEvent, ReceivedEvent, Unstored } from './payment-event.ts';

/** Stripe expands some references into the whole object, by the version of the endpoint. */
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

/** The year 9999: what is later is no moment that a date holds. */
const latest = 253_402_300_799;

const envelope = z.object({
  id: name,
  type: name,
  created: z.int().min(0).max(latest),
  data: z.object({ object: z.unknown() }),
});

/** Characters of one credit at most: far more than a sale, and few enough that sums of them stay exact. */
const largestCredit = 1_000_000_000_000;

type Content = ReceivedEvent['content'];

/** What each type of event says (A 6); any other is accepted and ignored. */
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
 * A Stripe event in our own terms. Versions of Stripe's API differ in what they send: only what is needed is looked at.
 * @returns undefined for what is no event at all
 */
export function readStripeEvent(sent: unknown): ReceivedEvent | undefined {
  const read = envelope.safeParse(sent);
  if (!read.success) return undefined;
  const { id, type, created, data } = read.data;
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const content = reader?.(data.object, new Date(created * 1000).toISOString()) ?? 'ignored';
  // Ids that no database holds are nobody's, however often they would come again.
  const storable = typeof content === 'string' || !findUnstorable({ id, type, content });
  return { id, type, content: storable ? content : 'skipped: unreadable ids' };
}

type Session = z.infer<typeof session>;
type SessionReader = (session: Session, createdAt: string) => PaymentEvent | Unstored;

/**
 * The tenant of a session is its client_reference_id, and without one its metadata's tenant_id (A 6 rule 3). A
 * client_reference_id that names no tenant is not passed over: our own sessions carry the same id twice, and another's
 * is not ours to guess.
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
  // A payment that takes days is told of again once it has come.
  return paid === 'paid' ? readTopUp(completed, createdAt) : 'noted';
}

/** The count comes from what the service stamped on the session, never from what was paid (A 6 rule 3). */
function readTopUp({ id, metadata: stamped }: Session, createdAt: string): PaymentEvent | Unstored {
  const text = stamped?.['topup_chars'];
  const chars = typeof text === 'string' && /^\d{1,13}$/.test(text) ? Number(text) : text;
  if (typeof chars !== 'number' || !Number.isInteger(chars) || chars < 1 || chars > largestCredit)
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
