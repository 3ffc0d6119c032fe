import type { PaymentEvent } from './payment-event.ts';

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
