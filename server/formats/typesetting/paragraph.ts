import { Rules } from '@cto.af/linebreak';
import { embeddingLevels } from './bidi.ts';
import { fontChoice } from './font-choice.ts';
import type { FontStyle } from './font-style.ts';
import { divisionsOf } from './hyphenation.ts';
import { type Direction, directionOf } from './languages.ts';
import { boxText, type Cluster, itemize, shapeItem } from './shaping.ts';

const rules = new Rules();

/** Text in scripts without spaces between words, for which the Unicode rules require a dictionary. */
const withoutSpaces = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const words = new Intl.Segmenter('th', { granularity: 'word' });
/** Thai signs that repeat or shorten the preceding word. A line must not start with them. */
const clinging = /[ๆฯ]/;

const hangul = /\p{Script=Hangul}/u;

/**
 * Returns an array with a 1 for each UTF-16 offset at which a line may start. Follows the Unicode line breaking
 * algorithm (UAX 14), with two exceptions: Thai is broken between words, and Korean words are not broken.
 */
function breakOpportunities(text: string, language: string): Uint8Array {
  const opportunities = new Uint8Array(text.length + 1);
  const keepsWords = language.toLowerCase().split('-', 1)[0] === 'ko';
  // A line breaks next to a box as it does next to a letter.
  for (const { position } of rules.breaks(text.replaceAll(boxText, 'x'))) {
    if (keepsWords && hangul.test(text[position - 1]!) && hangul.test(text[position] ?? '')) continue;
    opportunities[position] = 1;
  }
  for (const { 0: run, index } of text.matchAll(withoutSpaces))
    for (const word of words.segment(run))
      if (word.index > 0 && !clinging.test(word.segment[0]!)) opportunities[index + word.index] = 1;
  return opportunities;
}

/** A part of a paragraph that has its own style. */
export interface ParagraphSpan extends FontStyle {
  /** The end of the span, as a UTF-16 offset in the paragraph's text. The span starts where the previous one ends. */
  end: number;
  /** The size of the span, as a factor of the paragraph's size. */
  scale: number;
  /** The width of a box, in em of the paragraph's size. The span then has one `boxText` as its text. */
  box?: number | undefined;
}

/** A shaped paragraph. It can be broken into lines of any width and size. */
export interface Paragraph {
  text: string;
  direction: Direction;
  /** The clusters in logical order, which is the order of the text. */
  clusters: readonly Cluster[];
  /**
   * For each cluster, whether a line may start with it: 3 if the line above then ends with a hyphen, 2 if the line
   * breaking rules allow it, 1 if it is used only when no such position fits, 0 if never.
   */
  mayStartLine: Uint8Array;
}

/**
 * Shapes a paragraph. Time and memory are linear in the length of the text: about 200 bytes and 2 µs for each
 * character.
 *
 * @param text the text without line ends; lone surrogates become U+FFFD
 * @param options.language the BCP 47 tag of the text's language; it determines fonts, regional forms and line breaks
 * @param options.direction the direction of the paragraph; by default, the direction of the language
 * @param options.isHyphenated whether words may be divided, in a language with patterns
 * @param options.spans the styles of the text; the spans must cover the whole text. Without spans, the text is in the
 *   regular Noto fonts
 */
export function shapeParagraph(
  text: string,
  {
    language,
    direction = directionOf(language),
    spans,
    isHyphenated = false,
  }: {
    language: string;
    direction?: Direction | undefined;
    spans?: readonly ParagraphSpan[] | undefined;
    isHyphenated?: boolean | undefined;
  },
): Paragraph {
  const wellFormed = text.toWellFormed();
  const levels = embeddingLevels(wellFormed, direction);
  const boundaries = new Uint8Array(wellFormed.length + 1);
  const styled = spans?.map((span) => ({ ...span, fontFor: fontChoice(language, span) }));
  const whole = [{ end: wellFormed.length, scale: 1, fontFor: fontChoice(language) }];
  const items = itemize(wellFormed, levels, styled ?? whole, boundaries);
  const opportunities = breakOpportunities(wellFormed, language);
  if (isHyphenated)
    for (const at of divisionsOf(wellFormed, language)) if (!opportunities[at]) opportunities[at] = 2;
  const clusters: Cluster[] = [];
  for (const item of items)
    for (const cluster of shapeItem(wellFormed, item, language)) clusters.push(cluster);
  const mayStartLine = Uint8Array.from(clusters, ({ start }) =>
    boundaries[start] ? 1 + opportunities[start]! : 0,
  );
  return { text: wellFormed, direction, clusters, mayStartLine };
}
