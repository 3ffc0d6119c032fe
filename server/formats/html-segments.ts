import { decodeText, escapeAttribute, escapeText, visibleRange } from './html/character-references.ts';
import {
  type AttributePlace,
  findPlaces,
  type TextPlace,
  type TranslatableAttribute,
} from './html/places.ts';

/**
 * The translatable places of an HTML source, a whole page or a part of one, in source order: text, and the values of
 * `title`, `alt`, `placeholder` and `aria-label` (B 2.1). Whitespace at a place's edges stays outside its segment, and
 * a place of whitespace only is none.
 *
 * Left out: comments (conditional ones too), doctypes, CDATA sections; the content of script, style, template, xmp,
 * iframe, noembed, noframes and plaintext; everything under `translate="no"` until a `translate="yes"`. Taken
 * like any text: title, textarea, noscript, code, pre, and the text of SVG and MathML.
 *
 * Any string is accepted. Time and memory are linear in its length.
 */
export function extractHtml(source: string): HtmlSegment[] {
  return findPlaces(source).flatMap((place): HtmlSegment[] =>
    place.kind === 'text' ? textSegments(source, place) : attributeSegment(source, place),
  );
}

/** What stands between characters and yields no token of its own: the end tag without a name, and CDATA sections. */
const silentMarkup = /<\/>|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/g;

function textSegments(source: string, { start, end, element, verbatim }: TextPlace): TextSegment[] {
  const raw = source.slice(start, end);
  const segments: TextSegment[] = [];
  const take = (from: number, to: number): void => {
    const piece = raw.slice(from, to);
    const visible = visibleRange(piece);
    const text = decodeText(piece.slice(visible.start, visible.end));
    if (text.trim() === '') return;
    segments.push({
      kind: 'text',
      start: start + from + visible.start,
      end: start + from + visible.end,
      text,
      element,
    });
  };
  let from = 0;
  if (!verbatim) {
    for (const { index, 0: markup } of raw.matchAll(silentMarkup)) {
      take(from, index);
      from = index + markup.length;
    }
  }
  take(from, raw.length);
  return segments;
}

function attributeSegment(source: string, place: AttributePlace): AttributeSegment[] {
  const { kind, element, attribute, value } = place;
  if (value.trim() === '') return [];
  const raw = source.slice(place.start, place.end);
  const nameAndSign = /^[^=]*=[\t\n\f\r ]*/.exec(raw)![0];
  const opening = raw[nameAndSign.length];
  const start = place.start + nameAndSign.length;
  if (opening !== '"' && opening !== "'") {
    return [{ kind, start, end: place.end, text: value, element, attribute, quote: '' }];
  }
  const quoted = raw.slice(nameAndSign.length + 1, -1);
  const visible = visibleRange(quoted);
  const lead = decodeText(quoted.slice(0, visible.start)).length;
  const trail = decodeText(quoted.slice(visible.end)).length;
  return [
    {
      kind,
      start: start + 1 + visible.start,
      end: start + 1 + visible.end,
      // Cut from the value, not decoded anew: in attributes `&copy=1` is no reference, in text it is.
      text: value.slice(lead, value.length - trail),
      element,
      attribute,
      quote: opening,
    },
  ];
}

interface Span {
  /** Offset in the source of the first UTF-16 unit that a translation replaces. */
  start: number;
  /** Offset just after the last one. */
  end: number;
  /** What a reader sees there: references decoded, line ends as `\n`. */
  text: string;
  /** Name of the element that holds the text or carries the attribute; `body` for text outside every element. */
  element: string;
}

/** A stretch of text that no tag, comment or CDATA section interrupts. */
interface TextSegment extends Span {
  kind: 'text';
}

/** The value of a translatable attribute. */
interface AttributeSegment extends Span {
  kind: 'attribute';
  attribute: TranslatableAttribute;
  /** The quote around the value; empty for a bare value, which the segment then covers whole. */
  quote: '"' | "'" | '';
}

/** One translatable place of an HTML source. */
type HtmlSegment = TextSegment | AttributeSegment;

/**
 * `source` with each segment's text replaced by the translation at the same index; everything else comes back byte for
 * byte, and so does a segment whose translation equals its text. A translation is text, not markup: what would be
 * read as markup in its place is escaped. A bare attribute value gets quotes.
 *
 * @param segments what `extractHtml` found in this very source
 * @throws RangeError when there is not one translation for each segment
 */
export function rebuildHtml(
  source: string,
  segments: readonly HtmlSegment[],
  translations: readonly string[],
): string {
  if (segments.length !== translations.length) {
    throw new RangeError(`${segments.length} segments, but ${translations.length} translations`);
  }
  const parts: string[] = [];
  let copied = 0;
  for (const [index, segment] of segments.entries()) {
    const translation = translations[index]!;
    if (translation === segment.text) continue;
    parts.push(source.slice(copied, segment.start), inPlace(segment, translation));
    copied = segment.end;
  }
  parts.push(source.slice(copied));
  return parts.join('');
}

function inPlace(segment: HtmlSegment, translation: string): string {
  if (segment.kind === 'text') return escapeText(translation);
  if (segment.quote === '') return `"${escapeAttribute(translation, '"')}"`;
  return escapeAttribute(translation, segment.quote);
}

/** Elements that stand inside a sentence (HTML's phrasing content, as far as it is not a control or a frame). */
const inlineElements = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd mark q rp rt ruby s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/**
 * Which segments belong together, as lists of indices in reading order: the texts of one block of the page, which only
 * inline tags interrupt, and each attribute by itself. A sentence never reaches beyond its block.
 *
 * @param segments what `extractHtml` found in this very source
 */
export function blocksOf(source: string, segments: readonly HtmlSegment[]): number[][] {
  const blocks: number[][] = [];
  let block: number[] | undefined;
  let end = 0;
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'attribute') {
      blocks.push([index]);
      continue;
    }
    if (block && isInline(source.slice(end, segment.start))) block.push(index);
    else {
      block = [index];
      blocks.push(block);
    }
    end = segment.end;
  }
  return blocks;
}

/** Whether the source between two texts holds no tag but inline ones. */
function isInline(between: string): boolean {
  for (const [, name = ''] of between.matchAll(/<\/?([a-z][\w-]*)/gi))
    if (!inlineElements.has(name.toLowerCase())) return false;
  return true;
}

/** The text of each block, whole as its reader sees it: "The <b>kitchen</b> closes" is one. */
export function readBlocks(source: string): string[] {
  const segments = extractHtml(source);
  return blocksOf(source, segments).map((block) => {
    let text = '';
    let end: number | undefined;
    for (const index of block) {
      const segment = segments[index]!;
      // Between two texts of a block are tags and white space.
      if (end !== undefined) text += source.slice(end, segment.start).replace(/<[^>]*>/g, '');
      text += segment.text;
      end = segment.end;
    }
    return text;
  });
}
