import { escapeAttribute, escapeText } from './references.ts';
import type { HtmlSegment } from './segment.ts';

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
