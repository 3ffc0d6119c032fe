import { covers, type FontName, openFont } from './fonts.ts';
import { fontOf } from './languages.ts';

const eastAsian =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Hangul}\p{Script_Extensions=Bopomofo}\u2460-\u24ff\uff00-\uffef]/u;
const common = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** The first characters that a font is tried for when it is not the language's own: it stays closed for others. */
const uses: Record<FontName, RegExp> = {
  sans: /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u,
  arabic: /\p{Script_Extensions=Arabic}/u,
  devanagari: /\p{Script_Extensions=Devanagari}/u,
  thai: /[\p{Script=Thai}\u0e3f]/u,
  simplifiedChinese: eastAsian,
  traditionalChinese: eastAsian,
  japanese: eastAsian,
  korean: eastAsian,
  math: common,
  symbols: common,
  moreSymbols: common,
  emoji: common,
};

const fallbacks: readonly FontName[] = [
  'sans',
  'math',
  'symbols',
  'moreSymbols',
  'emoji',
  'arabic',
  'devanagari',
  'thai',
  'japanese',
  'simplifiedChinese',
  'korean',
  'traditionalChinese',
];

/** Fonts of running text: a space or a digit after their letters stays in them. */
const textFonts: ReadonlySet<FontName> = new Set(
  fallbacks.filter((name) => !['math', 'symbols', 'moreSymbols', 'emoji'].includes(name)),
);

/** Picks the font of a grapheme; `before` is that of the grapheme before it. */
export type FontChoice = (grapheme: string, before?: FontName) => FontName;

/** By the language's own font, on which alone they depend. */
const choices = new Map<FontName, FontChoice>();

/**
 * The choice for a language: its own font, else the first that has all of the grapheme, else the first that has
 * its first character, else the language's own, whose box for missing characters then stands there.
 */
export function fontChoice(language: string): FontChoice {
  const own = fontOf(language);
  const choice = choices.get(own) ?? makeChoice(own);
  choices.set(own, choice);
  return choice;
}

function makeChoice(own: FontName): FontChoice {
  const usable = (name: FontName, first: string): boolean =>
    uses[name].test(first) || (name === own && (uses[own] === eastAsian || common.test(first)));
  const chosen = new Map<string, FontName>();

  const choose = (grapheme: string): FontName => {
    const first = String.fromCodePoint(grapheme.codePointAt(0)!);
    const candidates = [own, ...fallbacks].filter((name) => usable(name, first));
    const having = (text: string) =>
      [...candidates, own].find((name) => covers(openFont(name).coverage, text));
    return having(grapheme) ?? having(first) ?? own;
  };

  return (grapheme, before) => {
    if (
      before &&
      textFonts.has(before) &&
      common.test(grapheme[0]!) &&
      covers(openFont(before).coverage, grapheme)
    )
      return before;
    let font = chosen.get(grapheme);
    if (!font) {
      font = choose(grapheme);
      // A text has some thousand different graphemes; one made of more is not worth remembering.
      if (chosen.size < 20_000) chosen.set(grapheme, font);
    }
    return font;
  };
}
