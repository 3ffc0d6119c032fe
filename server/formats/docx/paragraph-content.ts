import type { InlineContent } from '../inline-content.ts';
import type { FieldStack } from './fields.ts';
import { type NoBreakWords, replaceNoBreakHyphens } from './hyphens.ts';
import { letter } from './kept-content.ts';
import { type Node, type Pair, readNodes } from './nodes.ts';
import type { Declarations, Token } from './tokens.ts';

/** The properties of a newly written run. */
export interface TextProperties {
  /** An `rPr` as written, or ''. */
  raw: string;
  declarations: Declarations | undefined;
}

/** A marker and its position in the segment's content. */
export interface PlacedMarker {
  token: Token;
  /** Before the item at this index, or inside it if it is a string. */
  index: number;
  /** UTF-16 units from the start of that string. */
  offset: number;
}

/** The content that a numbered tag represents. */
export interface TagContent {
  /** The tokens of a void, or of the opening side of a pair. */
  open: Token[];
  close: Token[];
  /**
   * The properties that most of the characters directly in the pair have; undefined for a void, or a pair without characters.
   */
  properties: TextProperties | undefined;
  /** The surrounding pair, by its tag, or 0. */
  parent: number;
}

/** A paragraph as a segment and the content around it. */
export interface ParagraphContent {
  source: InlineContent;
  /** The content before and after the segment. It stays unchanged. */
  head: Token[];
  tail: Token[];
  /** The spaces at the edges of the segment, which are not part of the source. */
  leadingSpace: string;
  trailingSpace: string;
  noBreakWords: NoBreakWords;
  /** By tag. */
  tags: Map<number, TagContent>;
  markers: PlacedMarker[];
  /** The properties for text outside all pairs. */
  properties: TextProperties;
  /** Whether the tags must keep their order. */
  isOrdered: boolean;
  /** The numbers of tags after which text is not allowed, because a field that extends beyond this paragraph would hide it. */
  inertPlaces: ReadonlySet<number>;
  /** The page on which the text starts. */
  page: number;
}

/**
 * Reads a paragraph's tokens as a segment.
 *
 * @param fields the fields that are open before the paragraph; afterwards, those after it
 * @returns undefined if there is no letter to translate
 */
export function readContent(tokens: readonly Token[], fields: FieldStack): ParagraphContent | undefined {
  const isInertBefore = fields.isInert;
  const { nodes, isOrdered } = readNodes(tokens, fields);
  if (!nodes.some(({ type, text }) => type === 'text' && letter.test(text))) return undefined;
  const [start, end] = segmentRange(nodes);
  const properties = dominantProperties(nodes);
  const content = new ContentBuilder(properties);
  const inertPlaces = new Set<number>();
  let places = 0;
  if (nodes[start - 1]?.isInertAfter ?? isInertBefore) inertPlaces.add(places);
  for (const node of nodes.slice(start, end)) {
    content.add(node);
    if (node.type === 'text' || node.type === 'marker') continue;
    places++;
    if (node.isInertAfter) inertPlaces.add(places);
  }
  const { source, tags, markers } = content;
  const { leadingSpace, trailingSpace } = trimEdges(source, markers);
  const aroundSegment = innermostPair(nodes.slice(0, start));
  return {
    source,
    head: nodes.slice(0, start).flatMap((node) => node.tokens),
    tail: nodes.slice(end).flatMap((node) => node.tokens),
    leadingSpace,
    trailingSpace,
    noBreakWords: replaceNoBreakHyphens(source),
    tags,
    markers,
    properties: properties.get(aroundSegment) ?? [...properties.values()][0]!,
    isOrdered,
    inertPlaces,
    page: nodes[start]!.tokens[0]!.page,
  };
}

/**
 * Finds the nodes of the segment: from the first text to the last, including adjacent nodes that are read as a part of the
 * sentence. The range is extended if it would split a pair. With this range a hyperlink around all of the text needs no tag,
 * and breaks, tabs and images at the edges cannot move.
 *
 * @returns the first index, and the index after the last
 */
function segmentRange(nodes: readonly Node[]): [start: number, end: number] {
  const isText = ({ type, text }: Node): boolean => type === 'text' && text.trim() !== '';
  const isSpoken = ({ isPartOfSentence, text }: Node): boolean =>
    isPartOfSentence === true && !/[\t\n]/.test(text);
  const farthest = (from: number, step: 1 | -1): number => {
    let last = from;
    for (let at = from; at >= 0 && at < nodes.length; at += step) {
      const node = nodes[at]!;
      if (isText(node) || isSpoken(node)) last = at;
      else if (node.type === 'void') break;
    }
    return last;
  };
  let start = farthest(nodes.findIndex(isText), -1);
  let end = farthest(nodes.findLastIndex(isText), 1) + 1;
  const sides = new Map<Pair, { open: number; close: number }>();
  for (const [index, { type, pair }] of nodes.entries()) {
    if (type === 'open') sides.set(pair!, { open: index, close: -1 });
    else if (type === 'close') sides.get(pair!)!.close = index;
  }
  // Pairs are well nested. Of the pairs that the range splits at its end, the outermost opens first; at its start it closes
  // last.
  for (const { open, close } of sides.values()) {
    const opensInside = open >= start && open < end;
    const closesInside = close >= start && close < end;
    if (opensInside && close >= end) end = close + 1;
    else if (closesInside && open < start) start = open;
  }
  return [start, end];
}

const noPair = Symbol('outside all pairs');
type Around = Pair | typeof noPair;

function innermostPair(nodes: readonly Node[]): Around {
  const open: Pair[] = [];
  for (const { type, pair } of nodes) {
    if (type === 'open') open.push(pair!);
    else if (type === 'close') open.pop();
  }
  return open.at(-1) ?? noPair;
}

/** Returns the properties of most of the characters directly in each pair. The map starts with the pair of the first text. */
function dominantProperties(nodes: readonly Node[]): Map<Around, TextProperties> {
  const counts = new Map<Around, Map<string, { properties: TextProperties; length: number }>>();
  const open: Pair[] = [];
  for (const { type, pair, tokens, text } of nodes) {
    if (type === 'open') open.push(pair!);
    else if (type === 'close') open.pop();
    else if (type === 'text' && text !== '') {
      const { run, properties = run?.properties ?? '' } = tokens[0]!;
      const around = open.at(-1) ?? noPair;
      const ofPair = counts.get(around) ?? new Map();
      counts.set(around, ofPair);
      const count = ofPair.get(properties);
      if (count) count.length += text.length;
      else
        ofPair.set(properties, {
          properties: { raw: properties, declarations: run?.declarations },
          length: text.length,
        });
    }
  }
  const dominant = new Map<Around, TextProperties>();
  for (const [around, ofPair] of counts) {
    let longest: { properties: TextProperties; length: number } | undefined;
    for (const count of ofPair.values()) if (!longest || count.length > longest.length) longest = count;
    dominant.set(around, longest!.properties);
  }
  return dominant;
}

class ContentBuilder {
  readonly source: InlineContent = [];
  readonly tags = new Map<number, TagContent>();
  readonly markers: PlacedMarker[] = [];
  readonly #properties: Map<Around, TextProperties>;
  readonly #open: number[] = [];

  constructor(properties: Map<Around, TextProperties>) {
    this.#properties = properties;
  }

  add({ type, text, tokens, pair }: Node): void {
    const last = this.source.at(-1);
    if (type === 'text') {
      if (text === '') return;
      if (typeof last === 'string') this.source[this.source.length - 1] = last + text;
      else this.source.push(text);
    } else if (type === 'marker') {
      const inString = typeof last === 'string';
      const index = this.source.length - (inString ? 1 : 0);
      for (const token of tokens) this.markers.push({ token, index, offset: inString ? last.length : 0 });
    } else if (type === 'close') {
      const tag = this.#open.pop()!;
      this.tags.get(tag)!.close = tokens;
      this.source.push({ tag, type });
    } else {
      const tag = this.tags.size + 1;
      const properties = pair && this.#properties.get(pair);
      this.tags.set(tag, { open: tokens, close: [], properties, parent: this.#open.at(-1) ?? 0 });
      if (type === 'open') this.#open.push(tag);
      this.source.push(text === '' ? { tag, type } : { tag, type, text });
    }
  }
}

/** Removes the spaces at the edges of the source. */
function trimEdges(
  source: InlineContent,
  markers: PlacedMarker[],
): { leadingSpace: string; trailingSpace: string } {
  let leadingSpace = '';
  let trailingSpace = '';
  const first = source[0];
  if (typeof first === 'string') {
    const trimmed = first.trimStart();
    leadingSpace = first.slice(0, first.length - trimmed.length);
    source[0] = trimmed;
    for (const marker of markers)
      if (marker.index === 0) marker.offset = Math.max(0, marker.offset - leadingSpace.length);
  }
  const last = source.at(-1);
  if (typeof last === 'string') {
    const trimmed = last.trimEnd();
    trailingSpace = last.slice(trimmed.length);
    source[source.length - 1] = trimmed;
    for (const marker of markers)
      if (marker.index === source.length - 1) marker.offset = Math.min(trimmed.length, marker.offset);
  }
  return { leadingSpace, trailingSpace };
}
