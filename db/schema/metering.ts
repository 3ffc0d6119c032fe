import {
  bigint,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  pgView,
  primaryKey,
  smallint,
  text,
} from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * The usage ledger: one record per delivered job, written once. No foreign key to the job, because usage is
 * kept when the job is deleted.
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
    /** Weighted source characters, rounded up once per job. */
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
    index('usage_records_tenant_id_recorded_at_idx').on(t.tenantId, t.recordedAt, t.jobId),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Up to 2^53. */
const amount = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/**
 * Running totals of the ledger by UTC day, updated by the statement that writes a record. Thus a tenant's remaining
 * allowance and daily usage are read from few rows, however long the ledger is. A day's total is the sum of its
 * slots: connections that finish jobs of one tenant at the same time update different rows and do not wait for each
 * other.
 */
export const usageTotals = pgTable(
  'usage_totals',
  {
    tenantId: identifier('tenant_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    /** The tenant's `pay_allowance_from` at that time; empty without one. A new value restarts the allowance. */
    allowanceWindow: identifier('allowance_window').notNull(),
    slot: smallint('slot').notNull(),
    jobs: amount('jobs'),
    sourceChars: amount('source_chars'),
    billableChars: amount('billable_chars'),
    /** The part of the billable characters that the trial grant paid for. */
    trialChars: amount('trial_chars'),
    /** The part of the billable characters that exceeded the monthly allowance and was taken from the prepaid balance. */
    topupChars: amount('topup_chars'),
    inputTokens: amount('input_tokens'),
    outputTokens: amount('output_tokens'),
    totalTokens: amount('total_tokens'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.day, t.allowanceWindow, t.slot] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/**
 * Totals over all tenants of past days. The sweep folds them from `usage_totals`, whose rows for those days no longer
 * change; a day that is not here yet is summed from there. `tenant_id` is `*`, which is not a tenant id: only the
 * platform's scope sees it.
 */
export const usageDays = pgTable(
  'usage_days',
  {
    tenantId: identifier('tenant_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    jobs: amount('jobs'),
    sourceChars: amount('source_chars'),
    billableChars: amount('billable_chars'),
    inputTokens: amount('input_tokens'),
    outputTokens: amount('output_tokens'),
    totalTokens: amount('total_tokens'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.day] })],
);

/**
 * The tokens of each tenant's model calls on the last day with any, including those of failed work.
 * MAX_TOKENS_PER_DAY limits them. `usage_totals` has the tokens of delivered jobs.
 */
export const tokenSpending = pgTable(
  'token_spending',
  {
    tenantId: identifier('tenant_id').notNull(),
    /** UTC. */
    day: date('day', { mode: 'string' }).notNull(),
    tokens: amount('tokens'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/**
 * The maximum that work in progress will be billed: one row for each pending job of any kind. A reservation is the
 * job's own row, so it ends with the job, however that ends. Characters are weighted.
 */
export const workInFlight = pgView('work_in_flight', {
  tenantId: identifier('tenant_id').notNull(),
  idempotencyKey: text('idempotency_key'),
  /** When the job was last updated; a job that has been idle for too long may be run again. */
  updatedAt: moment('updated_at').notNull(),
  chars: bigint('chars', { mode: 'number' }).notNull(),
  /** The weight of the jobs that follow in its series. */
  restChars: bigint('rest_chars', { mode: 'number' }).notNull(),
  /** Their number. */
  restJobs: integer('rest_jobs').notNull(),
}).existing();
