import { router } from '#server/trpc.ts';
import { checkout } from './procedures/checkout.ts';
import { portal } from './procedures/portal.ts';
import { topup } from './procedures/topup.ts';
import { webhook } from './procedures/webhook.ts';

export const billingRouter = router({ checkout, topup, portal, webhook });
