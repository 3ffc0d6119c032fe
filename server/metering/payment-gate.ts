import type { SubscriptionState } from '#server/billing/service.ts';

/** Who asks for billable work, and for what. */
export interface BillableRequest {
  kind: 'text' | 'document';
  credential: 'session' | 'api_key';
  /** Weighted; at least 1. */
  chars: number;
}

/** How a tenant stands while billing is on. Characters are weighted, times milliseconds since the epoch. */
export interface PaymentState {
  subscription: SubscriptionState;
  trial: {
    /** 0: no grant. */
    granted: number;
    endsAt: number;
    used: number;
    inFlight: number;
  };
}

const subscribe = 'subscribe at /billing';

/**
 * The gate of A 7.4's 402 (A 8.3, C 3, C 7), which stands while billing is on: null where the work may start, else why not,
 * in the words of the answer. What a trial has left is looked at last, so that everything before it can be refused without
 * counting.
 */
export function refuseByPayment(
  { subscription, trial }: PaymentState,
  request: BillableRequest,
  now: number,
): string | null {
  if (subscription === 'current') return null;
  if (subscription === 'lapsed') return 'subscription is not current; update the payment method at /billing';
  if (trial.granted === 0) return `subscription required; ${subscribe}`;
  if (request.credential === 'api_key')
    return `the free trial covers the workspace only - API access requires an active subscription; ${subscribe}`;
  if (request.kind === 'document') return `subscription required; ${subscribe}`;
  if (now >= trial.endsAt) return `free trial ended; ${subscribe}`;
  if (trial.used >= trial.granted) return `free trial used up; ${subscribe}`;
  if (trial.used + trial.inFlight + request.chars > trial.granted)
    return `free trial has too few characters left; ${subscribe}`;
  return null;
}
