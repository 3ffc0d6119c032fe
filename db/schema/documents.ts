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

/** Document jobs. The segments and files of a document are rows of other tables. */
export const documentJobs = pgTable(
  'document_jobs',
  {
    tenantId: identifier('tenant_id').notNull(),
    documentId: identifier('document_id').notNull(),
    status: text('status', { enum: ['queued', 'extracted', 'translated', 'failed'] }).notNull(),
    /** Incremented when a worker takes the job. A worker with an earlier attempt writes nothing. */
    attempt: integer('attempt').notNull().default(0),
    /**
     * Whether a worker runs the job. If the flag is still set when the next worker takes the job, the previous worker
     * has died.
     */
    running: boolean('running').notNull().default(false),
    /** The number of workers that have died while running the job since its last progress. */
    interruptions: smallint('interruptions').notNull().default(0),
    idempotencyKey: text('idempotency_key'),
    /** Weighted characters that count as used while the job runs, from the stage `admit` to its end. */
    reservedChars: bigint('reserved_chars', { mode: 'number' }).notNull().default(0),
    /** Whether the prepaid balance may have to be settled when the job completes. */
    drawsTopup: boolean('draws_topup').notNull().default(false),
    request: jsonb('request').notNull(),
    /**
     * The SHA-256 of the request as submitted. It shows whether a later request with the same idempotency key is a
     * different one. Null for jobs that are older than this column.
     */
    requestFingerprint: bytes('request_fingerprint'),
    /** The submitter, for the usage record: the ID of a member, or `api_key`. Null for older jobs. */
    submittedBy: identifier('submitted_by'),
    /** Warnings about the request for the caller (`server/http/warnings.ts`). Null without warnings. */
    warnings: jsonb('warnings').$type<unknown[]>(),
    sourceFileName: text('source_file_name').notNull(),
    sourceFormat: text('source_format', {
      enum: [
        'pdf',
        'docx',
        'xlsx',
        'pptx',
        'odt',
        'ods',
        'odp',
        'json',
        'yaml',
        'po',
        'properties',
        'srt',
        'vtt',
        'android',
        'strings',
        'stringsdict',
        'xcstrings',
        'xliff',
        'html',
        'md',
        'mdx',
        'txt',
      ],
    }).notNull(),
    /** The current stage or, after the end, the last one. */
    stage: text('stage', { enum: ['ingest', 'extract', 'admit', 'map_translate', 'reconstruct'] })
      .notNull()
      .default('ingest'),
    /** Milliseconds of work for each stage, summed over all workers that have run the job. */
    stageTimings: jsonb('stage_timings').$type<Record<string, number>>().notNull().default({}),
    pageCount: integer('page_count'),
    /** Code points of the segments; 0 before they are extracted. */
    sourceChars: integer('source_chars').notNull().default(0),
    segments: integer('segments').notNull().default(0),
    translatedSegments: integer('translated_segments').notNull().default(0),
    /** Figures about the segments for the quality report, from the latest time that the file was rebuilt. */
    reportFigures: jsonb('report_figures').$type<unknown>(),
    /** Findings of the file format's reader and writer, for the latest extraction and the latest rebuild. */
    extractFindings: jsonb('extract_findings').$type<unknown[]>().notNull().default([]),
    /**
     * The texts that are in no segment (`server/formats/text-tally.ts`). Null for jobs that are older than this column, and
     * for formats that do not count them.
     */
    textOutcome: jsonb('text_outcome').$type<unknown>(),
    rebuildFindings: jsonb('rebuild_findings').$type<unknown[]>().notNull().default([]),
    /**
     * The number of times that reviewers changed translations, and its value when the latest translated file was
     * rendered. While they differ, the file does not have all changes yet.
     */
    edits: integer('edits').notNull().default(0),
    renderedEdits: integer('rendered_edits').notNull().default(0),
    /**
     * The number of confirmations and withdrawals, and the number that the latest file includes. Counted only for formats
     * whose files mark texts that need a review.
     */
    decisions: integer('decisions').notNull().default(0),
    renderedDecisions: integer('rendered_decisions').notNull().default(0),
    /** The end of the lease of a review or an approval. Other reviews and approvals, and deletions, wait for it. */
    reviewLeaseUntil: moment('review_lease_until'),
    reviewHistory: jsonb('review_history').$type<unknown[]>().notNull().default([]),
    approvedAt: moment('approved_at'),
    approvedBy: text('approved_by'),
    /** The member who approved the document; null if the caller used an API key. */
    approvedByUser: identifier('approved_by_user'),
    /** The API key whose client named the approver: its ID, and its name at that time. Null if a member approved. */
    approvedVia: jsonb('approved_via').$type<{ id: string | null; name: string | null }>(),
    /** When the document was last changed since its approval; null if it was not. */
    changedSinceApproval: moment('changed_since_approval'),
    /**
     * The number of times that the document's approval was undone. Each approval has its own audit record. Null for
     * none.
     */
    reopenings: integer('reopenings'),
    /** The audit record of the approval as it must be in storage, and its URL after it has been written there. */
    goldenRecord: jsonb('golden_record').$type<unknown>(),
    goldenUri: text('golden_uri'),
    feedManifest: jsonb('feed_manifest').$type<unknown>(),
    failure: jsonb('failure').$type<unknown>(),
    /**
     * Set while transient failures delay the job: the time since then, the error code of the last failure, the number
     * of failed attempts, and the time of the next one. Null, or 0, as soon as the job makes progress.
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
    index('document_jobs_approved_idx').on(t.tenantId, t.approvedAt).where(sql`approved_at is not null`),
    index('document_jobs_waiting_idx')
      .on(t.tenantId, t.updatedAt, t.documentId)
      .where(sql`status = 'translated' and approved_at is null`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** The translatable segments of a document, in reading order. */
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
    /** The location of the segment, in readable form: `Sheet1!B7`. */
    place: text('place').notNull(),
    /** Notes of the file about the segment, such as the comment of a developer. Null without notes. */
    context: text('context'),
    /**
     * Distinguishes the segment from others with the same text that need another translation: a plural category, or a
     * context of the file format. Null for most segments.
     */
    variant: text('variant'),
    /** The maximum length of the translation. Null without a limit. */
    maxLength: integer('max_length'),
    /** The unit of the maximum length (`server/formats/length-limit.ts`); null for characters as advice, in subtitles. */
    lengthUnit: text('length_unit'),
    /**
     * The rectangles of the source text on its page, and those of its translation in the latest translated file. Null
     * if the file has no fixed pages.
     */
    sourceRectangles: jsonb('source_rectangles').$type<number[][]>(),
    targetRectangles: jsonb('target_rectangles').$type<number[][]>(),
    /** SHA-256 of the source text with its tags, and of the variant. Segments with equal keys are translated once. */
    sourceKey: bytes('source_key').notNull(),
    /** The source text as a list of strings and inline tags (`server/formats/inline-content.ts`). */
    source: jsonb('source').$type<unknown[]>().notNull(),
    /** The words of a source text that was recognized in an image. Null for other texts. */
    words: jsonb('words').$type<{ text: string; confidence: number; uncertain: boolean }[]>(),
    sourceText: text('source_text').notNull(),
    /** The translation; null until the segment is translated. */
    target: jsonb('target').$type<unknown[]>(),
    targetText: text('target_text'),
    score: integer('score'),
    needsReview: boolean('needs_review').notNull().default(false),
    issues: jsonb('issues').$type<unknown[]>().notNull().default([]),
    fastPath: text('fast_path'),
    /** How the translation was produced. */
    provenance: jsonb('provenance').$type<unknown>(),
    corrected: boolean('corrected').notNull().default(false),
    /**
     * The machine translation, if a reviewer has changed it. Also null if the change was made by a version of the
     * service that did not keep the machine translation.
     */
    pipelineText: text('pipeline_text'),
    /** Whether the translation is a reviewer's correction that has not yet been added to the TM. */
    feedPending: boolean('feed_pending').notNull().default(false),
    /**
     * Time at which a reviewer confirmed the segment, and the reviewer's email address or user id. Both become null
     * when the text changes.
     */
    confirmedAt: moment('confirmed_at'),
    confirmedBy: text('confirmed_by'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.documentId, t.position] }),
    index('document_segments_flagged_idx').on(t.tenantId, t.documentId, t.position).where(sql`needs_review`),
    // The source is first: with the document first, updates by position would be planned with this index.
    index('document_segments_source_key_idx').on(t.sourceKey, t.tenantId, t.documentId),
    index('document_segments_feed_pending_idx')
      .on(t.tenantId, t.documentId, t.position)
      .where(sql`feed_pending`),
    foreignKey({
      columns: [t.tenantId, t.documentId],
      foreignColumns: [documentJobs.tenantId, documentJobs.documentId],
    }).onDelete('cascade'),
  ],
);

/** The pages of a document whose text was recognized in images. The file is rendered with them. */
export const recognizedPages = pgTable(
  'recognized_pages',
  {
    tenantId: identifier('tenant_id').notNull(),
    documentId: identifier('document_id').notNull(),
    /** From 1. */
    page: integer('page').notNull(),
    /** The words and their places (`server/formats/ocr/tesseract.ts`); null if the page was not recognized. */
    content: jsonb('content').$type<unknown>(),
    /** Why the page was not recognized. */
    failure: text('failure'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.documentId, t.page] }),
    foreignKey({
      columns: [t.tenantId, t.documentId],
      foreignColumns: [documentJobs.tenantId, documentJobs.documentId],
    }).onDelete('cascade'),
  ],
);

/**
 * The history of segments: what each reviewer did, in order. `before` has the columns that a change replaced, so that
 * the change can be undone exactly.
 */
export const segmentEvents = pgTable(
  'segment_events',
  {
    tenantId: identifier('tenant_id').notNull(),
    eventId: identifier('event_id').notNull(),
    documentId: identifier('document_id').notNull(),
    position: integer('position').notNull(),
    /** The same for all segments that one request changed. They are undone together. */
    changeId: identifier('change_id').notNull(),
    /**
     * `repeated`: the segment has the same source as one that a reviewer changed, and got its translation. `undone` and
     * `redone` have the ID of the change that was undone or redone.
     */
    kind: text('kind', {
      enum: ['edited', 'confirmed', 'unconfirmed', 'repeated', 'resolved', 'undone', 'redone'],
    }).notNull(),
    /** The member; null if the caller used an API key. */
    userId: identifier('user_id'),
    /** The reviewer's email address, user ID, or name in the request. */
    actor: text('actor'),
    /** The translation after the event. */
    targetText: text('target_text'),
    /** The segment's columns before the event. */
    before: jsonb('before').$type<unknown>(),
    /** Why a reviewer confirmed a segment with critical findings, or how a finding was resolved: a code and a note. */
    reason: jsonb('reason').$type<{ code: string; note: string }>(),
    /** When the change was undone; null if it was not, or if it was redone. */
    undoneAt: moment('undone_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.eventId] }),
    index('segment_events_segment_idx').on(t.tenantId, t.documentId, t.position, t.createdAt),
    index('segment_events_change_idx').on(t.tenantId, t.documentId, t.changeId),
    index('segment_events_latest_idx').on(t.tenantId, t.documentId, t.createdAt),
    foreignKey({
      columns: [t.tenantId, t.documentId],
      foreignColumns: [documentJobs.tenantId, documentJobs.documentId],
    }).onDelete('cascade'),
  ],
);

/** The files of a document: its source and each translated output. Only provisional ones are deleted before it. */
export const documentArtifacts = pgTable(
  'document_artifacts',
  {
    tenantId: identifier('tenant_id').notNull(),
    artifactId: identifier('artifact_id').notNull(),
    documentId: identifier('document_id').notNull(),
    /** `existing`: the texts that stay of a translation that the request had. */
    kind: text('kind', { enum: ['source', 'translated', 'existing'] }).notNull(),
    /** The number of this file among the document's files of the same kind, starting at 1. */
    revision: integer('revision').notNull(),
    contentType: text('content_type').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    /** SHA-256 of the content, in hexadecimal. */
    sha256: text('sha256').notNull(),
    /** The https URL of the file in the tenant's own storage; null if the file is in platform storage. */
    address: text('address'),
    /**
     * Whether the file was rendered from saved segments, and was not approved. The next such file replaces it; then it
     * is `superseded`, and is deleted later.
     */
    state: text('state', { enum: ['kept', 'provisional', 'superseded'] })
      .notNull()
      .default('kept'),
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
