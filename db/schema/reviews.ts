import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Who is on an item that waits for review: soft claims, each of one member, that end by themselves (docs/decisions/0053). */
export const reviewClaims = pgTable(
  'review_claims',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    userId: identifier('user_id').notNull(),
    itemKind: text('item_kind', { enum: ['job', 'document'] }).notNull(),
    itemId: identifier('item_id').notNull(),
    /** The member as others see them: the email address, or the user's id. */
    holder: text('holder').notNull(),
    claimedAt: moment('claimed_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId, t.itemKind, t.itemId] }),
    index('review_claims_item_idx').on(t.tenantId, t.itemKind, t.itemId),
    index('review_claims_expires_at_idx').on(t.expiresAt),
  ],
);
