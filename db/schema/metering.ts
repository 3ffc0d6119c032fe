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
 * The usage ledger: one record for each delivered job, which is never changed. It has no foreign key to the job,
 * because the record is kept when the job is deleted. Retention can remove old records, see `usageDayGroups`.
 */
export const usageRecords = pgTable(
  'usage_records',
  {
    tenantId: identifier('tenant_id').notNull(),
    jobId: identifier('job_id').notNull(),
    kind: text('kind', { enum: ['text', 'document'] }).notNull(),
    /** The billing period as YYYY-MM in UTC, from the job's `updated_at`. */
    billingPeriod: text('billing_period').notNull(),
    sourceLang: text('source_lang').notNull(),
    targetLang: text('target_lang').notNull(),
    /** The length of the source in Unicode code points. */
    sourceChars: integer('source_chars').notNull(),
    /** The length of the source in weighted characters, rounded up once per job. */
    billableChars: integer('billable_chars').notNull(),
    jobStatus: text('job_status').notNull(),
    fastPath: text('fast_path'),
    inputTokens: integer('input_tokens').notNull().default(0),
    outputTokens: integer('output_tokens').notNull().default(0),
    totalTokens: integer('total_tokens').notNull().default(0),
    models: jsonb('models').$type<string[]>().notNull().default([]),
    /** The submitter: the ID of a member, or `api_key`. Null for jobs that are older than this column. */
    submittedBy: identifier('submitted_by'),
    recordedAt: moment('recorded_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.jobId] }),
    index('usage_records_tenant_id_recorded_at_idx').on(t.tenantId, t.recordedAt, t.jobId),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** A column for amounts up to 2^53, the largest that a JavaScript number represents exactly. */
const amount = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/**
 * Totals of the usage ledger by UTC day, updated by the statement that adds a ledger record. So a tenant's remaining
 * allowance and daily usage are read from few rows, regardless of the length of the ledger. The total of a day is the
 * sum of its slots. Connections that complete jobs of one tenant at the same time update different slots, so that
 * they do not wait for each other.
 */
export const usageTotals = pgTable(
  'usage_totals',
  {
    tenantId: identifier('tenant_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    /**
     * The tenant's `pay_allowance_from` when the usage was recorded; empty if it was unset. A new value restarts the
     * allowance.
     */
    allowanceWindow: identifier('allowance_window').notNull(),
    slot: smallint('slot').notNull(),
    jobs: amount('jobs'),
    sourceChars: amount('source_chars'),
    billableChars: amount('billable_chars'),
    /** The part of the billable characters that was paid from the trial grant. */
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
 * Totals of past days over all tenants. The sweep computes them from `usage_totals`, whose rows for past days no
 * longer change. For a day that is not here yet, the rows of `usage_totals` must be summed. `tenant_id` is `*`, which
 * is not a tenant id, so that rows are visible only in the platform's scope.
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
 * Totals of the usage records that retention has removed, by UTC day and by every field by which reports group. The
 * transaction that removes records adds them here. `served_from`, `submitted_by` and `domain` are empty if the record or
 * its job had none; the domain is in lower case.
 */
export const usageDayGroups = pgTable(
  'usage_day_groups',
  {
    tenantId: identifier('tenant_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    kind: text('kind', { enum: ['text', 'document'] }).notNull(),
    sourceLang: text('source_lang').notNull(),
    targetLang: text('target_lang').notNull(),
    servedFrom: text('served_from').notNull(),
    submittedBy: identifier('submitted_by').notNull(),
    domain: text('domain').notNull(),
    jobs: amount('jobs'),
    sourceChars: amount('source_chars'),
    billableChars: amount('billable_chars'),
  },
  (t) => [
    primaryKey({
      // PostgreSQL would cut the name that is derived from so many columns.
      name: 'usage_day_groups_pk',
      columns: [t.tenantId, t.day, t.kind, t.sourceLang, t.targetLang, t.servedFrom, t.submittedBy, t.domain],
    }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/**
 * The tokens of each tenant's model calls on the last day with such calls, including calls of failed jobs.
 * tokens_per_day of WORKSPACE_LIMITS limits them. In contrast, `usage_totals` counts the tokens of delivered jobs.
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
 * The maximum that jobs in progress will be billed: one row for each pending job of any kind. The view reads the
 * jobs' own rows, so a reservation ends with its job, whether the job succeeds, fails or is deleted. Characters are
 * weighted.
 */
export const workInFlight = pgView('work_in_flight', {
  tenantId: identifier('tenant_id').notNull(),
  idempotencyKey: text('idempotency_key'),
  /** When the job was last updated. A job that has not been updated for too long may be run again. */
  updatedAt: moment('updated_at').notNull(),
  chars: bigint('chars', { mode: 'number' }).notNull(),
}).existing();
