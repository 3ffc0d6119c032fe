import { payingProcedure } from '../guard.ts';
import { paymentPage } from '../schema.ts';
import { openPortal, requireBilling } from '../service.ts';

export const portal = payingProcedure(requireBilling)
  .meta({
    route: {
      method: 'POST',
      path: '/api/billing/portal',
      gate: requireBilling,
      tag: 'Billing',
      summary: 'Open the billing portal',
      description: 'Answers where to send the browser to change plan and card; for one visit.',
    },
  })
  .output(paymentPage)
  .mutation(async ({ ctx }) => ({ url: await openPortal(ctx.services, ctx.tenant) }));
