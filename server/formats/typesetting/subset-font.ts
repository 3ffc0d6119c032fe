import { type PDFContext, type PDFRef, PDFString } from '@cantoo/pdf-lib';
import { type DirectionMarkPosition, directionMark, reorderedPieces, sideBySide } from './direction-marks.ts';
import { type FontName, loadFont, openFont, postScriptName } from './fonts.ts';
import { subsetFont } from './harfbuzz-subsetter.ts';
import type { Cluster, PlacedGlyph } from './shaping.ts';
import { appendComposites, readTables, viewOf } from './truetype.ts';

/** The glyphs and the text of one character code of an embedded font. */
interface Character {
  text: string;
  glyphs: readonly PlacedGlyph[];
  /** In thousandths of an em. */
  width: number;
}

/** A code of a cluster, and its offset from the cluster's start, in thousandths of an em. */
export interface PlacedCode {
  code: number;
  offset: number;
}

/**
 * The maximum number of codes of one embedded font. With the glyphs that may be appended it stays below TrueType's limit of
 * 65535.
 */
const maxCharacters = 30_000;

/**
 * The maximum length of the text of one code. Longer text is divided among several codes, because some readers truncate a
 * code's text at 512 bytes.
 */
const maxTextLength = 100;

/** The characters of one font that a document uses, each with its code, from 1. */
export class SubsetFont {
  readonly name: FontName;
  readonly characters: Character[] = [];
  readonly #codes = new Map<string, readonly PlacedCode[]>();

  constructor(name: FontName) {
    this.name = name;
  }

  /**
   * Returns the codes that draw a cluster, and from which readers copy its text; undefined if the font is full.
   * @param mark the position of a direction mark before it
   */
  codesFor(cluster: Cluster, mark: DirectionMarkPosition | undefined): readonly PlacedCode[] | undefined {
    const { glyphs, level, text } = cluster;
    const key = `${level % 2}${mark ?? ''}${glyphs.map(({ id, x, y }) => `${id},${x},${y}`).join(';')}|${text}`;
    const known = this.#codes.get(key);
    if (known) return known;
    const width = this.#width(cluster);
    const pieces =
      level % 2 || mark
        ? reorderedPieces(level % 2 ? backward(text) : forward(text), width, mark)
        : sideBySide(forward(text), 0, width);
    if (this.characters.length + pieces.length > maxCharacters) return undefined;
    // One code draws the whole cluster.
    const drawing = pieces.findIndex(({ text }) => text !== directionMark);
    const codes = pieces.map(({ text, offset, width }, index) => ({
      // `push` returns the new length, which is the code, because codes start at 1.
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

/** Returns the glyph that draws a code without being moved; undefined if the code needs a composite. */
function singleGlyph(glyphs: readonly PlacedGlyph[]): number | undefined {
  const [glyph] = glyphs;
  return glyphs.length === 1 && glyph!.x === 0 && glyph!.y === 0 ? glyph!.id : undefined;
}

function forward(text: string): string[] {
  if (text === '\t') return [' '];
  const texts: string[] = [];
  for (let start = 0; start < text.length; start += maxTextLength)
    texts.push(text.slice(start, start + maxTextLength));
  return texts;
}

/** A mark on a space is separate from it, because poppler ends a word only at a code whose text is a single space. */
const letterWithMarks = /\s(?=\p{M})|.[\p{M}\p{Default_Ignorable_Code_Point}]{0,40}/gsu;

/**
 * Splits right-to-left text for readers, which reverse it character by character from visual order. Each letter of a ligature
 * gets a code, the last letter first, and a letter's marks come before it.
 */
function backward(text: string): string[] {
  if (text === '\t') return [' '];
  return text
    .match(letterWithMarks)!
    .map((letter) => [...letter].reverse().join(''))
    .reverse();
}

/** Writes a font with the used characters into the document, as a Type 0 font with a TrueType descendant, at `ref`. */
export function writeFont(context: PDFContext, ref: PDFRef, subset: SubsetFont): void {
  const { characters, name } = subset;
  const { unitsPerEm, ascent, descent } = openFont(name);
  const composed = characters.filter(({ glyphs }) => singleGlyph(glyphs) === undefined);
  const { font, firstId } = appendComposites(
    subsetFont(loadFont(name), new Set(characters.flatMap(({ glyphs }) => glyphs.map(({ id }) => id)))),
    composed.map(({ glyphs, width }) => ({
      parts: glyphs,
      advance: Math.round((width / 1000) * unitsPerEm),
    })),
  );

  const glyphIds = new Uint8Array(2 * (characters.length + 1));
  let appended = firstId;
  for (const [index, { glyphs }] of characters.entries())
    viewOf(glyphIds).setUint16(2 * (index + 1), singleGlyph(glyphs) ?? appended++);

  const head = viewOf(readTables(font).get('head')!);
  // Derived from the file's checksum: different subsets of a font get different tags, and equal subsets get the same tag.
  const baseFont = `${tagOf(head.getUint32(8))}+${postScriptName(name)}`;
  const thousandths = (units: number): number => Math.round((1000 * units) / unitsPerEm);
  const descriptor = context.register(
    context.obj({
      Type: 'FontDescriptor',
      FontName: baseFont,
      Flags: flagsOf(name),
      FontBBox: [36, 38, 40, 42].map((offset) => thousandths(head.getInt16(offset))),
      ItalicAngle: name.endsWith('Italic') ? -12 : 0,
      Ascent: Math.round(1000 * ascent),
      Descent: Math.round(-1000 * descent),
      CapHeight: 714,
      StemV: name.includes('Bold') ? 140 : 80,
      FontFile2: context.register(context.flateStream(font, { Length1: font.length })),
    }),
  );
  const descendant = context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'CIDFontType2',
      BaseFont: baseFont,
      CIDSystemInfo: {
        Registry: PDFString.of('Adobe'),
        Ordering: PDFString.of('Identity'),
        Supplement: 0,
      },
      FontDescriptor: descriptor,
      DW: 1000,
      W: [1, characters.map(({ width }) => width)],
      CIDToGIDMap: context.register(context.flateStream(glyphIds)),
    }),
  );
  context.assign(
    ref,
    context.obj({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: baseFont,
      Encoding: 'Identity-H',
      DescendantFonts: [descendant],
      ToUnicode: context.register(context.flateStream(toUnicodeMap(characters.map(({ text }) => text)))),
    }),
  );
}

/**
 * Returns the flags of a font descriptor (PDF 32000-1, table 123). All fonts are symbolic, because glyphs are selected by id.
 */
function flagsOf(name: FontName): number {
  const fixedPitch = name.startsWith('cousine') ? 1 : 0;
  const serif = name.startsWith('tinos') ? 2 : 0;
  const italic = name.endsWith('Italic') ? 64 : 0;
  return 4 | fixedPitch | serif | italic;
}

/** Returns a subset's tag: six capital letters. */
function tagOf(number: number): string {
  let letters = '';
  for (let rest = number; letters.length < 6; rest = Math.floor(rest / 26))
    letters = String.fromCharCode(65 + (rest % 26)) + letters;
  return letters;
}

/**
 * Writes the ToUnicode map of a font (PDF 32000-1, 9.10.3): the text of each two-byte code.
 * @param texts by code, from code 1
 */
function toUnicodeMap(texts: readonly string[]): string {
  const lines = texts.map((text, index) => `<${hex(index + 1)}> <${utf16(text)}>`);
  const blocks: string[] = [];
  // A block has at most 100 entries.
  for (let start = 0; start < lines.length; start += 100) {
    const block = lines.slice(start, start + 100);
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`);
  }
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    '<0000> <FFFF>',
    'endcodespacerange',
    ...blocks,
    'endcmap',
    'CMapName currentdict /CMap defineresource pop',
    'end',
    'end',
  ].join('\n');
}

/** Formats a code for maps and shown strings: four hexadecimal digits. */
export function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

function utf16(text: string): string {
  let digits = '';
  for (let index = 0; index < text.length; index++) digits += hex(text.charCodeAt(index));
  return digits;
}
