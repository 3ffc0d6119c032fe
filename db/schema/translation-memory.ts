import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * Versions of TM sets. A set shows the segments of its active version. An upload creates a new version and then makes
 * it the active one. A version to which no set refers is never served. If a version is deleted, its segments and its
 * set are deleted, too.
 */
export const memoryVersions = pgTable(
  'memory_contents',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    /** The name of the imported file; null for the versions of golden sets and for imports before this was stored. */
    fileName: text('file_name'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.versionId] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** TM sets: imported ones, and per language pair one golden set and the set of its sentences. */
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
    /** `golden_sentences`: the sentences of the approved segments, which no list shows (`sentence-pairs.ts`). */
    origin: text('origin', { enum: ['tmx_import', 'golden_approved', 'golden_sentences'] }).notNull(),
    /** The number of an imported set's segments. Those of a golden set are counted when needed. */
    entryCount: integer('entry_count').notNull(),
    embeddingModel: text('embedding_model'),
    /** Points that its matches lose: always, and for each full year since the segment's changedate (`penalties.ts`). */
    penalty: smallint('penalty').notNull().default(0),
    agePenalty: smallint('age_penalty').notNull().default(0),
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

/** Numbers the segments of golden sets. */
export const memorySegmentNo = pgSequence('memory_segment_no');

/** TM segments: pairs of a source and a target. */
export const memorySegments = pgTable(
  'memory_segments',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    /**
     * The order of segments; of equal sources, the latest segment is served. In an imported set, the position in the
     * file; in a golden set, the order of approval.
     */
    segmentNo: bigint('segment_no', { mode: 'number' }).notNull().default(sql`nextval('memory_segment_no')`),
    /** The first 16 bytes of the SHA-256 of the source in normal form. Exact matches are found by it. */
    sourceHash: bytes('source_hash').notNull(),
    sourceText: text('source_text').notNull(),
    targetText: text('target_text').notNull(),
    tuid: text('tuid'),
    changedAt: timestamp('changed_at', { withTimezone: true, precision: 0, mode: 'date' }),
    /**
     * The shard of the fuzzy index that contains the segment. Null: not indexed yet. -1: too long for fuzzy matches.
     * Below -1: in a shard of the language pair.
     */
    shardNo: integer('shard_no'),
    /** The job whose translation was added as this segment. */
    jobId: identifier('job_id'),
    /** For a sentence of an approved segment: the `segment_no` of that segment. */
    partOf: bigint('part_of', { mode: 'number' }),
    /**
     * If a member has edited a segment that a job added: the first 16 bytes of the SHA-256 of the source's hash and the
     * target as the job added them. By it, the job still finds its segment.
     */
    fedKey: bytes('fed_key'),
    /**
     * The context: the first 8 bytes of the hashes of the previous and the next text of the document, in normal form. Null
     * at the ends of the document. Both null: unknown.
     */
    contextBefore: bytes('context_before'),
    contextAfter: bytes('context_after'),
  },
  (t) => [
    // The tenant is not the first column. Otherwise PostgreSQL could reuse a plan made for a tenant with few
    // segments, which looks up a hash in this index, and for a tenant with many segments read all of them.
    primaryKey({ columns: [t.versionId, t.tenantId, t.segmentNo] }),
    index('memory_segments_source_hash_idx').on(t.tenantId, t.sourceHash),
    index('memory_segments_unindexed_idx')
      .on(t.tenantId, t.versionId, t.shardNo)
      .where(sql`shard_no is null or shard_no < 0`),
    index('memory_segments_job_id_idx').on(t.tenantId, t.jobId).where(sql`job_id is not null`),
    index('memory_segments_part_of_idx').on(t.tenantId, t.partOf).where(sql`part_of is not null`),
    // There is no foreign key to the version, which PostgreSQL would check for each of 50,000 segments; instead, a
    // trigger deletes the segments of a deleted version. Code that adds segments has created the version in the same
    // transaction, or holds a lock on the set that shows the version.
  ],
);

/**
 * How often segments were served. Not columns of the segments: each write of a segment would write its texts again. A row
 * outlives the deletion of its segment, which can be undone.
 */
export const memoryUse = pgTable(
  'memory_use',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    segmentNo: bigint('segment_no', { mode: 'number' }).notNull(),
    served: bigint('served', { mode: 'number' }).notNull(),
    servedAt: timestamp('served_at', { withTimezone: true, precision: 0, mode: 'date' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.versionId, t.segmentNo] }),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
    }).onDelete('cascade'),
  ],
);

/**
 * Shards of the fuzzy index. A shard contains segments of one version, numbered by length. It is written once, and
 * only replaced as a whole.
 */
export const memoryShards = pgTable(
  'memory_shards',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    shardNo: integer('shard_no').notNull(),
    /** The number of segments that have not been deleted. A deleted segment keeps its ordinal in the shard. */
    segments: integer('segments').notNull(),
    /** The first ordinal of each source length, packed. */
    lengthMarks: bytes('length_marks').notNull(),
    /** The `segment_no` of each ordinal, 8 bytes each, big-endian. */
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
 * Postings: for each bucket of grams, the ordinals of the shard's segments that contain these grams, ascending and
 * packed. They are stored together with their shard; a trigger deletes them with it.
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
 * Shards that combine the small imported sets of a language pair. A lookup reads all shards of the pair, so it would
 * be slow with one shard per set. Segments that a set no longer shows stay until the shard is rebuilt; lookups skip
 * them by their version.
 */
export const memoryPairShards = pgTable(
  'memory_pair_shards',
  {
    tenantId: identifier('tenant_id').notNull(),
    pairSource: identifier('pair_source').notNull(),
    pairTarget: identifier('pair_target').notNull(),
    /** The number of the shard, from 0. In the shard's segments, `shard_no` is -2 minus this number. */
    shardNo: integer('shard_no').notNull(),
    segments: integer('segments').notNull(),
    /** The first ordinal of each source length, packed, as in `memory_shards`. */
    lengthMarks: bytes('length_marks').notNull(),
    segmentNos: bytes('segment_nos').notNull(),
    /** The versions whose segments the shard contains, and the number of segments of each that have not left it. */
    contents: jsonb('contents').$type<[versionId: string, segments: number][]>().notNull(),
    /** For each ordinal, the index of its version in `contents`, from 0, 2 bytes each. */
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
 * Vectors of the segments' sources, from the embedding model that the set names. They are stored in blocks of some
 * hundred segments, because a lookup compares with all segments of a language pair. `server/matching/vectors.ts`
 * explains the format.
 */
export const memoryVectors = pgTable(
  'memory_vectors',
  {
    tenantId: identifier('tenant_id').notNull(),
    versionId: identifier('content_id').notNull(),
    /** The `segment_no` of the block's first segment. */
    blockNo: bigint('block_no', { mode: 'number' }).notNull(),
    segmentNos: bigint('segment_nos', { mode: 'number' }).array().notNull(),
    /** 32 bytes for each segment: the signs of the vector's components. */
    codes: bytes('codes').notNull(),
    /** 256 bytes for each segment: its vector. */
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

/** Import jobs for TM files that are too large to be stored during the request. */
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
    /** The version into which the job writes segments; null after the job has ended. */
    versionId: identifier('content_id'),
    /** The embedding model of the vectors that have been computed so far. */
    embeddingModel: text('embedding_model'),
    /** The number of times that a worker has started the job. */
    attempts: integer('attempts').notNull().default(0),
    error: text('error'),
    result: jsonb('result'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.importId] }),
    index('memory_imports_created_at_idx').on(t.tenantId, t.createdAt, t.importId),
    // Needed by the foreign key: when a version is deleted, PostgreSQL searches for running imports that refer to it.
    index('memory_imports_content_id_idx').on(t.tenantId, t.versionId).where(sql`content_id is not null`),
    uniqueIndex('memory_imports_running_key').on(t.tenantId, t.setName).where(sql`status = 'running'`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
    }),
  ],
);

/** Changes of segments by members, for the history and for undo. They are kept for 30 days. */
export const memoryChanges = pgTable(
  'memory_changes',
  {
    tenantId: identifier('tenant_id').notNull(),
    changeId: identifier('change_id').notNull(),
    kind: text('kind', { enum: ['edited', 'deleted', 'replaced', 'merged'] }).notNull(),
    /** The email address of the member who made the change; null for an API key. */
    actor: text('actor'),
    /** The number of segments. */
    segments: integer('segments').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    undoneAt: moment('undone_at'),
    /** The email address of the member who undid the change; null for an API key. */
    undoneBy: text('undone_by'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.changeId] }),
    index('memory_changes_latest_idx').on(t.tenantId, t.createdAt, t.changeId),
    index('memory_changes_created_at_idx').on(t.createdAt),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** The segments of a change, before and after it. They are deleted with their version, and with their job. */
export const memoryChangedSegments = pgTable(
  'memory_changed_segments',
  {
    tenantId: identifier('tenant_id').notNull(),
    changeId: identifier('change_id').notNull(),
    /** The position of the segment in the change, from 0. */
    position: integer('position').notNull(),
    versionId: identifier('content_id').notNull(),
    segmentNo: bigint('segment_no', { mode: 'number' }).notNull(),
    oldSource: text('old_source').notNull(),
    oldTarget: text('old_target').notNull(),
    /** Null if the segment was deleted. */
    newSource: text('new_source'),
    newTarget: text('new_target'),
    /** The other values of the segment before the change, as in `memory_segments`. */
    tuid: text('tuid'),
    changedAt: timestamp('changed_at', { withTimezone: true, precision: 0, mode: 'date' }),
    jobId: identifier('job_id'),
    fedKey: bytes('fed_key'),
    contextBefore: bytes('context_before'),
    contextAfter: bytes('context_after'),
    /** For a segment that was merged into an identical one: the `segment_no` of that segment. */
    mergedInto: bigint('merged_into', { mode: 'number' }),
    /** Whether the segment is again as it was before the change. */
    undone: boolean('undone').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.changeId, t.position] }),
    index('memory_changed_segments_segment_idx').on(t.tenantId, t.versionId, t.segmentNo),
    index('memory_changed_segments_job_id_idx').on(t.tenantId, t.jobId).where(sql`job_id is not null`),
    index('memory_changed_segments_merged_idx')
      .on(t.tenantId, t.versionId, t.mergedInto)
      .where(sql`merged_into is not null`),
    foreignKey({
      columns: [t.tenantId, t.changeId],
      foreignColumns: [memoryChanges.tenantId, memoryChanges.changeId],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.tenantId, t.versionId],
      foreignColumns: [memoryVersions.tenantId, memoryVersions.versionId],
    }).onDelete('cascade'),
  ],
);
