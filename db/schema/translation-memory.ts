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
 * Versions of sets: a set shows its active version. An upload creates another version and then switches the set to it.
 * Versions that no set refers to are never served. Deleting a version deletes its segments, and its set.
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

/** Translation memory sets: imported ones, and one golden set per language pair. */
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
    /** The language pair as canonical language codes. */
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    origin: text('origin', { enum: ['tmx_import', 'golden_approved'] }).notNull(),
    /** Number of an import's segments; those of a golden set are counted on demand. */
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
    /** The order of segments, of which the latest wins: a unit's position in its file, or the order of approval. */
    segmentNo: bigint('segment_no', { mode: 'number' }).notNull().default(sql`nextval('memory_segment_no')`),
    /** 16 bytes of the SHA-256 of the source's normal form: the key of the exact tier. */
    sourceHash: bytes('source_hash').notNull(),
    sourceText: text('source_text').notNull(),
    targetText: text('target_text').notNull(),
    tuid: text('tuid'),
    changedAt: timestamp('changed_at', { withTimezone: true, precision: 0, mode: 'date' }),
    /** The shard of the fuzzy index that contains it. Null: not indexed yet. -1: too long to be offered. Below -1: in a pair shard. */
    shardNo: integer('shard_no'),
    /** The job from which it was learned. */
    jobId: identifier('job_id'),
  },
  (t) => [
    // The tenant is not the first column: a plan made for a tenant with few segments could otherwise look a hash up
    // here, among all segments of a tenant with many.
    primaryKey({ columns: [t.versionId, t.tenantId, t.segmentNo] }),
    index('memory_segments_source_hash_idx').on(t.tenantId, t.sourceHash),
    index('memory_segments_unindexed_idx')
      .on(t.tenantId, t.versionId, t.shardNo)
      .where(sql`shard_no is null or shard_no < 0`),
    index('memory_segments_job_id_idx').on(t.tenantId, t.jobId).where(sql`job_id is not null`),
    // No foreign key, which would look the version up for each of 50,000 segments: a trigger deletes segments with their version.
    // Code that adds segments has created the version in the same transaction, or holds a lock on the set that shows it.
  ],
);

/** Shards of the fuzzy index: segments of one version, numbered by length. Written once, and replaced as a whole. */
export const memoryShards = pgTable(
  'memory_shards',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    shardNo: integer('shard_no').notNull(),
    /** Number of segments not deleted; a deleted one keeps its ordinal. */
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
 * Postings: for each bucket of grams, the packed ascending ordinals of the shard's segments that have them. Stored with
 * their shard, and deleted with it by a trigger.
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
 * Shards over the small imported sets of a language pair, so that a lookup, which reads all of them, does not read one
 * shard per set. Segments that a set no longer shows stay until the shard is rebuilt; lookups skip them by their version.
 */
export const memoryPairShards = pgTable(
  'memory_pair_shards',
  {
    tenantId: identifier('tenant_id').notNull(),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    /** From 0. The `shard_no` of its segments is -2 minus this number. */
    shardNo: integer('shard_no').notNull(),
    segments: integer('segments').notNull(),
    /** As in `memory_shards`. */
    lengthMarks: bytes('length_marks').notNull(),
    segmentNos: bytes('segment_nos').notNull(),
    /** The versions of the segments, with the number of segments of each. */
    contents: jsonb('contents').$type<[versionId: string, segments: number][]>().notNull(),
    /** The index in `contents` of each ordinal's version, from 0, 2 bytes each. */
    contentPlaces: bytes('content_places').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.pairSource, t.pairTarget, t.shardNo] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Like `memory_postings`, for `memory_pair_shards`. */
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
 * Vectors of the sources of segments, from the model that the set names, in blocks of some hundred segments, since a
 * lookup compares with all segments of a pair. `server/matching/vectors.ts` explains the format.
 */
export const memoryVectors = pgTable(
  'memory_vectors',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    /** The `segment_no` of its first segment. */
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

/** Import jobs for files too large to store while the caller waits. */
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
    /** The version that it stages, until it has ended. */
    versionId: identifier('content_id'),
    /** The model of the vectors computed so far. */
    embeddingModel: text('embedding_model'),
    /** The number of times that a worker has started it. */
    attempts: integer('attempts').notNull().default(0),
    error: text('error'),
    result: jsonb('result'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.importId] }),
    index('memory_imports_created_at_idx').on(t.tenantId, t.createdAt, t.importId),
    // For the foreign key: when a version is deleted, PostgreSQL looks for running imports that refer to it.
    index('memory_imports_content_id_idx').on(t.tenantId, t.versionId).where(sql`content_id is not null`),
    uniqueIndex('memory_imports_running_key').on(t.tenantId, t.setName).where(sql`status = 'running'`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
    }),
  ],
);
