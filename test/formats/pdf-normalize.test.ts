import { PDFDocument } from '@cantoo/pdf-lib';
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

  it('gives the same bytes for the same file', async () => {
    const bytes = corpusFile('pdf/two-column-labels-links.pdf');
    expect(Buffer.compare(await normalize(bytes), await normalize(bytes))).toBe(0);
  });
});
