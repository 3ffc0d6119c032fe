import { type FontStyle, latinFont, withWeight } from './font-style.ts';
import { covers, type FontName, openFont } from './fonts.ts';
import { fontOf } from './languages.ts';

const eastAsian =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}\p{Script_Extensions=Bopomofo}\u2460-\u24ff\uff00-\uffef]/u;
const common = /[\p{Script=Common}\p{Script=Inherited}]/u;

const european =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

/** By the start of a font's name: the first characters of graphemes that it is tried for, unless it is the language's own. Saves opening it. */
const uses: readonly (readonly [names: RegExp, first: RegExp])[] = [
  [/^(sans|tinos|arimo|cousine)/, european],
  [/^arabic/, /\p{Script_Extensions=Arabic}/u],
  [/^devanagari/, /\p{Script_Extensions=Devanagari}/u],
  [/^thai/, /[\p{Script=Thai}\u0e3f]/u],
  [/^(simplifiedChinese|traditionalChinese|japanese|korean)/, eastAsian],
  [/^(math|symbols|moreSymbols|emoji)/, common],
];

function useOf(font: FontName): RegExp {
  return uses.find(([names]) => names.test(font))![1];
}

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

/** Other fonts are of running text. A space or digit after their letters uses the same font. */
const symbolFonts: ReadonlySet<FontName> = new Set(['math', 'symbols', 'moreSymbols', 'emoji']);

/** Picks the font of a grapheme; `before` is the font of the grapheme before it. */
export type FontChoice = (grapheme: string, before?: FontName) => FontName;

/** By the fonts that are tried, the only thing that a choice depends on. */
const choices = new Map<string, FontChoice>();

/**
 * Returns the font choice for a language: its own font, else the first font that has the whole grapheme, else the first that
 * has its first character, else the language's own, which then shows its box for missing characters.
 *
 * @param style of the text, if it is set like another text; without one, all text is in the regular Noto fonts
 */
export function fontChoice(language: string, style?: FontStyle): FontChoice {
  const candidates = candidatesFor(fontOf(language), style);
  const key = candidates.join();
  const choice = choices.get(key) ?? makeChoice(candidates);
  choices.set(key, choice);
  return choice;
}

/** Returns the fonts in the order in which they are tried, the language's own first. */
function candidatesFor(own: FontName, style: FontStyle | undefined): FontName[] {
  if (!style) return [own, ...fallbacks.filter((name) => name !== own)];
  const styled = [
    own === 'sans' ? latinFont(style) : withWeight(own, style.bold),
    latinFont(style),
    latinFont({ ...style, family: 'sans' }),
    ...fallbacks.map((name) => withWeight(name, style.bold)),
  ];
  return [...new Set(styled)];
}

function makeChoice(fonts: readonly FontName[]): FontChoice {
  const own = fonts[0]!;
  const usable = (name: FontName, first: string): boolean =>
    useOf(name).test(first) || (name === own && (useOf(own) === eastAsian || common.test(first)));
  const chosen = new Map<string, FontName>();

  const choose = (grapheme: string): FontName => {
    const first = String.fromCodePoint(grapheme.codePointAt(0)!);
    const candidates = fonts.filter((name) => usable(name, first));
    const having = (text: string) =>
      [...candidates, own].find((name) => covers(openFont(name).coverage, text));
    return having(grapheme) ?? having(first) ?? own;
  };

  return (grapheme, before) => {
    if (
      before &&
      !symbolFonts.has(before) &&
      // One sign that the own font lacks does not take what follows along.
      (before === own || useOf(own) !== european || useOf(before) !== european) &&
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
