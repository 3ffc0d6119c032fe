import { createParser, decodePieces, XmlFileError } from '../xml/xml-parser.ts';
import { readChangedate } from './changedate.ts';
import { contextType, type TmxContext } from './writer.ts';

export { XmlFileError } from '../xml/xml-parser.ts';

/** Determines which variants of a unit belong to the source language and which to the target language. */
export interface TmxSides {
  isSource(tag: string): boolean;
  isTarget(tag: string): boolean;
  /**
   * The language tags that the upload declares. A variant with exactly this tag (ignoring case) is used before other
   * variants of the same language.
   */
  sourceTag: string;
  targetTag: string;
}

/** How well a language tag matches each side: 0 if it does not, 1 for the same language, 2 for the declared tag. */
interface Ranks {
  source: number;
  target: number;
}

/** The maximum number of cached tags. Normal files have fewer; a hostile file may have more. */
const maxCachedTags = 1000;

/**
 * Returns a function that returns the ranks of a language tag and caches them. The tag declared for one side never
 * matches the other side.
 */
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
  /** The number of `<tu>` elements in the body. */
  units: number;
  /** The number of units without a usable source or target. */
  skipped: number;
}

/**
 * Inline elements that contain native code, or text that is not part of the segment. They are removed with their
 * content.
 */
const containers: ReadonlySet<string> = new Set(['bpt', 'ept', 'ph', 'it', 'ut', 'sub']);

/**
 * The types of the properties that contain the text before or after a unit: of OmegaT, then of memoQ and MateCat. Ours
 * contains hashes of both texts.
 */
const contextSides = new Map<string | undefined, 'before' | 'after' | 'hashes'>([
  ['prev', 'before'],
  ['next', 'after'],
  ['x-context-pre', 'before'],
  ['x-context-post', 'after'],
  [contextType, 'hashes'],
]);

/** The depth at which each element is expected. An element at another depth is ignored. */
const depths = { tmx: 1, body: 2, tu: 3, tuv: 4, seg: 5 } as const;

/**
 * Calls `onPair` for each unit of a TMX file that has both sides, in file order. If several variants match the same
 * side, the one with the declared tag is used, otherwise the first one. Variants without text are ignored. Whitespace
 * is kept, with line ends as `\n`. Inline markup is removed; only the text inside `hi` elements is kept.
 *
 * If this function throws, the caller must discard the pairs that it has already received.
 *
 * @param onSkipped is called with the line of each unit without a source or target
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
  let property: 'before' | 'after' | 'hashes' | undefined;
  /** The number of open elements from the outermost container on; 0 outside of containers. */
  let dropped = 0;
  let text = '';

  const openVariant = (attributes: Record<string, string>): Variant | undefined => {
    // Versions of TMX before 1.4 use the attribute `lang`.
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
          'the file is XML but not TMX: its root element is not <tmx>',
          line,
        );
      } else if (depth === depths.body) {
        inBody = name === 'body';
      } else if (depth === depths.tu && inBody && name === 'tu') {
        summary.units += 1;
        const { tuid, changedate } = attributes;
        unit = { line, tuid, changedate, context: {}, source: undefined, target: undefined };
      } else if (name === 'prop' && unit && (depth === depths.tuv || variant?.ranks.source)) {
        property = contextSides.get(attributes['type']);
      } else if (depth === depths.tuv && unit && name === 'tuv') {
        variant = openVariant(attributes);
      } else if (depth === depths.seg && variant && name === 'seg') {
        // TMX allows one `<seg>` in a variant. If there are several, the first one with text is used.
        inSegment = variant.text === '';
      }
    },
    text: (piece) => {
      if ((inSegment && dropped === 0) || property) text += piece;
    },
    close: () => {
      depth -= 1;
      if (depth >= depths.seg) {
        if (dropped > 0) dropped -= 1;
      } else if (property && unit) {
        unit.context[property] ??= text;
        text = '';
        property = undefined;
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

/** The texts of a unit in the two requested languages. */
export interface TmxPair {
  /** The physical line of the `<tu>` element, from 1. */
  line: number;
  source: string;
  target: string;
  /** The language tags as the file contains them. */
  sourceTag: string;
  targetTag: string;
  tuid: string | null;
  /**
   * The date of the unit; if it has none, that of its target or else of its source. ISO 8601 in UTC with seconds; null
   * if there is no valid date.
   */
  changedate: string | null;
  /** Null if the file has no context of the unit. */
  context: (TmxContext & { isHashed: boolean }) | null;
}

/** A `<tuv>` element in one of the requested languages. */
export interface Variant {
  tag: string;
  ranks: Ranks;
  changedate: string | undefined;
  text: string;
}

/** A `<tu>` element with the best variant so far for each side. */
export interface Unit {
  line: number;
  tuid: string | undefined;
  changedate: string | undefined;
  /** The contents of the properties with the context. */
  context: { before?: string; after?: string; hashes?: string };
  source: Variant | undefined;
  target: Variant | undefined;
}

/**
 * Sets a complete variant as the source or target of a unit, if it has a higher rank than the current one. Ignores
 * variants without text.
 */
function takeVariant(unit: Unit, variant: Variant): void {
  if (!/[^\s\p{White_Space}]/u.test(variant.text)) return;
  if (variant.ranks.source > (unit.source?.ranks.source ?? 0)) unit.source = variant;
  if (variant.ranks.target > (unit.target?.ranks.target ?? 0)) unit.target = variant;
}

/** Returns the pair of a complete unit; undefined if the unit has no source or no target. */
export function pairOf({ line, tuid, changedate, context, source, target }: Unit): TmxPair | undefined {
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
    context: contextOf(context),
  };
}

function contextOf({ before, after, hashes }: Unit['context']): TmxPair['context'] {
  const read = /^([\da-f]{16})? ([\da-f]{16})?$/.exec(hashes ?? '');
  const isHashed = read !== null;
  const context = isHashed
    ? { before: read[1] ?? null, after: read[2] ?? null, isHashed }
    : { before: plainText(before), after: plainText(after), isHashed };
  return context.before === null && context.after === null ? null : context;
}

/** Returns the text of a property; null if it is empty. memoQ writes a whole `<seg>` element with inline elements. */
function plainText(text = ''): string | null {
  if (!text.startsWith('<seg>')) return text.trim() || null;
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return (
    text
      .replace(/<[^<>]*>/g, '')
      .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name]!)
      .trim() || null
  );
}
