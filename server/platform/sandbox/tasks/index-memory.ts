import {
  type BuiltShard,
  buildShard,
  isShortEnough,
  maxShardSegments,
} from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex, type TextContext } from '#server/matching/normal-form.ts';

/**
 * A row of a table. Rows are sent in the form that PostgreSQL unpacks fastest: fields separated by U+001F, rows by
 * U+001E, null as an empty field. These two characters cannot occur in an XML document, a number or Base64.
 */
export type Row = readonly (string | number | null)[];

/** Rows of one table for one statement, packed as UTF-8. */
export interface RowPiece {
  kind: 'segments' | 'shards' | 'postings';
  rows: Uint8Array;
}

const fieldEnd = '\u001f';
const rowEnd = '\u001e';

/** UTF-16 units of a piece: large enough for efficient statements, and small enough for the memory. */
const pieceSize = 800_000;

/** Packs rows into pieces of about `pieceSize`. */
function* packRows(kind: RowPiece['kind'], rows: Iterable<Row>): Generator<RowPiece, void> {
  let packed: string[] = [];
  let size = 0;
  for (const fields of rows) {
    const row = fields.map((field) => field ?? '').join(fieldEnd);
    packed.push(row);
    size += row.length;
    if (size < pieceSize) continue;
    yield { kind, rows: Buffer.from(packed.join(rowEnd) + rowEnd) };
    packed = [];
    size = 0;
  }
  if (packed.length > 0) yield { kind, rows: Buffer.from(packed.join(rowEnd) + rowEnd) };
}

/** The assignment of the segments of a set to shards of the fuzzy index. */
interface ShardMembers {
  /** For each segment, the number of its shard, or `noShard`, or `tooLong`. */
  shardNo: Int32Array;
  /** For each shard, the indexes of its segments. */
  members: number[][];
}

/** The shard number of segments that need no shard, because they are so few that a lookup reads all of them. */
const noShard = -2;
/** The shard number of a segment that is too long for fuzzy matches. */
const tooLong = -1;

/** With fewer segments than this, a set has no index: a lookup reads all segments. */
const minShardSegments = 256;

/** Assigns the segments of a set to as many shards as are needed. */
export function assignShards(normals: readonly string[], units: readonly MemoryUnit[]): ShardMembers {
  const shardNo = new Int32Array(normals.length).fill(tooLong);
  const offered = normals.flatMap((_, index) =>
    isShortEnough(units[index]!.source) && isShortEnough(units[index]!.target) ? [index] : [],
  );
  const members: number[][] = [];
  if (offered.length >= minShardSegments)
    for (let from = 0; from < offered.length; from += maxShardSegments)
      members.push(offered.slice(from, from + maxShardSegments));
  else for (const index of offered) shardNo[index] = noShard;
  for (const [shard, indexes] of members.entries()) for (const index of indexes) shardNo[index] = shard;
  return { shardNo, members };
}

/** The segments of one shard: at most 65,536, each with at most 2,000 characters. */
interface IndexMemoryPayload {
  shardNo: number;
  sources: string[];
  segmentNos: number[];
}

/** Builds one shard of the fuzzy index. */
export function indexMemoryTask({
  shardNo,
  sources,
  segmentNos,
}: IndexMemoryPayload): Generator<RowPiece, void> {
  return packShard({ shardNo, normals: sources.map(normalForm), segmentNos });
}

/** A segment that is stored. */
export interface MemoryUnit {
  /** The position of the segment among the usable segments of the file, from 1. */
  position: number;
  source: string;
  target: string;
  tuid: string | null;
  /** ISO 8601. */
  changedate: string | null;
  context: TextContext | null;
}

/** A shard to build: its number, the sources of its segments in normal form, and the numbers of its segments. */
interface ShardToPack {
  shardNo: number;
  normals: readonly string[];
  segmentNos: readonly number[];
}

/** Yields the row of a shard, followed by the rows of its postings. */
export function* packShard({ shardNo, normals, segmentNos }: ShardToPack): Generator<RowPiece, void> {
  const shard = buildShard(normals);
  const numbers = Buffer.alloc(8 * segmentNos.length);
  for (const [ordinal, index] of shard.order.entries())
    numbers.writeBigInt64BE(BigInt(segmentNos[index]!), 8 * ordinal);
  const row = [shardNo, normals.length, base64(shard.lengthMarks), base64(numbers)];
  yield* packRows('shards', [row]);
  yield* packRows('postings', postingRows(shardNo, shard));
}

function* postingRows(shardNo: number, { buckets, counts, ends, lists }: BuiltShard): Generator<Row> {
  let start = 0;
  for (const [at, bucket] of buckets.entries()) {
    const end = ends[at]!;
    yield [shardNo, bucket, counts[at]!, base64(lists.subarray(start, end))];
    start = end;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Maximum characters of a segment's `tuid`. CAT tools write shorter ones; longer ones are truncated. */
const maxTuidLength = 1000;

/**
 * Yields rows for the segments of a range, with the columns number, hash, source, target, tuid, changedate, shard and the hashes of the context.
 * @param shardNo of each segment, of `ShardMembers`
 */
export function packSegments(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  shardNo: Int32Array,
  [start, end]: readonly [number, number],
): Generator<RowPiece, void> {
  return packRows('segments', segmentRows(normals, units, shardNo, start, end));
}

function* segmentRows(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  shardNo: Int32Array,
  start: number,
  end: number,
): Generator<Row> {
  for (let index = start; index < end; index++) {
    const unit = units[index]!;
    const shard = shardNo[index]!;
    yield [
      unit.position,
      sourceHashHex(normals[index]!),
      unit.source,
      unit.target,
      unit.tuid && truncateTuid(unit.tuid),
      unit.changedate,
      shard === noShard ? null : shard,
      unit.context && unit.context.before,
      unit.context && unit.context.after,
    ];
  }
}

/** Truncates a `tuid` without splitting a surrogate pair. */
function truncateTuid(tuid: string): string {
  return tuid.slice(0, maxTuidLength).replace(/[\ud800-\udbff]$/, '');
}
