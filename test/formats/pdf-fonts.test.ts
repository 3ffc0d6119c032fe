import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type PDFDocument, PDFName, type PDFObject } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { at, form, helvetica, type Made, object, readMade, textOf, type3, withOpenPdf } from './pdf-made.ts';

/** A composite font whose codes have two bytes. */
const composite =
  (entries: Record<string, unknown>, toUnicode?: string, width = 500): Made =>
  ({ context }) => {
    const descendant = context.obj({
      Type: 'Font',
      Subtype: 'CIDFontType2',
      BaseFont: 'Unknown',
      CIDSystemInfo: { Registry: 'x', Ordering: 'y', Supplement: 0 },
      DW: width,
    });
    const font = context.obj({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: 'Unknown',
      Encoding: 'Identity-H',
      DescendantFonts: [context.register(descendant)],
      ...(entries as Record<string, string>),
    });
    if (toUnicode) font.set(PDFName.of('ToUnicode'), context.register(context.stream(toUnicode)));
    return context.register(font);
  };

describe('composite fonts', () => {
  it('without a table have no known characters', async () => {
    const page = await readMade({
      content: 'BT /G 10 Tf 9 9 Td <00410042> Tj /F 10 Tf (A) Tj ET',
      resources: { Font: { G: composite({}) } },
    });
    expect(page.texts.map(({ glyphs }) => glyphs.map(({ text, symbol }) => [text, symbol]))).toEqual([
      [
        ['\ufffd', 0x41],
        ['\ufffd', 0x42],
      ],
      [['A', undefined]],
    ]);
  });

  const table = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange
    1 beginbfchar <0041> <0041> endbfchar 1 beginbfrange <0050> <0052> <00780079> endbfrange endcmap`;

  it('are decoded by their tables, and codes that these leave out are not guessed', async () => {
    const { texts } = await readMade({
      content: 'BT /G 10 Tf 9 9 Td <00410050> Tj <0052> Tj <0042> Tj ET',
      resources: { Font: { G: composite({}, table) } },
    });
    expect(texts.map(textOf)).toEqual(['Axy', 'x{', '\ufffd']);
    expect(texts[1]!.matrix.slice(4)).toEqual([19, 9]);
  });

  it('that embed the Symbol font are read by its encoding, where their tables only tell its codes', async () => {
    const codes = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange
      4 beginbfchar <0001> <f061> <0002> <f0b3> <0003> <f02b> <0004> <00d6> endbfchar endcmap`;
    const shown = async (BaseFont: string) => {
      const { texts } = await readMade({
        content: 'BT /G 10 Tf 9 9 Td <0001000200030004> Tj ET',
        resources: { Font: { G: composite({ BaseFont }, codes) } },
      });
      return texts.map(textOf);
    };
    expect(await shown('BIOPPG+Symbol')).toEqual(['α≥+√']);
    expect(await shown('BIOPPG+MTExtra')).toEqual(['↦\ufffd\ufffdÖ']);
  });

  it('of ZapfDingbats show signs, not the letters that have their codes', async () => {
    const dingbats = object({ Type: 'Font', Subtype: 'Type1', BaseFont: 'ZapfDingbats' });
    const { texts } = await readMade({
      content: 'BT /Z 10 Tf 9 9 Td (4lnH o\\325) Tj ET',
      resources: { Font: { Z: dingbats } },
    });
    expect(texts.map(textOf)).toEqual(['✔●■★ ❏→']);
  });

  it.each([
    ['ABCDEF+TeX-feymr10', '€'],
    ['ABCDEF+MarVoSym', '\ufffd'],
    ['ABCDEF+Symbols', '\ufffd'],
    ['ABCDEF+AppleSymbols', 'e'],
    ['ABCDEF+NewsPi', '\ufffd'],
    ['ABCDEF+Kopi', 'e'],
    ['ABCDEF+OpusSpecialStd', '\ufffd'],
    ['ABCDEF+Opus', 'e'],
    ['ABCDEF+MaestroScript', 'e'],
  ])('%s shows %s for the code of a letter', async (BaseFont, sign) => {
    const font = object({ Type: 'Font', Subtype: 'Type1', BaseFont, Encoding: 'WinAnsiEncoding' });
    const { texts } = await readMade({ content: 'BT /N 10 Tf (e) Tj ET', resources: { Font: { N: font } } });
    expect(texts.map(textOf)).toEqual([sign]);
  });

  it('in TrueType without an encoding have the characters of Windows, unlike those with one', async () => {
    const file = createRequire(import.meta.url).resolve(
      '@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf',
    );
    const shown = async (encoding: Record<string, string>, codes?: string) => {
      const font: Made = ({ context }) => {
        const FontFile2 = context.register(context.stream(readFileSync(file)));
        const FontDescriptor = { Type: 'FontDescriptor', FontName: 'ABCDEF+Arimo', Flags: 4, FontFile2 };
        const Widths = Array.from({ length: 224 }, () => 500);
        const [FirstChar, LastChar] = [32, 255];
        const own = { BaseFont: 'ABCDEF+Arimo', FirstChar, LastChar, Widths, FontDescriptor };
        const ToUnicode = codes === undefined ? {} : { ToUnicode: context.register(context.stream(codes)) };
        const all = { Type: 'Font', Subtype: 'TrueType', ...own, ...encoding, ...ToUnicode };
        return context.register(context.obj(all));
      };
      const { texts } = await readMade({
        content: 'BT /G 10 Tf 9 9 Td <4196b0> Tj ET',
        resources: { Font: { G: font } },
      });
      return texts.map(textOf);
    };
    expect(await shown({})).toEqual(['A–°']);
    expect(await shown({ Encoding: 'MacRomanEncoding' })).toEqual(['Añ∞']);
  });

  it('that give all hyphens the character of a soft hyphen show hyphens', async () => {
    const codes = table.replace('<0041> <0041>', '<0041> <00ad>');
    const { texts } = await readMade({
      content: 'BT /G 10 Tf 9 9 Td <005000410051> Tj ET',
      resources: { Font: { G: composite({}, codes) } },
    });
    expect(textOf(texts[0]!)).toBe('xy-xz');
  });

  it('that name a picture in their tables show no text, but a wide glyph may be a word', async () => {
    const word = [...'HOUSE'].map((letter) => letter.charCodeAt(0).toString(16).padStart(4, '0')).join('');
    const codes = table.replace('<0041> <0041>', `<0041> <${word}>`);
    const read = async (width: number) => {
      const page = await readMade({
        content: 'BT /G 10 Tf 9 9 Td <0041> Tj ET',
        resources: { Font: { G: composite({}, codes, width) } },
      });
      return page.texts.map(({ glyphs }) => glyphs.map(({ text, symbol }) => [text, symbol]));
    };
    expect(await read(1000)).toEqual([[['\ufffd', 0x41]]]);
    expect(await read(2500)).toEqual([[['HOUSE', undefined]]]);
  });

  it('have no word spacing for codes of two bytes', async () => {
    const { texts } = await readMade({
      content: 'BT /G 10 Tf 7 Tw 1 Tc <00200041> Tj ET',
      resources: { Font: { G: composite({}, table.replace('<0041> <0041>', '<0020> <0020>')) } },
    });
    expect(texts[0]!.glyphs.map(({ x }) => x)).toEqual([0, 0.6]);
  });

  it('that are written from top to bottom are kept, and text after them stands where they end', async () => {
    const { texts } = await readMade({
      content: 'BT /G 10 Tf 50 350 Td <00410041> Tj /F 10 Tf (A) Tj ET',
      resources: { Font: { G: composite({ Encoding: 'Identity-V' }, table) } },
    });
    expect(texts.map(({ kept }) => kept)).toEqual(['vertical', null]);
    expect(texts[1]!.matrix.slice(4)).toEqual([50, 330]);
  });
});

describe('Type 3 fonts', () => {
  const ofLetter = (matrix: number[], box: number[], width: number) =>
    type3({ matrix, box, first: 65, widths: [width], glyphs: { A: `${width} 0 d0 0 0 1 1 re f` } });

  it.each<[string, number[], number[], number, string]>([
    ['of thousandths', [0.001, 0, 0, 0.001, 0, 0], [0, -200, 1000, 900], 500, '12 Tf'],
    ['of dots', [0.012, 0, 0, 0.012, 0, 0], [0, -20, 80, 70], 500 / 12, '12 Tf'],
    ['with y downwards', [1, 0, 0, -1, 0, 0], [0, -2.4, 12, 12], 6, '1 Tf'],
  ])('with a glyph space %s are as large as they look', async (_, matrix, box, width, size) => {
    const up = matrix[3]! < 0 ? -1 : 1;
    const { texts } = await readMade({
      content: `BT /T ${size} 1 0 0 ${up} 9 50 Tm (AA) Tj ET`,
      resources: { Font: { T: ofLetter(matrix, box, width) } },
    });
    const [a, , , d, x, y] = texts[0]!.matrix;
    expect([x, y]).toEqual([9, 50]);
    expect(a).toBeCloseTo(12);
    expect(d).toBeCloseTo(12);
    expect(texts[0]!.glyphs[1]!.x).toBeCloseTo(0.5);
    expect(texts[0]!.glyphs[1]!.advance).toBeCloseTo(0.5);
  });

  it.each([
    ['paths', (stroke: number) => `0 0 m ${stroke} 0 l ${stroke} 24 l 0 24 l h f`],
    [
      'bitmaps, as those of TeX',
      (stroke: number) => {
        const row = String.fromCharCode(256 - 2 ** (8 - stroke), 0, 1);
        return `q 24 0 0 24 0 0 cm BI /W 24 /H 24 /IM true /BPC 1 /D [1 0] ID ${row.repeat(24)} EI Q`;
      },
    ],
  ])('have the weight of their letters, which are %s', async (_, draw) => {
    const font = (stroke: number) => {
      const drawn = `30 0 0 0 24 24 d1 ${draw(stroke)}`;
      const [matrix, box] = [
        [0.03, 0, 0, 0.03, 0, 0],
        [0, 0, 24, 24],
      ];
      return type3({ matrix, box, first: 72, widths: [30, 30], glyphs: { H: drawn, I: drawn } });
    };
    const { texts } = await readMade({
      content: 'BT 9 50 Td /T 12 Tf (HI) Tj /Bold 12 Tf (HI) Tj ET',
      resources: { Font: { T: font(3), Bold: font(6) } },
    });
    expect(texts.map((text) => text.font.bold)).toEqual([false, true]);
  });

  it.each([
    [[58, 0, 721, 715], [0, -715, 721, 0], 1],
    [[58, -715, 721, 0], [0, 0, 721, 715], -1],
  ])('are upright by the boxes of their glyphs %o, not by that of the font %o', async (glyph, box, turn) => {
    const glyphs = { A: `600 0 ${glyph.join(' ')} d1 0 0 9 9 re f` };
    const font = type3({ box, first: 65, widths: [600], glyphs });
    const content = `BT /T 12 Tf 1 0 0 ${turn} 9 50 Tm (AA) Tj ET`;
    const { texts } = await readMade({ content, resources: { Font: { T: font } } });
    expect(texts[0]!.matrix[3]).toBeCloseTo(12);
  });

  it.each([
    ['without a box', [0, 0, 0, 0], 10, 9.74],
    ['with the unit square instead of a box', [0, 0, 1, -1], 10, 9.74],
    ['without letters that have descenders', [0, 0, 0, 0], 0, 9.34],
  ])('%s are as large as their glyphs', async (_, box, depth, size) => {
    const drawn = (bottom: number) => `25 0 2 ${bottom} 23 28 d1 0 0 9 9 re f`;
    const [upper, p] = [drawn(0), drawn(-depth)];
    const glyphs = { A: upper, B: upper, C: upper, D: upper, p };
    const font = type3({ matrix: [0.0042, 0, 0, 0.0042, 0, 0], box, first: 65, widths: [25], glyphs });
    const { texts } = await readMade({
      content: 'BT /T 58 Tf 9 50 Td (AA) Tj ET',
      resources: { Font: { T: font } },
    });
    // 38 units of 0.0042, at a font size of 58, are the height of letters of 9.7 points; 28 are that of capital letters.
    expect(texts[0]!.matrix[3]).toBeCloseTo(size, 1);
    expect(texts[0]!.glyphs[1]!.x).toBeCloseTo((25 * 0.0042 * 58) / size, 2);
  });

  it('show the letter of a code that is mapped to a control character', async () => {
    const glyphs = { CR: '500 0 d0 0 0 400 400 re f' };
    const font = type3({ first: 99, widths: [500], glyphs, characters: ['<63> <000d>'] });
    const { texts } = await readMade({
      content: 'BT /T 12 Tf 9 50 Td (c) Tj ET',
      resources: { Font: { T: font } },
    });
    expect(texts[0]!.glyphs.map(({ text }) => text)).toEqual(['c']);
  });

  it.each<[string, number[], number[], 1 | -1]>([
    ['drawn downwards and turned over by the font', [0.001, 0, 0, -0.001, 0, 0], [58, 0, 721, -715], 1],
    ['drawn downwards and turned over by the text', [0.001, 0, 0, 0.001, 0, 0], [58, 0, 721, -715], -1],
    ['of signs below the baseline only', [0.001, 0, 0, 0.001, 0, 0], [0, -150, 100, 0], 1],
    ['without a box', [0.001, 0, 0, -0.001, 0, 0], [0, 0, 0, 0], 1],
    ['without a box but the placeholder of Ghostscript', [1, 0, 0, 1, 0, 0], [0, 0, 1, -1], 1],
  ])('whose glyphs are %s are upright where a reader sees them so', async (_, matrix, box, turn) => {
    const { texts } = await readMade({
      content: `BT /T 12 Tf 1 0 0 ${turn} 9 50 Tm (AA) Tj ET`,
      resources: { Font: { T: ofLetter(matrix, box, 600) } },
    });
    expect(texts[0]!.matrix[3]).toBeGreaterThan(0);
  });

  it('of TeX are decoded by its encodings', async () => {
    const page = await withOpenPdf(corpusFile('pdf/type3-font.pdf'), (pdf) => pdf.readPage(1));
    const lines = page.texts.map(textOf).join('\n');
    expect(lines).toContain('thewords,“Work-\nersoftheWorld,Unite!”ForHavel');
    expect(lines).toContain('notsufficetoestablish');
  });

  const tex = (...codes: number[]) => {
    const all = [...'abcdefghijklm'].map((letter) => letter.charCodeAt(0)).concat(codes);
    const drawn = '500 0 0 0 400 700 d1 0 0 400 700 re f';
    return type3({
      first: 0,
      widths: Array.from({ length: 256 }, () => 500),
      differences: all.flatMap((code) => [code, `a${code}`]),
      glyphs: Object.fromEntries(all.map((code) => [`a${code}`, drawn])),
    });
  };

  it.each<[string, number[], string, string]>([
    [
      'with more than 128 codes have the letters of the Cork encoding',
      [0xa1, 0xaa, 0xff],
      '6ba1aa61ff',
      'kąłaß',
    ],
    ['with accents have those of the original encoding', [0x10, 0x13, 0x7e], '61131061627e61', 'a´ıab˜a'],
    ['with quotation marks have those of the Cork encoding', [0x10, 0x11, 0x15], '106111156b', '“a”–k'],
  ])('of TeX %s', async (_, codes, shown, text) => {
    const resources = { Font: { T: tex(...codes) } };
    const { texts } = await readMade({ content: `BT /T 12 Tf 9 50 Td <${shown}> Tj ET`, resources });
    expect(texts.map(textOf)).toEqual([text]);
  });
});

describe('the look of a text', () => {
  it('is the color that its operators set, in any way', async () => {
    const shading = {
      ShadingType: 2,
      ColorSpace: 'DeviceGray',
      Coords: [0, 0, 1, 1],
      Function: { FunctionType: 2, Domain: [0, 1], N: 1 },
    };
    const resources = { Pattern: { P: object({ PatternType: 2, Shading: shading }) } };
    const content =
      at(0, 0, 'initial') +
      `0.5 g ${at(0, 9, 'gray')}` +
      `1 0 .25 rg q 0 0 0 1 k ${at(0, 19, 'cmyk')} Q ${at(0, 29, 'restored')}` +
      `/DeviceRGB cs ${at(0, 39, 'space')} 1 0 0 sc ${at(0, 49, 'red')}` +
      `0 0 1 rg 0 1 0 sc ${at(0, 54, 'green')} 0 0 0 1 k .5 0 0 0 scn ${at(0, 56, 'cyan')}` +
      `0 1 0 RG 1 Tr ${at(0, 59, 'stroked')} 0 Tr ` +
      `/Pattern cs /P scn ${at(0, 69, 'pattern')}`;
    const { texts } = await readMade({ content, resources });
    expect(Object.fromEntries(texts.map((text) => [textOf(text), text.color]))).toEqual({
      initial: '',
      gray: '0.5 g',
      cmyk: '0 0 0 1 k',
      restored: '1 0 0.25 rg',
      space: '/DeviceRGB cs',
      red: '/DeviceRGB cs 1 0 0 scn',
      green: '/DeviceRGB cs 0 1 0 scn',
      cyan: '/DeviceCMYK cs 0.5 0 0 0 scn',
      stroked: '0 1 0 rg',
      pattern: '',
    });
  });

  it('is, in a form with color spaces of its own, what these come to', async () => {
    const spot = ({ context }: PDFDocument): PDFObject =>
      context.obj([
        'Separation',
        'Spot',
        'DeviceRGB',
        { FunctionType: 2, Domain: [0, 1], N: 1, C0: [1, 1, 1], C1: [1, 0, 0] },
      ]);
    const shown = `/Spot cs 1 scn ${at(0, 9, 'spot')} 0 g ${at(0, 19, 'gray')} /Spot CS 1 SCN 1 Tr ${at(0, 29, 'stroked')}`;
    const { texts } = await readMade({
      content: `/Spot cs .5 scn ${at(0, 49, 'page')} /X Do`,
      resources: {
        ColorSpace: { Spot: spot },
        XObject: { X: form(shown, { Font: { F: helvetica }, ColorSpace: { Spot: spot } }) },
      },
    });
    expect(texts.map((text) => [textOf(text), text.color])).toEqual([
      ['page', '/Spot cs 0.5 scn'],
      ['spot', '1 0 0 rg'],
      ['gray', '0 g'],
      ['stroked', '1 0 0 rg'],
    ]);
  });

  it('is translucent by what makes it so, and by its alpha in a form', async () => {
    const inForm = { Font: { F: helvetica }, ExtGState: { A: object({ ca: 0.302 }) } };
    const resources = {
      ExtGState: { Half: object({ ca: 0.5, BM: 'Multiply' }), Full: object({ ca: 1 }) },
      XObject: { X: form(`${at(0, 9, 'form')} /A gs ${at(0, 9, 'faint')}`, inForm) },
    };
    const content = `q /Half gs 1 g ${at(0, 0, 'half')} /Full gs ${at(0, 0, 'full')} Q ${at(0, 9, 'none')} /X Do`;
    const { texts } = await readMade({ content, resources });
    expect(texts.map((text) => [textOf(text), text.color])).toEqual([
      ['half', '/Half gs 1 g'],
      ['full', '1 g'],
      ['none', ''],
      ['form', ''],
      ['faint', '/LinguaLoopAlpha0.302 gs'],
    ]);
  });

  it('keeps the translucency with which its group is painted', async () => {
    const full = object({ ca: 1, SMask: 'None' });
    const group = form(
      `/Full gs ${at(0, 0, 'draft')}`,
      { Font: { F: helvetica }, ExtGState: { Full: full } },
      { Group: { S: 'Transparency' } },
    );
    const resources = { ExtGState: { Quarter: object({ ca: 0.25, SMask: 'None' }) }, XObject: { X: group } };
    const { texts } = await readMade({ content: '/Quarter gs 0 g /X Do', resources });
    expect(texts.map(({ color }) => color)).toEqual(['/Quarter gs 0 g']);
  });

  it.each([
    ['Helvetica-BoldOblique', 'sans', true, true],
    ['Times-Roman', 'serif', false, false],
    ['ABCDEF+CMR10', 'serif', false, false],
    ['CMBX12', 'serif', true, false],
    ['CMTT9', 'mono', false, false],
    ['TimesNewRomanPS-BoldItalicMT', 'serif', true, true],
  ])('%s is %s', async (name, family, bold, italic) => {
    const font = object({ Type: 'Font', Subtype: 'Type1', BaseFont: name, Encoding: 'WinAnsiEncoding' });
    const { texts } = await readMade({ content: 'BT /N 10 Tf (A) Tj ET', resources: { Font: { N: font } } });
    expect(texts[0]!.font).toMatchObject({ name: name.replace(/^ABCDEF\+/, ''), family, bold, italic });
    expect(texts[0]!.font.ascent).toBeGreaterThan(0.5);
    expect(texts[0]!.font.descent).toBeGreaterThan(0.05);
  });
});

describe('letters with strokes', () => {
  const shown = async (operators: string) => {
    const { texts } = await readMade({ content: `BT /F 10 Tf 2 Tr ${operators} (A) Tj ET` });
    return texts.map(({ font, color, outline }) => [font.bold, color, outline])[0];
  };

  it('in the color of their fill are bold, as programs without a bold font draw them', async () => {
    expect(await shown('1 0 0 rg 1 0 0 RG 0.4 w')).toEqual([true, '1 0 0 rg', undefined]);
  });

  it('in another color have an outline', async () => {
    const outline = { color: '0 0 1 rg', width: 0.04, isFilled: true };
    expect(await shown('1 0 0 rg 0 0 1 RG 0.4 w')).toEqual([false, '1 0 0 rg', outline]);
    expect(await shown('1 0 0 rg 0 0 1 RG 0.4 w 6 Tr')).toEqual([false, '1 0 0 rg', outline]);
    expect(await shown('1 0 0 rg 0 0 1 RG 0.8 w 2 0 0 2 0 0 Tm')).toEqual([false, '1 0 0 rg', outline]);
  });

  it('and no fill are outlines, however thin', async () => {
    const outline = { color: '0 0 1 rg', width: 0.005, isFilled: false };
    expect(await shown('1 0 0 rg 0 0 1 RG 0.05 w 1 Tr')).toEqual([false, '0 0 1 rg', outline]);
  });

  it('that are drawn over a fill have that fill', async () => {
    const twice = '/F 10 Tf 1 0 0 rg 0 0 1 RG 9 9 Td (A word) Tj 0 0 Td 1 Tr 0.4 w (A word) Tj';
    const { blocks } = findBlocks(await readMade({ content: `BT ${twice} ET` }));
    expect(blocks.map(({ style }) => [style.color, style.outline])).toEqual([
      ['1 0 0 rg', { color: '0 0 1 rg', width: 0.04, isFilled: true }],
    ]);
  });
});
