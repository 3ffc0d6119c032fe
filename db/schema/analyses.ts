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

/** Estimates of files in several languages, from which the files can be sent as documents. */
export const analyses = pgTable(
  'analyses',
  {
    tenantId: identifier('tenant_id').notNull(),
    analysisId: identifier('analysis_id').notNull(),
    /** A language, or `auto`. */
    sourceLang: text('source_lang').notNull(),
    targetLangs: jsonb('target_langs').$type<string[]>().notNull(),
    /** The options of the documents. */
    options: jsonb('options').$type<Record<string, string>>().notNull().default({}),
    /** The member; null if the caller used an API key. */
    createdBy: identifier('created_by'),
    /** The submitter of the documents: the name in usage records, and the kind of credential. Null before the start. */
    startedBy: jsonb('started_by').$type<{ submittedBy: string; credential: 'session' | 'api_key' }>(),
    startedAt: moment('started_at'),
    /** Set when a member stops the analysis before its end. */
    canceledAt: moment('canceled_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** Also changed by the worker, so that only analyses of dead workers look idle. */
    updatedAt: moment('updated_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    /** The end of the lease of the worker that has the analysis; null if none has it. */
    workedUntil: moment('worked_until'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.analysisId] }),
    index('analyses_created_at_idx').on(t.tenantId, t.createdAt, t.analysisId),
    index('analyses_expires_at_idx').on(t.expiresAt),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** SQL: whether a file is still to be counted, or documents of it are still to be sent. */
export const isPending = sql.raw(
  `(state = 'waiting' or jsonb_path_exists(starts, '$.*.state ? (@ == "requested")'))`,
);

/** The files of analyses, with the results and the documents for each target language. */
export const analysisFiles = pgTable(
  'analysis_files',
  {
    tenantId: identifier('tenant_id').notNull(),
    /** Also the ID of the stored file. */
    fileId: identifier('file_id').notNull(),
    analysisId: identifier('analysis_id').notNull(),
    /** The place of the file in the analysis. Repetitions count for the later file. */
    position: smallint('position').notNull(),
    fileName: text('file_name').notNull(),
    /** Null for a type that is not supported. */
    format: text('format'),
    sizeBytes: integer('size_bytes').notNull(),
    /** SHA-256 of the content, in hexadecimal. */
    sha256: text('sha256').notNull(),
    /** Whether the file is in a store. A file that is refused on its arrival is not. */
    isStored: boolean('is_stored').notNull(),
    /** The https URL of the file in the tenant's own storage; null if the file is in platform storage. */
    address: text('address'),
    state: text('state', { enum: ['waiting', 'counted', 'refused'] }).notNull(),
    /** Why the file cannot be translated. */
    refusal: text('refusal'),
    /** The number of workers that began to read the file. */
    attempts: smallint('attempts').notNull().default(0),
    /** The stated or detected language; null before the file is read. */
    sourceLang: text('source_lang'),
    /** The pages whose text is only in images. They are read when the file is translated. */
    imagePages: integer('image_pages').notNull().default(0),
    /** The first eight bytes of the SHA-256 of each different text, at most a fixed number of them. */
    textKeys: bytes('text_keys'),
    /** The counts for each target language. */
    results: jsonb('results').$type<Record<string, unknown>>().notNull().default({}),
    /** The number of counted languages, and the sum of their billable characters. Lists read them instead of the counts. */
    counted: smallint('counted').generatedAlwaysAs(
      sql`jsonb_array_length(jsonb_path_query_array(results, '$.*'))`,
    ),
    billableCharacters: bigint('billable_characters', { mode: 'number' }).generatedAlwaysAs(
      sql`billable_characters_of(results)`,
    ),
    /** The outcome of the start for each target language (`startOutcome`). */
    starts: jsonb('starts').$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.fileId] }),
    uniqueIndex('analysis_files_position_key').on(t.tenantId, t.analysisId, t.position),
    uniqueIndex('analysis_files_content_key').on(t.tenantId, t.analysisId, t.sha256, t.fileName),
    index('analysis_files_pending_idx').on(t.tenantId, t.analysisId).where(isPending),
    foreignKey({
      columns: [t.tenantId, t.analysisId],
      foreignColumns: [analyses.tenantId, analyses.analysisId],
      name: 'analysis_files_analysis_fk',
    }).onDelete('cascade'),
  ],
);
