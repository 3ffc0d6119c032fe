import { z } from 'zod';

const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** What a reviewer works on: a text job or a document. */
export const reviewItem = z.object({ kind: z.enum(['job', 'document']), id: z.string().max(100) });

/** Input of `reviews.claim`. `release` ends the caller's claim in place of making or renewing it. */
export const claimInput = reviewItem.extend({ release: z.boolean().default(false) });

/** A member who is on an item. */
export const itemHolder = z.object({
  holder: z.string().meta({ description: 'email address, or user id' }),
  claimed_at: dateTime,
  expires_at: dateTime,
});

/** Who is on an item. */
export const claimState = z.object({
  /** When the caller's own claim ends; null without one. */
  claimed_until: dateTime.nullable(),
  /** The other members on it, at most 20, who came first first. */
  others: z.array(itemHolder),
});

export type ReviewItem = z.infer<typeof reviewItem>;
export type ItemHolder = z.infer<typeof itemHolder>;
export type ClaimState = z.infer<typeof claimState>;
