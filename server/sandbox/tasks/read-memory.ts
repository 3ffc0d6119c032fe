import { readTmx, TmxError } from '../../formats/tmx/index.ts';
import { type LanguageCode, readDeclaredVariant } from '../../languages.ts';
import { normalForm } from '../../matching/normal-form.ts';
import type { MemoryUnit } from './memory/memory-unit.ts';
import { packSegments } from './memory/pack-segments.ts';
import { placeSegments } from './memory/places.ts';

export interface ReadMemoryPayload {
  bytes: Uint8Array;
  source: { tag: string; code: LanguageCode };
  target: { tag: string; code: LanguageCode };
}

/** A memory file as it is stored: its segments as packed rows. */
export interface ReadMemory {
  /** Units of the file. */
  totalUnits: number;
  /** Those without a text in both languages. */
  skippedUnits: number;
  duplicatesDropped: number;
  /** What is left, and stored. */
  segments: number;
  segmentRows: Uint8Array;
  /** Where their parts end. */
  ends: number[];
  /** Shards of the fuzzy index that they have their places in, and that `index_memory` builds from these rows. */
  shards: number;
}

export type ReadMemoryAnswer = ReadMemory | { refused: string };

/** Reads a TMX file down to what the database is to hold. What it refuses is an answer: classes do not cross processes. */
export function readMemoryTask({ bytes, source, target }: ReadMemoryPayload): ReadMemoryAnswer {
  /** By normal form: B 4.5 "duplicate sources collapse". */
  const units = new Map<string, MemoryUnit>();
  let position = 0;
  let summary: { units: number; skipped: number };
  try {
    summary = readTmx(
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
  } catch (error) {
    if (!(error instanceof TmxError)) throw error;
    return { refused: error.message };
  }
  const normals = [...units.keys()];
  const stored = [...units.values()];
  const places = placeSegments(normals, stored);
  const segments = packSegments(normals, stored, places);
  return {
    totalUnits: summary.units,
    skippedUnits: summary.skipped,
    duplicatesDropped: position - stored.length,
    segments: stored.length,
    segmentRows: segments.bytes,
    ends: segments.ends,
    shards: places.shards,
  };
}
