import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** The rules by which the texts of a workspace are divided into sentences, instead of the built-in ones. */
export const segmentationRules = pgTable(
  'segmentation_rules',
  {
    tenantId: identifier('tenant_id').notNull(),
    name: text('name').notNull(),
    /** An SRX 2.0 file. */
    srx: text('srx').notNull(),
    /** The SHA-256 of the file in hexadecimal, by which processes keep compiled rules. */
    hash: identifier('hash').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** The member who saved the file; null for an API key. */
    updatedBy: identifier('updated_by'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
