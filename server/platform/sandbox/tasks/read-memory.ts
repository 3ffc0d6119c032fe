import { readTmx, XmlFileError } from '#server/formats/tmx/reader.ts';
import { type LanguageCode, readDeclaredVariant } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { releaseBytes } from '../release-bytes.ts';
import { assignShards, type MemoryUnit, packSegments, packShard, type RowPiece } from './index-memory.ts';

export interface ReadMemoryPayload {
  bytes: Uint8Array;
  source: { tag: string; code: LanguageCode };
  target: { tag: string; code: LanguageCode };
}

/** The result of reading a memory file. */
export interface MemorySummary {
  /** All units of the file. */
  totalUnits: number;
  /** Units without a text in both languages. */
  skippedUnits: number;
  duplicatesDropped: number;
  /** The number of stored segments. */
  segments: number;
}

/** First the summary, or the reason of a rejection; then, as rows, the segments and their fuzzy index. */
export type MemoryPiece =
  | ({ kind: 'summary' } & MemorySummary)
  | { kind: 'refused'; message: string }
  | RowPiece;

/** Reads a TMX file and returns the data to store. A rejection is a result, because error classes do not cross processes. */
export function* readMemoryTask(payload: ReadMemoryPayload): Generator<MemoryPiece, void> {
  const read = readUnits(payload);
  if ('refused' in read) {
    yield { kind: 'refused', message: read.refused };
    return;
  }
  releaseBytes(payload.bytes);
  yield { kind: 'summary', ...read.summary };
  const { normals, units } = read;
  const shards = assignShards(normals, units);
  yield* packSegments(normals, units, shards);
  for (const [shardNo, indexes] of shards.members.entries())
    yield* packShard({
      shardNo,
      normals: indexes.map((index) => normals[index]!),
      segmentNos: indexes.map((index) => units[index]!.position),
    });
}

interface ReadUnits {
  summary: MemorySummary;
  /** The sources of the units in normal form. */
  normals: string[];
  units: MemoryUnit[];
}

/** Reads the units of a file, and keeps one unit for each source. */
function readUnits({ bytes, source, target }: ReadMemoryPayload): ReadUnits | { refused: string } {
  /** By normal form of the source. */
  const units = new Map<string, MemoryUnit>();
  let position = 0;
  try {
    const { units: totalUnits, skipped: skippedUnits } = readTmx(
      bytes,
      {
        isSource: (tag) => readDeclaredVariant(tag, source.code) === source.code,
        isTarget: (tag) => readDeclaredVariant(tag, target.code) === target.code,
        sourceTag: source.tag,
        targetTag: target.tag,
      },
      (pair) => {
        position += 1;
        const normal = normalForm(pair.source);
        const known = units.get(normal);
        // Keep the unit with the most recent changedate; for equal dates, the later unit.
        if (known && (known.changedate ?? '') > (pair.changedate ?? '')) return;
        units.set(normal, {
          position,
          source: pair.source,
          target: pair.target,
          tuid: pair.tuid,
          changedate: pair.changedate,
        });
      },
    );
    const duplicatesDropped = position - units.size;
    return {
      summary: { totalUnits, skippedUnits, duplicatesDropped, segments: units.size },
      normals: [...units.keys()],
      units: [...units.values()],
    };
  } catch (error) {
    if (!(error instanceof XmlFileError)) throw error;
    return { refused: error.message };
  }
}
