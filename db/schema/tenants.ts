import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';

/**
 * Tenant accounts. The API key itself is never stored, only its first eight characters; its hash is in the credential
 * directory.
 */
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
    /**
     * Measures how often runs of the live engine fail: each failed run moves this time further into the future, by
     * its share of an hour.
     */
    failedRunsUntil: moment('failed_runs_until'),
    /**
     * The organization id at the identity provider, copied from the metadata. It is a separate column, because
     * row-level security keeps PostgreSQL from using an index on `->>`.
     */
    organization: text('organization').generatedAlwaysAs(sql`metadata ->> 'oidc_org_id'`),
    /**
     * Identifies the current period of the allowance. This and the next value are separate columns, because each job
     * reads them and the metadata may be large.
     */
    allowanceWindow: identifier('allowance_window').generatedAlwaysAs(
      sql`left(coalesce(metadata ->> 'pay_allowance_from', ''), 64)`,
    ),
    /** Remaining prepaid characters: purchased minus used. */
    topupBalance: bigint('topup_balance', { mode: 'number' }).generatedAlwaysAs(
      sql`metadata_count(metadata, 'topup_chars_purchased') - metadata_count(metadata, 'topup_chars_used')`,
    ),
  },
  (t) => [
    index('tenants_organization_idx').using('hash', t.organization).where(sql`organization is not null`),
    // The order of the operator's list.
    index('tenants_created_at_idx').on(t.createdAt, t.tenantId),
  ],
);

/** The progress of the deletion of a tenant. It has no content of the tenant. */
export interface DeletionProgress {
  /** The number of deleted rows, by table. */
  rows: Record<string, number>;
  /** The number of deleted objects in platform storage. */
  objects: number;
  /** The number of deleted objects in the tenant's own account. */
  accountObjects: number;
  /** The number of objects that stay in the tenant's own account, because the account could not be opened. */
  leftInAccount: number;
  /** The number of queued background jobs that were deleted. */
  queuedJobs: number;
  /** The number of deleted manifest lines. */
  manifestLines: number;
  /** The last day (UTC, `YYYY-MM-DD`) whose manifest has no line of the tenant; null before the first. */
  manifestsThrough: string | null;
}

/**
 * The deletions of tenants: scheduled, running and finished ones. A row stays when its tenant is deleted, so there is no
 * foreign key.
 */
export const tenantDeletions = pgTable(
  'tenant_deletions',
  {
    tenantId: identifier('tenant_id').primaryKey(),
    scheduledAt: moment('scheduled_at').notNull().defaultNow(),
    /** The time from which the tenant may be deleted. Until then, the deletion can be canceled. */
    dueAt: moment('due_at').notNull(),
    /** Whether the tenant was active before it was locked. */
    wasActive: boolean('was_active').notNull(),
    /** The creation of the tenant: no manifest of an earlier day has a line of it. */
    tenantCreatedAt: moment('tenant_created_at').notNull(),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
    progress: jsonb('progress').$type<DeletionProgress>().notNull(),
  },
  (t) => [index('tenant_deletions_due_idx').on(t.dueAt).where(sql`finished_at is null`)],
);

/**
 * How long the data of a tenant is kept, if that differs from the deployment's settings. A tenant without a row has the
 * settings of the deployment.
 */
export const tenantRetention = pgTable('tenant_retention', {
  tenantId: identifier('tenant_id')
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: 'cascade' }),
  /**
   * Days after which finished text jobs, finished documents, audit events, usage records and ended invites are deleted;
   * null for the setting.
   */
  jobsDays: integer('jobs_days'),
  documentsDays: integer('documents_days'),
  auditDays: integer('audit_days'),
  usageDays: integer('usage_days'),
  invitesDays: integer('invites_days'),
  /** Whether a legal hold forbids any deletion by age, and the deletion of the tenant. */
  hold: boolean('hold').notNull().default(false),
});

/** A piece of an export in platform storage: files of the zip, and after them their entries of its central directory. */
export interface ExportPart {
  id: string;
  /** Bytes of the files with their headers, and of the entries. */
  bytes: number;
  directoryBytes: number;
}

/** The place at which an export continues. */
export interface ExportPosition {
  section: number;
  /** The key of the last exported row of the section; empty at its start. */
  after: readonly (string | number)[];
  /** The number of the next page of the section, starting at 1. */
  page: number;
}

/** The exports of tenants: each is a zip with all data of a tenant, which a worker makes in parts. */
export const tenantExports = pgTable(
  'tenant_exports',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    exportId: identifier('export_id').notNull(),
    /** The ID of the member; null for an operator. */
    requestedBy: identifier('requested_by'),
    requestedAt: moment('requested_at').notNull().defaultNow(),
    /** Null after the last part. */
    position: jsonb('position').$type<ExportPosition>(),
    parts: jsonb('parts').$type<ExportPart[]>().notNull().default([]),
    /** The number of files in the zip. */
    files: integer('files').notNull().default(0),
    /** The number of exported rows of each section. */
    counts: jsonb('counts').$type<Record<string, number>>().notNull().default({}),
    finishedAt: moment('finished_at'),
    /** When the finished export is deleted. */
    expiresAt: moment('expires_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.exportId] }),
    uniqueIndex('tenant_exports_running_key').on(t.tenantId).where(sql`finished_at is null`),
  ],
);

/** The engine that a tenant uses with its own key, in place of the deployment's. A tenant without a row has none. */
export const workspaceEngines = pgTable('workspace_engines', {
  tenantId: identifier('tenant_id')
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: 'cascade' }),
  kind: text('kind', { enum: ['deepl', 'azure', 'google', 'openai', 'anthropic'] }).notNull(),
  /** The key, sealed for this tenant. */
  secret: bytes('secret').notNull(),
  /** The last four characters of the key, so that administrators recognize it. */
  keyEnd: text('key_end').notNull(),
  keySetAt: moment('key_set_at').notNull().defaultNow(),
  /** The region of a resource of Azure; null for a global one. */
  region: text('region'),
  /** The model that translates; null unless the engine is a language model. */
  model: text('model'),
  /** The model that judges and repairs; null for `model`. */
  refinerModel: text('refiner_model'),
  /** Maximum requests at a time in each process. */
  concurrency: integer('concurrency').notNull(),
  /** Whether the deployment's engines are asked after a failure. */
  fallback: boolean('fallback').notNull(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});
