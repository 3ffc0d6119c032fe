import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { router } from '#server/trpc.ts';
import { requireBilling, requireTopUps, requireWebhookSecret } from './capabilities.ts';
import { payingProcedure } from './guard.ts';
import { openCheckout, openPortal } from './payment-pages.ts';
import { priceList, readPrices } from './prices.ts';
import { checkoutRequest, deliveryReceipt, paymentDelivery, paymentPage, topUpRequest } from './schema.ts';
import { admitTopUp, openTopUp } from './top-up.ts';
import { receiveDelivery } from './webhook.ts';

export const billingRouter = router({
  checkout: payingProcedure(requireBilling)
    .meta({
      route: {
        method: 'POST',
        path: '/api/billing/checkout',
        gate: requireBilling,
        tag: 'Billing',
        summary: 'Subscribe to a plan',
        description:
          'Returns the URL to redirect the browser to. The processor redirects it to /billing with ?checkout=success or ?checkout=cancelled, which is a hint only: the subscription counts once the payment processor confirms it.',
      },
    })
    .input(checkoutRequest)
    .output(paymentPage)
    .mutation(async ({ ctx, input }) => ({ url: await openCheckout(ctx.services, ctx.tenant, input.tier) })),

  topup: payingProcedure(requireTopUps)
    .meta({
      route: {
        method: 'POST',
        path: '/api/billing/topup',
        gate: requireTopUps,
        tag: 'Billing',
        summary: 'Buy prepaid characters',
        description:
          'For subscribers. A pack is 1000000 source characters. Returns the URL to redirect the browser to, which the processor redirects to /billing with ?topup=success or ?topup=cancelled; nothing is credited until the payment processor confirms the payment.',
      },
    })
    .use(async ({ ctx, next }) => {
      await admitTopUp(ctx, ctx.tenant);
      return next();
    })
    .input(topUpRequest)
    .output(paymentPage)
    .mutation(async ({ ctx, input }) => ({ url: await openTopUp(ctx.services, ctx.tenant, input.packs) })),

  portal: payingProcedure(requireBilling)
    .meta({
      route: {
        method: 'POST',
        path: '/api/billing/portal',
        gate: requireBilling,
        tag: 'Billing',
        summary: 'Open the billing portal',
        description: 'Returns the URL of the page to change plan and card; it works for one visit.',
      },
    })
    .output(paymentPage)
    .mutation(async ({ ctx }) => ({ url: await openPortal(ctx.services, ctx.tenant) })),

  /** Has no route, so only /trpc serves it. */
  prices: payingProcedure(requireBilling)
    .output(priceList)
    .query(({ ctx }) => readPrices(ctx.services)),

  webhook: publicProcedure
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
          "For the payment processor. The signature covers the body's bytes, with a tolerance of 300 seconds; an event counts once, even if it is delivered several times.",
      },
    })
    .input(paymentDelivery)
    .output(deliveryReceipt)
    .mutation(async ({ ctx, input: { body, payment_signature, stripe_signature } }) => {
      await receiveDelivery(ctx, body, [payment_signature, stripe_signature]);
      return { received: true as const };
    }),
});
