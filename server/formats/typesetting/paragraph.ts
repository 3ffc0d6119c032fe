import { Rules } from '@cto.af/linebreak';
import { embeddingLevels } from './bidi.ts';
import { fontChoice } from './font-choice.ts';
import type { FontStyle } from './font-style.ts';
import { type Direction, directionOf } from './languages.ts';
import { type Cluster, itemize, shapeItem } from './shaping.ts';

const rules = new Rules();

/** Scripts without spaces between words, for which the Unicode rules require a dictionary. */
const withoutSpaces = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const words = new Intl.Segmenter('th', { granularity: 'word' });
/** Signs that repeat or shorten the preceding word, so a line must not start with them. */
const clinging = /[ๆฯ]/;

const hangul = /\p{Script=Hangul}/u;

/**
 * Sets 1 for each UTF-16 offset that may start a line. Follows the Unicode line breaking algorithm (UAX 14), except that Thai
 * breaks between words, and that there is no break inside a Korean word.
 */
function breakOpportunities(text: string, language: string): Uint8Array {
  const opportunities = new Uint8Array(text.length + 1);
  const keepsWords = language.toLowerCase().split('-', 1)[0] === 'ko';
  for (const { position } of rules.breaks(text)) {
    if (keepsWords && hangul.test(text[position - 1]!) && hangul.test(text[position] ?? '')) continue;
    opportunities[position] = 1;
  }
  for (const { 0: run, index } of text.matchAll(withoutSpaces))
    for (const word of words.segment(run))
      if (word.index > 0 && !clinging.test(word.segment[0]!)) opportunities[index + word.index] = 1;
  return opportunities;
}

/** A part of a paragraph with a separate style. */
export interface ParagraphSpan extends FontStyle {
  /** UTF-16 offset into the paragraph's text. The span starts at the end of the previous one. */
  end: number;
  /** Its size, as a factor of the paragraph's size. */
  scale: number;
}

/** A shaped paragraph. It can be broken into lines of any width and size. */
export interface Paragraph {
  text: string;
  direction: Direction;
  /** In logical order. */
  clusters: readonly Cluster[];
  /** For each cluster, whether a line may start with it: 2 by the rules, 1 only if no position by the rules fits. */
  mayStartLine: Uint8Array;
}

/**
 * Shapes a paragraph.
 *
 * @param text without line ends; any string is accepted, lone surrogates become U+FFFD
 * @param options.language the text's language tag (BCP 47): fonts, regional forms, line breaks
 * @param options.direction of the paragraph; by default that of the language
 * @param options.spans cover the whole text; without them it is in the regular Noto fonts
 *
 * Time and memory are linear in the text's length: about 200 bytes and 2 µs for each character.
 */
export function shapeParagraph(
  text: string,
  {
    language,
    direction = directionOf(language),
    spans,
  }: { language: string; direction?: Direction | undefined; spans?: readonly ParagraphSpan[] | undefined },
): Paragraph {
  const wellFormed = text.toWellFormed();
  const levels = embeddingLevels(wellFormed, direction);
  const boundaries = new Uint8Array(wellFormed.length + 1);
  const styled = spans?.map((span) => ({ ...span, fontFor: fontChoice(language, span) }));
  const whole = [{ end: wellFormed.length, scale: 1, fontFor: fontChoice(language) }];
  const items = itemize(wellFormed, levels, styled ?? whole, boundaries);
  const opportunities = breakOpportunities(wellFormed, language);
  const clusters: Cluster[] = [];
  for (const item of items)
    for (const cluster of shapeItem(wellFormed, item, language)) clusters.push(cluster);
  const mayStartLine = Uint8Array.from(clusters, ({ start }) =>
    boundaries[start] ? 1 + opportunities[start]! : 0,
  );
  return { text: wellFormed, direction, clusters, mayStartLine };
}
