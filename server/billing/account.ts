import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { PaymentProcessor } from '#server/platform/payments/processor.ts';

const moment = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

/** Known data of one subscription, from the processor's events. */
const knownSubscription = z.object({
  /** The processor's subscription id; null if the checkout session did not name a subscription. */
  id: z.string().nullable(),
  status: z.string(),
  /** Creation time of the latest event about the subscription, ISO 8601. Events of checkout sessions count too. */
  toldAt: moment,
  /**
   * Creation time of the subscription's latest own event, ISO 8601; checkout sessions do not count. Null before the
   * first.
   */
  eventAt: moment.nullable(),
  /** Slug of the tier; null until an event contains a Price that this deployment sells. */
  tier: z.string().nullable(),
  /**
   * When the allowance window of this subscription began, ISO 8601; null if the subscription has never been current.
   */
  windowFrom: moment.nullable(),
});

export type KnownSubscription = z.infer<typeof knownSubscription>;

/**
 * A tenant's subscription, prepaid balance and trial, read from the tenant's metadata. An operator may have written
 * anything there: a value of another type counts as absent.
 */
export interface BillingAccount {
  /** Weighted characters a month; for a subscriber, the characters of the subscribed tier. */
  monthlyCharLimit: number;
  /** The tenant's customer id at the payment processor. */
  customerId: string | null;
  subscriptionId: string | null;
  subscriptionStatus: string | null;
  /** Slug of the bought tier. */
  tier: string | null;
  /** When the current allowance window began, ISO 8601. Usage totals are keyed by it. */
  allowanceFrom: string | null;
  /** Id of the subscription that opened the current allowance window. */
  allowanceSubscription: string | null;
  /** Creation time of the latest subscription event that was applied, ISO 8601. */
  subscriptionEventAt: string | null;
  /** All known subscriptions, including the effective one. */
  subscriptions: readonly KnownSubscription[];
  topUpPurchased: number;
  topUpUsed: number;
  /** Ids of the checkout sessions whose top-ups were added to the balance. */
  creditedSessions: readonly string[];
  /** The trial grant in weighted characters; 0 without a grant. */
  trialCharsGranted: number;
}

/** The metadata key of each field. All are fixed by the specification except `pay_subscriptions`. */
const keyOf = {
  customerId: 'pay_customer_id',
  subscriptionId: 'pay_subscription_id',
  subscriptionStatus: 'pay_subscription_status',
  tier: 'pay_tier',
  allowanceFrom: 'pay_allowance_from',
  allowanceSubscription: 'pay_allowance_subscription',
  subscriptionEventAt: 'pay_subscription_event_at',
  subscriptions: 'pay_subscriptions',
  topUpPurchased: 'topup_chars_purchased',
  topUpUsed: 'topup_chars_used',
  creditedSessions: 'topup_credited_sessions',
  trialCharsGranted: 'trial_chars_granted',
} as const satisfies Record<Exclude<keyof BillingAccount, 'monthlyCharLimit'>, string>;

type StoredField = keyof typeof keyOf;

/** The columns of a tenant's row that billing reads. */
export interface BilledTenant {
  monthlyCharLimit: number;
  metadata: Readonly<Record<string, unknown>>;
}

export function readBillingAccount({ monthlyCharLimit, metadata }: BilledTenant): BillingAccount {
  const text = (field: StoredField) => {
    const value = metadata[keyOf[field]];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const time = (field: StoredField) => {
    const read = moment.safeParse(metadata[keyOf[field]]);
    return read.success ? read.data : null;
  };
  // Converts a value in the same way as the database function `metadata_count`.
  const count = (field: StoredField) => {
    const value = metadata[keyOf[field]];
    return typeof value === 'number' ? Math.min(Math.max(Math.trunc(value), 0), Number.MAX_SAFE_INTEGER) : 0;
  };
  const list = (field: StoredField) => {
    const value = metadata[keyOf[field]];
    return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  };
  return {
    monthlyCharLimit,
    customerId: text('customerId'),
    subscriptionId: text('subscriptionId'),
    subscriptionStatus: text('subscriptionStatus'),
    tier: text('tier'),
    allowanceFrom: time('allowanceFrom'),
    allowanceSubscription: text('allowanceSubscription'),
    subscriptionEventAt: time('subscriptionEventAt'),
    subscriptions: readKnown(metadata[keyOf.subscriptions]),
    topUpPurchased: count('topUpPurchased'),
    topUpUsed: count('topUpUsed'),
    creditedSessions: list('creditedSessions'),
    trialCharsGranted: count('trialCharsGranted'),
  };
}

function readKnown(stored: unknown): KnownSubscription[] {
  const items = Array.isArray(stored) ? stored : [];
  return items.flatMap((item) => {
    const read = knownSubscription.safeParse(item);
    return read.success ? [read.data] : [];
  });
}

/** Returns the metadata keys and values of the fields that changed, to merge into the tenant's metadata. */
export function changedMetadata(before: BillingAccount, after: BillingAccount): Record<string, unknown> {
  const fields = Object.keys(keyOf) as StoredField[];
  return Object.fromEntries(
    fields
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [keyOf[field], after[field]]),
  );
}

/** The tenant that pays, with the data read when the caller was authenticated. */
export interface PayingTenant {
  id: string;
  name: string;
  account: BillingAccount;
}

const billed = { monthlyCharLimit: tenants.monthlyCharLimit, metadata: tenants.metadata };

export async function selectBilledTenant(tx: Tx, tenantId: string): Promise<BilledTenant | undefined> {
  const [row] = await tx.select(billed).from(tenants).where(eq(tenants.tenantId, tenantId));
  return row;
}

/**
 * Reads and locks a tenant's row until the transaction ends. `for update` is not used: rows of other tables refer to
 * the tenant by foreign keys, and it would block inserting them.
 */
export async function lockBilledTenant(tx: Tx, tenantId: string): Promise<BilledTenant | undefined> {
  const [row] = await tx
    .select(billed)
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId))
    .for('no key update');
  return row;
}

interface BillingChanges {
  /** Merged key by key: keys that are not listed here keep their values. */
  metadata: Record<string, unknown>;
  /** Metadata keys to remove. */
  without?: readonly string[];
  monthlyCharLimit?: number;
}

export async function updateBilledTenant(
  tx: Tx,
  tenantId: string,
  { metadata, without = [], monthlyCharLimit }: BillingChanges,
): Promise<void> {
  const gone = sql`array(select jsonb_array_elements_text(${JSON.stringify(without)}::jsonb))`;
  await tx
    .update(tenants)
    .set({
      metadata: sql`(${tenants.metadata} || ${JSON.stringify(metadata)}::jsonb) - ${gone}`,
      ...(monthlyCharLimit !== undefined && { monthlyCharLimit }),
    })
    .where(eq(tenants.tenantId, tenantId));
}

/** Statuses of a subscription that has ended and cannot become current again. */
const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);
/** Statuses with which a tenant may start billable work. */
const current: ReadonlySet<string> = new Set(['active', 'trialing']);

/**
 * The state of a tenant's subscription. `lapsed`: the subscription still exists at the processor, and the tenant must
 * pay there; also the state for any unknown status. `none`: the tenant has never subscribed.
 */
export type SubscriptionState = 'current' | 'lapsed' | 'ended' | 'none';

/** @param status the processor's status of the subscription; null without a subscription */
export function subscriptionStateOf(status: string | null): SubscriptionState {
  if (status === null) return 'none';
  if (current.has(status)) return 'current';
  return ended.has(status) ? 'ended' : 'lapsed';
}

/**
 * Reads the state from the processor, which may know of later events than those that reached us. Use it only for a
 * decision: nothing is stored, because our clock cannot be compared with the creation times of the events. `none` if
 * the processor does not know the tenant.
 */
export async function stateAtProcessor(
  payments: PaymentProcessor,
  {
    customerId,
    subscriptionId,
    subscriptionStatus,
  }: Pick<BillingAccount, 'customerId' | 'subscriptionId' | 'subscriptionStatus'>,
): Promise<SubscriptionState> {
  const found = customerId === null ? [] : await payments.subscriptionsOf(customerId);
  // The stored subscription may belong to another customer of the tenant, for example a deleted one.
  const stored = subscriptionStateOf(subscriptionStatus);
  const isLive = stored === 'current' || stored === 'lapsed';
  if (isLive && subscriptionId !== null && !found.some(({ id }) => id === subscriptionId)) {
    const one = await payments.readSubscription(subscriptionId);
    if (one) found.push(one);
  }
  const states = new Set(found.map(({ status }) => subscriptionStateOf(status)));
  return (['current', 'lapsed', 'ended'] as const).find((state) => states.has(state)) ?? 'none';
}
