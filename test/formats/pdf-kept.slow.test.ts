import { PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { auditRemoval } from '#server/formats/pdf/writing/audit.ts';
import { removeText } from '#server/formats/pdf/writing/remove-text.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { loadFont } from '#server/formats/typesetting/fonts.ts';
import { readTables, writeTables } from '#server/formats/typesetting/truetype.ts';
import {
  at,
  form,
  helvetica,
  type Made,
  type MadePage,
  madePdf,
  object,
  readAll,
  readMade,
  resourcesOf,
  textOf,
  type3,
  withOpenPdf,
} from './pdf-made.ts';

/** For each text, the reason why it is not translated. */
async function keptOf(page: MadePage): Promise<Record<string, string | null>> {
  const { texts } = await readMade(page);
  return Object.fromEntries(texts.map((text) => [textOf(text), text.kept]));
}

describe('text that a reader does not see is kept', () => {
  it('invisible by its render mode', async () => {
    const content = ['0 Tr', '1 Tr', '2 Tr', '3 Tr', '7 Tr'].map(
      (mode, index) => `${mode} ${at(9, 20 * index + 9, mode)}`,
    );
    expect(await keptOf({ content })).toEqual({
      '0 Tr': null,
      '1 Tr': null,
      '2 Tr': null,
      '3 Tr': 'invisible',
      '7 Tr': 'invisible',
    });
    const resources = { ExtGState: { None: object({ ca: 0 }) } };
    const clear = `${at(9, 9, 'seen')} /None gs ${at(9, 29, 'filled')} 1 Tr ${at(9, 49, 'stroked')}`;
    expect(await keptOf({ content: clear, resources })).toEqual({
      seen: null,
      filled: 'invisible',
      stroked: null,
    });
  });

  it('too small to read, on a page with other text', async () => {
    const tiny = at(40, 50, '253B').replace('/F 10 Tf', '/F 1 Tf');
    expect(await keptOf({ content: at(9, 50, 'Text') + tiny })).toEqual({ Text: null, '253B': 'tiny' });
    // On a page of small text, all text is meant to be read.
    expect(await keptOf({ content: tiny })).toEqual({ '253B': null });
  });

  it('outside of the clip, of the page, or of the box of its form', async () => {
    const content =
      at(-90, 9, 'left') +
      at(9, 405, 'above') +
      `q 50 50 100 100 re W n ${at(60, 60, 'in')}${at(160, 60, 'out')}${at(140, 90, 'across')} Q ${at(160, 60, 'after')} /Form Do`;
    const clipped = form(
      at(5, 5, 'inside') + at(5, 30, 'outside'),
      { Font: { F: helvetica } },
      { BBox: [0, 0, 50, 20] },
    );
    expect(await keptOf({ content, resources: { XObject: { Form: clipped } } })).toEqual({
      left: 'clipped',
      above: 'clipped',
      in: null,
      out: 'clipped',
      across: null,
      after: null,
      inside: null,
      outside: 'clipped',
    });
  });

  it('covered by something opaque that was painted later, and by nothing else', async () => {
    const box = (y: number): string => `0 ${y} 200 20 re`;
    const content =
      at(9, 5, 'before') +
      `1 g ${box(0)} f ` +
      `1 g ${box(20)} f ` +
      at(9, 25, 'above it') +
      at(9, 45, 'framed') +
      `${box(40)} S ` +
      at(9, 65, 'veiled') +
      `/Half gs ${box(60)} f /Full gs ` +
      at(9, 85, 'multiplied') +
      `/Multiply gs ${box(80)} f /Full gs ` +
      at(9, 105, 'half covered in the middle of it') +
      '60 100 10 20 re f ' +
      at(9, 125, 'under a triangle') +
      '0 120 m 200 120 l 0 140 l f ' +
      at(9, 145, 'under a frame') +
      `${box(140)} 2 142 196 16 re f* ` +
      at(9, 165, 'under a picture') +
      'q 200 0 0 20 0 160 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q ' +
      at(9, 185, 'under a mask') +
      'q 200 0 0 20 0 180 cm BI /W 8 /H 1 /IM true ID x EI Q ';
    const resources = {
      ExtGState: {
        Half: object({ ca: 0.5 }),
        Multiply: object({ BM: 'Multiply' }),
        Full: object({ ca: 1, BM: 'Normal' }),
      },
    };
    expect(await keptOf({ content, resources })).toEqual({
      before: 'covered',
      'above it': null,
      framed: null,
      veiled: null,
      multiplied: null,
      'half covered in the middle of it': 'partly_covered',
      'under a triangle': null,
      'under a frame': null,
      'under a picture': 'covered',
      'under a mask': null,
    });
  });

  const letters = (text: string): string =>
    `BT /F 10 Tf 9 9 Td ${[...text].map((letter) => `(${letter}) Tj`).join(' ')} ET `;

  it('with the rest of its word, where something covers a part of it and each letter is shown by itself', async () => {
    const { texts } = await readMade({ content: `${letters('One word or two')} 36 0 100 30 re f` });
    const reasons = texts.map((text) => [textOf(text), text.kept]);
    expect(reasons.slice(0, 3)).toEqual([...'One'].map((letter) => [letter, null]));
    expect(reasons.slice(4, 5)).toEqual([['w', 'partly_covered']]);
    expect(reasons.slice(5).every(([, kept]) => kept === 'covered')).toBe(true);
  });

  it('which a paragraph is kept for as a whole, with a finding', async () => {
    const content = `${at(9, 60, 'A first line of text that is as long as it gets, and')}${at(9, 48, 'a second, of which some is hidden.')} 40 45 20 12 re f`;
    const { segments, findings } = await extract(await madePdf({ content }));
    expect(segments).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        message: expect.stringMatching(/partly covered.*: 1, /),
      }),
    );
  });

  it('of letters that clip a picture', async () => {
    const picture = '50 0 0 50 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI';
    const content = ['4 Tr', '5 Tr', '6 Tr', '7 Tr'].map(
      (mode, index) =>
        `q ${mode} ${at(9, 9, mode)} ${picture} Q q ${mode} ${at(9, 20 * index + 99, `${mode} alone`)} Q`,
    );
    expect(await keptOf({ content })).toEqual({
      '4 Tr': 'stencil',
      '4 Tr alone': null,
      '5 Tr': 'stencil',
      '5 Tr alone': null,
      '6 Tr': 'stencil',
      '6 Tr alone': null,
      '7 Tr': 'stencil',
      '7 Tr alone': 'invisible',
    });
  });

  it('in a layer that is hidden when the file is opened', async () => {
    const once = (make: Made): Made => {
      let made: ReturnType<Made> | undefined;
      return (document) => (made ??= make(document));
    };
    const [shown, hidden] = [once(object({ Type: 'OCG' })), once(object({ Type: 'OCG', A: 1 }))];
    const page = await readMade({
      content: `/OC /On BDC ${at(9, 9, 'on')} EMC /OC /Off BDC ${at(9, 30, 'off')} /Span BMC ${at(9, 50, 'inside')} EMC EMC ${at(9, 70, 'after')}`,
      resources: { Properties: { On: shown, Off: hidden } },
      catalog: {
        OCProperties: (document) =>
          document.context.obj({ OCGs: [shown(document), hidden(document)], D: { OFF: [hidden(document)] } }),
      },
    });
    expect(page.texts.map((text) => [textOf(text), text.kept, text.optionalContent])).toEqual([
      ['on', null, ['On']],
      ['off', 'invisible', ['Off']],
      ['inside', 'invisible', ['Off']],
      ['after', null, []],
    ]);
  });
});

describe('letters that are drawn as shapes below transparent text', () => {
  const transparent = { ExtGState: { T: object({ ca: 0 }) } };
  const shapes = `0.2 g ${[50, 58, 63, 69, 75, 78, 83].map((x) => `${x} 300 5 8 re`).join(' ')} f `;
  const made = (y: number, shapes: string) =>
    madePdf({ content: `${shapes}/T gs ${at(50, y, 'Heading')}`, resources: transparent });

  it('are bold text in the color of the shapes, which are removed with it', async () => {
    await withOpenPdf(await made(300, shapes), async (pdf) => {
      const read = await pdf.readPage(1);
      const [text] = read.texts;
      expect([text!.kept, text!.color, text!.font.bold, read.paints]).toEqual([null, '0.2 g', true, []]);
      const ranges = [{ text: text!, from: 0, to: text!.glyphs.length }];
      removeText(pdf.document, read, ranges);
      auditRemoval(pdf, read, ranges);
      expect(pdf.interpretPage(1).paints).toEqual([]);
    });
  });

  it('are as bold as the texts whose shapes are as black, if none of them is an upright stroke', async () => {
    const line = (y: number, text: string, width: number) =>
      `0.2 g ${[...text].map((_letter, index) => `${50.6 + 5.5 * index} ${y} ${width} 8 re`).join(' ')} f /T gs ${at(50, y, text)}`;
    const content = [
      line(350, 'lunch', 1.3),
      line(320, 'dinner', 0.6),
      line(290, 'course', 1.3),
      line(260, 'course', 0.6),
    ];
    const made = await madePdf({
      content: content.join(' /O gs '),
      resources: { ExtGState: { T: object({ ca: 0 }), O: object({ ca: 1 }) } },
    });
    const [read] = await withOpenPdf(made, readAll);
    expect(read!.texts.map(({ font }) => font.bold)).toEqual([true, false, true, false]);
  });

  it('are removed without those of other texts in the same path, unless these share an operator', async () => {
    const both = shapes.replace('f ', '50 270 5 8 re 56 270 5 8 re f ');
    const apart = `${both}/T gs ${at(50, 300, 'Heading')} ${at(50, 270, '42')}`;
    const [read] = await withOpenPdf(await madePdf({ content: apart, resources: transparent }), readAll);
    expect(read!.texts.map(({ shapes }) => shapes!.length)).toEqual([7, 2]);
    const joined = `${shapes.replace('f ', '179 300 5 8 re 185 300 4 8 re f ')}/T gs BT /F 10 Tf 50 300 Td [(Heading) -9000 (42)] TJ ET`;
    const { blocks, kept } = findBlocks(
      (await withOpenPdf(await madePdf({ content: joined, resources: transparent }), readAll))[0]!,
    );
    expect([blocks, kept.map(({ reason, text }) => [text, reason])]).toEqual([
      [],
      [
        ['42', 'number'],
        ['Heading', 'stencil'],
      ],
    ]);
  });

  it('are those of a font whose letters draw nothing, with its line ends, equal letters and weights', async () => {
    // Ghostscript sets a matrix and paints nothing.
    const drawn = (width: number) => `${width + 100} 0 50 0 ${width + 50} 700 d1\n0.01 0 0 0.01 0 0 cm`;
    const font = type3({
      box: [0, 0, 0, 0],
      first: 1,
      widths: [500, 500, 200, 200],
      glyphs: { a: drawn(400), b: drawn(400), c: drawn(100), d: drawn(100) },
      characters: ['<01> <004F>', '<02> <>', '<03> <006C>', '<04> <006C000A>'],
    });
    const boxes = (y: number, stroke: number) =>
      [50, 64, 78, 92]
        .flatMap((x) => [
          `${x + 0.5} ${y} 4 7 re ${x + 5.5} ${y} 4 7 re`,
          `${x + 10.5} ${y} ${stroke} 7 re ${x + 12.5} ${y} ${stroke} 7 re`,
        ])
        .join(' ');
    const show = (y: number) => `1 0 0 1 50 ${y} Tm <${'01020304'.repeat(4)}> Tj`;
    const content = `${boxes(300, 0.9)} ${boxes(280, 1.4)} f BT /T 10 Tf ${show(300)} ${show(280)} ET`;
    const { texts, paints } = await readMade({ content, resources: { Font: { T: font } } });
    expect(texts.map((text) => [textOf(text), text.kept, text.shapes!.length, text.font.bold])).toEqual([
      ['OOll'.repeat(4), null, 16, false],
      ['OOll'.repeat(4), null, 16, true],
    ]);
    expect([paints, texts[0]!.matrix[3]]).toEqual([[], 10]);
  });

  it.each([
    ['the stroke of an i, without its dot and without the tail of an l', 'iiilll'.repeat(3), false],
    ['the stroke of an l, if the text has no other upright stroke', 'llllll'.repeat(3), true],
  ])('are bold by %s', async (_, letters, isBold) => {
    const drawn = [...letters].map((letter, index) => {
      const x = 50.6 + 2.22 * index;
      return letter === 'i' ? `${x} 300 0.9 5 re ${x} 306 1.3 1.3 re` : `${x} 300 1.7 7 re`;
    });
    const content = `0 g ${drawn.join(' ')} f /T gs ${at(50, 300, letters)}`;
    const { texts } = await readMade({ content, resources: transparent });
    expect(texts.map(({ kept, font }) => [kept, font.bold])).toEqual([[null, isBold]]);
  });

  /** A font with the widths of Arial, whose letters have no outlines, as programs embed them to make a picture searchable. */
  const empty: Made = ({ context }) => {
    const tables = readTables(loadFont('arimo'));
    tables.set('loca', new Uint8Array(tables.get('loca')!.length)).set('glyf', new Uint8Array(4));
    const FontFile2 = context.register(context.flateStream(writeTables(tables)));
    const FontDescriptor = context.obj({ Type: 'FontDescriptor', FontName: 'Empty', Flags: 32, FontFile2 });
    const Widths = Array.from({ length: 224 }, () => 500);
    const codes = { FirstChar: 32, LastChar: 255, Widths, Encoding: 'WinAnsiEncoding' };
    const all = { Type: 'Font', Subtype: 'TrueType', BaseFont: 'Empty', FontDescriptor, ...codes };
    return context.register(context.obj(all));
  };
  const wide = shapes.replace('83 300 5', '80 300 5');

  it.each([
    ['in an embedded font without outlines', '/E 10 Tf'],
    ['that is neither filled nor stroked', '/F 10 Tf 3 Tr'],
  ])('are those of a text %s, in the weight of its font', async (_, font) => {
    const shown = `BT ${font} 50 300 Td (Heading) Tj ET`;
    const page = (content: string) => readMade({ content, resources: { Font: { E: empty } } });
    const { texts, paints } = await page(`${font.includes('/E') ? wide : shapes}${shown}`);
    expect(texts.map((text) => [text.kept, text.color, text.font.bold, text.shapes?.length])).toEqual([
      [null, '0.2 g', false, 7],
    ]);
    expect(paints).toEqual([]);
    // Over a picture the text is not translated, because the letters of the picture stay.
    const image = 'q 400 0 0 400 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q ';
    expect((await page(image + shown)).texts.map(({ kept }) => kept)).toEqual(['invisible']);
  });

  it.each([
    ['elsewhere', 200, shapes, 7],
    ['one bar over the text', 300, '0 g 50 300 38 8 re f ', 1],
  ])('but not if the shapes are %s', async (_, y, shapes, count) => {
    const [read] = await withOpenPdf(await made(y, shapes), readAll);
    expect([read!.texts[0]!.kept, read!.paints.length]).toEqual(['invisible', count]);
  });
});

describe('a scanned page with an invisible layer of its text', () => {
  const scan = (layer: string): MadePage => ({
    content: `q 400 0 0 400 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q 3 Tr ${layer}`,
  });

  it('beside pages with text stays as it is: its text is not set over its picture', async () => {
    const source = await madePdf(scan(at(9, 50, 'The text of the scan')), {
      content: at(9, 50, 'A page of text'),
    });
    const { segments } = await extract(source);
    expect(segments.map(({ source }) => source)).toEqual([['A page of text']]);
    const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: ['Une page'] }));
    const { bytes } = await rebuild(source, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const texts = await withOpenPdf(bytes, async (pdf) => (await pdf.readPage(1)).texts);
    expect(texts.map((text) => [textOf(text), text.kept])).toEqual([['The text of the scan', 'invisible']]);
  });
});

describe('a sign without a known character', () => {
  it('that stands over a letter of a paragraph keeps the paragraph', async () => {
    const unknown = object({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: 'X',
      Encoding: 'Identity-H',
      DescendantFonts: [
        {
          Type: 'Font',
          Subtype: 'CIDFontType2',
          BaseFont: 'X',
          CIDSystemInfo: { Registry: 'Adobe', Ordering: 'Identity', Supplement: 0 },
          DW: 500,
          FontDescriptor: { Type: 'FontDescriptor', FontName: 'X', Flags: 4 },
        },
      ],
    });
    const content = `${at(9, 50, 'The length of v is given here')} BT /X 10 Tf 75 57 Td <0001> Tj ET ${at(9, 90, 'Another paragraph')}`;
    const { blocks, kept } = findBlocks(await readMade({ content, resources: { Font: { X: unknown } } }));
    expect(blocks.map(({ content }) => content)).toEqual([['Another paragraph']]);
    expect(kept.map(({ reason }) => reason).sort()).toEqual(['symbol', 'undecodable']);
  });
});

describe('text in tiling patterns and soft masks', () => {
  const tile =
    (content: string, resources = {}): Made =>
    (document) => {
      const stream = document.context.stream(content, {
        PatternType: 1,
        PaintType: 1,
        TilingType: 1,
        BBox: [0, 0, 99, 20],
        XStep: 99,
        YStep: 20,
      });
      stream.dict.set(
        PDFName.of('Resources'),
        resourcesOf(document, { Font: { F: helvetica }, ...resources }),
      );
      return document.context.register(stream);
    };

  it('is counted, once for each pattern, and stays', async () => {
    const inner = form(at(0, 0, 'in a form'), { Font: { F: helvetica } });
    const resources = {
      Pattern: {
        P: tile(`${at(0, 0, 'one')}${at(0, 9, 'two')} /X Do`, { XObject: { X: inner } }),
        Unused: tile(at(0, 0, 'never')),
      },
    };
    const area = '/Pattern cs /P scn 0 0 100 100 re f 200 0 100 100 re f ';
    const { segments, findings } = await extract(
      await madePdf({ content: `${area} 0 g ${at(9, 200, 'A paragraph')}`, resources }),
    );
    expect(segments.map(({ source }) => source)).toEqual([['A paragraph']]);
    expect(findings).toMatchObject([
      { severity: 'warning', message: expect.stringMatching(/patterns.*: 3, .*page 1$/) },
    ]);
  });

  it('is counted where it makes a mask', async () => {
    const group = form(
      at(9, 50, 'A mask'),
      { Font: { F: helvetica } },
      { Group: { S: 'Transparency', CS: 'DeviceGray' } },
    );
    const state: Made = (document) =>
      document.context.register(document.context.obj({ SMask: { S: 'Luminosity', G: group(document) } }));
    const content = `q /G gs 0 0 200 100 re f Q ${at(9, 200, 'A paragraph')}`;
    const { findings } = await extract(await madePdf({ content, resources: { ExtGState: { G: state } } }));
    expect(findings).toMatchObject([{ severity: 'warning', message: expect.stringMatching(/masks.*: 1, /) }]);
  });
});

describe('letters along a curve', () => {
  it('are reported: each stands in a direction of its own, and no word can be read of them', async () => {
    const letter = (character: string, index: number): string => {
      const angle = ((10 + 6 * index) * Math.PI) / 180;
      const [cosine, sine] = [Math.cos(angle).toFixed(4), Math.sin(angle).toFixed(4)];
      return `BT /F 12 Tf ${cosine} ${sine} -${sine} ${cosine} ${60 + 12 * index} ${100 + index * index} Tm (${character}) Tj ET`;
    };
    const content = `${[...'curve'].map(letter).join(' ')} ${at(9, 300, 'A paragraph')}`;
    const { findings } = await extract(await madePdf({ content }));
    expect(findings).toMatchObject([{ severity: 'warning', message: expect.stringMatching(/curve.*: 5, /) }]);
  });
});

describe('a large picture on a page with text', () => {
  const text = at(9, 390, 'A paragraph');
  const picture = (size: number): string =>
    `q ${size} 0 0 ${size} 100 100 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q `;
  const pages = [
    text + picture(200),
    // A background, a logo, and the text layer of a picture.
    picture(200) + text + at(150, 150, 'Over it'),
    text + picture(100),
    text + picture(200) + picture(250) + at(150, 150, 'Layer').replace('BT', 'BT 3 Tr'),
  ];

  it('is named with its page, unless a visible text is over it', async () => {
    const file = await madePdf(...pages.map((content) => ({ content })));
    const { findings } = await extract(file);
    expect(findings.filter(({ message }) => message.includes('picture'))).toEqual([
      {
        severity: 'info',
        code: 'unsupported_content_kept',
        message: '3 pictures are kept (pages 1, 4); text in pictures is not translated',
        unitId: null,
      },
    ]);
    // A Word file has no pictures.
    const word = await extract(file, { output: 'docx' });
    expect(word.findings.filter(({ message }) => message.includes('picture'))).toEqual([]);
  });
});

it('an image before a text goes with the text if it is its shadow: clear for the most part, and around the text', async () => {
  const image =
    (alpha: number): Made =>
    ({ context }) => {
      const entries = { Type: 'XObject', Subtype: 'Image', Width: 2, Height: 1, BitsPerComponent: 8 };
      const mask = context.stream(Uint8Array.of(alpha, alpha), { ...entries, ColorSpace: 'DeviceGray' });
      const stream = context.stream(Uint8Array.of(0, 0), { ...entries, ColorSpace: 'DeviceGray' });
      stream.dict.set(PDFName.of('SMask'), context.register(mask));
      return context.register(stream);
    };
  const resources = { XObject: { Shadow: image(64), Button: image(255) } };
  const paint = (name: string, y: number, height: number): string =>
    `q 60 0 0 ${height} 35 ${y} cm /${name} Do Q `;
  const rows = [
    paint('Shadow', 295, 18),
    paint('Button', 245, 18),
    paint('Shadow', 195, 80),
    paint('Shadow', 147, 5),
  ];
  const content = rows.map((row, index) => `${row}${at(40, 300 - 50 * index, 'A headline')}`).join(' ');
  const bytes = await madePdf({ content, resources });
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: ['Un titre'] }));
  const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const { paints } = await withOpenPdf(result.bytes, (pdf) => pdf.readPage(1));
  expect(paints.map(({ box }) => box.bottom)).toEqual([245, 195, 147]);
});

it.each([
  ['opaque', { Decode: [1, 0] }, ['Above']],
  ['clear', {}, ['Above', 'Below']],
])('a text below an image whose soft mask is %s is hidden or not', async (_name, decode, shown) => {
  const image: Made = ({ context }) => {
    const entries = { Type: 'XObject', Subtype: 'Image', Width: 200, Height: 20, BitsPerComponent: 8 };
    const gray = { ...entries, ColorSpace: 'DeviceGray' };
    const mask = context.flateStream(new Uint8Array(4000), { ...gray, ...decode });
    const stream = context.flateStream(new Uint8Array(4000), gray);
    stream.dict.set(PDFName.of('SMask'), context.register(mask));
    return context.register(stream);
  };
  const content = `${at(40, 300, 'Below')} q 100 0 0 20 35 295 cm /X Do Q ${at(40, 250, 'Above')}`;
  const file = await readMade({ content, resources: { XObject: { X: image } } });
  expect(
    findBlocks(file)
      .blocks.map((block) => block.content.join(''))
      .sort(),
  ).toEqual(shown);
});

it('a text whose letters are drawn as shapes over it, or as edges below it, is kept, but not one with filled shapes below it', async () => {
  const shapes = [0, 1, 2, 3].map((index) => {
    const x = 40.7 + 7.22 * index;
    return `${x} 300 m ${x + 5.8} 300 l ${x + 3} 307.2 l f `;
  });
  const text = at(40, 300, 'HHHH');
  const { kept } = findBlocks(await readMade({ content: `${text} ${shapes.join('')}` }));
  expect(kept.map((one) => [one.text, one.reason])).toEqual([['HHHH', 'stencil']]);
  const { blocks } = findBlocks(await readMade({ content: `${shapes.join('')} ${text}` }));
  expect(blocks.map(({ content }) => content)).toEqual([['HHHH']]);
  const letters = [...'HUNH'].map((letter, index) => at(50 + 8 * index, 100, letter)).join('');
  const edges = [0, 1, 2, 3].map((index) => `${50.5 + 8 * index} 100 6.2 7 re S`).join(' ');
  for (const content of [`${letters} ${edges}`, `${edges} ${letters}`])
    expect(findBlocks(await readMade({ content })).blocks).toEqual([]);
});
