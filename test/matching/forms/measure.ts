import type { LanguageCode } from '#server/languages.ts';
import { checkTerms } from '#server/matching/terms/index.ts';

/** What a table says of one term, and whether `checkTerms` says the same. */
export interface Verdict {
  term: string;
  text: string;
  /** A form of the term, which must count. */
  isForm: boolean;
  counted: boolean;
}

/** @param table lines of: a term = forms of it that count ≠ other words, like it, that do not */
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
