import { publicProcedure } from '#server/access/service.ts';
import { deliveryReceipt, paymentDelivery } from '../schema.ts';
import { receiveDelivery, requireWebhookSecret } from '../service.ts';

export const webhook = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/stripe/webhook',
      gate: requireWebhookSecret,
      versioned: false,
      body: 'raw',
      headers: { payment_signature: 'Payment-Signature', stripe_signature: 'Stripe-Signature' },
      tag: 'Billing',
      summary: 'Receive a payment event',
      description:
        "For the payment processor. The signature is over the body's bytes, with a tolerance of 300 seconds; an event counts once, however often it is delivered.",
    },
  })
  .input(paymentDelivery)
  .output(deliveryReceipt)
  .mutation(async ({ ctx, input: { body, payment_signature, stripe_signature } }) => {
    await receiveDelivery(ctx, body, [payment_signature, stripe_signature]);
    return { received: true as const };
  });
