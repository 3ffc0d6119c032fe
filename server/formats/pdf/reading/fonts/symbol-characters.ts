import type { PDFDict } from '@cantoo/pdf-lib';
import { getName } from '../../objects.ts';

/**
 * The characters of the Symbol font, by rows that start at a code. Unused codes have a space. PDF 32000-1, annex D.5.
 */
const rows: readonly [first: number, characters: string][] = [
  [0x20, ' !∀#∃%&∋()∗+,−./0123456789:;<=>?'],
  [0x40, '≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_'],
  [0x60, ' αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ '],
  [0xa0, '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵'],
  [0xc0, 'ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓'],
  [0xe0, '◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ ⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ '],
];

/** The characters of MathType's MT Extra font in the same form. Accents and parts of large signs are not included. */
const extraRows: typeof rows = [
  [0x3a, '∼≃⊲≪⊳≫≜≙≐∐ƛ'],
  [0x49, '∩℧…⋯⋮⋰⋱∥∵∡∢'],
  [0x60, '‵↦↕⇕○⊙≻'],
  [0x68, 'ℏ'],
  [0x6c, 'ℓ∓'],
  [0x6f, '∘≺'],
];

const tableOf = (table: typeof rows): ReadonlyMap<number, string> =>
  new Map(
    table.flatMap(([first, row]) =>
      [...row].map((character, index): [number, string] => [first + index, character]),
    ),
  );
const symbol = tableOf(rows);
const extra = tableOf(extraRows);

/** The characters of the ZapfDingbats font, by ranges of codes. PDF 32000-1, annex D.6. */
const dingbatRanges: readonly [firstCode: number, firstCharacter: number, count: number][] = [
  [0x20, 0x20, 1],
  [0x21, 0x2701, 4],
  [0x25, 0x260e, 1],
  [0x26, 0x2706, 4],
  [0x2a, 0x261b, 1],
  [0x2b, 0x261e, 1],
  [0x2c, 0x270c, 28],
  [0x48, 0x2605, 1],
  [0x49, 0x2729, 35],
  [0x6c, 0x25cf, 1],
  [0x6d, 0x274d, 1],
  [0x6e, 0x25a0, 1],
  [0x6f, 0x274f, 4],
  [0x73, 0x25b2, 1],
  [0x74, 0x25bc, 1],
  [0x75, 0x25c6, 1],
  [0x76, 0x2756, 1],
  [0x77, 0x25d7, 1],
  [0x78, 0x2758, 7],
  [0xa1, 0x2761, 7],
  [0xa8, 0x2663, 1],
  [0xa9, 0x2666, 1],
  [0xaa, 0x2665, 1],
  [0xab, 0x2660, 1],
  [0xac, 0x2460, 10],
  [0xb6, 0x2776, 31],
  [0xd5, 0x2192, 1],
  [0xd6, 0x2194, 2],
  [0xd8, 0x2798, 24],
  [0xf1, 0x27b1, 14],
];
const dingbats: ReadonlyMap<number, string> = new Map(
  dingbatRanges.flatMap(([code, character, count]) =>
    Array.from({ length: count }, (_, index): [number, string] => [
      code + index,
      String.fromCodePoint(character + index),
    ]),
  ),
);

const pictorial =
  /wingdings|webdings|dingbat|marlett|awesome|glyphicon|icomoon|marvosym|wasy\d|wp-(?:greek|math|icon)|(?:icons?|(?<!apple)symbols)(?:$|[-_ \d])/i;

/** Fonts of musical notation. */
const musical =
  /\b(?:Opus\w*Std|Maestro|Bravura|Petrucci|Emmentaler|Leland|Sonata|MScore|FinaleMaestro)(?:$|[-_, \d])/;

/** The names of fonts with signs (pi fonts), such as EuropeanPi-Three. */
const piFont = /[A-Za-z]Pi(?:$|[-_ \d])/;

/** Whether a font shows pictures for the codes of letters and digits. Apple Symbols shows letters. */
export function isPictorial(font: PDFDict): boolean {
  const name = getName(font, 'BaseFont') ?? '';
  return pictorial.test(name) || piFont.test(name) || musical.test(name);
}

/** The private use character that stands for code 0 in TrueType symbol fonts. */
const privateUse = 0xf000;

/**
 * Returns the character of a code, given the character that pdf.js reports. Returns undefined if the character of
 * pdf.js is correct.
 */
type SymbolDecoder = (unicode: string, code: number) => string | undefined;

/**
 * Returns a decoder for an embedded copy of a symbol font. For such fonts, pdf.js often reports only the codes, as
 * private use characters. It reports the codes of ZapfDingbats as letters.
 *
 * @returns undefined for other fonts
 */
export function symbolCharacters(font: PDFDict): SymbolDecoder | undefined {
  const [, name] =
    /^(?:[A-Z]{6}\+)?(Symbol(?:MT)?|MT-?Extra|ZapfDingbats|ITCZapfDingbats\w*|TeX-feym\w*)(?:,|$)/.exec(
      getName(font, 'BaseFont') ?? '',
    ) ?? [];
  if (name === undefined) return undefined;
  if (name.includes('Dingbats'))
    return (unicode, code) => (unicode.codePointAt(0) === code ? (dingbats.get(code) ?? '') : undefined);
  // The signs of TeX's package eurosym.
  if (name.startsWith('TeX-')) return (_, code) => (code === 0x65 ? '€' : undefined);
  const characters = name.startsWith('Symbol') ? symbol : extra;
  return (unicode) => {
    // The font Symbol has no accented letters. They are codes that were taken for those of text.
    const isCode = characters === symbol && /^[À-ÿ]$/u.test(unicode);
    return characters.get((unicode.codePointAt(0) ?? 0) - (isCode ? 0 : privateUse));
  };
}
