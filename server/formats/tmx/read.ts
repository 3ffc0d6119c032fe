import { decodePieces } from './decode.ts';
import { TmxError } from './error.ts';
import { createParser } from './parser.ts';
import { createRanking, type TmxSides } from './sides.ts';
import { pairOf, type TmxPair, takeVariant, type Unit, type Variant } from './unit.ts';

export interface TmxSummary {
  /** All `<tu>` of the body. */
  units: number;
  /** Those without a usable source and target. */
  skipped: number;
}

/** Inline elements that hold native code, or text that is not the segment's: dropped with all that is in them (B 4.4). */
const containers: ReadonlySet<string> = new Set(['bpt', 'ept', 'ph', 'it', 'ut', 'sub']);

/** Elements count at their own depth only. */
const depths = { tmx: 1, body: 2, tu: 3, tuv: 4, seg: 5 } as const;

/**
 * Calls `onPair` for each unit of a TMX file that has both sides, in the order of the file. Of two variants that read as
 * the same side, the one with the declared tag counts, else the first; one without text never does. Whitespace is kept as
 * written, line ends as `\n`; of inline markup only what `hi` highlights is kept.
 *
 * Pairs that were given before it throws are void.
 * @param onSkipped told the line of each unit that lacks a side
 *
 * @throws {TmxError}
 */
export function readTmx(
  bytes: Uint8Array,
  sides: TmxSides,
  onPair: (pair: TmxPair) => void,
  onSkipped: (line: number) => void = () => {},
): TmxSummary {
  const ranksOf = createRanking(sides);
  const summary: TmxSummary = { units: 0, skipped: 0 };
  let depth = 0;
  let inBody = false;
  let unit: Unit | undefined;
  let variant: Variant | undefined;
  let inSegment = false;
  /** How deep in a container; 0 outside. */
  let dropped = 0;
  let text = '';

  const openVariant = (attributes: Record<string, string>): Variant | undefined => {
    // TMX before 1.4 wrote the latter.
    const tag = attributes['xml:lang'] || attributes['lang'] || '';
    const ranks = ranksOf(tag);
    if (ranks.source === 0 && ranks.target === 0) return undefined;
    return { tag, ranks, changedate: attributes['changedate'], text: '' };
  };
  const parser = createParser({
    open: (name, attributes, line) => {
      depth += 1;
      if (depth > depths.seg) {
        if (dropped > 0 || (inSegment && containers.has(name))) dropped += 1;
      } else if (depth === depths.tmx && name !== 'tmx') {
        throw new TmxError('not_tmx', 'the file is XML but no TMX: its root element is not <tmx>', line);
      } else if (depth === depths.body) {
        inBody = name === 'body';
      } else if (depth === depths.tu && inBody && name === 'tu') {
        summary.units += 1;
        const { tuid, changedate } = attributes;
        unit = { line, tuid, changedate, source: undefined, target: undefined };
      } else if (depth === depths.tuv && unit && name === 'tuv') {
        variant = openVariant(attributes);
      } else if (depth === depths.seg && variant && name === 'seg') {
        // The format has one; of several the first counts that is not empty.
        inSegment = variant.text === '';
      }
    },
    text: (piece) => {
      if (inSegment && dropped === 0) text += piece;
    },
    close: () => {
      depth -= 1;
      if (depth >= depths.seg) {
        if (dropped > 0) dropped -= 1;
      } else if (inSegment && variant) {
        variant.text = text;
        text = '';
        inSegment = false;
      } else if (depth < depths.tuv && variant && unit) {
        takeVariant(unit, variant);
        variant = undefined;
      } else if (depth < depths.tu && unit) {
        const pair = pairOf(unit);
        if (pair) onPair(pair);
        else {
          summary.skipped += 1;
          onSkipped(unit.line);
        }
        unit = undefined;
      }
    },
  });
  for (const piece of decodePieces(bytes)) parser.write(piece);
  parser.close();
  return summary;
}
