import { payingProcedure } from '../guard.ts';
import { paymentPage, topUpRequest } from '../schema.ts';
import { admitTopUp, openTopUp, requireTopUps } from '../service.ts';

export const topup = payingProcedure(requireTopUps)
  .meta({
    route: {
      method: 'POST',
      path: '/api/billing/topup',
      gate: requireTopUps,
      tag: 'Billing',
      summary: 'Buy prepaid characters',
      description:
        'For subscribers. A pack is 1000000 source characters. Answers where to send the browser, which returns to /billing with ?topup=success or ?topup=cancelled; nothing is credited until the payment processor has told of the payment.',
    },
  })
  .use(async ({ ctx, next }) => {
    await admitTopUp(ctx, ctx.tenant);
    return next();
  })
  .input(topUpRequest)
  .output(paymentPage)
  .mutation(async ({ ctx, input }) => ({ url: await openTopUp(ctx.services, ctx.tenant, input.packs) }));
