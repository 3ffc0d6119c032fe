/**
 * A payment event, reduced to the data that the service uses. `createdAt` is when the processor created it, ISO 8601.
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

/** A top-up's checkout session that is paid: at its completion, or later. */
export interface TopUpPayment {
  kind: 'topup_paid';
  createdAt: string;
  sessionId: string;
  /** The prepaid characters that the service wrote into the session's metadata; a whole number above 0. */
  chars: number;
}

/** An event that the payment processor delivered, with a valid signature. */
export interface ReceivedEvent {
  id: string;
  /** The processor's name for the event type. */
  type: string;
  /**
   * The event and its tenant; or why it has no effect: `ignored` is a type we do not know, `noted` one that is only
   * logged, `skipped` one that lacks a field that its effect needs.
   */
  content: { tenantId: string; event: PaymentEvent } | Unstored;
}

export type Unstored = 'ignored' | 'noted' | `skipped: ${string}`;
