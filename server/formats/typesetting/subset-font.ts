import { sideBySide, turnedPieces } from './code-widths.ts';
import type { FontName } from './font-files.ts';
import { openFont } from './open-font.ts';
import type { Cluster, PlacedGlyph } from './shape.ts';
import { type TurningPoint, turningMark } from './turning-marks.ts';

/** What one character code of an embedded font draws and means. */
export interface Character {
  text: string;
  glyphs: readonly PlacedGlyph[];
  /** In thousandths of an em. */
  width: number;
}

/** A code of a cluster, and where it stands from the cluster's start, in thousandths of an em. */
export interface PlacedCode {
  code: number;
  offset: number;
}

/** Codes of one embedded font; with the glyphs that may be appended for them it stays below TrueType's 65535. */
export const mostCharacters = 30_000;

/** A longer text is given out over several codes: some readers cut a code's text at 512 bytes. */
const longestText = 100;

/** The characters of one font that a document uses, each with a code of its own, from 1. */
export class SubsetFont {
  readonly name: FontName;
  readonly characters: Character[] = [];
  readonly #codes = new Map<string, readonly PlacedCode[]>();

  constructor(name: FontName) {
    this.name = name;
  }

  /**
   * The codes that draw a cluster and are copied out as its text; undefined when the font is full.
   * @param turns where a turning mark stands before it
   */
  codesFor(cluster: Cluster, turns: TurningPoint | undefined): readonly PlacedCode[] | undefined {
    const { glyphs, level, text } = cluster;
    const key = `${level % 2}${turns ?? ''}${glyphs.map(({ id, x, y }) => `${id},${x},${y}`).join(';')}|${text}`;
    const known = this.#codes.get(key);
    if (known) return known;
    const width = this.#width(cluster);
    const pieces =
      level % 2 || turns
        ? turnedPieces(level % 2 ? backward(text) : forward(text), width, turns)
        : sideBySide(forward(text), 0, width);
    if (this.characters.length + pieces.length > mostCharacters) return undefined;
    // One draws all of it.
    const drawing = pieces.findIndex(({ text }) => text !== turningMark);
    const codes = pieces.map(({ text, offset, width }, index) => ({
      // Lengths of characters.push are codes, as codes start at 1.
      code: this.characters.push({
        text,
        glyphs: index === drawing ? this.#moved(glyphs, -offset) : [],
        width,
      }),
      offset,
    }));
    this.#codes.set(key, codes);
    return codes;
  }

  #moved(glyphs: readonly PlacedGlyph[], thousandths: number): readonly PlacedGlyph[] {
    if (thousandths === 0) return glyphs;
    const units = Math.round((thousandths / 1000) * openFont(this.name).unitsPerEm);
    return glyphs.map((glyph) => ({ ...glyph, x: glyph.x + units }));
  }

  #width({ glyphs, advance }: Cluster): number {
    const { font, unitsPerEm } = openFont(this.name);
    const single = singleGlyph(glyphs);
    return Math.round(1000 * (single === undefined ? advance : font.glyphHAdvance(single) / unitsPerEm));
  }
}

/** The glyph that alone draws all of it, without being moved; undefined where a composite is needed. */
export function singleGlyph(glyphs: readonly PlacedGlyph[]): number | undefined {
  const [glyph] = glyphs;
  return glyphs.length === 1 && glyph!.x === 0 && glyph!.y === 0 ? glyph!.id : undefined;
}

function forward(text: string): string[] {
  if (text === '\t') return [' '];
  const texts: string[] = [];
  for (let start = 0; start < text.length; start += longestText)
    texts.push(text.slice(start, start + longestText));
  return texts;
}

/** Poppler ends a word only at a code that is a space alone: a mark that stands on a space gets its own. */
const letterWithMarks = /\s(?=\p{M})|.[\p{M}\p{Default_Ignorable_Code_Point}]{0,40}/gsu;

/**
 * Readers find right-to-left text in visual order and turn it around character by character: so a code for each
 * letter of a ligature, the last letter first, and a letter's marks before it.
 */
function backward(text: string): string[] {
  if (text === '\t') return [' '];
  return text
    .match(letterWithMarks)!
    .map((letter) => [...letter].reverse().join(''))
    .reverse();
}
