import { readTmx, type TmxPair, XmlFileError } from '#server/formats/tmx/reader.ts';
import { type LanguageCode, readDeclaredVariant } from '#server/languages.ts';
import { normalForm, type TextContext, textContext } from '#server/matching/normal-form.ts';
import { releaseBytes } from '../release-bytes.ts';
import { assignShards, type MemoryUnit, packSegments, packShard, type RowPiece } from './index-memory.ts';

export interface ReadMemoryPayload {
  bytes: Uint8Array;
  source: { tag: string; code: LanguageCode };
  target: { tag: string; code: LanguageCode };
}

/** The result of reading a TM file, in numbers. */
export interface MemorySummary {
  /** The number of all units in the file. */
  totalUnits: number;
  /** The number of units that lack a text in one of the two languages. */
  skippedUnits: number;
  duplicatesDropped: number;
  /** The number of segments to store. */
  segments: number;
}

/**
 * A piece of the result. The first one is the summary, or the reason of a rejection. The others are rows for the
 * segments and their fuzzy index.
 */
export type MemoryPiece =
  | ({ kind: 'summary' } & MemorySummary)
  | { kind: 'refused'; message: string }
  | RowPiece;

/**
 * Reads a TMX file and yields the data to store. A rejection is a result and not an error, because error classes are
 * lost between processes.
 */
export function* readMemoryTask(payload: ReadMemoryPayload): Generator<MemoryPiece, void> {
  const read = readUnits(payload);
  if ('refused' in read) {
    yield { kind: 'refused', message: read.refused };
    return;
  }
  releaseBytes(payload.bytes);
  yield { kind: 'summary', ...read.summary };
  const { normals, units } = read;
  const { shardNo: shardOf, members } = assignShards(normals, units);
  let stored = 0;
  // PostgreSQL stores the segments of a shard while this process builds the index of the shard.
  for (const [shardNo, indexes] of members.entries()) {
    const end = indexes.at(-1)! + 1;
    yield* packSegments(normals, units, shardOf, [stored, end]);
    stored = end;
    yield* packShard({
      shardNo,
      normals: indexes.map((index) => normals[index]!),
      segmentNos: indexes.map((index) => units[index]!.position),
    });
  }
  yield* packSegments(normals, units, shardOf, [stored, units.length]);
}

const contextOf = (context: TmxPair['context']): TextContext | null =>
  context && (context.isHashed ? context : textContext(context.before, context.after));

interface ReadUnits {
  summary: MemorySummary;
  /** The sources of the segments in normal form. */
  normals: string[];
  units: MemoryUnit[];
}

/** Returns a string with its own characters. A part of a string would keep all of the file in memory. */
const copyOf = (text: string) => Buffer.from(text).toString();

/**
 * Reads the units of a file. Of units with equal sources, those with the most recent changedate are kept, each different
 * translation once; the last one is served (`exact-match.ts`).
 */
function readUnits({ bytes, source, target }: ReadMemoryPayload): ReadUnits | { refused: string } {
  /** The segments by the normal form of their sources, and by their translations. */
  const units = new Map<string, Map<string, MemoryUnit>>();
  let position = 0;
  /** Many units have the same one. */
  let changedate: string | null = null;
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
        const source = copyOf(pair.source);
        const normal = normalForm(source);
        if (changedate !== pair.changedate) changedate = pair.changedate && copyOf(pair.changedate);
        const translations = units.get(normal) ?? new Map<string, MemoryUnit>();
        units.set(normal, translations);
        const [known] = translations.values();
        const [before, date] = [known?.changedate ?? '', pair.changedate ?? ''];
        // A later date replaces what was translated before. Of translations without that, none is better than another.
        if (known && before > date) return;
        if (before < date) translations.clear();
        const target = copyOf(pair.target);
        translations.set(target, {
          position,
          source,
          target,
          tuid: pair.tuid && copyOf(pair.tuid),
          changedate,
          context: contextOf(pair.context),
        });
      },
    );
    const all = [...units].flatMap(([normal, translations]) =>
      [...translations.values()].map((unit) => ({ normal, unit })),
    );
    return {
      summary: { totalUnits, skippedUnits, duplicatesDropped: position - all.length, segments: all.length },
      normals: all.map(({ normal }) => normal),
      units: all.map(({ unit }) => unit),
    };
  } catch (error) {
    if (!(error instanceof XmlFileError)) throw error;
    return { refused: error.message };
  }
}
