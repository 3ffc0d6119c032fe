import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * The usage ledger (A 2.5): one record per delivered job, written once. It has no foreign key to the job,
 * because usage is kept when the job is deleted.
 */
export const usageRecords = pgTable(
  'usage_records',
  {
    tenantId: identifier('tenant_id').notNull(),
    jobId: identifier('job_id').notNull(),
    kind: text('kind', { enum: ['text', 'document'] }).notNull(),
    /** YYYY-MM in UTC, of the job's updated_at. */
    billingPeriod: text('billing_period').notNull(),
    sourceLang: text('source_lang').notNull(),
    targetLang: text('target_lang').notNull(),
    /** Unicode code points of the source. */
    sourceChars: integer('source_chars').notNull(),
    /** Weighted source characters, rounded up once per job (A 8.1). */
    billableChars: integer('billable_chars').notNull(),
    jobStatus: text('job_status').notNull(),
    fastPath: text('fast_path'),
    inputTokens: integer('input_tokens').notNull().default(0),
    outputTokens: integer('output_tokens').notNull().default(0),
    totalTokens: integer('total_tokens').notNull().default(0),
    models: jsonb('models').$type<string[]>().notNull().default([]),
    recordedAt: moment('recorded_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.jobId] }),
    index('usage_records_tenant_id_recorded_at_idx').on(t.tenantId, t.recordedAt),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
