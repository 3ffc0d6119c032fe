import type { InlineContent } from '../../inline-content.ts';
import { cutAtBlanks, hasLetter, isBlank, type NodeRange, sidesOfTabs } from './blanks.ts';
import type { FieldStack } from './fields.ts';
import { withFormats } from './format-spans.ts';
import { type NoBreakWords, replaceNoBreakHyphens } from './hyphens.ts';
import { type Node, type Pair, readNodes } from './nodes.ts';
import { keyOfFormat, type TextFormat } from './text-format.ts';
import type { Declarations, Token } from './tokens.ts';

/** The run properties of text that is newly written. */
export interface TextProperties {
  /** The XML of the `rPr` element; '' if missing. */
  raw: string;
  declarations: Declarations | undefined;
  format: TextFormat;
}

/** A marker with its position in the segment's content. */
export interface PlacedMarker {
  token: Token;
  /** The marker is before the content item at this index, or inside this item if it is a string. */
  index: number;
  /** The offset of the marker in that string, in UTF-16 units. */
  offset: number;
}

/** The content that a numbered tag represents. */
interface TagContent {
  /** The tokens of a void, or of the opening end of a pair. */
  open: Token[];
  close: Token[];
  /**
   * The properties that most of the characters directly in the pair have; undefined for a void, and for a pair without
   * characters.
   */
  properties: TextProperties | undefined;
  /** The number of the innermost link or field around the tag; 0 if missing. */
  parent: number;
  /** Whether the tag only formats its text, so that it may be missing in a translation. */
  isFormat: boolean;
}

/** A paragraph as a segment, with the content around the segment. */
export interface ParagraphContent {
  source: InlineContent;
  /**
   * The tokens before the segment, and (`tail`) those after it: a blank of a form, or all tokens after the last segment
   * of the paragraph. They are written unchanged, but a blank may become shorter.
   */
  head: Token[];
  tail: Token[];
  /** The tokens of the segment. */
  body: Token[];
  /** The spaces at the start and (`trailingSpace`) at the end of the segment. They are not part of the source. */
  leadingSpace: string;
  trailingSpace: string;
  noBreakWords: NoBreakWords;
  /** The content that each tag represents, by the number of the tag. */
  tags: Map<number, TagContent>;
  markers: PlacedMarker[];
  /** The properties of text that is outside all pairs. */
  properties: TextProperties;
  /** Whether the tags of a translation must be in the order of the source. */
  isOrdered: boolean;
  /**
   * Positions between the tags at which text is not allowed: n is the position after the first n tags, not counting
   * those of formatting. Text is not allowed there because a field that extends beyond this paragraph would hide it.
   */
  inertPlaces: ReadonlySet<number>;
  /** Whether the formatting changes so often that some of it has no tag. */
  isSimplified: boolean;
  /** The page on which the text starts. */
  page: number;
}

/** The segments of a paragraph. */
export interface ParagraphTexts {
  /** The texts on the sides of tabs and blanks, or the whole text, in order. */
  parts: ParagraphContent[];
  /** Whether the only part is the whole text. */
  isWhole: boolean;
}

/**
 * Reads a paragraph's tokens as segments.
 *
 * @param fields the fields that are open before the paragraph; this function updates them to those that are open after
 *   it
 * @returns undefined if the paragraph has no letter to translate
 */
export function readContent(tokens: readonly Token[], fields: FieldStack): ParagraphTexts | undefined {
  const isInertBefore = fields.isInert;
  const { nodes: read, isOrdered } = readNodes(tokens, fields);
  if (!read.some(hasLetter)) return undefined;
  const nodes = cutAtBlanks(read);
  const range = segmentRange(nodes);
  const sides = sidesOfTabs(nodes, range).map(([from, to]): NodeRange => {
    const [first, last] = segmentRange(nodes.slice(from, to));
    return [from + first, from + last];
  });
  let written = 0;
  const parts = sides.map(([start, end], index): ParagraphContent => {
    const before = nodes.slice(written, start);
    const isLast = index === sides.length - 1;
    written = isLast ? nodes.length : end + (isBlank(nodes[end]!) ? 1 : 0);
    const after = nodes.slice(end, written);
    const isInert = nodes[start - 1]?.isInertAfter ?? isInertBefore;
    return {
      ...contentOf(nodes.slice(start, end), isInert),
      isOrdered,
      head: tokensOf(before),
      tail: tokensOf(after),
    };
  });
  const isWhole = sides.length === 1 && sides[0]![0] === range[0] && sides[0]![1] === range[1];
  return { parts, isWhole };
}

function tokensOf(nodes: readonly Node[]): Token[] {
  return nodes.flatMap(({ tokens }) => tokens);
}

/** @param isInert whether text directly before the nodes would be in the code or the live result of a field */
function contentOf(
  plain: readonly Node[],
  isInert: boolean,
): Omit<ParagraphContent, 'isOrdered' | 'head' | 'tail'> {
  const properties = dominantProperties(plain);
  const { nodes, isSimplified } = withFormats(plain, (pair) => properties.get(pair ?? noPair)?.format ?? {});
  addFormatProperties(nodes, properties);
  const content = new ContentBuilder(nodes, properties);
  const inertPlaces = new Set<number>();
  let places = 0;
  if (isInert) inertPlaces.add(places);
  for (const node of nodes) {
    content.add(node);
    if (node.type === 'text' || node.type === 'marker' || node.format) continue;
    places++;
    if (node.isInertAfter) inertPlaces.add(places);
  }
  const { source, tags, markers } = content;
  const { leadingSpace, trailingSpace } = trimEdges(source, markers);
  return {
    source,
    body: tokensOf(plain),
    leadingSpace,
    trailingSpace,
    noBreakWords: replaceNoBreakHyphens(source),
    tags,
    markers,
    properties: properties.get(noPair) ?? [...properties.values()][0]!,
    inertPlaces,
    isSimplified,
    page: plain[0]!.tokens[0]!.page,
  };
}

/**
 * Finds the nodes of the segment: from the first text to the last, including adjacent nodes that are read as a part of
 * the sentence. If this range would split a pair, it is extended to contain the whole pair. A hyperlink around all of
 * the text is therefore outside of the segment and needs no tag. Breaks, tabs and images at the edges are also outside,
 * so they cannot move.
 *
 * @returns the index of the first node, and the index after the last node
 */
function segmentRange(nodes: readonly Node[]): NodeRange {
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
  // One pass is enough, because pairs are well nested and sorted by their starts: of the pairs that the range splits at
  // its end, the outermost comes first; of those that the range splits at its start, the innermost comes last.
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

/**
 * For each pair, returns the properties of the usual format of the text directly in the pair: the format that most of
 * the characters have. The map starts with the pair around the first text.
 */
function dominantProperties(nodes: readonly Node[]): Map<Around, TextProperties> {
  const texts = new Map<Around, Node[]>();
  const open: Pair[] = [];
  for (const node of nodes) {
    if (node.type === 'open') open.push(node.pair!);
    else if (node.type === 'close') open.pop();
    else if (node.type === 'text' && node.text !== '') {
      const around = open.at(-1) ?? noPair;
      const ofPair = texts.get(around);
      if (ofPair) ofPair.push(node);
      else texts.set(around, [node]);
    }
  }
  return new Map([...texts].map(([around, ofPair]) => [around, mostFrequent(ofPair)]));
}

/**
 * Adds the properties of the text in each pair that only formats its text. Signs and spaces between formatted words are
 * in the pair too, but may not have its formatting.
 */
function addFormatProperties(nodes: readonly Node[], properties: Map<Around, TextProperties>): void {
  for (const [index, { type, pair, format }] of nodes.entries()) {
    if (type !== 'open' || !format) continue;
    const end = nodes.findIndex((node, at) => at > index && node.type === 'close');
    const texts = nodes.slice(index + 1, end).filter((node) => node.type === 'text');
    const words = texts.filter(({ text: word }) => /[\p{L}\p{N}]/u.test(word));
    properties.set(pair!, mostFrequent(words.length > 0 ? words : texts));
  }
}

/** Returns the format that most of the characters have, with the properties that most of its characters have. */
function mostFrequent(texts: readonly Node[]): TextProperties {
  const propertiesOf = ({ tokens }: Node): TextProperties => {
    const { run, properties = run?.properties ?? '' } = tokens[0]!;
    return { raw: properties, declarations: run?.declarations, format: run?.format ?? {} };
  };
  const format = heaviest(texts, (node) => keyOfFormat(propertiesOf(node).format));
  return propertiesOf(heaviest(format, (node) => propertiesOf(node).raw)[0]!);
}

/** Groups texts by key, and returns the group with the most characters. Of equal groups, the first one counts. */
function heaviest(texts: readonly Node[], keyOf: (node: Node) => string): Node[] {
  const groups = new Map<string, { nodes: Node[]; length: number }>();
  for (const node of texts) {
    const key = keyOf(node);
    const group = groups.get(key) ?? { nodes: [], length: 0 };
    groups.set(key, group);
    group.nodes.push(node);
    group.length += node.text.length;
  }
  let best: { nodes: Node[]; length: number } | undefined;
  for (const group of groups.values()) if (!best || group.length > best.length) best = group;
  return best!.nodes;
}

class ContentBuilder {
  readonly source: InlineContent = [];
  readonly tags = new Map<number, TagContent>();
  readonly markers: PlacedMarker[] = [];
  readonly #properties: Map<Around, TextProperties>;
  readonly #open: number[] = [];
  /**
   * The numbers of the next tags. Tags of formatting come after all others, so that these have the numbers that they
   * had before formatting had tags: reviewers may have stored translations with them.
   */
  #nextTag = 1;
  #nextFormat: number;

  constructor(nodes: readonly Node[], properties: Map<Around, TextProperties>) {
    this.#properties = properties;
    this.#nextFormat =
      nodes.filter(({ type, format }) => (type === 'open' || type === 'void') && !format).length + 1;
  }

  add({ type, text, tokens, pair, format }: Node): void {
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
      this.source.push({ tag, type, ...(format && { format }) });
    } else {
      const isFormat = format !== undefined;
      const tag = isFormat ? this.#nextFormat++ : this.#nextTag++;
      const properties = pair && this.#properties.get(pair);
      const parent = this.#open.findLast((outer) => !this.tags.get(outer)!.isFormat) ?? 0;
      this.tags.set(tag, { open: tokens, close: [], properties, parent, isFormat });
      if (type === 'open') this.#open.push(tag);
      this.source.push({ tag, type, ...(text !== '' && { text }), ...(format && { format }) });
    }
  }
}

/** Removes the spaces at the edges of the source, and returns them. */
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
    if (trimmed === '') {
      source.shift();
      for (const marker of markers) if (marker.index > 0) marker.index--;
    }
  }
  const last = source.at(-1);
  if (typeof last === 'string') {
    const trimmed = last.trimEnd();
    trailingSpace = last.slice(trimmed.length);
    source[source.length - 1] = trimmed;
    for (const marker of markers)
      if (marker.index === source.length - 1) marker.offset = Math.min(trimmed.length, marker.offset);
    if (trimmed === '') source.pop();
  }
  return { leadingSpace, trailingSpace };
}
