import type { PDFDict } from '@cantoo/pdf-lib';
import { getName } from '../objects.ts';

/** Characters of the Symbol font from code 32 on; a space where it has none. PDF 32000-1, annex D.5. */
const rows: readonly [first: number, characters: string][] = [
  [0x20, ' !∀#∃%&∋()∗+,−./0123456789:;<=>?'],
  [0x40, '≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_'],
  [0x60, ' αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ '],
  [0xa0, '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵'],
  [0xc0, 'ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓'],
  [0xe0, '◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ ⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ '],
];

const characters = new Map(
  rows.flatMap(([first, row]) =>
    [...row].map((character, index): [number, string] => [first + index, character]),
  ),
);

/** Where TrueType fonts of symbols have their codes in Unicode's private use area. */
const privateUse = 0xf000;

/**
 * Embedded copies of the Symbol font often tell only its codes, as characters for private use.
 *
 * @returns undefined for other fonts
 */
export function symbolCharacters(font: PDFDict): ((unicode: string) => string | undefined) | undefined {
  if (!/^(?:[A-Z]{6}\+)?Symbol(?:MT)?(?:,|$)/.test(getName(font, 'BaseFont') ?? '')) return undefined;
  return (unicode) => characters.get((unicode.codePointAt(0) ?? 0) - privateUse);
}
