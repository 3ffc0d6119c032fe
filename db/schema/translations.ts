import { sql } from 'drizzle-orm';
import {
  bigint,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Text translation jobs. The JSON columns hold the operator's full shapes; tenants see less. */
export const translationJobs = pgTable(
  'translation_jobs',
  {
    tenantId: identifier('tenant_id').notNull(),
    jobId: identifier('job_id').notNull(),
    status: text('status').notNull(),
    /** Incremented by each re-run: a run with an earlier attempt writes nothing. */
    attempt: integer('attempt').notNull().default(1),
    idempotencyKey: text('idempotency_key'),
    /** Weighted characters of this job that count as used while it is pending. */
    reservedChars: bigint('reserved_chars', { mode: 'number' }).notNull().default(0),
    /** Likewise for the jobs that follow in its series. */
    reservedRestChars: bigint('reserved_rest_chars', { mode: 'number' }).notNull().default(0),
    /** The number of those jobs. */
    reservedRestJobs: integer('reserved_rest_jobs').notNull().default(0),
    request: jsonb('request').notNull(),
    /** Hash of the request as it was submitted: another request with the same key has another one. Null for jobs from before this column. */
    requestFingerprint: bytes('request_fingerprint'),
    /** Notes for the caller about the request (`server/http/warnings.ts`). Null without any. */
    warnings: jsonb('warnings').$type<unknown[]>(),
    baselineTranslation: text('baseline_translation'),
    finalTranslation: text('final_translation'),
    qualityAssessment: jsonb('quality_assessment'),
    refinement: jsonb('refinement'),
    verification: jsonb('verification'),
    agentRun: jsonb('agent_run').notNull(),
    /** Data that the pipeline wrote into request.metadata: glossary, provenance. Null without one. */
    pipelineMetadata: jsonb('pipeline_metadata').$type<Record<string, unknown>>(),
    /** The text that the pipeline would have published, kept from a reviewer's first save. */
    pipelineCandidate: text('pipeline_candidate'),
    /** The final status of a job that is being published or awaits persistence. */
    publishAs: text('publish_as', { enum: ['published', 'human_edited'] }),
    /** The golden record's URI in the tenant's storage. */
    goldenUri: text('golden_uri'),
    /**
     * When a review closed the job, and the reviewing member; null also for a caller with an API key. A reopened job
     * has neither.
     */
    decidedAt: moment('decided_at'),
    decidedBy: identifier('decided_by'),
    /**
     * The machine translation that the closing review replaced, if no draft had kept it: the candidate of the job if
     * it is reopened.
     */
    replacedText: text('replaced_text'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.jobId] }),
    // Excludes jobs without a key. Because it is partial, PostgreSQL never uses it to find a job by id.
    uniqueIndex('translation_jobs_tenant_id_idempotency_key_key')
      .on(t.tenantId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    index('translation_jobs_tenant_id_updated_at_idx').on(t.tenantId, t.updatedAt, t.jobId),
    index('translation_jobs_status_idx').on(t.tenantId, t.status, t.updatedAt, t.jobId),
    index('translation_jobs_pending_idx').on(t.tenantId, t.updatedAt).where(sql`status = 'pending'`),
    index('translation_jobs_unpersisted_idx')
      .on(t.updatedAt)
      .where(sql`status in ('approved', 'persistence_failed')`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
