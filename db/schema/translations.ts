import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
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

/** Text translation jobs. The JSON columns contain all fields, as operators see them; tenants get fewer fields. */
export const translationJobs = pgTable(
  'translation_jobs',
  {
    tenantId: identifier('tenant_id').notNull(),
    jobId: identifier('job_id').notNull(),
    status: text('status').notNull(),
    /** Incremented by each new run of the job. A run with an earlier attempt writes nothing. */
    attempt: integer('attempt').notNull().default(1),
    idempotencyKey: text('idempotency_key'),
    /** Weighted characters of this job, which count as used while the job is pending. */
    reservedChars: bigint('reserved_chars', { mode: 'number' }).notNull().default(0),
    request: jsonb('request').notNull(),
    /**
     * The SHA-256 of the request as submitted. It shows whether a later request with the same idempotency key is a
     * different one. Null for jobs that are older than this column.
     */
    requestFingerprint: bytes('request_fingerprint'),
    /** Warnings about the request for the caller (`server/http/warnings.ts`). Null without warnings. */
    warnings: jsonb('warnings').$type<unknown[]>(),
    baselineTranslation: text('baseline_translation'),
    finalTranslation: text('final_translation'),
    qualityAssessment: jsonb('quality_assessment'),
    refinement: jsonb('refinement'),
    verification: jsonb('verification'),
    /**
     * The findings about the present final translation (`core/findings.ts`), from the first change or decision of a
     * reviewer on. Null before: then those of `refinement` and `verification` count.
     */
    findings: jsonb('findings').$type<unknown[]>(),
    agentRun: jsonb('agent_run').notNull(),
    /** Data that the pipeline adds to `request.metadata`: glossary and provenance. Null without such data. */
    pipelineMetadata: jsonb('pipeline_metadata').$type<Record<string, unknown>>(),
    /** The text that the pipeline would have published. Stored when a reviewer saves a change for the first time. */
    pipelineCandidate: text('pipeline_candidate'),
    /** The final status that the job will get, set while it is being published or cannot be stored yet. */
    publishAs: text('publish_as', { enum: ['published', 'human_edited'] }),
    /** The URI of the golden record in the storage of the tenant. */
    goldenUri: text('golden_uri'),
    /**
     * The time at which a review closed the job, and the member who did. `decided_by` is also null if the caller used
     * an API key. Both are null for a reopened job.
     */
    decidedAt: moment('decided_at'),
    decidedBy: identifier('decided_by'),
    /**
     * The machine translation that the closing review replaced, if it was not stored before. It becomes the candidate
     * again if the job is reopened.
     */
    replacedText: text('replaced_text'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** Whether a task in the queue runs the job. Such a job does not count as stale. */
    queued: boolean('queued').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.jobId] }),
    // Only jobs with an idempotency key. PostgreSQL never uses this partial index to find a job by its id.
    uniqueIndex('translation_jobs_tenant_id_idempotency_key_key')
      .on(t.tenantId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    index('translation_jobs_status_idx').on(t.tenantId, t.status, t.updatedAt, t.jobId),
    index('translation_jobs_decided_idx').on(t.tenantId, t.decidedAt).where(sql`decided_at is not null`),
    index('translation_jobs_pending_idx').on(t.tenantId, t.updatedAt).where(sql`status = 'pending'`),
    index('translation_jobs_unpersisted_idx')
      .on(t.updatedAt)
      .where(sql`status in ('approved', 'persistence_failed')`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
