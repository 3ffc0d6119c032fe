import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { normalize } from '#server/formats/pdf/normalize.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { at, madePdf, textOf, withOpenPdf } from './pdf-made.ts';

describe('normalising a PDF', () => {
  it('decrypts a file whose password only restricts its use', async () => {
    const bytes = corpusFile('pdf/encrypted-owner-only.pdf');
    await expect(PDFDocument.load(bytes)).rejects.toThrow(/encrypted/);
    const { context } = await PDFDocument.load(await normalize(bytes));
    expect(context.trailerInfo.Encrypt).toBeUndefined();
  });

  it('repairs a file whose table of cross-references is not where it says', async () => {
    const text = Buffer.from(corpusFile('pdf/single-column.pdf')).toString('latin1');
    const broken = `${text.slice(0, text.lastIndexOf('startxref'))}startxref\n99\n%%EOF`;
    const document = await PDFDocument.load(await normalize(Buffer.from(broken, 'latin1')));
    expect(document.getPageCount()).toBe(2);
  });

  it.each<[string, (text: string) => string]>([
    ['is shorter', (text) => text.replace(/\/Length \d+/, '/Length 7')],
    ['is longer', (text) => text.replace(/\/Length \d+/, '/Length 99999')],
    ['is right, but has no end', (text) => text.replace(/\nendstream/, '')],
  ])('repairs a file with a stream whose length %s', async (_, damage) => {
    const source = await madePdf(
      { content: at(20, 300, 'Of a stream') },
      { content: at(20, 300, 'Of another stream') },
    );
    const broken = Buffer.from(damage(Buffer.from(source).toString('latin1')), 'latin1');
    const texts = await withOpenPdf(await normalize(broken), async (pdf) =>
      [await pdf.readPage(1), await pdf.readPage(2)].flatMap((page) => page.texts.map(textOf)),
    );
    expect(texts).toEqual(['Of a stream', 'Of another stream']);
  });

  /** A file of two pages, changed by pdf-lib. */
  const changed = async (change: (document: PDFDocument) => void): Promise<Uint8Array> => {
    const pages = [{ content: at(20, 300, 'The first') }, { content: at(20, 300, 'The second') }];
    const document = await PDFDocument.load(await madePdf(...pages));
    change(document);
    return document.save({ useObjectStreams: false });
  };
  const textsOf = async (bytes: Uint8Array): Promise<string[]> =>
    withOpenPdf(await normalize(bytes), async (pdf) => {
      const pages = await Promise.all(
        Array.from({ length: pdf.pageCount }, (_, page) => pdf.readPage(page + 1)),
      );
      return pages.flatMap(({ texts }) => texts.map(textOf));
    });

  it('repairs a loop in the page tree, and keeps what the pages inherit', async () => {
    const looped = await changed(({ context, catalog }) => {
      const root = catalog.get(PDFName.of('Pages'))!;
      const kids = catalog.Pages().Kids();
      const second = kids.get(1);
      const node = context.register(context.obj({ Type: 'Pages', Count: 1, Rotate: 90, Parent: root }));
      kids.set(1, node);
      context.lookup(node, PDFDict).set(PDFName.of('Kids'), context.obj([node, second, root]));
    });
    expect(await textsOf(looped)).toEqual(['The first', 'The second']);
    const document = await PDFDocument.load(await normalize(looped));
    expect(document.getPages().map((page) => page.getRotation().angle)).toEqual([0, 90]);
  });

  it('repairs a file whose objects have much larger numbers than it has objects', async () => {
    const bytes = await changed(({ context, catalog }) => {
      context.largestObjectNumber = 5_000_000;
      const content = context.register(context.stream(at(20, 300, 'Far away')));
      catalog.Pages().Kids().lookup(1, PDFDict).set(PDFName.of('Contents'), content);
    });
    expect(await textsOf(bytes)).toEqual(['The first', 'Far away']);
  });

  it('ignores an unused object stream, whose objects have the numbers of others', async () => {
    const bytes = await changed(({ context, catalog }) => {
      const stale = '1 0 <</Type /Pages /Kids [] /Count 0>>';
      const entries = { Type: 'ObjStm', N: 1, First: 4 };
      catalog.set(PDFName.of('Outlines'), context.register(context.stream(stale, entries)));
    });
    expect(await textsOf(bytes)).toEqual(['The first', 'The second']);
  });

  it('gives the same bytes for the same file', async () => {
    const bytes = corpusFile('pdf/two-column-labels-links.pdf');
    expect(Buffer.compare(await normalize(bytes), await normalize(bytes))).toBe(0);
  });
});
