import { covers, type FontName, openFont } from './fonts.ts';
import { fontOf } from './languages.ts';

const eastAsian =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Hangul}\p{Script_Extensions=Bopomofo}\u2460-\u24ff\uff00-\uffef]/u;
const common = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** The first characters of graphemes that a font is tried for, unless it is the language's own font. Saves opening it. */
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

/** Fonts of running text. A space or digit after their letters uses the same font. */
const textFonts: ReadonlySet<FontName> = new Set(
  fallbacks.filter((name) => !['math', 'symbols', 'moreSymbols', 'emoji'].includes(name)),
);

/** Picks the font of a grapheme; `before` is the font of the grapheme before it. */
export type FontChoice = (grapheme: string, before?: FontName) => FontName;

/** By the language's own font, the only thing that a choice depends on. */
const choices = new Map<FontName, FontChoice>();

/**
 * Returns the font choice for a language: its own font, else the first font that has the whole grapheme, else the first that
 * has its first character, else the language's own, which then shows its box for missing characters.
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
      // Normal texts have some thousand different graphemes. The limit bounds the memory for others.
      if (chosen.size < 20_000) chosen.set(grapheme, font);
    }
    return font;
  };
}
