import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';

/** Tenant accounts. The key itself is never stored, only its first eight characters. */
export const tenants = pgTable(
  'tenants',
  {
    tenantId: identifier('tenant_id').primaryKey(),
    name: text('name').notNull(),
    apiKeyPrefix: text('api_key_prefix').notNull(),
    monthlyCharLimit: integer('monthly_char_limit').notNull(),
    active: boolean('active').notNull().default(true),
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** Rate of failed runs of the live engine: each extends this time by its share of an hour. */
    failedRunsUntil: moment('failed_runs_until'),
    /**
     * The identity provider's organization, from the metadata. A column, because a policy keeps PostgreSQL from using
     * an index on `->>`.
     */
    organization: text('organization').generatedAlwaysAs(sql`metadata ->> 'oidc_org_id'`),
    /**
     * The key of the current allowance window. Columns, because each job reads these two and metadata may be large.
     */
    allowanceWindow: identifier('allowance_window').generatedAlwaysAs(
      sql`left(coalesce(metadata ->> 'pay_allowance_from', ''), 64)`,
    ),
    /** Remaining prepaid characters: bought minus used. */
    topupBalance: bigint('topup_balance', { mode: 'number' }).generatedAlwaysAs(
      sql`metadata_count(metadata, 'topup_chars_purchased') - metadata_count(metadata, 'topup_chars_used')`,
    ),
  },
  (t) => [
    index('tenants_organization_idx').using('hash', t.organization).where(sql`organization is not null`),
  ],
);
