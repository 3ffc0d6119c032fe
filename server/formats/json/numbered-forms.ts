import type { PluralCategory, PluralType } from '../messages/plural-forms.ts';
import { poPluralsOf } from '../messages/plural-forms.ts';
import type { JsonMember } from './parser.ts';

/** A plural form in an object. */
export interface Form {
  category: string;
  type: PluralType;
  member: JsonMember;
}

/** The plural forms of one message. */
export interface Group {
  /** The common start of the keys. */
  base: string;
  forms: readonly Form[];
  /** Returns the key of a form in a language, or in that of the source. */
  keyOf(category: string, language: string | undefined): string;
  /** Returns the categories of a language, if its keys have numbers. */
  formsIn?(language: string): readonly string[];
}

/** The order of the forms of i18next 3, if it is not that of gettext. */
const numberedForms: Readonly<Record<string, readonly PluralCategory[]>> = {
  fa: ['other'],
  sl: ['other', 'one', 'two', 'few'],
};

const formsOfNumbers = (language: string): readonly PluralCategory[] =>
  numberedForms[language] ?? poPluralsOf(language).forms;

/** Returns the ends of the keys of i18next 3, such as `year` and `year_plural`, or `year_0`, `year_1` and `year_2`. */
function numberedEnds(language: string): string[] {
  const { length } = formsOfNumbers(language);
  return length === 2 ? ['', '_plural'] : Array.from({ length }, (_, at) => `_${at}`);
}

/** Returns the groups of members that are plural forms of i18next before version 4. */
export function readNumberedForms(
  members: readonly (readonly [key: string, member: JsonMember])[],
  language: string,
): Group[] {
  const ends = numberedEnds(language);
  const last = ends.at(-1)!;
  const byKey = new Map(members);
  const keyOf = (base: string, category: string, own: string) =>
    base + (numberedEnds(own)[formsOfNumbers(own).indexOf(category as PluralCategory)] ?? `_${category}`);
  return members.flatMap(([key]): Group[] => {
    const base = key.slice(0, -last.length);
    if (!key.endsWith(last) || base === '') return [];
    const forms = ends.flatMap((end, at): Form[] => {
      const member = byKey.get(base + end);
      return typeof member?.value === 'string'
        ? [{ category: formsOfNumbers(language)[at]!, type: 'cardinal', member }]
        : [];
    });
    const isComplete =
      forms.length === ends.length && !byKey.has(`${base}_${ends.length}`) && !byKey.has(`${base}_other`);
    const hasCount = forms.some(({ member }) => /\{\{-?\s*count\b/.test(String(member.value)));
    // Lists have numbers in keys, too, but no count.
    if (!isComplete || (ends.length !== 2 && !hasCount)) return [];
    forms.sort((one, other) => one.member.keyStart - other.member.keyStart);
    return [
      {
        base,
        forms,
        keyOf: (category, target = language) => keyOf(base, category, target),
        formsIn: formsOfNumbers,
      },
    ];
  });
}
