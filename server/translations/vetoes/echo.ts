import type { QualityIssue } from '#server/engines/engine.ts';
import { copiedTokens } from './copied-rows.ts';
import { kinship } from './near-languages.ts';
import { kindOf, lettersOf, tokensOf } from './running-words.ts';
import { weightedLength } from './script.ts';
import { critical, type TextPair } from './text-pair.ts';

/** How many running words in a row must be the source's own before they count as not translated. */
const wordsInARow = { apart: 5, related: 12, confusable: 20 } as const;

/** The share of the answer, and its letters, from which on copied text is more than a quotation. */
const copiedShare = 0.25;
const copiedLetters = 60;

/** An answer that is the source as a whole needs less to be seen as such: letters, running words, their share. */
const wholeLetters = 20;
const wholeShare = 0.4;
const wholeWords = { apart: 4, related: 8, confusable: 20 } as const;

/**
 * The source handed back, as a whole or in a considerable part. What is rightly the same in two languages (names, codes,
 * commands, addresses, short labels) does not count: only running words do, and in languages that write many words
 * alike only long runs of them.
 */
export function echoIssue({ source, target, sourceLang, targetLang }: TextPair): QualityIssue | undefined {
  const kin = kinship(sourceLang, targetLang);
  if (kin === 'same') return undefined;
  const from = tokensOf(source);
  const to = tokensOf(target);
  if (isSame(from, to)) {
    const words = to.filter((token) => kindOf(token) === 'running');
    if (
      words.length >= wholeWords[kin] &&
      words.length >= wholeShare * to.length &&
      lettersOf(words) >= wholeLetters
    )
      return critical('accuracy', 'The translation is the source text, untranslated.', target);
  }
  const copied = copiedTokens(from, to, wordsInARow[kin]);
  const letters = lettersOf(copied);
  if (letters < copiedLetters || letters < copiedShare * weightedLength(target)) return undefined;
  const excerpt = copied.slice(0, 40).join(' ');
  return critical('accuracy', 'A considerable part of the source is left untranslated.', excerpt);
}

function isSame(from: readonly string[], to: readonly string[]): boolean {
  return (
    from.length === to.length && to.every((token, at) => token.toLowerCase() === from[at]!.toLowerCase())
  );
}
