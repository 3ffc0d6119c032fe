import { type PDFContext, type PDFRef, PDFString } from '@cantoo/pdf-lib';
import { appendComposites } from './composite-glyphs.ts';
import { loadFont, postScriptNames } from './font-files.ts';
import { openFont } from './open-font.ts';
import { readTables, viewOf } from './sfnt.ts';
import { subsetFont } from './subset.ts';
import { type SubsetFont, singleGlyph } from './subset-font.ts';
import { toUnicodeMap } from './to-unicode.ts';

/** Writes a font with the characters used into the document, as a Type 0 font with a TrueType descendant, at `ref`. */
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
  // By the file's checksum: subsets of one font get different tags, and the same text the same.
  const baseFont = `${tagOf(head.getUint32(8))}+${postScriptNames[name]}`;
  const thousandths = (units: number): number => Math.round((1000 * units) / unitsPerEm);
  const descriptor = context.register(
    context.obj({
      Type: 'FontDescriptor',
      FontName: baseFont,
      Flags: 4, // symbolic: glyphs are reached by id
      FontBBox: [36, 38, 40, 42].map((offset) => thousandths(head.getInt16(offset))),
      ItalicAngle: 0,
      Ascent: Math.round(1000 * ascent),
      Descent: Math.round(-1000 * descent),
      CapHeight: 714,
      StemV: 80,
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

/** A subset's tag: six capital letters. */
function tagOf(number: number): string {
  let letters = '';
  for (let rest = number; letters.length < 6; rest = Math.floor(rest / 26))
    letters = String.fromCharCode(65 + (rest % 26)) + letters;
  return letters;
}
