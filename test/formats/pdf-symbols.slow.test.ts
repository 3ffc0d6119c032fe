import { readFileSync } from 'node:fs';
import { PDFName, PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { normalize } from '#server/formats/pdf/normalize.ts';
import type { ReadPage } from '#server/formats/pdf/open-pdf.ts';
import type { ReadText } from '#server/formats/pdf/reading/shown-texts.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { at, type Made, type MadePage, madePdf, readMade, textOf, type3, withOpenPdf } from './pdf-made.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };

/** A font without a file and without a table of characters. Each glyph is half an em wide. */
const signs: Made = ({ context }) => {
  const descendant = context.obj({
    Type: 'Font',
    Subtype: 'CIDFontType2',
    BaseFont: 'Signs',
    CIDSystemInfo: { Registry: PDFString.of('x'), Ordering: PDFString.of('y'), Supplement: 0 },
    DW: 500,
  });
  return context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: 'Signs',
      Encoding: 'Identity-H',
      DescendantFonts: [context.register(descendant)],
    }),
  );
};

/** A font with the glyphs of Arimo. Its table gives these characters to its glyphs. */
const arimo =
  (characters: Record<number, string>): Made =>
  ({ context }) => {
    const file = readFileSync(
      new URL('../../node_modules/@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf', import.meta.url),
    );
    const descriptor = context.obj({ Type: 'FontDescriptor', FontName: 'Arimo', Flags: 4 });
    descriptor.set(PDFName.of('FontFile2'), context.register(context.flateStream(file)));
    const descendant = context.obj({
      Type: 'Font',
      Subtype: 'CIDFontType2',
      BaseFont: 'Arimo',
      CIDToGIDMap: 'Identity',
      CIDSystemInfo: { Registry: PDFString.of('Adobe'), Ordering: PDFString.of('Identity'), Supplement: 0 },
      FontDescriptor: context.register(descriptor),
      DW: 500,
    });
    const lines = Object.entries(characters).map(
      ([glyph, text]) => `<${Number(glyph).toString(16).padStart(4, '0')}> <${utf16(text)}>`,
    );
    const table = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange
      ${lines.length} beginbfchar ${lines.join('\n')} endbfchar endcmap`;
    const font = context.obj({
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: 'Arimo',
      Encoding: 'Identity-H',
      DescendantFonts: [context.register(descendant)],
    });
    font.set(PDFName.of('ToUnicode'), context.register(context.stream(table)));
    return context.register(font);
  };

function utf16(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex');
}

/** The translated page, and the content of its segments before the translation. */
async function translated(
  page: MadePage,
  translate: (content: InlineContent) => InlineContent,
): Promise<{ sources: InlineContent[]; page: ReadPage }> {
  const bytes = await madePdf(page);
  const { segments } = await extract(bytes);
  const targets = segments.map(({ regionId, source }) => ({
    regionId,
    cellId: null,
    target: translate(source),
  }));
  const rebuilt = await rebuild(bytes, targets, languages);
  return withOpenPdf(await normalize(rebuilt.bytes), async (pdf) => ({
    sources: segments.map(({ source }) => source),
    page: await pdf.readPage(1),
  }));
}

/** The places of the glyphs of a font without a table, by their codes. */
function placesOf({ texts }: ReadPage): [code: number, x: number, y: number][] {
  return texts.flatMap(({ glyphs, matrix }) =>
    glyphs.flatMap(({ symbol, x }): [number, number, number][] =>
      symbol === undefined ? [] : [[symbol, Math.round(matrix[4] + x * matrix[0]), Math.round(matrix[5])]],
    ),
  );
}

const sign = (x: number, y: number, code: string, size = 10): string =>
  `BT 1 0 0 rg /S ${size} Tf ${x} ${y} Td <${code}> Tj 0 g ET `;
const resources = { Font: { S: signs } };

describe('a sign without a known character', () => {
  it('is a bullet that stays, and the text of its item is translated', async () => {
    const content = `${sign(20, 100, '0007')}${at(40, 100, 'The first item of the list')}`;
    const { sources, page } = await translated({ content, resources }, () => ['Le premier article']);
    expect(sources).toEqual([['The first item of the list']]);
    expect(placesOf(page)).toEqual([[7, 20, 100]]);
  });

  it('inside of a sentence moves with its tag, in its own font, size and color', async () => {
    const content = `${at(20, 100, 'Press the sign')}${sign(90, 101, '0007', 12)}${at(99, 100, 'and wait.')}`;
    const swapped = (parts: InlineContent): InlineContent => [
      'Attendez ',
      parts[1]!,
      ' et appuyez sur la touche',
    ];
    const { sources, page } = await translated({ content, resources }, swapped);
    expect(sources).toEqual([['Press the sign ', { tag: 1, type: 'void' }, ' and wait.']]);
    const [[code, x, y] = [], ...others] = placesOf(page);
    expect([code, y, others]).toEqual([7, 101, []]);
    const text = page.texts.find(({ glyphs }) => glyphs[0]?.symbol === 7)!;
    expect([text.matrix[0], text.color]).toEqual([12, '1 0 0 rg']);
    const [before, after] = [/^Attendez/, /^ ?et appuyez|appuyez/].map(
      (pattern) => page.texts.find((shown) => pattern.test(textOf(shown)))!,
    );
    expect(x).toBeGreaterThan(before!.matrix[4]);
    expect(x).toBeLessThan((after === before ? { matrix: [0, 0, 0, 0, 400] } : after!).matrix[4]!);
  });

  it('inside of a bold sentence keeps the strokes that make it bold', async () => {
    const shown = 'BT /S 10 Tf 90 100 Td <0007> Tj ET ';
    const bold = `0.4 w 2 Tr ${at(20, 100, 'Press the sign')}${shown}${at(99, 100, 'and wait.')}`;
    const first = (parts: InlineContent): InlineContent => [parts[1]!, ' Attendez le signe'];
    const { page } = await translated({ content: bold, resources }, first);
    const text = page.texts.find(({ glyphs }) => glyphs[0]?.symbol === 7) as ReadText;
    expect(text.operator).toMatchObject({ renderMode: 2, lineWidth: 0.4 });
  });

  it('is drawn smaller where its text is made smaller', async () => {
    const cell = '20 95 100 14 re S ';
    const content = `${cell}${at(22, 100, 'Short')}${sign(50, 100, '0007')}`;
    const long = (parts: InlineContent): InlineContent => ['A text that is too long here ', parts[1]!];
    const { page } = await translated({ content, resources }, long);
    const text = page.texts.find(({ glyphs }) => glyphs[0]?.symbol === 7)!;
    expect(text.matrix[0]).toBeLessThan(9.5);
  });

  it('is a letter if it is between letters or touches one of its font, and keeps the text', async () => {
    const inWord = `${at(20, 100, 'The co')}${sign(47.2, 100, '0007')}${at(52.2, 100, 'mittee met')}`;
    expect((await extract(await madePdf({ content: inWord, resources }))).segments).toEqual([]);
    const font = arimo({ 68: 'a', 69: 'b', 70: '\ue000' });
    const content = 'BT /S 10 Tf 20 100 Td [<0044004500440045> -300 <004400450046>] TJ ET';
    const own = await extract(await madePdf({ content, resources: { Font: { S: font } } }));
    expect(own.segments).toEqual([]);
    expect(own.findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('character map'),
    );
  });

  it('is a blank if its outline is empty', async () => {
    const font = arimo({ 3: '\uf020', 36: 'A', 37: 'B' });
    const content = 'BT /S 10 Tf 20 100 Td <00240025000300250024> Tj ET';
    const { texts } = await readMade({ content, resources: { Font: { S: font } } });
    expect(texts.map(textOf)).toEqual(['AB BA']);
  });

  it('is not guessed from its code if its font numbers its glyphs', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `g${index}`);
    const drawing = '500 0 0 0 400 700 d1 0 0 400 700 re f';
    const numbered = type3({
      first: 0,
      box: [0, 0, 500, 700],
      widths: names.map(() => 500),
      glyphs: Object.fromEntries(names.map((name) => [name, drawing])),
    });
    const content = 'BT /S 10 Tf 20 100 Td (\\001\\002\\003\\004) Tj ET';
    const { texts } = await readMade({ content, resources: { Font: { S: numbered } } });
    expect(texts.map(textOf)).toEqual(['\ufffd\ufffd\ufffd\ufffd']);
  });
});

describe('a sign that another font may not show', () => {
  it('is drawn in its own font: a picture in a text', async () => {
    const font = arimo({ 36: '\u2611' });
    const content = `${at(20, 100, 'Check')}BT /S 10 Tf 51.3 100 Td <0024> Tj ET ${at(59, 100, 'this box.')}`;
    const { sources, page } = await translated({ content, resources: { Font: { S: font } } }, (parts) => [
      'Cochez ',
      parts[1]!,
      ' cette case.',
    ]);
    expect(sources).toEqual([['Check ', { tag: 1, type: 'void', text: '\u2611' }, ' this box.']]);
    expect(page.texts.filter((text) => text.font.name === 'Arimo').map(textOf)).toContain('\u2611');
  });

  it('is drawn in its own font: a currency sign at the code of a backquote', async () => {
    const font = arimo({ 36: '`' });
    const content = `${at(20, 100, 'It costs')}BT /S 10 Tf 55 100 Td <0024> Tj ET ${at(60, 100, '1,500 a month.')}`;
    const { segments } = await extract(await madePdf({ content, resources: { Font: { S: font } } }));
    expect(segments.map(({ source }) => source)).toEqual([
      ['It costs ', { tag: 1, type: 'void', text: '`' }, '1,500 a month.'],
    ]);
  });

  it('is drawn in its own font: a diamond at the code of an accent, between spaces', async () => {
    const font = arimo({ 36: '¨' });
    const content = `${at(20, 100, 'Meadow 287')}BT /S 10 Tf 82 100 Td <0024> Tj ET ${at(90, 100, 'Old town')}`;
    const { segments } = await extract(await madePdf({ content, resources: { Font: { S: font } } }));
    expect(segments.map(({ source }) => source)).toEqual([
      ['Meadow 287 ', { tag: 1, type: 'void', text: '¨' }, ' Old town'],
    ]);
  });
});
