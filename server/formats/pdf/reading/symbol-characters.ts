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

/** The same for the characters of MathType's MT Extra font that are no accents or parts of large signs. */
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

/** Where TrueType fonts of symbols have their codes in Unicode's private use area. */
const privateUse = 0xf000;

/**
 * Embedded copies of symbol fonts often tell only its codes, as characters for private use.
 *
 * @returns undefined for other fonts
 */
export function symbolCharacters(font: PDFDict): ((unicode: string) => string | undefined) | undefined {
  const [, name] =
    /^(?:[A-Z]{6}\+)?(Symbol(?:MT)?|MT-?Extra)(?:,|$)/.exec(getName(font, 'BaseFont') ?? '') ?? [];
  if (name === undefined) return undefined;
  const characters = name.startsWith('Symbol') ? symbol : extra;
  return (unicode) => characters.get((unicode.codePointAt(0) ?? 0) - privateUse);
}
