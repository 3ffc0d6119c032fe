/** OpenType shapes by script; these are the scripts that one of the fonts has, by ISO 15924 code. */
const scripts: readonly (readonly [code: string, members: RegExp])[] = [
  ['Latn', /\p{Script=Latin}/u],
  ['Hani', /\p{Script=Han}/u],
  ['Arab', /\p{Script=Arabic}/u],
  ['Cyrl', /\p{Script=Cyrillic}/u],
  ['Deva', /\p{Script=Devanagari}/u],
  ['Hang', /\p{Script=Hangul}/u],
  ['Hira', /\p{Script=Hiragana}/u],
  ['Kana', /\p{Script=Katakana}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Grek', /\p{Script=Greek}/u],
  ['Bopo', /\p{Script=Bopomofo}/u],
];

/** The script of a character; undefined for what all scripts share (digits, punctuation, marks, symbols). */
export function scriptOf(character: string): string | undefined {
  return scripts.find(([, members]) => members.test(character))?.[0];
}
