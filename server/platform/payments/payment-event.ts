/**
 * A payment event, reduced to the data that the service uses. `createdAt` is the time at which the payment processor
 * created the event, in ISO 8601.
 */
export type PaymentEvent = SubscriptionEvent | SubscriptionSession | TopUpPayment;

/** Events of the types customer.subscription.created, .updated and .deleted. */
export interface SubscriptionEvent {
  kind: 'subscription_changed' | 'subscription_deleted';
  createdAt: string;
  subscriptionId: string;
  status: string;
  /** The ids of the Prices of the subscription's items. */
  priceIds: readonly string[];
}

/** An event of the type checkout.session.completed, for a subscription. */
export interface SubscriptionSession {
  kind: 'subscription_session';
  createdAt: string;
  subscriptionId: string | null;
}

/** A paid checkout session for a top-up. It may be paid at its completion or later. */
export interface TopUpPayment {
  kind: 'topup_paid';
  createdAt: string;
  sessionId: string;
  /** The number of prepaid characters, above 0. The service has written it into the metadata of the session. */
  chars: number;
}

/** An event that the payment processor has delivered with a valid signature. */
export interface ReceivedEvent {
  id: string;
  /** The event type, as the payment processor names it. */
  type: string;
  /**
   * The event and its tenant, or the reason why the event has no effect: `ignored` for an unknown type, `noted` for a
   * type that is only logged, `skipped` if a required field is missing.
   */
  content: { tenantId: string; event: PaymentEvent } | Unstored;
}

export type Unstored = 'ignored' | 'noted' | `skipped: ${string}`;
