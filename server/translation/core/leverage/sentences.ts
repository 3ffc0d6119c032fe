import type { MemoryHit } from '#server/language/translation-memory/lookup/exact-match.ts';
import { isUnspaced } from '#server/languages.ts';
import { sentencesIn } from '#server/matching/sentences/index.ts';
import type { TextRequest } from '../request.ts';

/** A sentence of a text, with its match in the TM. */
export interface SentenceMatch {
  sourceText: string;
  /** The white space up to the next sentence, or up to the end of the text. */
  separator: string;
  /** The segment of the TM whose source is this sentence; undefined if none is. */
  hit: MemoryHit | undefined;
}

/** A text with more sentences is looked up as a whole only. */
const maxSentences = 1000;

/**
 * Returns the sentences of a text that are looked up on their own; none for a page, whose markup divides sentences, and
 * for a text of one sentence, which is looked up as a whole.
 */
export function sentenceTexts(request: TextRequest): string[] {
  return divide(request).map(({ sourceText }) => sourceText);
}

/** Returns the sentences of a text (`sentenceTexts`) with their matches. */
export function matchSentences(
  request: TextRequest,
  hitOf: (sentence: string) => MemoryHit | undefined,
): SentenceMatch[] {
  return divide(request).map((part) => ({ ...part, hit: hitOf(part.sourceText) }));
}

function divide({ source_text: text, source_lang, text_type }: TextRequest): Omit<SentenceMatch, 'hit'>[] {
  if (text_type === 'Html') return [];
  const spans = sentencesIn(text, source_lang);
  if (spans.length < 2 || spans.length > maxSentences) return [];
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
  { source_text, source_lang, target_lang }: TextRequest,
): string | null {
  const [from, to] = [isUnspaced(source_lang), isUnspaced(target_lang)];
  let text = source_text.slice(0, -source_text.trimStart().length);
  for (const [index, { separator, hit }] of sentences.entries()) {
    if (!hit) return null;
    const isLast = index === sentences.length - 1;
    const gap = !from && to && separator === ' ' ? '' : from && !to && separator === '' ? ' ' : separator;
    text += hit.targetText.trim() + (isLast ? separator : gap);
  }
  return sentences.length > 0 ? text : null;
}
