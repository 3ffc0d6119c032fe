import { type FontStyle, latinFont, withWeight } from './font-style.ts';
import { covers, coversComposed, type FontName, openFont, typefaces } from './fonts.ts';
import { fontOf } from './languages.ts';

const eastAsian =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}\p{Script_Extensions=Bopomofo}\u2460-\u24ff\u3200-\u33ff\uff00-\uffef]/u;
const common = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** The scripts of Europe, and others of which some of the fonts for them have letters. */
const european =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]/u;

/** The fonts of the operator may have any characters. */
const any = /^/;

/**
 * Restricts the graphemes for which a font is tried, by the start of the font's name: the first character of the
 * grapheme must match. This avoids opening fonts that are not needed. The main font of the language is also tried for
 * other graphemes.
 */
const uses: readonly (readonly [names: RegExp, first: RegExp])[] = [
  [/^own/, any],
  [new RegExp(`^(sans|light|${typefaces.join('|')})`), european],
  [/^arabic/, /\p{Script_Extensions=Arabic}/u],
  [/^devanagari/, /\p{Script_Extensions=Devanagari}/u],
  [/^thai/, /[\p{Script=Thai}\u0e3f]/u],
  [/^(simplifiedChinese|traditionalChinese|japanese|korean)/, eastAsian],
  [/^(math|symbols|moreSymbols|emoji)/, common],
];

function useOf(font: FontName): RegExp {
  return uses.find(([names]) => names.test(font))![1];
}

/** Whether a font is, or may be, for text in a European script. */
function isEuropean(font: FontName): boolean {
  return [european, any].includes(useOf(font));
}

const fallbacks: readonly FontName[] = [
  'sans',
  'math',
  'symbols',
  'moreSymbols',
  'emoji',
  'arimo',
  'dejaVuSans',
  'arabic',
  'devanagari',
  'thai',
  'japanese',
  'simplifiedChinese',
  'korean',
  'traditionalChinese',
];

/**
 * The fonts for symbols; all other fonts are for running text. A space or digit after a letter gets the font of the
 * letter, if this is a font for running text.
 */
const symbolFonts: ReadonlySet<FontName> = new Set(['math', 'symbols', 'moreSymbols', 'emoji']);

/** Returns the font of a grapheme. `before` is the font of the previous grapheme. */
export type FontChoice = (grapheme: string, before?: FontName) => FontName;

/** The font choices, by the list of fonts that they try. A choice depends only on this list. */
const choices = new Map<string, FontChoice>();

/**
 * Returns the font choice for a language. A grapheme gets the first font that has the whole grapheme, if possible
 * composed, starting with the main font of the language. If no font has it, it gets the first font that has its first
 * character, or else a font which shows a box for missing characters.
 *
 * @param style the style of the text; without a style, all text is in the regular Noto fonts
 */
export function fontChoice(language: string, style?: FontStyle): FontChoice {
  const candidates = candidatesFor(language, style);
  const key = candidates.join();
  const choice = choices.get(key) ?? makeChoice(candidates);
  choices.set(key, choice);
  return choice;
}

/** A letter of each language, or else of its script. A font that has it is the main font of texts in its face. */
const samples: Partial<Record<string, string>> = {
  Arab: 'ع',
  Cyrl: 'д',
  Deva: 'क',
  Grek: 'α',
  Hans: '的',
  Hant: '的',
  Jpan: 'の',
  Kore: '가',
  Thai: 'ก',
  cs: 'ř',
  hr: 'đ',
  hu: 'ő',
  lt: 'ė',
  lv: 'ā',
  pl: 'ł',
  ro: 'ș',
  sk: 'ľ',
  sl: 'č',
  tr: 'ğ',
  vi: 'ợ',
};

/** Returns the fonts in the order in which they are tried, starting with the language's main font. */
function candidatesFor(language: string, style: FontStyle | undefined): FontName[] {
  const own = fontOf(language);
  if (!style) return [own, ...fallbacks.filter((name) => name !== own)];
  // The other scripts have no light font, and light Latin letters would look too thin next to their letters.
  const latin = own === 'sans' ? style : { ...style, light: false };
  const { face } = style;
  const locale = new Intl.Locale(language).maximize();
  const sample = samples[locale.language] ?? samples[locale.script ?? 'Latn'] ?? 'a';
  const styled = [
    ...(face && useOf(face).test(sample) && covers(openFont(face).coverage, sample) ? [face] : []),
    own === 'sans' ? latinFont(latin) : withWeight(own, style.bold),
    ...(face ? [face] : []),
    latinFont(latin),
    latinFont({ ...latin, family: 'sans' }),
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
    const having = (text: string, has = covers) =>
      [...candidates, own].find((name) => has(openFont(name).coverage, text));
    // Some typefaces show nothing for missing letters.
    return (
      having(grapheme, coversComposed) ??
      having(grapheme) ??
      having(first) ??
      (isEuropean(own) && /\p{L}/u.test(first) ? 'sans' : own)
    );
  };

  return (grapheme, before) => {
    if (
      before &&
      !symbolFonts.has(before) &&
      // In a text in a European script, the following text returns to the main font after a single symbol that the main
      // font lacks.
      (before === own || !isEuropean(own) || !isEuropean(before)) &&
      common.test(grapheme[0]!) &&
      covers(openFont(before).coverage, grapheme)
    )
      return before;
    let font = chosen.get(grapheme);
    if (!font) {
      font = choose(grapheme);
      // Normal texts have about a thousand different graphemes. The limit bounds the memory for unusual texts.
      if (chosen.size < 20_000) chosen.set(grapheme, font);
    }
    return font;
  };
}
