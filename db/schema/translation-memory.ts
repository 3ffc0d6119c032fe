import { sql } from 'drizzle-orm';
import {
  bigint,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Translation-memory sets (B 2.9): imported ones, and one golden set for each language pair. */
export const memorySets = pgTable(
  'memory_sets',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    name: text('name').notNull(),
    /** As supplied. */
    sourceLang: text('source_lang').notNull(),
    targetLang: text('target_lang').notNull(),
    /** The pair that they read as, of B 2.4. */
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    origin: text('origin', { enum: ['tmx_import', 'golden_approved'] }).notNull(),
    /** Segments of an import; a golden set's are counted. */
    entryCount: integer('entry_count').notNull(),
    embeddingModel: text('embedding_model'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.setId] }),
    uniqueIndex('memory_sets_tenant_id_name_key').on(t.tenantId, t.name),
    index('memory_sets_pair_idx').on(t.tenantId, t.pairSource, t.pairTarget),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Numbers the pairs of golden sets. */
export const memorySegmentNo = pgSequence('memory_segment_no');

/** Source and target pairs. */
export const memorySegments = pgTable(
  'memory_segments',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    /** The order of the store, where the latest wins: a unit's place in its file, or the order of approval. */
    segmentNo: bigint('segment_no', { mode: 'number' }).notNull().default(sql`nextval('memory_segment_no')`),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    /** 16 bytes of the SHA-256 of the source's normal form: the key of the exact tier. */
    sourceHash: bytes('source_hash').notNull(),
    sourceText: text('source_text').notNull(),
    targetText: text('target_text').notNull(),
    tuid: text('tuid'),
    changedAt: timestamp('changed_at', { withTimezone: true, precision: 0, mode: 'date' }),
    /** Where the fuzzy index has it; null while it is not in the index, -1 where it is too long to be offered. */
    shardNo: integer('shard_no'),
    ordinal: integer('ordinal'),
    /** The job that it was learned from. */
    jobId: identifier('job_id'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.setId, t.segmentNo] }),
    index('memory_segments_source_hash_idx').on(t.tenantId, t.sourceHash),
    index('memory_segments_ordinal_idx')
      .on(t.tenantId, t.setId, t.shardNo, t.ordinal)
      .where(sql`shard_no >= 0`),
    index('memory_segments_unindexed_idx')
      .on(t.tenantId, t.pairSource, t.pairTarget)
      .where(sql`shard_no is null`),
    index('memory_segments_job_id_idx').on(t.tenantId, t.jobId).where(sql`job_id is not null`),
    foreignKey({
      columns: [t.tenantId, t.setId],
      foreignColumns: [memorySets.tenantId, memorySets.setId],
    }).onDelete('cascade'),
  ],
);

/** Parts of the fuzzy index: segments of one set, numbered by their length. Written once, and replaced whole. */
export const memoryShards = pgTable(
  'memory_shards',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    shardNo: integer('shard_no').notNull(),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    segments: integer('segments').notNull(),
    /** The first ordinal of each length, packed. */
    lengthMarks: bytes('length_marks').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.setId, t.shardNo] }),
    index('memory_shards_pair_idx').on(t.tenantId, t.pairSource, t.pairTarget),
    foreignKey({
      columns: [t.tenantId, t.setId],
      foreignColumns: [memorySets.tenantId, memorySets.setId],
    }).onDelete('cascade'),
  ],
);

/** Which segments of a shard have a gram: ascending ordinals, packed, for each bucket of grams. */
export const memoryPostings = pgTable(
  'memory_postings',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    shardNo: integer('shard_no').notNull(),
    bucket: integer('bucket').notNull(),
    count: integer('count').notNull(),
    ordinals: bytes('ordinals').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.setId, t.shardNo, t.bucket] }),
    foreignKey({
      columns: [t.tenantId, t.setId, t.shardNo],
      foreignColumns: [memoryShards.tenantId, memoryShards.setId, memoryShards.shardNo],
    }).onDelete('cascade'),
  ],
);

/**
 * What the sources of segments mean, as the model has it that the set names: blocks of some hundred segments, since a lookup
 * compares with all of a pair. `server/matching/vectors` says how they are made.
 */
export const memoryVectors = pgTable(
  'memory_vectors',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    /** The first of its segments. */
    blockNo: bigint('block_no', { mode: 'number' }).notNull(),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    segmentNos: bigint('segment_nos', { mode: 'number' }).array().notNull(),
    /** 32 bytes for each segment: the signs of its vector's components. */
    codes: bytes('codes').notNull(),
    /** 256 bytes for each segment. */
    vectors: bytes('vectors').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.setId, t.blockNo] }),
    index('memory_vectors_pair_idx').on(t.tenantId, t.pairSource, t.pairTarget),
    foreignKey({
      columns: [t.tenantId, t.setId],
      foreignColumns: [memorySets.tenantId, memorySets.setId],
    }).onDelete('cascade'),
  ],
);

/** Import jobs (B 2.9) of files that are too large to be stored while the caller waits. */
export const memoryImports = pgTable(
  'memory_imports',
  {
    tenantId: identifier('tenant_id').notNull(),
    importId: identifier('import_id').notNull(),
    status: text('status', { enum: ['running', 'completed', 'failed'] }).notNull(),
    setName: text('set_name').notNull(),
    sourceLang: text('source_lang').notNull(),
    targetLang: text('target_lang').notNull(),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    totalUnits: integer('total_units').notNull(),
    dedupedUnits: integer('deduped_units').notNull(),
    skippedUnits: integer('skipped_units').notNull(),
    duplicatesDropped: integer('duplicates_dropped').notNull(),
    /** The model of its parts' vectors. */
    embeddingModel: text('embedding_model'),
    /** How often a worker has begun it. */
    attempts: integer('attempts').notNull().default(0),
    error: text('error'),
    result: jsonb('result'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.importId] }),
    index('memory_imports_created_at_idx').on(t.tenantId, t.createdAt, t.importId),
    uniqueIndex('memory_imports_running_key').on(t.tenantId, t.setName).where(sql`status = 'running'`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** What a running import is still to store, as its file was read; gone with its end. */
export const memoryImportParts = pgTable(
  'memory_import_parts',
  {
    tenantId: identifier('tenant_id').notNull(),
    importId: identifier('import_id').notNull(),
    partNo: integer('part_no').notNull(),
    /** Segments, packed: see `server/sandbox/tasks/memory/packed-rows.ts`. */
    rows: text('rows').notNull(),
    /** Their vectors in blocks, packed likewise; null as long as they are not made. */
    vectors: text('vectors'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.importId, t.partNo] }),
    foreignKey({
      columns: [t.tenantId, t.importId],
      foreignColumns: [memoryImports.tenantId, memoryImports.importId],
    }).onDelete('cascade'),
  ],
);
