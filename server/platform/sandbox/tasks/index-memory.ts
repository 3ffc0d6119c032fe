import {
  type BuiltShard,
  buildShard,
  isShortEnough,
  maxShardSegments,
} from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';

/**
 * Rows as PostgreSQL unpacks them fastest: fields with U+001F between them, rows with U+001E, null as nothing. No XML
 * document can hold either character, nor a number or Base64.
 */
export type Row = readonly (string | number | null)[];

/** A statement's worth of one table's rows, packed, in UTF-8. */
export interface RowPiece {
  kind: 'segments' | 'shards' | 'postings';
  rows: Uint8Array;
}

const fieldEnd = '\u001f';
const rowEnd = '\u001e';

/** Packs rows into pieces of about `pieceSize` UTF-16 units: as large as a statement is worth, as small as memory likes. */
export function* packRows(
  kind: RowPiece['kind'],
  rows: Iterable<Row>,
  pieceSize = 800_000,
): Generator<RowPiece, void> {
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

/** Which shard of the fuzzy index has which units. */
export interface ShardMembers {
  /** Of each unit: a shard's number, or `noShard`, or `notOffered`. */
  shardNo: Int32Array;
  /** Of each shard: where its units stand. */
  members: number[][];
}

/** Of a segment that a lookup reads itself, because there are few of them. */
export const noShard = -2;
/** Of a segment that is too long to be offered as a close match (B 8). */
const notOffered = -1;

/** Fewer are not worth an index: a lookup reads them all. */
const smallestShard = 256;

/** Shares the units of a set out to as many shards as it needs. */
export function shareOut(normals: readonly string[], units: readonly MemoryUnit[]): ShardMembers {
  const shardNo = new Int32Array(normals.length).fill(notOffered);
  const offered = normals.flatMap((_, index) =>
    isShortEnough(units[index]!.source) && isShortEnough(units[index]!.target) ? [index] : [],
  );
  const members: number[][] = [];
  if (offered.length >= smallestShard)
    for (let from = 0; from < offered.length; from += maxShardSegments)
      members.push(offered.slice(from, from + maxShardSegments));
  else for (const index of offered) shardNo[index] = noShard;
  for (const [shard, indexes] of members.entries()) for (const index of indexes) shardNo[index] = shard;
  return { shardNo, members };
}

/** Segments to build one shard of, at most 65,536 of 2000 characters each. */
export interface IndexMemoryPayload {
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

/** A unit that is stored. */
export interface MemoryUnit {
  /** Among the file's usable units, from 1. */
  position: number;
  source: string;
  target: string;
  tuid: string | null;
  /** ISO 8601. */
  changedate: string | null;
}

/** A shard to build: its number, and its segments' sources in normal form and their numbers. */
export interface ShardToPack {
  shardNo: number;
  normals: readonly string[];
  segmentNos: readonly number[];
}

/** The rows of a shard and, behind it, of its posting lists. */
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

/** Longer names of units than any tool writes are cut. */
const longestTuid = 1000;

/** The rows of segments: number, hash, source, target, tuid, changedate, shard. */
export function packSegments(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  { shardNo }: ShardMembers,
): Generator<RowPiece, void> {
  return packRows('segments', segmentRows(normals, units, shardNo));
}

function* segmentRows(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  shardNo: Int32Array,
): Generator<Row> {
  for (const [index, unit] of units.entries()) {
    const shard = shardNo[index]!;
    yield [
      unit.position,
      sourceHashHex(normals[index]!),
      unit.source,
      unit.target,
      unit.tuid && cut(unit.tuid),
      unit.changedate,
      shard === noShard ? null : shard,
    ];
  }
}

/** A name that is cut does not end in half a character. */
function cut(tuid: string): string {
  return tuid.slice(0, longestTuid).replace(/[\ud800-\udbff]$/, '');
}
