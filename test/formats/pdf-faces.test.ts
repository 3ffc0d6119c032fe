import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import type { TextFont } from '#server/formats/pdf/page-content.ts';
import { FontReader } from '#server/formats/pdf/reading/fonts/font-reader.ts';
import { type MeasuredFace, measureFaces } from '#server/formats/pdf/reading/fonts/measured-face.ts';
import { type MeasuredLetters, measureLetters } from '#server/formats/pdf/reading/fonts/measured-family.ts';
import { textFont } from '#server/formats/pdf/reading/fonts/text-font.ts';
import type { PdfjsFont, PdfjsText } from '#server/formats/pdf/reading/pdfjs-texts.ts';
import { advanceIn, type FontName, loadFont, openFont } from '#server/formats/typesetting/fonts.ts';
import { type Made, madePdf, readMade, withOpenPdf } from './pdf-made.ts';

const { context } = await PDFDocument.create();

/** The appearance of a font with this name, descriptor, widths of letters and measured face. */
function face(
  name: string,
  descriptor: Record<string, number> = {},
  letters?: MeasuredLetters,
  measured?: MeasuredFace,
): TextFont {
  const dictionary = context.obj({ Type: 'Font', FontDescriptor: context.obj(descriptor) });
  return textFont(dictionary, { name: `ABCDEF+${name}` } as PdfjsFont, letters, measured);
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
    ['SDGothicNeoaUni-fSb', {}],
    ['SDGothicNeoaUni-gBd', {}],
    ['CMBX10', {}],
    ['CMTTBX10', {}],
    ['F1', { FontWeight: 700 }],
    ['F1', { Flags: forceBold }],
    ['NimbusRomNo9L-Medi', {}],
    ['LinLibertineTB', {}],
  ])('%s %o', (name, descriptor) => {
    expect(face(name, descriptor).bold).toBe(true);
  });
});

it('a name of a megabyte is read in a moment', () => {
  const start = process.cpuUsage();
  expect(face(`${'light'.repeat(200_000)}medium`).name).toHaveLength(193);
  expect(process.cpuUsage(start).user).toBeLessThan(500_000);
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

/** A text in one of our fonts, with the outlines that pdf.js makes of its glyphs. */
function outlined(name: FontName, text: string, stretch = 1): PdfjsText {
  const { font, unitsPerEm } = openFont(name);
  const glyphs = [...text].map((unicode) => {
    const path = font.glyphToJson(font.nominalGlyph(unicode.codePointAt(0)!)!);
    const outline = path.flatMap(({ type, values }) => [
      'MLCQZ'.indexOf(type),
      ...values.map((value, index) => ((index % 2 === 0 ? stretch : 1) * value) / unitsPerEm),
    ]);
    const originalCharCode = unicode.codePointAt(0);
    return { unicode, originalCharCode, outline, width: 1000 * stretch * advanceIn(name, unicode)! };
  });
  return { font: { name }, glyphs } as unknown as PdfjsText;
}

/** Moves an outline of straight lines and curves up. */
function raised(outline: number[], by: number): number[] {
  const operands = [2, 2, 6, 4, 0];
  const moved = [...outline];
  for (let at = 0; at < outline.length; at += 1 + operands[outline[at]!]!)
    for (let y = at + 2; y <= at + operands[outline[at]!]!; y += 2) moved[y]! += by;
  return moved;
}

describe('the widths of letters show the typeface of a font without a known name', () => {
  const many = 'abcdefghilmnoprst';

  it.each<[font: FontName, letters: string, typeface: TextFont['typeface']]>([
    ['carlito', many, 'carlito'],
    ['cmuSerif', many, 'cmuSerif'],
    ['tinos', many, null],
    ['cousine', many, null],
    ['carlito', many.slice(0, 9), null],
    ['sans', many, 'notoSans'],
    ['arabic', many, null],
  ])('%s with %s: %s', (font, letters, typeface) => {
    expect(face('CIDFont+F1', {}, lettersOf(font, letters)).typeface).toBe(typeface);
  });

  it('in bold, too, and only if nearly all widths are the same', () => {
    const measured: MeasuredFace = { weight: 'bold', italic: false, rise: 0 };
    expect(face('F1', {}, lettersOf('carlitoBold', many), measured).typeface).toBe('carlito');
    expect(face('F1', {}, lettersOf('carlito', many), measured).typeface).toBeNull();
    const other = new Map(
      [...lettersOf('carlito', many)].map(([letter, width], at) => [letter, width + 20 * (at % 2)]),
    );
    expect(face('F1', {}, other).typeface).toBeNull();
  });

  it('also of a font without Latin letters that has the name of another one', () => {
    const [latin, thai, other, chinese] = ['ABCDEF+F1', 'BCDEFG+F1', 'CDEFGH+F2', 'DEFGHI+F1'].map(
      (name) => ({
        name,
      }),
    ) as PdfjsFont[];
    const glyphs = [...lettersOf('carlito', many)].map(([unicode, width]) => ({ unicode, width }));
    const texts = [
      { font: latin, glyphs },
      { font: thai, glyphs: [{ unicode: 'ก', width: 500 }] },
      { font: other, glyphs: [{ unicode: 'ก', width: 500 }] },
      { font: chinese, glyphs: [{ unicode: '漢', width: 1000 }] },
    ] as PdfjsText[];
    const reader = new FontReader(texts, new Map());
    const typefaceOf = (font: PdfjsFont | undefined) =>
      reader.read(context.obj({ Type: 'Font', Subtype: 'Type1' }), font).looks.typeface;
    expect([latin, thai, other, chinese].map(typefaceOf)).toEqual(['carlito', 'carlito', null, null]);
  });

  it('but not of one with a known name', () => {
    expect(face('ArialMT', {}, lettersOf('carlito', many)).typeface).toBeNull();
    expect(face('Calibri', {}, lettersOf('arimo', many)).typeface).toBe('carlito');
  });
});

describe('the outlines of letters show the face of a font', () => {
  it.each<[font: FontName, weight: MeasuredFace['weight'], italic: boolean]>([
    ['light', 'light', false],
    ['lightItalic', 'light', true],
    ['sans', 'regular', false],
    ['arimo', 'regular', false],
    ['arimoItalic', 'regular', true],
    ['arimoBold', 'bold', false],
    ['arimoBoldItalic', 'bold', true],
    ['tinos', 'regular', false],
    ['tinosItalic', 'regular', true],
    ['tinosBold', 'bold', false],
    ['tinosBoldItalic', 'bold', true],
    ['cousine', 'regular', false],
    ['cousineBoldItalic', 'bold', true],
  ])('%s: %s, italic: %s', (name, weight, italic) => {
    for (const text of ['The bill', 'TOTAL PRICE', 'if he lifts']) {
      const shown = outlined(name, text.replaceAll(' ', ''));
      expect(measureFaces([shown], new Map()).get(shown.font!)).toMatchObject({ weight, italic, rise: 0 });
    }
  });

  it.each<[name: FontName, serif: boolean | undefined, text: string]>([
    ['tinos', true, 'The bill'],
    ['tinosBold', true, 'The bill'],
    ['tinosItalic', true, 'PART'],
    ['tinosItalic', undefined, 'The bill'],
    ['arimo', false, 'The bill'],
    ['arimoBoldItalic', false, 'PART'],
  ])('and the serifs of %s: %s, by %s', (name, serif, text) => {
    const shown = outlined(name, text.replaceAll(' ', ''));
    expect(measureFaces([shown], new Map()).get(shown.font!)!.serif).toBe(serif);
  });

  it.each<[name: string, serif: boolean | undefined, family: TextFont['family']]>([
    ['F1', true, 'serif'],
    ['F1', undefined, 'sans'],
    ['TravelingTypewriter', true, 'serif'],
    ['CenturyStd', false, 'sans'],
  ])('%s with serifs %s is %s, whatever the widths of its letters are', (name, serif, family) => {
    const measured: MeasuredFace = { weight: 'regular', italic: false, rise: 0, serif };
    expect(face(name, {}, lettersOf('arimo'), measured).family).toBe(family);
  });

  it('and the height of the letters above the baseline', () => {
    const shown = outlined('arimo', 'Thebill');
    for (const glyph of shown.glyphs)
      if (typeof glyph !== 'number') glyph.outline = raised(Array.from(glyph.outline!), 0.2);
    const { rise, weight } = measureFaces([shown], new Map()).get(shown.font!)!;
    expect([rise, weight]).toEqual([expect.closeTo(0.2), 'regular']);
  });

  it.each([
    ['arimoBold', 'bold'],
    ['arimo', 'regular'],
  ] as const)('%s that is made narrow: %s', (name, weight) => {
    const shown = outlined(name, 'Introduction', 0.7);
    expect(measureFaces([shown], new Map()).get(shown.font!)!.weight).toBe(weight);
  });

  it.each([
    ['Roboto', 'bold'],
    ['RobotoCondensed-Regular', 'regular'],
  ] as const)('%s with narrow letters of usual strokes: %s', (name, weight) => {
    const shown = outlined('arimo', 'Introduction');
    for (const glyph of shown.glyphs) if (typeof glyph !== 'number') glyph.width *= 0.75;
    shown.font!.name = name;
    expect(measureFaces([shown], new Map()).get(shown.font!)!.weight).toBe(weight);
  });

  it.each([
    ['Futura', 'bold'],
    ['Futura-Medium', 'regular'],
  ] as const)('%s with strokes between those of regular and bold fonts: %s', (name, weight) => {
    const shown = outlined('arimoBold', 'Introduction', 0.82);
    shown.font!.name = name;
    expect(measureFaces([shown], new Map()).get(shown.font!)!.weight).toBe(weight);
  });

  it('but not if there are too few letters, or if their characters are guesses', () => {
    const few = outlined('arimoBold', 'Go on');
    const guessed = outlined('arimoBold', 'Thebill');
    for (const glyph of guessed.glyphs) if (typeof glyph !== 'number') glyph.isGuess = true;
    expect(measureFaces([few, guessed], new Map()).size).toBe(0);
  });

  it.each<[name: string, measured: MeasuredFace, shown: Partial<TextFont>]>([
    ['TrebuchetMS', { weight: 'bold', italic: true, rise: 0 }, { bold: true, italic: true }],
    ['Akaya-Regular', { weight: 'regular', italic: true, rise: 0 }, { bold: false, italic: false }],
    ['HelveticaNeue-Medium', { weight: 'bold', italic: false, rise: 0 }, { bold: true }],
    ['CIDFont+F3', { weight: 'light', italic: false, rise: 0 }, { bold: false, light: true }],
    ['Garamond', { weight: 'light', italic: false, rise: 0 }, { family: 'serif', light: false }],
    ['LMRoman12-Bold', { weight: 'regular', italic: false, rise: 0 }, { bold: true }],
    ['HelveticaNeue-Light', { weight: 'regular', italic: false, rise: 0 }, { light: true }],
    ['Bahnschrift Light', { weight: 'regular', stroke: 0.14, italic: false, rise: 0 }, { light: false }],
    ['LetterGothic,Bold', { weight: 'regular', stroke: 0.122, italic: false, rise: 0 }, { bold: false }],
    ['Libre-Franklin-Thin-Medium', { weight: 'regular', italic: false, rise: 0 }, { light: false }],
    ['CMMI10', { weight: 'regular', italic: true, rise: 0 }, { italic: false }],
    ['F1', { weight: 'regular', italic: false, rise: 0 }, { bold: false, italic: false }],
  ])('%s is %o', (name, measured, shown) => {
    const misleading = name === 'F1' ? { Flags: forceBold | isItalic, FontWeight: 700 } : {};
    expect(face(name, misleading, undefined, measured)).toMatchObject(shown);
  });

  it('in a file whose fonts have the name of their family only', async () => {
    const file = await madePdf({
      content: 'BT /F1 20 Tf 20 200 Td (The bill is paid) Tj ET',
      resources: {
        Font: {
          F1: ({ context }) =>
            context.register(
              context.obj({
                Type: 'Font',
                Subtype: 'TrueType',
                BaseFont: 'TrebuchetMS',
                Encoding: 'WinAnsiEncoding',
                FontDescriptor: context.obj({
                  Type: 'FontDescriptor',
                  FontName: 'TrebuchetMS',
                  Flags: 32,
                  FontFile2: context.register(context.stream(loadFont('arimoBoldItalic'))),
                }),
              }),
            ),
        },
      },
    });
    const { texts } = await withOpenPdf(file, (pdf) => pdf.readPage(1));
    expect(texts[0]!.font).toMatchObject({ family: 'sans', bold: true, italic: true });
  });
});

it.each([
  ['sans', 'that of the other letters, if flags contradict the outlines', 'arimo', hasSerifs],
  ['serif', 'that of the other letters, if flags contradict the outlines', 'tinos', 0],
  ['serif', 'its flags, if those of other fonts are right', 'tinos', hasSerifs],
] as const)('the family of a font with few letters is %s by %s', async (family, _by, name, flags) => {
  const font =
    (Flags: number): Made =>
    (document) => {
      const { context } = document;
      const FontFile2 = context.register(context.stream(loadFont(name)));
      const descriptor = { Type: 'FontDescriptor', FontName: 'F', Flags: 32 | Flags, FontFile2 };
      return context.register(
        context.obj({
          ...{ Type: 'Font', Subtype: 'TrueType', BaseFont: 'F', Encoding: 'WinAnsiEncoding' },
          FontDescriptor: context.obj(descriptor),
        }),
      );
    };
  const content = 'BT /F1 20 Tf 20 200 Td (The bill is paid) Tj /F2 20 Tf 0 -30 Td (so:) Tj ET';
  const { texts } = await readMade({ content, resources: { Font: { F1: font(flags), F2: font(flags) } } });
  expect(texts.map((text) => text.font.family)).toEqual([family, family]);
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
