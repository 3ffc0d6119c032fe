import type { LanguageCode } from '#server/languages.ts';

/** Code in a text, whose letters keep their case: placeholders, tags, entities and addresses. */
const code = /(\$?\{[^{}]*\}|<[^<>]*>|%\S{0,20}[a-z@]|&#?\w+;|\b\w+:\/\/\S+)/iu;

/** A heading in capitals has at least this many letters. Fewer are an abbreviation, such as IT. */
const minLetters = 4;
const maxUnits = 300;

/** Whether a text is written in capitals, as headings and labels are. */
export function isInCapitals(text: string): boolean {
  if (text.length > maxUnits) return false;
  const words = text
    .split(code)
    .filter((_, at) => at % 2 === 0)
    .join(' ');
  return (words.match(/\p{Lu}/gu) ?? []).length >= minLetters && !/\p{Ll}/u.test(words);
}

/** Returns a text in capitals, without its code. A text in a script without letter case stays. */
export function inCapitals(text: string, language: LanguageCode): string {
  return text
    .split(code)
    .map((part, at) => (at % 2 === 0 ? part.toLocaleUpperCase(language) : part))
    .join('');
}
