import type { SubscriptionState } from '#server/billing/subscription-state.ts';

/** A request for billable work. */
export interface BillableRequest {
  kind: 'text' | 'document';
  credential: 'session' | 'api_key';
  /** Weighted characters; at least 1. */
  chars: number;
}

/** The payments of a tenant. Characters are weighted, times are milliseconds since the epoch. */
export interface PaymentState {
  subscription: SubscriptionState;
  trial: {
    /** Characters granted; 0 without a grant. */
    granted: number;
    endsAt: number;
    used: number;
    inFlight: number;
  };
}

const subscribe = 'subscribe at /billing';

/**
 * Decides whether the tenant has paid for the work, with a current subscription or a trial grant. Called only if
 * billing is on. The rest of the trial is checked last, so that all other checks run without counting usage.
 * @returns null if the work may start, else the message of the 402
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
