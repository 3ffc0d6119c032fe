import { z } from 'zod';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { router } from '#server/trpc.ts';
import { requireBilling, requireTopUps, requireWebhookSecret } from './capabilities.ts';
import { payingProcedure } from './guard.ts';
import { coverages, readCoverage } from './metering/entitlement.ts';
import { admitTopUp, openCheckout, openPortal, openTopUp } from './payment-pages.ts';
import { priceList, readPrices } from './prices.ts';
import { checkoutRequest, deliveryReceipt, paymentDelivery, paymentPage, topUpRequest } from './schema.ts';
import { receiveDelivery } from './webhook.ts';

export const billingRouter = router({
  checkout: payingProcedure(requireBilling, 'admin')
    .meta({
      route: {
        method: 'POST',
        path: '/api/billing/checkout',
        gate: requireBilling,
        tag: 'Billing',
        summary: 'Subscribe to a plan',
        description:
          'Returns the URL of the payment page, to which you redirect the browser. The payment page then redirects it to /billing with ?checkout=success or ?checkout=cancelled. This parameter is only a hint: the subscription starts when the payment processor confirms it to the service.',
      },
    })
    .input(checkoutRequest)
    .output(paymentPage)
    .mutation(async ({ ctx, input }) => ({ url: await openCheckout(ctx.services, ctx.tenant, input.tier) })),

  topup: payingProcedure(requireTopUps, 'admin')
    .meta({
      route: {
        method: 'POST',
        path: '/api/billing/topup',
        gate: requireTopUps,
        tag: 'Billing',
        summary: 'Buy prepaid characters',
        description:
          'For workspaces with a subscription. A pack is 1000000 source characters. Returns the URL of the payment page, to which you redirect the browser. The payment page then redirects it to /billing with ?topup=success or ?topup=cancelled. The characters are credited when the payment processor confirms the payment.',
      },
    })
    .use(async ({ ctx, next }) => {
      await admitTopUp(ctx, ctx.tenant);
      return next();
    })
    .input(topUpRequest)
    .output(paymentPage)
    .mutation(async ({ ctx, input }) => ({ url: await openTopUp(ctx.services, ctx.tenant, input.packs) })),

  portal: payingProcedure(requireBilling, 'admin')
    .meta({
      route: {
        method: 'POST',
        path: '/api/billing/portal',
        gate: requireBilling,
        tag: 'Billing',
        summary: 'Open the billing portal',
        description:
          'Returns the URL of a page on which members can change the plan and the payment card. The URL works once.',
      },
    })
    .output(paymentPage)
    .mutation(async ({ ctx }) => ({ url: await openPortal(ctx.services, ctx.tenant) })),

  /** Has no route, so only /trpc serves it. */
  prices: payingProcedure(requireBilling, 'read')
    .output(priceList)
    .query(({ ctx }) => readPrices(ctx.services)),

  /** The work that the payments of the workspace cover, for all members: only administrators can read the payments. */
  coverage: tenantProcedure('read')
    .output(z.object({ covers: z.enum(coverages) }))
    .query(async ({ ctx: { tx, services } }) => ({ covers: await readCoverage(tx, services.settings) })),

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
          'Only the payment processor calls this. The signature covers the bytes of the body, and its timestamp may differ from the current time by 300 seconds. An event that is delivered several times is applied once.',
      },
    })
    .input(paymentDelivery)
    .output(deliveryReceipt)
    .mutation(async ({ ctx, input: { body, payment_signature, stripe_signature } }) => {
      await receiveDelivery(ctx, body, [payment_signature, stripe_signature]);
      return { received: true as const };
    }),
});
