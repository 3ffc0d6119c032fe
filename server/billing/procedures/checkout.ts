import { payingProcedure } from '../guard.ts';
import { checkoutRequest, paymentPage } from '../schema.ts';
import { openCheckout, requireBilling } from '../service.ts';

export const checkout = payingProcedure(requireBilling)
  .meta({
    route: {
      method: 'POST',
      path: '/api/billing/checkout',
      gate: requireBilling,
      tag: 'Billing',
      summary: 'Subscribe to a plan',
      description:
        'Answers where to send the browser. It returns to /billing with ?checkout=success or ?checkout=cancelled, which is a hint only: the subscription counts once the payment processor has told of it.',
    },
  })
  .input(checkoutRequest)
  .output(paymentPage)
  .mutation(async ({ ctx, input }) => ({ url: await openCheckout(ctx.services, ctx.tenant, input.tier) }));
