import {
  type PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFString,
} from '@cantoo/pdf-lib';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { RebuildOptions } from '#server/formats/document.ts';
import { readPages } from '#server/formats/flatten/pdf.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { asDict, getArray, getName } from '#server/formats/pdf/objects.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { madePdf } from './pdf-made.ts';

const line = (text: string, x: number, y: number, font = '/F 12 Tf') =>
  `BT ${font} ${x} ${y} Td (${text}) Tj ET`;

/** Rebuilds a file with a mark in front of each translation. */
async function translated(bytes: Uint8Array, options: Partial<RebuildOptions>): Promise<Uint8Array> {
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    regionId,
    cellId,
    target: ['[fr] ', ...source].flatMap((item, index, all) =>
      index === 1 && typeof item === 'string'
        ? []
        : index === 0 && typeof all[1] === 'string'
          ? [`[fr] ${all[1]}`]
          : [item],
    ),
  }));
  const { bytes: rebuilt } = await rebuild(bytes, translations, {
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    ...options,
  });
  return rebuilt;
}

async function textsOf(bytes: Uint8Array): Promise<string[]> {
  const texts: string[] = [];
  await readPages(bytes, (text) => {
    texts.push(text);
    return true;
  });
  return texts;
}

describe('a bilingual PDF', () => {
  const source = () =>
    madePdf(
      { content: line('The first page has one sentence.', 40, 300), page: { Rotate: 90 } },
      { content: line('The second page has another sentence.', 40, 300) },
    );

  it('has each page of the source before its translation', async () => {
    const texts = await textsOf(await translated(await source(), { output: 'bilingual' }));
    expect(texts.map((text) => text.trim())).toEqual([
      'The first page has one sentence.',
      '[fr] The first page has one sentence.',
      'The second page has another sentence.',
      '[fr] The second page has another sentence.',
    ]);
  });

  it('opens with both pages side by side, and numbers them as in the source', async () => {
    const bytes = await translated(await source(), { output: 'bilingual' });
    const document = await PDFDocument.load(bytes);
    expect(getName(document.catalog, 'PageLayout')).toBe('TwoPageLeft');
    const labels = getArray(asDict(document.catalog.lookup(PDFName.of('PageLabels'))), 'Nums')!;
    expect(labels.map(String)).toEqual(
      [1, 1, 2, 2].flatMap((number, index) => [String(index), label(number)]),
    );
    expect(document.getPages().map((page) => page.getRotation().angle)).toEqual([90, 90, 0, 0]);
  });
  const label = (number: number) => `<<\n/S /D\n/St ${number}\n>>`;

  it.each<[pages: string, layout: string | undefined]>([
    ['1', 'TwoPageLeft'],
    ['2', 'TwoPageRight'],
    ['2-3', 'TwoPageRight'],
    ['1-2', 'TwoPageLeft'],
    ['1,3', undefined],
  ])('opens with both pages side by side if all pairs can be: pages %s', async (pages, layout) => {
    const three = ['One', 'Two', 'Three'].map((text) => ({ content: line(`${text} sentence.`, 40, 300) }));
    const bytes = await translated(await madePdf(...three), {
      output: 'bilingual',
      pages: pages.split(','),
    });
    expect(getName((await PDFDocument.load(bytes)).catalog, 'PageLayout')).toBe(layout);
  });

  it('shows the pages of the source exactly as they were, with links and the look of fields', async () => {
    const bytes = corpusFile('pdf/form-irs-1040.pdf');
    const [before, after] = [
      await PDFDocument.load(bytes),
      await PDFDocument.load(await translated(bytes, { output: 'bilingual' })),
    ];
    const kinds = (document: PDFDocument, page: number): (string | undefined)[] =>
      (getArray(document.getPage(page).node, 'Annots') ?? []).map((each) =>
        getName(asDict(each) as PDFDict, 'Subtype'),
      );
    expect(kinds(after, 1)).toEqual(kinds(before, 0));
    expect(new Set(kinds(after, 0))).toEqual(new Set(['Stamp']));
    expect(after.getForm().getFields().length).toBe(before.getForm().getFields().length);
    const texts = await textsOf(bytes);
    const both = await textsOf(await translated(bytes, { output: 'bilingual' }));
    expect(both.filter((_text, index) => index % 2 === 0)).toEqual(texts);
  });

  it('may have a link to its page tree', async () => {
    const document = await PDFDocument.load(corpusFile('pdf/table-with-links.pdf'));
    const [link] = getArray(document.getPage(0).node, 'Annots') as [PDFDict];
    const tree = document.catalog.get(PDFName.of('Pages'))!;
    link.set(PDFName.of('Dest'), document.context.obj([tree, 'Fit']));
    const both = await translated(await document.save({ useObjectStreams: false }), { output: 'bilingual' });
    expect((await PDFDocument.load(both)).getPageCount()).toBe(2 * document.getPageCount());
  });

  it('shares the images and fonts of both pages', async () => {
    const bytes = corpusFile('pdf/two-column-labels-links.pdf');
    const [one, both] = [await translated(bytes, {}), await translated(bytes, { output: 'bilingual' })];
    expect(both.length).toBeLessThan(1.35 * one.length);
  });
});

describe('the text of a PDF as a Word file', () => {
  const xmlOf = async (bytes: Uint8Array, options: Partial<RebuildOptions> = {}): Promise<string> =>
    strFromU8(unzipSync(await translated(bytes, { output: 'docx', ...options }))['word/document.xml']!);
  const paragraphs = (xml: string) =>
    [...xml.matchAll(/<w:p>(.*?)<\/w:p>/gs)].map(([, content]) =>
      content!
        .replace(/<w:tab\/>/g, '\t')
        .replace(/<w:br\/>/g, '\n')
        .replace(/<[^>]*>/g, ''),
    );

  it('has headings, paragraphs and list items in reading order', async () => {
    const xml = await xmlOf(
      await madePdf({
        content: [
          line('A large heading', 40, 360, '/F 20 Tf'),
          line('The left column is read before the right one,', 40, 300, '/F 6 Tf'),
          line('and it has a second line that ends here.', 40, 292, '/F 6 Tf'),
          line('\\225', 40, 270, '/F 6 Tf'),
          line('A list item with its bullet in front of it', 50, 270, '/F 6 Tf'),
          line('The right column comes after the left one,', 220, 300, '/F 6 Tf'),
          line('and it has two lines as well, of this width.', 220, 292, '/F 6 Tf'),
        ].join('\n'),
      }),
    );
    expect(paragraphs(xml)).toEqual([
      '[fr] A large heading',
      '[fr] The left column is read before the right one, and it has a second line that ends here.',
      '[fr] A list item with its bullet in front of it',
      '[fr] The right column comes after the left one, and it has two lines as well, of this width.',
    ]);
    expect(xml).toMatch(/<w:pStyle w:val="Heading1"\/>.*A large heading/);
  });

  it('has the links of the source to web pages, and counts the others', async () => {
    const annotation = (left: number, bottom: number, right: number, A: Record<string, unknown>) => ({
      Type: 'Annot',
      Subtype: 'Link',
      Rect: [left, bottom - 3, right, bottom + 10],
      A,
    });
    const uri = (url: string) => ({ S: 'URI', URI: PDFString.of(url) });
    const page = {
      content: [
        line('Please read all the', 40, 300),
        line('rules', 142, 300),
        line('of our little club.', 174, 300),
        line('https://example.org/', 40, 260),
        line('See also the second page.', 40, 220),
      ].join('\n'),
      page: {
        Annots: [
          annotation(141, 300, 171, uri('https://example.org/?a="1"&b')),
          annotation(40, 260, 160, uri('https://example.org/')),
          annotation(40, 220, 180, { S: 'GoTo', D: 'second' }),
          annotation(40, 100, 180, uri('javascript:alert(1)')),
        ],
      },
    };
    const bytes = await madePdf(page);
    const xml = await xmlOf(bytes);
    const links = [...xml.matchAll(/<w:fldSimple w:instr="([^"]*)">(.*?)<\/w:fldSimple>/gs)];
    expect(links.map(([, address, runs]) => [address, runs!.replace(/<[^>]*>/g, '')])).toEqual([
      [' HYPERLINK &quot;https://example.org/?a=%221%22&amp;b&quot; ', 'rules'],
      [' HYPERLINK &quot;https://example.org/&quot; ', 'https://example.org/'],
    ]);
    expect(xml).toContain('<w:rStyle w:val="Hyperlink"/>');
    const options = { sourceLanguage: 'en', targetLanguage: 'fr', output: 'docx' as const };
    expect((await rebuild(bytes, [], options)).findings[0]!.message).toContain(
      'links to places in the document: ',
    );
  });

  it('has rows with numbers as a table, and no page number', async () => {
    const rows = ['Oranges', 'Apples', 'Pears'].map((name, index) =>
      [
        line(name, 40, 300 - 14 * index),
        line(`1${index}.50`, 160, 300 - 14 * index),
        line(`2${index}.75`, 260, 300 - 14 * index),
      ].join('\n'),
    );
    const xml = await xmlOf(await madePdf({ content: [...rows, line('17', 200, 12)].join('\n') }));
    const cells = [...xml.matchAll(/<w:tr>(.*?)<\/w:tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<w:tc>(.*?)<\/w:tc>/gs)].map(([, cell]) => cell!.replace(/<[^>]*>/g, '')),
    );
    expect(cells).toEqual([
      ['[fr] Oranges', '10.50', '20.75'],
      ['[fr] Apples', '11.50', '21.75'],
      ['[fr] Pears', '12.50', '22.75'],
    ]);
    expect(paragraphs(xml)).not.toContain('17');
  });

  it('has each translation of a real file', async () => {
    const bytes = corpusFile('pdf/two-column-labels-links.pdf');
    const { segments } = await extract(bytes);
    const written = paragraphs(await xmlOf(bytes))
      .join('\n')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&amp;/g, '&');
    const missing = segments
      .filter(({ kind }) => kind !== 'header' && kind !== 'footer')
      .filter(({ source }) => !written.includes(`[fr] ${plainText(source)}`));
    expect(missing).toEqual([]);
    expect(written.split('[fr] ').length - 1).toBeLessThanOrEqual(segments.length);
  });

  it('is written from right to left for Arabic', async () => {
    const xml = await xmlOf(await madePdf({ content: line('One short sentence.', 40, 300) }), {
      targetLanguage: 'ar',
    });
    expect(xml).toMatch(/<w:bidi\/>.*<w:rtl\/>/);
  });

  const row = ['Name', 'Amount', 'Total'].map((name, index) => line(name, 40 + 120 * index, 300)).join('\n');
  const cellsOf = (xml: string) =>
    [...xml.matchAll(/<w:tc>(.*?)<\/w:tc>/gs)].map(([, cell]) => cell!.replace(/<[^>]*>/g, ''));

  it.each<[source: string, target: string, isTurned: boolean, first: string]>([
    ['en', 'fr', false, '[fr] Name'],
    ['en', 'ar', true, '[fr] Name'],
    ['ar', 'fr', false, '[fr] Total'],
    ['ar', 'fa', true, '[fr] Total'],
  ])(
    'has tables in the reading direction of the languages: %s to %s',
    async (source, target, isTurned, first) => {
      const xml = await xmlOf(await madePdf({ content: row }), {
        sourceLanguage: source,
        targetLanguage: target,
      });
      expect(xml.includes('<w:bidiVisual/>')).toBe(isTurned);
      expect(cellsOf(xml)[0]).toBe(first);
    },
  );

  it('gives the numbers of a column one cell width, which is that of the longest', async () => {
    const rows = ['5', '100,000.00', '77'].map((number, index) =>
      [
        line(`Name ${'abc'[index]} of it`, 40, 300 - 14 * index, '/F 10 Tf'),
        line(
          number,
          360 - 5.56 * number.replace(/\D/g, '').length - 2.78 * number.replace(/\d/g, '').length,
          300 - 14 * index,
          '/F 10 Tf',
        ),
      ].join('\n'),
    );
    const xml = await xmlOf(await madePdf({ content: rows.join('\n') }));
    const widths = [...xml.matchAll(/<w:tcW w:w="(\d+)"/g)].map(([, width]) => Number(width));
    expect(widths.length).toBe(6);
    expect(new Set(widths.filter((_width, index) => index % 2 === 1)).size).toBe(1);
    // The number has 50 points of 320, and the table 450 points.
    expect(widths[1]).toBeGreaterThan((20 * 450 * 50) / 320);
  });

  it('names the content that it does not have', async () => {
    const page = {
      content: `${line('Annual report', 40, 390)}${line('The text of a page.', 40, 300)} q 50 0 0 50 200 100 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q ${line('7', 200, 12)}`,
    };
    const bytes = await madePdf(page, { content: page.content.replace('The text of a', 'Another') });
    const { segments } = await extract(bytes);
    const { findings } = await rebuild(
      bytes,
      segments.map(({ regionId, cellId, source }) => ({ regionId, cellId, target: source })),
      { sourceLanguage: 'en', targetLanguage: 'fr', output: 'docx' },
    );
    expect(findings).toEqual([
      {
        severity: 'info',
        code: 'content_left_out',
        message:
          'the Word file does not have all content of the PDF; it lacks running headers and footers: 2; page numbers and single signs: 2; pictures: 2',
        unitId: null,
      },
    ]);
  });

  it.each<[title: PDFObject, written: string]>([
    [PDFString.of('Tom & Jerry'), 'Tom &amp; Jerry'],
    [PDFHexString.of('feff00610001000b0062'), 'ab'],
    [PDFName.of('Name'), ''],
    [PDFNumber.of(12), ''],
  ])('has the title of a PDF if it is a text: %s', async (title, written) => {
    const document = await PDFDocument.load(
      await madePdf({ content: line('One short sentence.', 40, 300) }),
      { updateMetadata: false },
    );
    document.context.trailerInfo.Info = document.context.obj({ Title: title });
    const files = unzipSync(await translated(await document.save(), { output: 'docx' }));
    const core = strFromU8(files['docProps/core.xml']!);
    expect(/<dc:title>(.*?)<\/dc:title>/s.exec(core)?.[1] ?? '').toBe(written);
  });
});
