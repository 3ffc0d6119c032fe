import type { TaskStyle } from '#server/platform/engines/engine.ts';
import type { Range } from '../integrity/found.ts';

export interface FoundWord extends Range {
  /** The word to write in its place; null: only avoid the term. */
  useInstead: string | null;
}

/** Letters of scripts that put no spaces between words. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const isUnspaced = new RegExp(unspaced, 'u');
const letter = String.raw`(?!${unspaced})[\p{L}\p{M}\p{N}_]`;

/**
 * Finds forbidden words as whole words; in scripts without spaces, wherever they occur. Korean adds particles to a word,
 * so only its start is compared. Letter case matters only if the term has capitals. A term inside of its replacement is
 * allowed: “mail” in “air mail”.
 * @param prose the result of `proseOf`
 */
export function forbiddenWords(
  prose: string,
  words: TaskStyle['forbiddenWords'],
  language: string,
): FoundWord[] {
  // Most words do not occur, and this comparison is much faster than a pattern.
  const lower = prose.toLowerCase();
  return words
    .filter(({ term }) => lower.includes(term.toLowerCase().split(/\s/, 1)[0]!))
    .flatMap(({ term, use_instead: useInstead }) =>
      [...prose.matchAll(patternOf(term, useInstead, language))]
        .filter(({ groups }) => groups?.['term'] !== undefined)
        .map(({ index, 0: { length } }) => ({ start: index, end: index + length, useInstead })),
    )
    .sort((a, b) => a.start - b.start);
}

function patternOf(term: string, useInstead: string | null, language: string): RegExp {
  const allowed = useInstead === null ? '' : `${bounded(useInstead, language)}|`;
  const flags = /\p{Lu}/u.test(term) ? 'gu' : 'giu';
  return new RegExp(`${allowed}(?<term>${bounded(term, language)})`, flags);
}

/** Returns a pattern of a term with its word boundaries. Each space of the term is any run of spaces. */
function bounded(term: string, language: string): string {
  const [first, last] = [[...term][0]!, [...term].at(-1)!];
  const start = isWordLetter(first) ? `(?<!${letter})` : '';
  const end = isWordLetter(last) && language !== 'ko' ? `(?!${letter})` : '';
  const spelled = term
    .split(/\s+/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join(String.raw`\s+`);
  return `${start}${spelled}${end}`;
}

function isWordLetter(character: string): boolean {
  return /[\p{L}\p{M}\p{N}_]/u.test(character) && !isUnspaced.test(character);
}
