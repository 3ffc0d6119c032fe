import { readTmx, XmlFileError } from '#server/formats/tmx/reader.ts';
import { type LanguageCode, readDeclaredVariant } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { releaseBytes } from '../release-bytes.ts';
import { type MemoryUnit, packSegments, packShard, type RowPiece, shareOut } from './index-memory.ts';

export interface ReadMemoryPayload {
  bytes: Uint8Array;
  source: { tag: string; code: LanguageCode };
  target: { tag: string; code: LanguageCode };
}

/** What a memory file came to. */
export interface MemorySummary {
  /** Units of the file. */
  totalUnits: number;
  /** Those without a text in both languages. */
  skippedUnits: number;
  duplicatesDropped: number;
  /** What is left, and stored. */
  segments: number;
}

/** First what the file came to, or why it is refused; then, as rows, its segments and their fuzzy index. */
export type MemoryPiece =
  | ({ kind: 'summary' } & MemorySummary)
  | { kind: 'refused'; message: string }
  | RowPiece;

/** Reads a TMX file down to what the database is to hold. A refusal is a result, because error classes do not cross processes. */
export function* readMemoryTask(payload: ReadMemoryPayload): Generator<MemoryPiece, void> {
  const read = readUnits(payload);
  if ('refused' in read) {
    yield { kind: 'refused', message: read.refused };
    return;
  }
  releaseBytes(payload.bytes);
  yield { kind: 'summary', ...read.summary };
  const { normals, units } = read;
  const shards = shareOut(normals, units);
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
  /** Their sources in normal form. */
  normals: string[];
  units: MemoryUnit[];
}

/** The units of a file, those of one source as one. */
function readUnits({ bytes, source, target }: ReadMemoryPayload): ReadUnits | { refused: string } {
  /** By normal form: B 4.5 "duplicate sources collapse". */
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
        // C 7: the newest changedate, then the last.
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
