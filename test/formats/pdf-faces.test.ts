import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import type { TextFont } from '#server/formats/pdf/page-content.ts';
import { type MeasuredLetters, measureLetters } from '#server/formats/pdf/reading/measured-family.ts';
import type { PdfjsFont, PdfjsText } from '#server/formats/pdf/reading/pdfjs-texts.ts';
import { textFont } from '#server/formats/pdf/reading/text-font.ts';
import { advanceIn, type FontName } from '#server/formats/typesetting/fonts.ts';

const { context } = await PDFDocument.create();

/** The appearance of a font with this name, descriptor and widths of letters. */
function face(name: string, descriptor: Record<string, number> = {}, letters?: MeasuredLetters): TextFont {
  const dictionary = context.obj({ Type: 'Font', FontDescriptor: context.obj(descriptor) });
  return textFont(dictionary, { name: `ABCDEF+${name}` } as PdfjsFont, letters);
}

/** The widths of letters in one of our fonts, in another unit. */
function lettersOf(font: FontName, letters = 'abcdefghilmnoprst'): MeasuredLetters {
  return new Map([...letters].map((letter) => [letter, 730 * advanceIn(font, letter)!]));
}

const [fixed, hasSerifs, isItalic, forceBold] = [1, 2, 64, 1 << 18];

describe('a font is bold', () => {
  it.each<[name: string, descriptor: Record<string, number>]>([
    ['Arial-BoldMT', {}],
    ['Arial,Bold', { FontWeight: 400 }],
    ['HelveticaNeueLTStd-Blk', {}],
    ['CMBX10', {}],
    ['F1', { FontWeight: 700 }],
    ['F1', { Flags: forceBold }],
    ['NimbusRomNo9L-Medi', {}],
    ['LinLibertineTB', {}],
  ])('%s %o', (name, descriptor) => {
    expect(face(name, descriptor).bold).toBe(true);
  });
});

describe('a font without a known name has the style of its file', () => {
  it.each<[file: string, style: Pick<TextFont, 'bold' | 'italic'>]>([
    ['400Regular/Arimo_400Regular', { bold: false, italic: false }],
    ['700Bold/Arimo_700Bold', { bold: true, italic: false }],
    ['400Regular_Italic/Arimo_400Regular_Italic', { bold: false, italic: true }],
  ])('%s', (file, style) => {
    const bytes = readFileSync(
      createRequire(import.meta.url).resolve(`@expo-google-fonts/arimo/${file}.ttf`),
    );
    const faceOf = (name: string, content: Uint8Array, Flags = 0): TextFont => {
      const FontFile2 = context.register(context.stream(content));
      const dictionary = context.obj({ Type: 'Font', FontDescriptor: context.obj({ Flags, FontFile2 }) });
      return textFont(dictionary, { name } as PdfjsFont);
    };
    expect(faceOf('CIDFont+F1', bytes)).toMatchObject(style);
    expect(faceOf('Arimo-Medium', bytes)).toMatchObject({ bold: false });
    expect(faceOf('Calibri', bytes, forceBold)).toMatchObject({ bold: style.bold });
    expect(faceOf('CIDFont+F1', bytes.subarray(0, 40))).toMatchObject({ bold: false, italic: false });
  });
});

describe('a font is not bold', () => {
  it.each<[name: string, descriptor: Record<string, number>]>([
    ['GoogleSans-Medium', { FontWeight: 500 }],
    ['LinLibertine', {}],
    ['HelveticaNeueCE-Medium', { Flags: forceBold }],
    ['FrutigerLTStd-Light', { Flags: forceBold }],
    ['F1', { FontWeight: 500, StemV: 160 }],
  ])('%s %o', (name, descriptor) => {
    expect(face(name, descriptor).bold).toBe(false);
  });
});

describe('a font is italic', () => {
  it.each<[name: string, descriptor: Record<string, number>, italic: boolean]>([
    ['Times-Italic', {}, true],
    ['LinLibertineTI', {}, true],
    ['LinLibertineT', {}, false],
    ['LinLibertine', {}, false],
    ['F1', { Flags: isItalic }, true],
    ['F1', { ItalicAngle: -12 }, true],
    ['F1', { ItalicAngle: 0 }, false],
    ['F1', { ItalicAngle: -90 }, false],
    ['CMMI10', { ItalicAngle: -14 }, false],
    ['NewTXMI7', { ItalicAngle: -15 }, false],
  ])('%s %o: %s', (name, descriptor, italic) => {
    expect(face(name, descriptor).italic).toBe(italic);
  });
});

describe('the family of a font is', () => {
  it.each<[family: string, by: string, name: string, flags: number, letters?: MeasuredLetters]>([
    ['serif', 'its name', 'CMR10', 0],
    ['serif', 'its name', 'URWPalladioL-Roma', 0],
    ['serif', 'its name', 'TeXGyrePagella-Regular', 0],
    ['sans', 'its name', 'LinBiolinumT', 0],
    ['sans', 'its name', 'ArialUnicodeMS', 0],
    ['serif', 'its name', 'DejaVuSerif', 0],
    ['mono', 'its name', 'SourceCodePro-Regular', 0],
    ['mono', 'its name', 'NimbusMonL-Regu', 0],
    ['serif', 'its flags', 'F1', hasSerifs],
    ['mono', 'its flags', 'F1', fixed],
    ['sans', 'nothing', 'F1', 0],
    ['serif', 'its widths', 'F1', 0, lettersOf('tinos')],
    ['sans', 'its widths, against its flags', 'F1', hasSerifs, lettersOf('arimo')],
    [
      'sans',
      'its widths, since Roman is the name of a weight',
      'Avenir-Roman',
      hasSerifs,
      lettersOf('arimo'),
    ],
    ['mono', 'its widths', 'F1', 0, lettersOf('cousine', 'abcilm')],
    ['sans', 'its flags, if it has few letters', 'F1', 0, lettersOf('tinos', 'abc')],
    ['sans', 'its widths, against the name of a fixed width', 'Monotype-Roman', fixed, lettersOf('arimo')],
    [
      'serif',
      'its name, though only two letters differ',
      'MonotypeGaramond',
      fixed,
      lettersOf('tinos', 'im'),
    ],
    ['sans', 'not fixed if two letters differ', 'F1', fixed, lettersOf('arimo', 'im')],
    [
      'serif',
      'its name, if its widths are those of a font without serifs',
      'Garamond,Bold',
      0,
      lettersOf('arimo'),
    ],
    ['sans', 'its name, if its widths are those of both', 'Calibri', 0, lettersOf('tinos')],
  ])('%s by %s: %s', (family, _, name, Flags, letters) => {
    expect(face(name, { Flags }, letters).family).toBe(family);
  });
});

it('letters of East Asian fonts are not measured, because they have one width in fonts for text', () => {
  const [one, other] = [{ name: 'SimSun' }, { name: 'F1' }] as [PdfjsFont, PdfjsFont];
  const glyph = (unicode: string) => ({ unicode, width: 500 });
  const texts = [
    { font: one, glyphs: [glyph('a'), glyph('漢'), glyph('b')] },
    { font: one, glyphs: [glyph('c')] },
    { font: other, glyphs: [glyph('a'), 120, glyph('!')] },
  ] as PdfjsText[];
  expect([...measureLetters(texts)]).toEqual([[other, new Map([['a', 500]])]]);
});
