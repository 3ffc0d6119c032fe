import type { Token } from 'parse5';
import {
  decodeText,
  escapeAttribute,
  escapeText,
  signsOf,
  signWriter,
  visibleRange,
} from './html/character-references.ts';
import { isVerbatim, readerFor, SourceReader } from './html/source-reader.ts';
import { findTemplateCode, type TemplateCode } from './html/template-code.ts';
import { codesWithin, modeOf, modeOfAttributes, parentTree } from './html/text-items.ts';

/**
 * Finds the translatable segments of an HTML page or fragment, in source order: text, and the values of `title`, `alt`,
 * `placeholder` and `aria-label`. Whitespace at the edges of a text is not part of its segment. Blank texts are not
 * segments.
 *
 * Excludes comments (including conditional ones), doctypes and CDATA sections; the content of script, style, template,
 * xmp, iframe, noembed, noframes and plaintext; and everything under `translate="no"` until a `translate="yes"`.
 * Includes title, textarea, noscript, code, pre, and the text of SVG and MathML.
 *
 * Accepts any string. Time and memory are linear in the length of the string.
 */
export function extractHtml(source: string): HtmlSegment[] {
  const blocks = blockCodesOf(source);
  return findTranslatableRanges(source).flatMap((place): HtmlSegment[] =>
    place.kind === 'text' ? textSegments(source, place, blocks) : attributeSegment(source, place),
  );
}

/** Returns the code of blocks such as `@if (count > 0) {`, which is between texts. Other template code is in texts. */
function blockCodesOf(source: string): TemplateCode[] {
  if (!/@[a-z]/i.test(source)) return [];
  return findTemplateCode(source).filter(
    ({ start, isValue }) => !isValue && /^(?:@[a-z]|\})/i.test(source.slice(start, start + 2)),
  );
}

/**
 * Markup for which the parser returns no token: end tags without a name, and CDATA sections. It may be between
 * characters of one text.
 */
const silentMarkup = /<\/>|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/g;

function textSegments(
  source: string,
  { start, end, element, verbatim }: TextRange,
  blocks: readonly TemplateCode[],
): TextSegment[] {
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
  const silent = verbatim
    ? []
    : Array.from(
        raw.matchAll(silentMarkup),
        ({ index, 0: markup }) => [index, index + markup.length] as const,
      );
  const codes = codesWithin(blocks, start, end).map(
    (code) => [code.start - start, code.end - start] as const,
  );
  let from = 0;
  for (const [first, last] of [...silent, ...codes].sort(([one], [other]) => one - other)) {
    if (first < from) continue;
    take(from, first);
    from = last;
  }
  take(from, raw.length);
  return segments;
}

function attributeSegment(source: string, place: AttributeRange): AttributeSegment[] {
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
      // The text is a part of the value that the parser decoded. Decoding the source of this part would be wrong,
      // because `&copy=1` is a reference in text, but not in an attribute.
      text: value.slice(lead, value.length - trail),
      element,
      attribute,
      quote: opening,
    },
  ];
}

interface Span {
  /** The source offset of the first UTF-16 unit that a translation replaces. */
  start: number;
  /** The source offset after the last UTF-16 unit that a translation replaces. */
  end: number;
  /** The visible text: with references decoded, and with `\n` as line end. */
  text: string;
  /** The name of the element that contains the text or has the attribute; `body` for text outside all elements. */
  element: string;
}

/** A text that contains no tag, comment or CDATA section. */
interface TextSegment extends Span {
  kind: 'text';
  quote?: never;
}

/** The value of a translatable attribute. */
interface AttributeSegment extends Span {
  kind: 'attribute';
  attribute: TranslatableAttribute;
  /** The quote around the value; empty for an unquoted value, all of which is in the segment. */
  quote: '"' | "'" | '';
}

/** A text or an attribute value of an HTML source, to be translated. */
type HtmlSegment = TextSegment | AttributeSegment;

/**
 * Replaces each segment's text in `source` by the translation at the same index. All other bytes stay unchanged, and so
 * do segments whose translation equals their text. Translations are plain text, so this function escapes characters
 * that would be parsed as markup. Changed attribute values without quotes get quotes.
 *
 * @param segments the result of `extractHtml` for the same source
 * @throws {RangeError} if the number of translations differs from the number of segments
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
  const hasBlocks = blockCodesOf(source).length > 0;
  let copied = 0;
  for (const [index, segment] of segments.entries()) {
    const translation = translations[index]!;
    if (translation === segment.text) continue;
    const raw = source.slice(segment.start, segment.end);
    parts.push(source.slice(copied, segment.start), escapeTranslation(segment, translation, raw, hasBlocks));
    copied = segment.end;
  }
  parts.push(source.slice(copied));
  return parts.join('');
}

/** @param raw the source of the segment; its template code stays as it is, such as `{% if a > 1 && b %}` */
function escapeTranslation(
  { kind, quote }: HtmlSegment,
  translation: string,
  raw: string,
  hasBlocks: boolean,
): string {
  if (quote === '') return `"${escapeAttribute(translation, '"')}"`;
  const escaped = (text: string) => (kind === 'text' ? escapeText(text) : escapeAttribute(text, quote!));
  const isMessage = /,\s*(?:plural|select|selectordinal)\s*,/.test(raw);
  const write = signWriter(escaped, isMessage ? undefined : signsOf(raw, hasBlocks));
  const written = findTemplateCode(raw).map(({ start, end }) => raw.slice(start, end));
  if (written.length === 0) return write(translation);
  const codes = new Map(written.map((code) => [decodeText(code), code]));
  let [text, copied] = ['', 0];
  for (const { start, end } of findTemplateCode(translation)) {
    const code = codes.get(translation.slice(start, end));
    if (code === undefined) continue;
    text += write(translation.slice(copied, start)) + code;
    copied = end;
  }
  return text + write(translation.slice(copied));
}

/** Elements that occur inside a sentence: HTML's phrasing content, except controls and frames. */
const inlineElements = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd mark q rp rt ruby s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/**
 * Groups segments into blocks, such that no sentence extends beyond a block. The texts of a block have only inline tags
 * and white space between them. Each attribute value is a block. Returns the indices of each block's segments, in
 * reading order.
 *
 * @param segments the result of `extractHtml` for the same source
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

/** Whether all tags in the source between two texts are tags of inline elements. */
function isInline(between: string): boolean {
  for (const [, name = ''] of between.matchAll(/<\/?([a-z][\w-]*)/gi))
    if (!inlineElements.has(name.toLowerCase())) return false;
  return true;
}

/** Returns the visible text of each block. For example, "The <b>kitchen</b> closes" is one text. */
export function readBlocks(source: string): string[] {
  const segments = extractHtml(source);
  return blocksOf(source, segments).map((block) => {
    let text = '';
    let end: number | undefined;
    for (const index of block) {
      const segment = segments[index]!;
      // Between two texts of a block there are only tags and white space.
      if (end !== undefined) text += source.slice(end, segment.start).replace(/<[^>]*>/g, '');
      text += segment.text;
      end = segment.end;
    }
    return text;
  });
}

/** The attributes whose values are translated, on any element. */
const translatableAttributes = ['title', 'alt', 'placeholder', 'aria-label'] as const;

type TranslatableAttribute = (typeof translatableAttributes)[number];

/** A range of the source between two tags or comments: a text of one element. */
interface TextRange {
  kind: 'text';
  start: number;
  end: number;
  element: string;
  /** Whether `<` is an ordinary character in the range, as in a textarea. */
  verbatim: boolean;
}

/** The range of a translatable attribute: its name, equals sign, quotes and value. */
interface AttributeRange {
  kind: 'attribute';
  start: number;
  end: number;
  element: string;
  attribute: TranslatableAttribute;
  /** The attribute's value, as decoded by the parser. */
  value: string;
}

type TranslatableRange = TextRange | AttributeRange;

/** Returns the ranges of `source` that are translated, in source order and without overlap. */
function findTranslatableRanges(source: string): TranslatableRange[] {
  return readerFor(source, RangeReader, parentTree).read(source).places;
}

class RangeReader extends SourceReader {
  readonly places: TranslatableRange[] = [];

  protected override readText(token: Token.CharacterToken, start: number): void {
    const last = this.places.at(-1);
    if (last?.kind === 'text' && last.start === start) {
      last.end = token.location!.endOffset;
      return;
    }
    if (token.chars.trim() === '' || this.openElements.tmplCount > 0) return;
    const element = this.textParent;
    if (modeOf(element) !== 'yes') return;
    this.places.push({
      kind: 'text',
      start,
      end: token.location!.endOffset,
      // The root element is the current element only in a fragment. It then represents the page around the fragment.
      element: element === this.openElements.items[0] ? 'body' : element.nodeName,
      verbatim: isVerbatim(element),
    });
  }

  protected override readStartTag(token: Token.TagToken): void {
    if (this.openElements.tmplCount > 0) return;
    if (modeOfAttributes(token.tagName, token.attrs, this.current) !== 'yes') return;
    for (const { name, value } of token.attrs) {
      const attribute = translatableAttributes.find((translatable) => translatable === name);
      const location = token.location!.attrs?.[name];
      if (attribute === undefined || location === undefined) continue;
      this.places.push({
        kind: 'attribute',
        start: location.startOffset,
        end: location.endOffset,
        element: token.tagName,
        attribute,
        value,
      });
    }
  }
}
