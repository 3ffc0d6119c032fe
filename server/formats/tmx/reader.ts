import { createParser, decodePieces, XmlFileError } from '../xml/xml-parser.ts';
import { readChangedate } from './changedate.ts';

export { XmlFileError, type XmlReason } from '../xml/xml-parser.ts';

/** Selects the variants of a unit for the source and the target. */
export interface TmxSides {
  isSource(tag: string): boolean;
  isTarget(tag: string): boolean;
  /** The declared tag. A variant with exactly this tag (ignoring case) wins over another variant of the same language. */
  sourceTag: string;
  targetTag: string;
}

/** How well a tag matches each side: 0 not at all, 1 same language, 2 declared tag. */
export interface Ranks {
  source: number;
  target: number;
}

/** More tags than a normal file has. If a hostile file has more, they are not cached. */
const maxCachedTags = 1000;

/** Returns a function that ranks tags and caches the ranks. The declared tag of one side never matches the other side. */
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
    if (known.size < maxCachedTags) known.set(tag, ranks);
    return ranks;
  };
}

export interface TmxSummary {
  /** All `<tu>` of the body. */
  units: number;
  /** Units without a usable source and target. */
  skipped: number;
}

/** Inline elements with native code, or with text that is not part of the segment. They are removed with their content. */
const containers: ReadonlySet<string> = new Set(['bpt', 'ept', 'ph', 'it', 'ut', 'sub']);

/** The expected depth of each element. At another depth the element is ignored. */
const depths = { tmx: 1, body: 2, tu: 3, tuv: 4, seg: 5 } as const;

/**
 * Calls `onPair` for each unit of a TMX file that has both sides, in file order. If several variants match the same side, the
 * one with the declared tag counts, else the first. Variants without text never count. Whitespace is kept, with line ends as
 * `\n`. Inline markup is removed, except for the text inside `hi`.
 *
 * If this function throws, discard the pairs of earlier calls.
 *
 * @param onSkipped called with the line of each unit that lacks a side
 * @throws {XmlFileError}
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
  /** The depth inside a container; 0 outside. */
  let dropped = 0;
  let text = '';

  const openVariant = (attributes: Record<string, string>): Variant | undefined => {
    // TMX before 1.4 uses `lang`.
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
        throw new XmlFileError(
          'wrong_root',
          'the file is XML but no TMX: its root element is not <tmx>',
          line,
        );
      } else if (depth === depths.body) {
        inBody = name === 'body';
      } else if (depth === depths.tu && inBody && name === 'tu') {
        summary.units += 1;
        const { tuid, changedate } = attributes;
        unit = { line, tuid, changedate, source: undefined, target: undefined };
      } else if (depth === depths.tuv && unit && name === 'tuv') {
        variant = openVariant(attributes);
      } else if (depth === depths.seg && variant && name === 'seg') {
        // The format allows one `<seg>`. If there are several, the first non-empty one counts.
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
  for (const piece of decodePieces(bytes, 'a TMX file')) parser.write(piece);
  parser.close();
  return summary;
}

/** A unit's texts in the two requested languages. */
export interface TmxPair {
  /** The physical line of the `<tu>`, from 1. */
  line: number;
  source: string;
  target: string;
  /** As written. */
  sourceTag: string;
  targetTag: string;
  tuid: string | null;
  /** ISO 8601 in UTC to the second, from the unit, else from its target, else from its source. Null if none is valid. */
  changedate: string | null;
}

/** A `<tuv>` in one of the requested languages. */
export interface Variant {
  tag: string;
  ranks: Ranks;
  changedate: string | undefined;
  text: string;
}

/** A `<tu>`, with its best variant for each side so far. */
export interface Unit {
  line: number;
  tuid: string | undefined;
  changedate: string | undefined;
  source: Variant | undefined;
  target: Variant | undefined;
}

/** Uses a complete variant for each side on which it ranks higher than the current one. Ignores variants without text. */
export function takeVariant(unit: Unit, variant: Variant): void {
  if (!/[^\s\p{White_Space}]/u.test(variant.text)) return;
  if (variant.ranks.source > (unit.source?.ranks.source ?? 0)) unit.source = variant;
  if (variant.ranks.target > (unit.target?.ranks.target ?? 0)) unit.target = variant;
}

/** Returns the pair of a complete unit; undefined if it lacks a side. */
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
