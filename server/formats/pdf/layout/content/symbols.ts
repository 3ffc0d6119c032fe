import { type Paint, unknownText } from '../../page-content.ts';
import type { MovedGlyphs } from '../../text-block.ts';
import type { FindRules } from '../rule-index.ts';
import { isFormulaGlyph } from './formula-glyphs.ts';
import { type CharacterRange, findFormulas } from './formulas.ts';
import type { JoinedCharacter } from './joined-text.ts';

/** The maximum number of adjacent unknown glyphs that are symbols. More of them are a word, unless they are all equal. */
const maxAdjacent = 3;
/** The maximum number of symbols in a text. With more tags, models make mistakes. */
const maxSymbols = 20;

const letter = /\p{L}/u;
/** Spacing accents. Some fonts have another sign, such as a currency sign, at the code of an accent. */
const accent = /^\p{Sk}$/u;
/** Pictures, shapes and enclosed characters. Their look differs between fonts, and many fonts do not have them. */
const picture = /^[\u2300-\u23ff\u2460-\u2bff\u{1f000}-\u{1faff}]\ufe0f?$/u;

const isUnknown = (character: JoinedCharacter | undefined): boolean =>
  character?.glyph?.symbol !== undefined && character.text === unknownText;

function unknownRuns(characters: readonly JoinedCharacter[]): CharacterRange[] {
  const runs: CharacterRange[] = [];
  for (let from = 0; from < characters.length; from++) {
    let to = from;
    while (isUnknown(characters[to])) to++;
    if (to > from) runs.push({ from, to });
    from = to;
  }
  return runs;
}

/**
 * Whether a text has letters whose characters are unknown, so that it cannot be translated. An unknown glyph is a
 * letter if it is between letters, if it touches a letter of the same font, or if it is one of many. Other unknown
 * glyphs are symbols, such as bullets and check marks, or signs of formulas.
 */
export function hasUnknownLetters(characters: readonly JoinedCharacter[]): boolean {
  const runs = unknownRuns(characters).filter(({ from }) => !isFormulaGlyph(characters[from]!.glyph!));
  const unequal = runs.filter(({ from, to }) => !isRepeated(characters.slice(from, to)));
  const count = unequal.reduce((sum, { from, to }) => sum + to - from, 0);
  const letters = characters.filter(({ text }) => letter.test(text)).length;
  if (runs.length > maxSymbols || count > Math.max(maxAdjacent, letters)) return true;
  return runs.some(({ from, to }) => {
    if (to - from > maxAdjacent && !isRepeated(characters.slice(from, to))) return true;
    const neighbors = [characters[from - 1], characters[to]].filter((side) => side && letter.test(side.text));
    return neighbors.length === 2 || neighbors.some((side) => fontOf(side) === fontOf(characters[from]));
  });
}

function isRepeated(characters: readonly JoinedCharacter[]): boolean {
  return (
    characters.length > 1 && characters.every(({ glyph }) => glyph?.symbol === characters[0]!.glyph?.symbol)
  );
}

function fontOf(character: JoinedCharacter | undefined): string | undefined {
  return character?.glyph?.piece.shown.font.name;
}

/**
 * Finds the symbols of a text that are drawn as in the source: formulas, glyphs with an unknown character, pictures,
 * blanks to fill in, and accents in another font than the text.
 *
 * @returns for each character, the index after the symbol that starts there; 0 if no symbol starts there
 */
export function findSymbols(characters: readonly JoinedCharacter[]): Uint32Array {
  const ends = new Uint32Array(characters.length);
  const runs = unknownRuns(characters);
  const pictures = [...characters.keys()].filter((at) => isPicture(characters, at));
  for (const { from, to } of runs) ends[from] = to;
  const text = characters.map(({ text }) => text[0] ?? ' ').join('');
  for (const { 0: blank, index } of text.matchAll(/_{4,}|[·․.…‥]{6,}|[.…]*…{2,}[.…]*/gu))
    ends[index] = index + blank.length;
  if (runs.length + pictures.length <= maxSymbols) for (const at of pictures) ends[at] = at + 1;
  for (const { from, to } of findFormulas(characters)) ends.fill(0, from, to).fill(to, from, from + 1);
  return ends;
}

function isPicture(characters: readonly JoinedCharacter[], at: number): boolean {
  const character = characters[at]!;
  if (!character.glyph || isUnknown(character)) return false;
  if (picture.test(character.text)) return !character.glyph.piece.isMath;
  if (!accent.test(character.text)) return false;
  const neighbors = [characters[at - 1], characters[at + 1]].filter(
    (side) => side?.glyph && !side.glyph.isBlank,
  );
  const font = fontOf(character);
  // Alone, the accents of ASCII are signs of code.
  return neighbors.length > 0 ? neighbors.every((side) => fontOf(side) !== font) : character.text > '~';
}

/** The maximum height of a rule over the baseline of a glyph of a formula, and its depth, as shares of the glyph's size. */
const [overGlyph, underGlyph] = [0.95, 0.3];
/** The maximum distance by which a rule is longer than the glyphs of its formula at each end, as a share of their size. */
const besideGlyphs = 0.15;

/**
 * Returns the glyphs of a symbol with their positions, from which they can be moved, and the painted objects of its rules.
 *
 * @param rulesIn finds the rules within a rectangle, which belong to the symbol
 */
export function movedGlyphs(
  characters: readonly JoinedCharacter[],
  rulesIn: FindRules,
): { moved: MovedGlyphs; rules: Paint[] } {
  const placed = characters.flatMap(({ glyph, marks = [], rise }) =>
    glyph === null || glyph.isBlank
      ? []
      : [glyph, ...marks].map((part) => ({
          glyph: part,
          rise: rise + part.piece.baseline - glyph.piece.baseline,
        })),
  );
  const left = Math.min(...placed.map(({ glyph }) => glyph.left));
  const right = Math.max(...placed.map(({ glyph }) => glyph.right));
  const baseline = placed[0]!.glyph.piece.baseline - placed[0]!.rise;
  const slack = besideGlyphs * Math.max(...placed.map(({ glyph }) => glyph.piece.size));
  const found = rulesIn({
    left: left - slack,
    right: right + slack,
    bottom: Math.min(...placed.map(({ glyph: { piece } }) => piece.baseline - underGlyph * piece.size)),
    top: Math.max(...placed.map(({ glyph: { piece } }) => piece.baseline + overGlyph * piece.size)),
  });
  return {
    rules: found.map(({ paint }) => paint),
    moved: {
      parts: placed.map(({ glyph, rise }) => ({
        glyphs: { text: glyph.piece.shown, from: glyph.index, to: glyph.index + 1 },
        // Glyphs with a negative width start at their right edge.
        x: (glyph.piece.shown.glyphs[glyph.index]!.advance < 0 ? glyph.right : glyph.left) - left,
        y: rise,
      })),
      bars: found.map(({ box, paint }) => ({
        box: {
          left: box.left - left,
          right: box.right - left,
          bottom: box.bottom - baseline,
          top: box.top - baseline,
        },
        color: paint.color ?? placed[0]!.glyph.piece.style.color,
      })),
      width: right - left,
    },
  };
}
