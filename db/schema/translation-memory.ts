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

/**
 * What sets hold: a set shows one version, an upload makes another, and naming that one is the switch. What no set names is
 * never served. Deleting a version deletes all that it is of, and its set.
 */
export const memoryVersions = pgTable(
  'memory_contents',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.versionId] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Translation-memory sets (B 2.9): imported ones, and one golden set for each language pair. */
export const memorySets = pgTable(
  'memory_sets',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    versionId: identifier('content_id').notNull(),
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
    uniqueIndex('memory_sets_tenant_id_content_id_key').on(t.tenantId, t.versionId),
    index('memory_sets_pair_idx').on(t.tenantId, t.pairSource, t.pairTarget),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
    }).onDelete('cascade'),
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
    versionId: identifier('content_id').notNull(),
    /** The order of the store, where the latest wins: a unit's place in its file, or the order of approval. */
    segmentNo: bigint('segment_no', { mode: 'number' }).notNull().default(sql`nextval('memory_segment_no')`),
    /** 16 bytes of the SHA-256 of the source's normal form: the key of the exact tier. */
    sourceHash: bytes('source_hash').notNull(),
    sourceText: text('source_text').notNull(),
    targetText: text('target_text').notNull(),
    tuid: text('tuid'),
    changedAt: timestamp('changed_at', { withTimezone: true, precision: 0, mode: 'date' }),
    /** The part of the fuzzy index that has it; null while none has, -1 where it is too long to be offered, less in a pair's. */
    shardNo: integer('shard_no'),
    /** The job that it was learned from. */
    jobId: identifier('job_id'),
  },
  (t) => [
    // Not the tenant first: then a plan that was made for a tenant with little might look a hash up here, among all of one with much.
    primaryKey({ columns: [t.versionId, t.tenantId, t.segmentNo] }),
    index('memory_segments_source_hash_idx').on(t.tenantId, t.sourceHash),
    index('memory_segments_unindexed_idx')
      .on(t.tenantId, t.versionId, t.shardNo)
      .where(sql`shard_no is null or shard_no < 0`),
    index('memory_segments_job_id_idx').on(t.tenantId, t.jobId).where(sql`job_id is not null`),
    // No foreign key, which looks its version up for each of 50,000: a trigger deletes them with it. Whoever adds some has made the
    // version in the same transaction, or holds a lock on the set that shows it.
  ],
);

/** Parts of the fuzzy index: segments of one version, numbered by their length. Written once, and replaced whole. */
export const memoryShards = pgTable(
  'memory_shards',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    shardNo: integer('shard_no').notNull(),
    /** Those that are still there: a deleted one keeps its ordinal. */
    segments: integer('segments').notNull(),
    /** The first ordinal of each length, packed. */
    lengthMarks: bytes('length_marks').notNull(),
    /** The `segment_no` of each ordinal, 8 bytes each, the highest first. */
    segmentNos: bytes('segment_nos').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.versionId, t.shardNo] }),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
    }).onDelete('cascade'),
  ],
);

/**
 * Which segments of a shard have a gram: ascending ordinals, packed, for each bucket of grams. Stored with their shard, and deleted
 * with it by a trigger.
 */
export const memoryPostings = pgTable(
  'memory_postings',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    shardNo: integer('shard_no').notNull(),
    bucket: integer('bucket').notNull(),
    count: integer('count').notNull(),
    ordinals: bytes('ordinals').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.versionId, t.shardNo, t.bucket] })],
);

/**
 * Parts of the fuzzy index over the small imported sets of a pair, which would each have one of their own: a lookup reads all of
 * them. What a set no longer shows stays in them until they are made anew, and is passed over by its version.
 */
export const memoryPairShards = pgTable(
  'memory_pair_shards',
  {
    tenantId: identifier('tenant_id').notNull(),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    /** From 0. Its segments have -2 minus it as their `shard_no`. */
    shardNo: integer('shard_no').notNull(),
    segments: integer('segments').notNull(),
    /** As of `memory_shards`. */
    lengthMarks: bytes('length_marks').notNull(),
    segmentNos: bytes('segment_nos').notNull(),
    /** What the segments are of, and how many are of each. */
    contents: jsonb('contents').$type<[versionId: string, segments: number][]>().notNull(),
    /** The place in `contents` of each ordinal, from 0, 2 bytes each. */
    contentPlaces: bytes('content_places').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.pairSource, t.pairTarget, t.shardNo] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** As `memory_postings`, of those. */
export const memoryPairPostings = pgTable(
  'memory_pair_postings',
  {
    tenantId: identifier('tenant_id').notNull(),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    shardNo: integer('shard_no').notNull(),
    bucket: integer('bucket').notNull(),
    count: integer('count').notNull(),
    ordinals: bytes('ordinals').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.pairSource, t.pairTarget, t.shardNo, t.bucket] })],
);

/**
 * What the sources of segments mean, as the model has it that the set names: blocks of some hundred segments, since a lookup
 * compares with all of a pair. `server/matching/vectors` says how they are made.
 */
export const memoryVectors = pgTable(
  'memory_vectors',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    /** The first of its segments. */
    blockNo: bigint('block_no', { mode: 'number' }).notNull(),
    segmentNos: bigint('segment_nos', { mode: 'number' }).array().notNull(),
    /** 32 bytes for each segment: the signs of its vector's components. */
    codes: bytes('codes').notNull(),
    /** 256 bytes for each segment. */
    vectors: bytes('vectors').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.versionId, t.blockNo] }),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
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
    /** What it brings, until it has ended. */
    versionId: identifier('content_id'),
    /** The model of the vectors that it has so far. */
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
    // For the foreign key: a version that is deleted is looked for among those that still run.
    index('memory_imports_content_id_idx').on(t.tenantId, t.versionId).where(sql`content_id is not null`),
    uniqueIndex('memory_imports_running_key').on(t.tenantId, t.setName).where(sql`status = 'running'`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
    }),
  ],
);
