import { visibleRange } from './blank-edges.ts';
import { type AttributePlace, findPlaces, type TextPlace } from './places.ts';
import { decodeText } from './references.ts';
import type { AttributeSegment, HtmlSegment, TextSegment } from './segment.ts';

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
