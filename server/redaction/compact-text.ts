/** Returns what identifies a value: its letters and digits, without case and accents. */
export function keyOf(written: string): string {
  return compactOf(written).units;
}

/** The letters and digits of a text, without case and accents. */
export interface Compact {
  units: string;
  /** The place of each unit in the text. */
  places: number[];
}

const folded = new Map<string, string>();

/** Scripts in which a letter without its marks is the same letter. */
const foldable = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Letters whose capitals are also those of others: STRASSE, IŞIL, ΠΑΠΑΣ. */
const equalLetters: Record<string, string> = { ß: 'ss', ı: 'i', ς: 'σ' };

/**
 * Returns a unit without case and accents, a ligature as its letters, and a syllable or a vowel sign of other scripts as it
 * is; empty for other signs.
 */
function fold(unit: string): string {
  let known = folded.get(unit);
  if (known === undefined) {
    const kept =
      /^\p{M}$/u.test(unit) && !/^\p{Script=Inherited}|^\p{Script=Hebrew}|^\p{Script=Arabic}/u.test(unit);
    known = kept
      ? unit
      : (foldable.test(unit) ? unit.normalize('NFKD') : unit)
          .toLowerCase()
          .replace(/[ßıς]/g, (letter) => equalLetters[letter]!)
          .replace(/[^\p{L}\p{N}]/gu, '');
    if (folded.size < 5000) folded.set(unit, known);
  }
  return known;
}

/** Returns the letters and digits of a text. Takes linear time. */
export function compactOf(text: string): Compact {
  let units = '';
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!;
    const one = /[\ud800-\udfff]/.test(unit) ? unit : fold(unit);
    if (one === '') continue;
    units += one;
    for (let unit = 0; unit < one.length; unit++) places.push(at);
  }
  return { units, places };
}
