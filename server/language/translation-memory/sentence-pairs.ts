import type { LanguagePair } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { type SentenceRules, sentencesIn } from '#server/matching/sentences/index.ts';

/** An approved segment: its source and its translation. */
export interface ApprovedPair {
  sourceText: string;
  targetText: string;
}

/**
 * Whether a target is not a translation: it is empty, equals its source, or is the stub engine's echo of the source.
 * Such segments are not added to the TM.
 */
export function isUntranslated({
  sourceText,
  targetText,
  targetLang,
}: ApprovedPair & { targetLang: string }): boolean {
  const source = normalForm(sourceText);
  const target = normalForm(targetText);
  return target === '' || target === source || target === `[${targetLang}] ${source}`;
}

/** The variance of the length of a translation, in characters for each character of the source (Gale and Church, 1993). */
const variance = 6.8;
/** A translation whose length is less likely than 1 in 370 belongs to another sentence. */
const maxDeviation = 3;

/**
 * Divides an approved segment into sentence pairs, if it is certain which sentences belong together: both sides have
 * equally many, and in each pair the lengths fit and the digits are the same. Otherwise returns none.
 */
export function sentencePairs(
  { sourceText, targetText }: ApprovedPair,
  { pairSource, pairTarget }: LanguagePair,
  rules?: SentenceRules,
): ApprovedPair[] {
  const sources = cut(sourceText, pairSource, rules);
  if (sources.length < 2) return [];
  const targets = cut(targetText, pairTarget, rules);
  if (targets.length !== sources.length) return [];
  const ratio = lengthOf(targets) / lengthOf(sources);
  const pairs = sources.map((source, index) => ({ sourceText: source, targetText: targets[index]! }));
  return pairs.every((pair) => isLikely(pair, ratio)) ? pairs : [];
}

function cut(text: string, language: string, rules: SentenceRules | undefined): string[] {
  return sentencesIn(text, language, rules).map(({ start, end }) => text.slice(start, end));
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** @param ratio the length of the whole target for each character of the whole source */
function isLikely({ sourceText: source, targetText: target }: ApprovedPair, ratio: number): boolean {
  const deviation = (target.length - source.length * ratio) / Math.sqrt(source.length * variance * ratio);
  return Math.abs(deviation) <= maxDeviation && digitsOf(source) === digitsOf(target);
}

/** Returns the digits of a text in ascending order, whatever their script and the form of the numbers. */
function digitsOf(text: string): string {
  const digits = text.match(/\p{Nd}/gu) ?? [];
  return digits
    .map((digit) => digit.normalize('NFKC'))
    .sort()
    .join('');
}
