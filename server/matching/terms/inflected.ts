import type { LanguageCode } from '#server/languages.ts';
import type { Boundaries } from './boundaries.ts';
import type { FoldedText } from './fold.ts';
import { inflections } from './forms/index.ts';
import { type Sequence, type SoughtTerm, soughtWords } from './sought-words.ts';
import { type Form, findForms } from './word-forms.ts';
import { apart, spaced, type Words, wordsOf } from './words.ts';

/** Where a term stands in some form, in units of the text; the term by its number. */
export interface Occurrence {
  start: number;
  end: number;
  term: number;
}

/**
 * Where terms stand with their words in any of their forms: in order, with hyphens, spaces or apostrophes between them and
 * at most one other word.
 */
export function findInflected(
  terms: readonly SoughtTerm[],
  text: FoldedText,
  boundaries: Boundaries,
  language: LanguageCode,
): Occurrence[] {
  const inflection = inflections[language];
  if (inflection === undefined) return [];
  const sought = soughtWords(terms, inflection, language);
  const words = wordsOf(text.folded, language);
  const forms = findForms(sought, inflection, text, words);

  const byFirst = new Map<number, Sequence[]>();
  for (const sequence of sought.sequences) {
    const first = sequence.words[0]!;
    const known = byFirst.get(first);
    if (known) known.push(sequence);
    else byFirst.set(first, [sequence]);
  }
  const found: Occurrence[] = [];
  const steps = { left: 40 * words.count + 100_000 };
  for (const [at, begun] of forms) {
    for (const { word, to } of begun) {
      for (const { term, words: rest } of byFirst.get(word) ?? []) {
        const after = follow(rest, 1, to, forms, words, steps);
        if (after === undefined) continue;
        const occurrence = { start: words.starts[at]!, end: words.ends[after - 1]!, term };
        if (boundaries.allows(occurrence.start, occurrence.end)) found.push(occurrence);
      }
    }
  }
  return found;
}

/**
 * The word of the text after the one that ends the sequence, whose words from `next` on begin at `at`. Glossaries that
 * repeat themselves in texts that do could make this long: when the steps are used up, phrases are found as they are only.
 */
function follow(
  sequence: readonly number[],
  next: number,
  at: number,
  forms: ReadonlyMap<number, readonly Form[]>,
  words: Words,
  steps: { left: number },
): number | undefined {
  if (next === sequence.length) return at;
  if (words.gaps[at - 1] === apart || steps.left-- <= 0) return undefined;
  const continueAt = (begin: number): number | undefined => {
    for (const { word, to } of forms.get(begin) ?? []) {
      if (word !== sequence[next]) continue;
      const end = follow(sequence, next + 1, to, forms, words, steps);
      if (end !== undefined) return end;
    }
    return undefined;
  };
  const end = continueAt(at);
  if (end !== undefined) return end;
  const mayInsert = words.gaps[at - 1] === spaced && words.gaps[at] === spaced;
  return mayInsert ? continueAt(at + 1) : undefined;
}
