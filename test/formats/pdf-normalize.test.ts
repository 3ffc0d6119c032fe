import { createHash } from 'node:crypto';
import { PDFDict, PDFDocument, PDFName, PDFRawStream } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { normalize } from '#server/formats/pdf/normalize.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { at, madePdf, textOf, withOpenPdf } from './pdf-made.ts';

const names = corpusNames('pdf').filter((name) => name.endsWith('.pdf'));

/** The digests of the encoded data of its images, without a line end that some programs count in. Sorted. */
async function imagesOf(bytes: Uint8Array): Promise<string[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false, ignoreEncryption: true });
  return document.context
    .enumerateIndirectObjects()
    .flatMap(([, object]) => (object instanceof PDFRawStream ? [object] : []))
    .filter(({ dict }) => dict.get(PDFName.of('Subtype')) === PDFName.of('Image'))
    .map(({ contents }) => {
      const end = contents.findLastIndex((byte) => byte !== 0x0a && byte !== 0x0d) + 1;
      return createHash('sha256').update(contents.subarray(0, end)).digest('hex');
    })
    .sort();
}

describe('normalising a PDF', () => {
  it.each(names)('keeps the pages and what the catalog of %s names', async (name) => {
    const bytes = corpusFile(`pdf/${name}`);
    const before = await PDFDocument.load(bytes, { updateMetadata: false, ignoreEncryption: true });
    const after = await PDFDocument.load(await normalize(bytes), { updateMetadata: false });
    expect(after.getPageCount()).toBe(before.getPageCount());
    expect(after.getPages().map((page) => [page.getMediaBox(), page.getRotation().angle])).toEqual(
      before.getPages().map((page) => [page.getMediaBox(), page.getRotation().angle]),
    );
    // The permissions of a signature go with it.
    const keys = before.catalog.keys().filter((key) => key !== PDFName.of('Perms'));
    expect(after.catalog.keys().map(String).sort()).toEqual(keys.map(String).sort());
  });

  it.each(names)('keeps the encoded images of %s byte for byte', async (name) => {
    if (name === 'encrypted-owner-only.pdf') return; // encrypted before
    const bytes = corpusFile(`pdf/${name}`);
    expect(await imagesOf(await normalize(bytes))).toEqual(await imagesOf(bytes));
  });

  it('decrypts a file whose password only restricts its use', async () => {
    const bytes = corpusFile('pdf/encrypted-owner-only.pdf');
    await expect(PDFDocument.load(bytes)).rejects.toThrow(/encrypted/);
    const { context } = await PDFDocument.load(await normalize(bytes));
    expect(context.trailerInfo.Encrypt).toBeUndefined();
  });

  it('refuses a file that only a password opens, as protected', async () => {
    await expect(normalize(corpusFile('bad/password-user.pdf'))).rejects.toMatchObject({
      reason: 'protected',
      message: 'the PDF is protected by a password',
    });
  });

  it('takes the value of a signature off, which would not hold for a changed file, and keeps its look', async () => {
    const { context } = await PDFDocument.load(await normalize(corpusFile('pdf/form-signed.pdf')));
    const dictionaries = context
      .enumerateIndirectObjects()
      .flatMap(([, o]) => (o instanceof PDFDict ? [o] : []));
    expect(dictionaries.some((dict) => dict.has(PDFName.of('ByteRange')))).toBe(false);
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

  it.each([
    'bad/garbage.pdf',
    'bad/garbage-header.pdf',
    'bad/html-renamed.pdf',
    'bad/fuzzed-poppler.pdf',
    'bad/truncated.pdf',
  ])('refuses %s as unreadable', async (path) => {
    await expect(normalize(corpusFile(path))).rejects.toMatchObject({
      reason: 'unreadable',
      message: 'the PDF cannot be read',
    });
  });

  it('gives the same bytes for the same file', async () => {
    const bytes = corpusFile('pdf/two-column-labels-links.pdf');
    expect(Buffer.compare(await normalize(bytes), await normalize(bytes))).toBe(0);
  });
});
