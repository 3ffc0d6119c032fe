import { z } from 'zod';
import { maxPacks, type Tier, tiers } from '#server/platform/payments/tiers.ts';
import { rawBody } from '#server/trpc.ts';

const slugs = tiers.join(', ');

/** The messages become the response's details: the details of validation errors of these bodies are strings. */
export const checkoutRequest = z
  .object({
    tier: z
      .enum(tiers as [Tier, ...Tier[]], {
        error: ({ input }) => {
          if (input === undefined) return `tier is required: one of ${slugs}`;
          if (typeof input !== 'string') return `tier must be a string: one of ${slugs}`;
          return `unknown tier ${JSON.stringify(input.slice(0, 40))}; choose one of ${slugs}`;
        },
      })
      .describe('The plan to subscribe to.'),
  })
  .meta({ id: 'CheckoutRequest' });

const packsExpected = 'packs must be a whole number of at least 1';

/** Too many packs are rejected later, with a different status. */
export const topUpRequest = z
  .object({
    packs: z
      .number({ error: packsExpected })
      .refine((packs) => Number.isInteger(packs) && packs >= 1, { error: packsExpected })
      .default(1)
      .meta({
        type: 'integer',
        minimum: 1,
        maximum: maxPacks,
        description: 'The number of packs. Each has 1000000 source characters.',
      }),
  })
  .meta({ id: 'TopUpRequest' });

/** The URL of the page to which the browser is redirected. */
export const paymentPage = z
  .object({
    url: z.string().meta({ format: 'uri', description: 'The URL to which you redirect the browser.' }),
  })
  .meta({ id: 'PaymentPage' });

/** A webhook delivery. Both headers have the same meaning. */
export const paymentDelivery = z.object({
  body: rawBody,
  payment_signature: z
    .string()
    .optional()
    .describe('The signature of the delivery: a timestamp, and an HMAC over the raw body.'),
  stripe_signature: z.string().optional().describe('The same signature, under the name that Stripe uses.'),
});

export const deliveryReceipt = z
  .object({
    received: z.literal(true).describe('Always true, even if the service ignores events of this kind.'),
  })
  .meta({ id: 'DeliveryReceipt' });
