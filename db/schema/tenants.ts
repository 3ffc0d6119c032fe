import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';

/** Tenant accounts (A 2.1). The key itself is never kept, only its first eight characters. */
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
    /** Until when failed runs of the live engine are on the tenant's account: each adds its share of an hour. */
    failedRunsUntil: moment('failed_runs_until'),
    /** The identity provider's organization, out of the metadata: a column, because no index is used under a policy by `->>`. */
    organization: text('organization').generatedAlwaysAs(sql`metadata ->> 'oidc_org_id'`),
    /** The current allowance window's key: columns, because each job reads these two, and metadata may be large. */
    allowanceWindow: identifier('allowance_window').generatedAlwaysAs(
      sql`left(coalesce(metadata ->> 'pay_allowance_from', ''), 64)`,
    ),
    /** Prepaid characters that are left: bought, minus used. */
    topupBalance: bigint('topup_balance', { mode: 'number' }).generatedAlwaysAs(
      sql`metadata_count(metadata, 'topup_chars_purchased') - metadata_count(metadata, 'topup_chars_used')`,
    ),
  },
  (t) => [
    index('tenants_organization_idx').using('hash', t.organization).where(sql`organization is not null`),
  ],
);
