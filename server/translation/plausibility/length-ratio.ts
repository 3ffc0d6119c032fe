import { sentencesIn } from '#server/matching/sentences/index.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { weightedLength } from './script.ts';
import { critical, type TextPair } from './text-pair.ts';

/**
 * Returns an issue if a translation is far too short or too long. Lengths are converted to Latin letters, so that one
 * pair of bounds fits all languages.
 */
export function lengthIssue({ source, target, branching }: TextPair): QualityIssue | undefined {
  const from = weightedLength(source);
  const to = weightedLength(target);
  if (from === 0) return undefined;
  if (to === 0) return critical('accuracy', 'The translation is empty.');
  const { least, most } = bounds(from, branching ? branchings : 1);
  if (to < least)
    return critical('accuracy', `The translation is far too short: ${percent(to, from)}.`, target);
  if (to > most) return critical('accuracy', `The translation is far too long: ${percent(to, from)}.`);
  return undefined;
}

/**
 * The factor by which the bounds of a message with plural branches are wider: Arabic has six forms where Japanese has
 * one.
 */
const branchings = 4;

/** The length in Latin letters from which the differences between single sentences balance out. */
const long = 600;

/**
 * Returns the minimum and maximum length of a translation. If the source has some hundred letters, real translations
 * have half to one and a half times its length; shorter texts differ more. The factor `slack` widens the bounds.
 */
export function bounds(from: number, slack = 1): { least: number; most: number } {
  const short = Math.min(from, long);
  const rest = from - short;
  const least = 0.42 * short - 7.5 + 0.55 * rest;
  const most = 2 * short + 30 + 1.7 * rest;
  return { least: least / slack, most: most * slack };
}

/**
 * The lengths of a translation, as shares of the source, from which another number of sentences is more than a sentence
 * that was divided or joined.
 */
const ofFewer = 0.65;
const ofMore = 1.8;

/** The lengths in Latin letters of the shortest source and of the shortest sentence that count. Headings are shorter. */
const shortest = { source: 20, sentence: 12 };

/** Languages that divide their sentences by spaces. */
const withoutMarks: ReadonlySet<string> = new Set(['th']);

/** Returns an issue if a translation has fewer sentences than its source and is short, or more and is long. */
export function sentenceIssue(pair: TextPair): QualityIssue | undefined {
  const { source, target, sourceLang, targetLang, branching } = pair;
  const from = weightedLength(source);
  const share = weightedLength(target) / from;
  if (branching || from < shortest.source || (share > ofFewer && share < ofMore)) return undefined;
  if (withoutMarks.has(sourceLang) || withoutMarks.has(targetLang)) return undefined;
  const [wanted, present] = [countSentences(source, sourceLang), countSentences(target, targetLang)];
  const [fewer, more] = share < 1 ? [present, wanted] : [wanted, present];
  if (fewer === 0 || fewer >= more) return undefined;
  return critical(
    'accuracy',
    `A sentence was probably ${share < 1 ? 'left out' : 'added'}: the source has ${wanted}, the translation ${present}.`,
  );
}

function countSentences(text: string, language: string): number {
  return sentencesIn(text, language).filter(
    ({ start, end }) => weightedLength(text.slice(start, end)) >= shortest.sentence,
  ).length;
}

function percent(to: number, from: number): string {
  return `about ${Math.round((100 * to) / from)}% of the expected length`;
}
