import { isUnspaced } from '#server/languages.ts';
import { type SentenceRules, sentencesIn } from '#server/matching/sentences/index.ts';
import { spellings } from '#server/matching/typography.ts';
import type { ExactLookup, MemoryHit } from './exact-match.ts';

/** A sentence of a text, or two that the TM has as one segment, with the match in the TM. */
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
  /** The segmentation rules of the tenant, if it has some. */
  rules?: SentenceRules | undefined;
}

/** A text with more sentences is looked up as a whole only. */
const maxSentences = 1000;

/**
 * Returns the sentences of a text that are looked up on their own, and each two neighbors together: a segment can have two
 * sentences whose translation is one. None for a page, whose markup divides sentences.
 */
export function sentenceTexts(text: DividedLookup): string[] {
  const sentences = divide(text);
  return sentences.flatMap((sentence, index) => {
    const next = sentences[index + 1];
    return next ? [sentence.sourceText, joined(sentence, next).sourceText] : [sentence.sourceText];
  });
}

/**
 * Returns the sentences of a text with their matches. Two neighbors are one part if only both together have a match. The
 * only sentence of a text is looked up as a whole, too: here it matches only a sentence of an approved segment.
 * @param hitOf returns the match of one of `sentenceTexts`
 */
export function matchSentences(
  text: DividedLookup,
  hitOf: (sentence: string) => MemoryHit | undefined,
): SentenceMatch[] {
  const sentences = divide(text);
  const parts: SentenceMatch[] = [];
  for (let index = 0; index < sentences.length; index++) {
    const [sentence, next] = [sentences[index]!, sentences[index + 1]];
    const hit = hitOf(sentence.sourceText);
    const both = next && !(hit && hitOf(next.sourceText)) ? joined(sentence, next) : undefined;
    const hitOfBoth = both && hitOf(both.sourceText);
    parts.push(both && hitOfBoth ? { ...both, hit: hitOfBoth } : { ...sentence, hit });
    if (hitOfBoth) index += 1;
  }
  return sentences.length > 1 || parts[0]?.hit?.isSentence ? parts : [];
}

/**
 * Returns a text as its only sentence, with its match in other typography; null without a match.
 */
export function matchRespelled(
  { sourceText: text }: ExactLookup,
  hit: MemoryHit | undefined,
): SentenceMatch[] | null {
  const sourceText = text.trim();
  return hit ? [{ sourceText, separator: text.slice(text.trimEnd().length), hit }] : null;
}

/** Returns whether a text may be looked up in other typography. The marks in a page's tags are code. */
export function isRespellable({ sourceText, sourceLang, textType }: DividedLookup): boolean {
  return textType !== 'Html' && spellings(sourceText, sourceLang).length > 0;
}

type Sentence = Omit<SentenceMatch, 'hit'>;

function joined(first: Sentence, second: Sentence): Sentence {
  return {
    sourceText: first.sourceText + first.separator + second.sourceText,
    separator: second.separator,
  };
}

function divide({ sourceText: text, sourceLang, textType, rules }: DividedLookup): Sentence[] {
  if (textType === 'Html') return [];
  const spans = sentencesIn(text, sourceLang, rules);
  if (spans.length > maxSentences) return [];
  return spans.map(({ start, end }, index) => ({
    sourceText: text.slice(start, end),
    separator: text.slice(end, spans[index + 1]?.start),
  }));
}

/** A sentence or the white space next to it, with what stands for it in the translation. */
interface TranslatedPart {
  source: string;
  text: string;
  isSpace: boolean;
}

/**
 * Returns the parts of a text whose sentences all have a match: their targets with the white space of the source. A space
 * between two sentences is added or left out where only one of the languages has it. Null if a sentence has no match.
 */
export function translatedParts(
  sentences: readonly SentenceMatch[],
  { sourceText, sourceLang, targetLang }: ExactLookup,
): TranslatedPart[] | null {
  const [from, to] = [isUnspaced(sourceLang), isUnspaced(targetLang)];
  const before = sourceText.slice(0, -sourceText.trimStart().length);
  const parts = [{ source: before, text: before, isSpace: true }];
  for (const [index, { sourceText: source, separator, hit }] of sentences.entries()) {
    if (!hit) return null;
    const isLast = index === sentences.length - 1;
    const gap = !from && to && separator === ' ' ? '' : from && !to && separator === '' ? ' ' : separator;
    parts.push(
      { source, text: hit.targetText.trim(), isSpace: false },
      { source: separator, text: isLast ? separator : gap, isSpace: true },
    );
  }
  return sentences.length > 0 ? parts : null;
}
