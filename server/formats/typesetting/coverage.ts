/** Code points from here on (private use and unassigned planes) are in none of the fonts. */
const limit = 0x40000;

/** Which code points a font has glyphs for: a bit each, 32 KB. */
export type Coverage = Uint8Array;

export function coverageOf(codePoints: Iterable<number>): Coverage {
  const coverage = new Uint8Array(limit / 8);
  for (const codePoint of codePoints)
    if (codePoint < limit) coverage[codePoint >> 3]! |= 1 << (codePoint & 7);
  return coverage;
}

/** What needs no glyph of its own: joiners, direction marks, variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;

/** Whether the font can show the text as it stands, or composed or decomposed, which shaping does by itself. */
export function covers(coverage: Coverage, text: string): boolean {
  return (
    coversAll(coverage, text) ||
    coversAll(coverage, text.normalize('NFC')) ||
    coversAll(coverage, text.normalize('NFD'))
  );
}

function coversAll(coverage: Coverage, text: string): boolean {
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    if (codePoint >= limit) return false;
    if (!(coverage[codePoint >> 3]! & (1 << (codePoint & 7))) && !invisible.test(character)) return false;
  }
  return true;
}
