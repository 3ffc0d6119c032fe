import { isUnspaced } from '#server/languages.ts';
import { sentencesIn } from '#server/matching/sentences/index.ts';
import type { ExactLookup, MemoryHit } from './exact-match.ts';

/** A sentence of a text, with its match in the TM. */
export interface SentenceMatch {
  sourceText: string;
  /** The white space up to the next sentence, or up to the end of the text. */
  separator: string;
  /** The segment of the TM whose source is this sentence; undefined if none is. */
  hit: MemoryHit | undefined;
}

/** A text to look up, also by its sentences. */
export interface DividedLookup extends ExactLookup {
  textType?: 'Plain' | 'Html' | null | undefined;
}

/** A text with more sentences is looked up as a whole only. */
const maxSentences = 1000;

/**
 * Returns the sentences of a text that are looked up on their own; none for a page, whose markup divides sentences.
 */
export function sentenceTexts(text: DividedLookup): string[] {
  return divide(text).map(({ sourceText }) => sourceText);
}

/**
 * Returns the sentences of a text (`sentenceTexts`) with their matches. The only sentence of a text is looked up as a whole,
 * too: here it matches only a sentence of an approved segment.
 */
export function matchSentences(
  text: DividedLookup,
  hitOf: (sentence: string) => MemoryHit | undefined,
): SentenceMatch[] {
  const parts = divide(text).map((part) => ({ ...part, hit: hitOf(part.sourceText) }));
  return parts.length > 1 || parts[0]?.hit?.isSentence ? parts : [];
}

function divide({ sourceText: text, sourceLang, textType }: DividedLookup): Omit<SentenceMatch, 'hit'>[] {
  if (textType === 'Html') return [];
  const spans = sentencesIn(text, sourceLang);
  if (spans.length > maxSentences) return [];
  return spans.map(({ start, end }, index) => ({
    sourceText: text.slice(start, end),
    separator: text.slice(end, spans[index + 1]?.start),
  }));
}

/**
 * Returns the translation of a text whose sentences all have a match: their targets with the white space of the source. A
 * space between two sentences is added or left out where only one of the languages has it. Null if a sentence has no
 * match.
 */
export function joinSentences(
  sentences: readonly SentenceMatch[],
  { sourceText, sourceLang, targetLang }: ExactLookup,
): string | null {
  const [from, to] = [isUnspaced(sourceLang), isUnspaced(targetLang)];
  let text = sourceText.slice(0, -sourceText.trimStart().length);
  for (const [index, { separator, hit }] of sentences.entries()) {
    if (!hit) return null;
    const isLast = index === sentences.length - 1;
    const gap = !from && to && separator === ' ' ? '' : from && !to && separator === '' ? ' ' : separator;
    text += hit.targetText.trim() + (isLast ? separator : gap);
  }
  return sentences.length > 0 ? text : null;
}
