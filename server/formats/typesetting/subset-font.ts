import { type PDFContext, type PDFRef, PDFString } from '@cantoo/pdf-lib';
import type { Font } from 'harfbuzzjs';
import { withQuadraticOutlines } from './cubic-outlines.ts';
import { deflatedStream } from './deflated-stream.ts';
import { type DirectionMarkPosition, directionMark, reorderedPieces, sideBySide } from './direction-marks.ts';
import { type FontName, loadFont, openFont, postScriptName } from './fonts.ts';
import { subsetFont } from './harfbuzz-subsetter.ts';
import type { Cluster, PlacedGlyph } from './shaping.ts';
import { appendComposites, readTables, viewOf } from './truetype.ts';

/** A character code of an embedded font, with its glyphs and its text. */
interface Character {
  text: string;
  glyphs: readonly PlacedGlyph[];
  /** The width in thousandths of an em. */
  width: number;
}

/** A character code for a part of a cluster, and its offset from the start of the cluster in thousandths of an em. */
export interface PlacedCode {
  code: number;
  offset: number;
}

/**
 * The maximum number of character codes of one embedded font. The number of glyphs, including appended ones, then stays
 * below TrueType's limit of 65,535.
 */
const maxCharacters = 30_000;

/**
 * The maximum length of the text of one code, in UTF-16 units. A longer text is divided among several codes, because
 * some readers truncate the text of a code at 512 bytes.
 */
const maxTextLength = 100;

/** The characters of one font that a document uses. Their codes are counted from 1. */
export class SubsetFont {
  readonly name: FontName;
  readonly characters: Character[] = [];
  readonly #codes = new Map<string, readonly PlacedCode[]>();

  constructor(name: FontName) {
    this.name = name;
  }

  /**
   * Returns the codes that draw a cluster and from which PDF readers copy its text. Returns undefined if the font is
   * full.
   *
   * @param mark the position of a direction mark before the cluster, if it needs one
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
    // The first code with text draws the whole cluster; the other codes draw nothing.
    const drawing = pieces.findIndex(({ text }) => text !== directionMark);
    const codes = pieces.map(({ text, offset, width }, index) => ({
      // `push` returns the new length of the array. This is the code, because codes are counted from 1.
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

/**
 * Returns the glyph of a code if the code is drawn by one glyph at the origin; undefined if it needs a composite glyph.
 */
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

/**
 * A letter with its marks, or a space. Marks on a space are separate from it, because poppler ends a word only at a
 * code whose text is a single space.
 */
const letterWithMarks = /\s(?=\p{M})|.[\p{M}\p{Default_Ignorable_Code_Point}]{0,40}/gsu;

/**
 * Splits right-to-left text into codes from left to right, for readers that reverse it character by character. Each
 * letter of a ligature gets a code, the last letter first, and the marks of a letter come before it.
 */
function backward(text: string): string[] {
  if (text === '\t') return [' '];
  return text
    .match(letterWithMarks)!
    .map((letter) => [...letter].reverse().join(''))
    .reverse();
}

/** Returns a TrueType font with the outlines of these glyphs. */
export function drawnOutlines(file: Uint8Array, font: Font, glyphIds: ReadonlySet<number>): Uint8Array {
  return readTables(file).has('glyf')
    ? subsetFont(file, glyphIds)
    : withQuadraticOutlines(file, font, glyphIds);
}

/**
 * Writes a font that contains the used characters into the document, at the reference `ref`. It is a Type 0 font with a
 * TrueType descendant.
 */
export function writeFont(context: PDFContext, ref: PDFRef, subset: SubsetFont): void {
  const { characters, name } = subset;
  const { unitsPerEm, ascent, descent } = openFont(name);
  const composed = characters.filter(({ glyphs }) => singleGlyph(glyphs) === undefined);
  const { font, firstId } = appendComposites(
    drawnOutlines(
      loadFont(name),
      openFont(name).font,
      new Set(characters.flatMap(({ glyphs }) => glyphs.map(({ id }) => id))),
    ),
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
  // The tag is derived from the checksum of the font file. Different subsets of a font get different tags, and equal
  // subsets get the same tag.
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
      FontFile2: context.register(deflatedStream(context, font, { Length1: font.length })),
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
      CIDToGIDMap: context.register(deflatedStream(context, glyphIds)),
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
      ToUnicode: context.register(deflatedStream(context, toUnicodeMap(characters.map(({ text }) => text)))),
    }),
  );
}

/**
 * Returns the flags of a font descriptor (PDF 32000-1, table 123). All fonts are marked as symbolic, because their
 * glyphs are selected by id.
 */
function flagsOf(name: FontName): number {
  const fixedPitch = /^(cousine|cmuTypewriter)/.test(name) ? 1 : 0;
  const serif = /^(tinos|caladea|gelasio|cmuSerif)/.test(name) ? 2 : 0;
  const italic = name.endsWith('Italic') ? 64 : 0;
  return 4 | fixedPitch | serif | italic;
}

/** Returns the tag of a font subset: six capital letters. */
function tagOf(number: number): string {
  let letters = '';
  for (let rest = number; letters.length < 6; rest = Math.floor(rest / 26))
    letters = String.fromCharCode(65 + (rest % 26)) + letters;
  return letters;
}

/**
 * Returns the ToUnicode map of a font (PDF 32000-1, 9.10.3), which contains the text of each two-byte code.
 *
 * @param texts the texts of the codes, from code 1
 */
function toUnicodeMap(texts: readonly string[]): string {
  const lines = texts.map((text, index) => `<${hex(index + 1)}> <${utf16(text)}>`);
  const blocks: string[] = [];
  // A block of the map may have at most 100 entries.
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

/** Formats a code as four hexadecimal digits, for ToUnicode maps and shown strings. */
export function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

function utf16(text: string): string {
  let digits = '';
  for (let index = 0; index < text.length; index++) digits += hex(text.charCodeAt(index));
  return digits;
}
