import type { LanguageCode } from '#server/languages.ts';
import { checkTerms } from '#server/matching/terms/index.ts';

/** A word in a table, and whether `checkTerms` counts it as the term. */
export interface Verdict {
  term: string;
  text: string;
  /** Whether the word is a form of the term, which must count. */
  isForm: boolean;
  counted: boolean;
}

/**
 * @param table lines with a term, then after "=" forms of the term that must count, and after "≠" similar words that
 * must not count
 */
export function judge(table: string, language: LanguageCode): Verdict[] {
  return table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [term, texts] = line.split(' = ') as [string, string];
      const [forms, others] = texts.split(' ≠ ').map((list) => list.split(', ')) as [string[], string[]];
      const verdict = (text: string, isForm: boolean): Verdict => ({
        term,
        text,
        isForm,
        counted: counts(term, text, language),
      });
      return [...forms.map((text) => verdict(text, true)), ...others.map((text) => verdict(text, false))];
    });
}

function counts(term: string, text: string, language: LanguageCode): boolean {
  const expected = { sourceTerm: 'x', targetTerms: [term] as [string], caseSensitive: false, count: 1 };
  return checkTerms([expected], `— ${text} —`, language).passed;
}
