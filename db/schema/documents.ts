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
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Document jobs. Their segments and files are separate rows. */
export const documentJobs = pgTable(
  'document_jobs',
  {
    tenantId: identifier('tenant_id').notNull(),
    documentId: identifier('document_id').notNull(),
    status: text('status', { enum: ['queued', 'extracted', 'translated', 'failed'] }).notNull(),
    /** Incremented when a worker takes the job: a worker with an earlier attempt writes nothing. */
    attempt: integer('attempt').notNull().default(0),
    /** Whether a worker has the job. Still set when the next one takes it: the last one died. */
    running: boolean('running').notNull().default(false),
    /** The number of workers that died with the job since it last made progress. */
    interruptions: smallint('interruptions').notNull().default(0),
    idempotencyKey: text('idempotency_key'),
    /** Weighted characters that count as used from the stage `admit` until the job ends. */
    reservedChars: bigint('reserved_chars', { mode: 'number' }).notNull().default(0),
    /** Whether completing the job may have to settle the prepaid balance. */
    drawsTopup: boolean('draws_topup').notNull().default(false),
    request: jsonb('request').notNull(),
    /** Hash of the request as it was submitted: another request with the same key has another one. Null for jobs from before this column. */
    requestFingerprint: bytes('request_fingerprint'),
    /** Notes for the caller about the request (`server/http/warnings.ts`). Null without any. */
    warnings: jsonb('warnings').$type<unknown[]>(),
    sourceFileName: text('source_file_name').notNull(),
    sourceFormat: text('source_format', { enum: ['pdf', 'docx', 'xlsx'] }).notNull(),
    /** The current or last stage. */
    stage: text('stage', { enum: ['ingest', 'extract', 'admit', 'map_translate', 'reconstruct'] })
      .notNull()
      .default('ingest'),
    /** Milliseconds of work by stage, over all workers that had the job. */
    stageTimings: jsonb('stage_timings').$type<Record<string, number>>().notNull().default({}),
    pageCount: integer('page_count'),
    /** Code points of the segments; 0 before they are extracted. */
    sourceChars: integer('source_chars').notNull().default(0),
    segments: integer('segments').notNull().default(0),
    translatedSegments: integer('translated_segments').notNull().default(0),
    /** Figures of the segments for the quality report, when the file was last rebuilt. */
    reportFigures: jsonb('report_figures').$type<unknown>(),
    /** Findings of the format when the text was extracted and when the file was last rebuilt. */
    extractFindings: jsonb('extract_findings').$type<unknown[]>().notNull().default([]),
    rebuildFindings: jsonb('rebuild_findings').$type<unknown[]>().notNull().default([]),
    /** The end of the lease of a review or an approval; later ones, and deletions, wait for it. */
    reviewLeaseUntil: moment('review_lease_until'),
    reviewHistory: jsonb('review_history').$type<unknown[]>().notNull().default([]),
    approvedAt: moment('approved_at'),
    approvedBy: text('approved_by'),
    /** The member who approved it; null for a caller with an API key. */
    approvedByUser: identifier('approved_by_user'),
    /** The number of times that its approval was undone: each approval has a separate audit record. Null for none. */
    reopenings: integer('reopenings'),
    /** The audit record of the approval, as it must be in the store; and its address, once it was written there. */
    goldenRecord: jsonb('golden_record').$type<unknown>(),
    goldenUri: text('golden_uri'),
    feedManifest: jsonb('feed_manifest').$type<unknown>(),
    failure: jsonb('failure').$type<unknown>(),
    /**
     * While transient failures delay the job: since when, the error code of the last one, how many attempts have
     * failed, and when the next one begins. Null, and 0, once the job has made progress.
     */
    waitingSince: moment('waiting_since'),
    waitingReason: text('waiting_reason'),
    waitingAttempts: integer('waiting_attempts').notNull().default(0),
    nextAttemptAt: moment('next_attempt_at'),
    inputTokens: integer('input_tokens').notNull().default(0),
    outputTokens: integer('output_tokens').notNull().default(0),
    models: jsonb('models').$type<string[]>().notNull().default([]),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.documentId] }),
    uniqueIndex('document_jobs_tenant_id_idempotency_key_key')
      .on(t.tenantId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    index('document_jobs_tenant_id_updated_at_idx').on(t.tenantId, t.updatedAt, t.documentId),
    index('document_jobs_unfinished_idx')
      .on(t.tenantId, t.updatedAt)
      .where(sql`status in ('queued', 'extracted')`),
    index('document_jobs_unrecorded_idx')
      .on(t.tenantId, t.approvedAt)
      .where(sql`approved_at is not null and golden_uri is null`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** The translatable texts of a document, in reading order. */
export const documentSegments = pgTable(
  'document_segments',
  {
    tenantId: identifier('tenant_id').notNull(),
    documentId: identifier('document_id').notNull(),
    /** From 0. */
    position: integer('position').notNull(),
    regionId: text('region_id').notNull(),
    cellId: text('cell_id'),
    kind: text('kind').notNull(),
    page: integer('page'),
    /** Its readable place: `Sheet1!B7`. */
    place: text('place').notNull(),
    /**
     * Its position on the source page, and that of its translation in the latest translated file. Null if pages are
     * not fixed.
     */
    sourceRectangles: jsonb('source_rectangles').$type<number[][]>(),
    targetRectangles: jsonb('target_rectangles').$type<number[][]>(),
    /** SHA-256 of the source with its tags: equal segments are translated once. */
    sourceKey: bytes('source_key').notNull(),
    /** Strings and inline tags (`server/formats/inline-content.ts`). */
    source: jsonb('source').$type<unknown[]>().notNull(),
    sourceText: text('source_text').notNull(),
    /** Null until it is translated. */
    target: jsonb('target').$type<unknown[]>(),
    targetText: text('target_text'),
    score: integer('score'),
    needsReview: boolean('needs_review').notNull().default(false),
    issues: jsonb('issues').$type<unknown[]>().notNull().default([]),
    fastPath: text('fast_path'),
    /** The origin of the translation. */
    provenance: jsonb('provenance').$type<unknown>(),
    corrected: boolean('corrected').notNull().default(false),
    /**
     * The machine translation, once a reviewer has changed it. Null also if a version that did not keep it changed
     * the text.
     */
    pipelineText: text('pipeline_text'),
    /** Whether it is a correction that has not yet been added to the memory. */
    feedPending: boolean('feed_pending').notNull().default(false),
    /**
     * Time of the confirmation, and the reviewer: the email address, or the user's ID. A new text
     * ends it.
     */
    confirmedAt: moment('confirmed_at'),
    confirmedBy: text('confirmed_by'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.documentId, t.position] }),
    index('document_segments_flagged_idx').on(t.tenantId, t.documentId, t.position).where(sql`needs_review`),
    foreignKey({
      columns: [t.tenantId, t.documentId],
      foreignColumns: [documentJobs.tenantId, documentJobs.documentId],
    }).onDelete('cascade'),
  ],
);

/** The files of a document: its source, and each translated output. Rows are added, never changed. */
export const documentArtifacts = pgTable(
  'document_artifacts',
  {
    tenantId: identifier('tenant_id').notNull(),
    artifactId: identifier('artifact_id').notNull(),
    documentId: identifier('document_id').notNull(),
    kind: text('kind', { enum: ['source', 'translated'] }).notNull(),
    /** The number of this version of its kind, from 1. */
    revision: integer('revision').notNull(),
    contentType: text('content_type').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    /** Of the content, in hexadecimal. */
    sha256: text('sha256').notNull(),
    /** Its https URL in the tenant's own account; null: in the platform's storage. */
    address: text('address'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.artifactId] }),
    uniqueIndex('document_artifacts_revision_key').on(t.tenantId, t.documentId, t.kind, t.revision),
    foreignKey({
      columns: [t.tenantId, t.documentId],
      foreignColumns: [documentJobs.tenantId, documentJobs.documentId],
    }).onDelete('cascade'),
  ],
);
