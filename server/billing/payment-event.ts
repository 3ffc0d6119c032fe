/**
 * The payment processor's events, as much of each as is mirrored (A 6). `createdAt` is when the processor made the event,
 * in ISO 8601.
 */
export type PaymentEvent = SubscriptionEvent | SubscriptionSession | TopUpPayment;

/** customer.subscription.created, .updated, .deleted */
export interface SubscriptionEvent {
  kind: 'subscription_changed' | 'subscription_deleted';
  createdAt: string;
  subscriptionId: string;
  status: string;
  /** The Prices of its items. */
  priceIds: readonly string[];
}

/** checkout.session.completed of a subscription. */
export interface SubscriptionSession {
  kind: 'subscription_session';
  createdAt: string;
  subscriptionId: string | null;
}

/** A paid checkout session of a top-up: completed and paid, or paid later on. */
export interface TopUpPayment {
  kind: 'topup_paid';
  createdAt: string;
  sessionId: string;
  /** As the service stamped it on the session: a whole number above 0. */
  chars: number;
}

/** An event that the payment processor delivered, and vouches for. */
export interface ReceivedEvent {
  id: string;
  /** The processor's own name for it. */
  type: string;
  /**
   * What it says of a tenant, and of which one; or why it says nothing that is stored (A 6): `ignored` is a type we don't
   * know, `noted` one that is logged only, `skipped` one that lacks what its effect needs.
   */
  content: { tenantId: string; event: PaymentEvent } | Unstored;
}

export type Unstored = 'ignored' | 'noted' | `skipped: ${string}`;
