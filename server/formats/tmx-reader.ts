import { readChangedate } from './tmx/changedate.ts';
import { createParser, decodePieces, TmxError } from './tmx/tmx-parser.ts';

export { TmxError, type TmxReason } from './tmx/tmx-parser.ts';

/** Which variants of a unit are asked for. */
export interface TmxSides {
  isSource(tag: string): boolean;
  isTarget(tag: string): boolean;
  /** As declared: a variant with this very tag, in any case, wins over another that reads the same. */
  sourceTag: string;
  targetTag: string;
}

/** How well a tag fits each side: 0 not at all, 1 it reads the same, 2 it is the declared one. */
export interface Ranks {
  source: number;
  target: number;
}

/** More tags than any file has; what a hostile one has beyond them is looked at again each time. */
const mostKnown = 1000;

/** The ranks of tags, each worked out once. The tag that one side was declared with is never the other's. */
export function createRanking(sides: TmxSides): (tag: string) => Ranks {
  const sourceTag = sides.sourceTag.toLowerCase();
  const targetTag = sides.targetTag.toLowerCase();
  const known = new Map<string, Ranks>();
  const rank = (tag: string): Ranks => {
    const spelled = tag.toLowerCase();
    const isSourceTag = spelled === sourceTag;
    const isTargetTag = spelled === targetTag;
    return {
      source: isSourceTag ? 2 : Number(!isTargetTag && sides.isSource(tag)),
      target: isTargetTag ? 2 : Number(!isSourceTag && sides.isTarget(tag)),
    };
  };
  return (tag) => {
    const before = known.get(tag);
    if (before) return before;
    const ranks = rank(tag);
    if (known.size < mostKnown) known.set(tag, ranks);
    return ranks;
  };
}

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
 * If it throws, discard the pairs of earlier calls.
 *
 * @param onSkipped called with the line of each unit that lacks a side
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

/** A unit's texts in the two languages that were asked for. */
export interface TmxPair {
  /** Physical line of the `<tu>`, from 1. */
  line: number;
  source: string;
  target: string;
  /** As written. */
  sourceTag: string;
  targetTag: string;
  tuid: string | null;
  /** ISO 8601 in UTC to the second: the unit's, else its target's, else its source's. Null where none can be read. */
  changedate: string | null;
}

/** A `<tuv>` in a language that counts. */
export interface Variant {
  tag: string;
  ranks: Ranks;
  changedate: string | undefined;
  text: string;
}

/** A `<tu>`, and the variants that would be its sides. */
export interface Unit {
  line: number;
  tuid: string | undefined;
  changedate: string | undefined;
  source: Variant | undefined;
  target: Variant | undefined;
}

/** Takes a variant that was read to its end for the sides that no better one has; one without text for neither. */
export function takeVariant(unit: Unit, variant: Variant): void {
  if (!/[^\s\p{White_Space}]/u.test(variant.text)) return;
  if (variant.ranks.source > (unit.source?.ranks.source ?? 0)) unit.source = variant;
  if (variant.ranks.target > (unit.target?.ranks.target ?? 0)) unit.target = variant;
}

/** A unit that was read to its end; undefined where it lacks a side. */
export function pairOf({ line, tuid, changedate, source, target }: Unit): TmxPair | undefined {
  if (!source || !target || source === target) return undefined;
  return {
    line,
    source: source.text,
    target: target.text,
    sourceTag: source.tag,
    targetTag: target.tag,
    tuid: tuid || null,
    changedate:
      readChangedate(changedate) ?? readChangedate(target.changedate) ?? readChangedate(source.changedate),
  };
}
