import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import type { ExtractedDocument } from '#server/formats/document.ts';
import type { FileErrorReason } from '#server/formats/file-error.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { textByPdfjs } from './golden-pdf-readers.ts';

/** The result for each hostile or broken file: an error reason, or its only text. */
const expected: Record<string, FileErrorReason | { text: string }> = {
  'flate-bomb.pdf': 'too_large',
  'form-xobject-loop.pdf': { text: 'Hello' },
  'fuzzed-poppler.pdf': 'unreadable',
  'garbage-header.pdf': 'unreadable',
  'garbage.pdf': 'unreadable',
  'html-renamed.pdf': 'unreadable',
  'no-pages.pdf': 'unreadable',
  'page-tree-loop.pdf': { text: 'Testcase: ’Pages loop’' },
  'password-user.pdf': 'protected',
  'truncated.pdf': 'unreadable',
};

const french = { sourceLanguage: 'en', targetLanguage: 'fr' };

async function translated(bytes: Uint8Array): Promise<Uint8Array> {
  const { segments } = await extract(bytes);
  const translations = segments.map((segment) => ({
    ...segment,
    target: [`[fr] ${plainText(segment.source)}`],
  }));
  return (await rebuild(bytes, translations, french)).bytes;
}

const codesOf = ({ findings }: ExtractedDocument): string[] => findings.map(({ code }) => code);

describe('a PDF that is broken or hostile', () => {
  it('is rejected as incomplete if it is cut and no text is left', async () => {
    const document = await PDFDocument.create();
    document.addPage();
    const whole = await document.save({ useObjectStreams: false });
    expect((await extract(whole)).segments).toEqual([]);
    await expect(extract(whole.subarray(0, -8))).rejects.toThrow('incomplete PDF');
  });

  it.each(corpusNames('bad').filter((name) => name.endsWith('.pdf')))('%s', async (name) => {
    const outcome = expected[name]!;
    const bytes = corpusFile(`bad/${name}`);
    if (typeof outcome === 'string') {
      const refusal = { name: 'FileError', reason: outcome };
      await expect(extract(bytes)).rejects.toMatchObject(refusal);
      await expect(rebuild(bytes, [], french)).rejects.toMatchObject(refusal);
      return;
    }
    const { segments } = await extract(bytes);
    expect(segments.map(({ source }) => plainText(source))).toEqual([outcome.text]);
    expect(await textByPdfjs(new Uint8Array(await translated(bytes)))).toContain(`[fr] ${outcome.text}`);
  });

  it('is cut off anywhere: it is refused, or has all of its text, or says that there is none', async () => {
    const whole = corpusFile('pdf/made-rotations-labels-links.pdf');
    const { segments } = await extract(whole);
    for (let share = 0.05; share < 1; share += 0.1) {
      const cut = await extract(whole.slice(0, Math.floor(share * whole.length))).catch((error) => error);
      if (cut instanceof Error) expect(cut).toMatchObject({ name: 'FileError' });
      else if (cut.segments.length === 0) expect(codesOf(cut)).toContain('no_translatable_text');
      else expect(cut.segments).toEqual(segments);
    }
  });
});

it('a PDF without text of scanned pages says so, and how many they are', async () => {
  const { segments, findings, pageCount } = await extract(corpusFile('pdf/made-scanned-no-text.pdf'));
  expect([segments, pageCount]).toEqual([[], 3]);
  expect(findings).toMatchObject([
    { code: 'no_translatable_text', message: expect.stringMatching(/3 pages .*images.*OCR/) },
  ]);
});

describe('forms that are not kept (B 4.3)', () => {
  it('an XFA form is reported and taken out; the fields that the PDF itself has stay', async () => {
    const source = corpusFile('pdf/form-xfa.pdf');
    const { findings } = await extract(source);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        code: 'unsupported_content_kept',
        message: expect.stringContaining('XFA'),
      }),
    );
    const keep = { updateMetadata: false, preserveXFA: true };
    const before = await PDFDocument.load(source, keep);
    const after = await PDFDocument.load(await translated(source), keep);
    const formOf = ({ catalog }: PDFDocument) => catalog.lookup(PDFName.of('AcroForm'), PDFDict);
    expect(formOf(before).has(PDFName.of('XFA'))).toBe(true);
    expect(formOf(after).has(PDFName.of('XFA'))).toBe(false);
    const names = (document: PDFDocument) =>
      document
        .getForm()
        .getFields()
        .map((field) => field.getName());
    expect(names(after)).toEqual(names(before));
    expect(names(after)).toHaveLength(7);
  });

  it('the signature, which would not hold, is reported and gone; its text is translated', async () => {
    const source = corpusFile('pdf/form-signed.pdf');
    expect(Buffer.from(source).includes('/ByteRange')).toBe(true);
    expect((await extract(source)).findings).toContainEqual(
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('signature') }),
    );
    const bytes = await translated(source);
    expect(Buffer.from(bytes).includes('/ByteRange')).toBe(false);
    expect(await textByPdfjs(new Uint8Array(bytes))).toContain('[fr] ');
  });
});

it('a password that only restricts its use does not keep a PDF from being translated', async () => {
  const bytes = await translated(corpusFile('pdf/encrypted-owner-only.pdf'));
  expect(await textByPdfjs(new Uint8Array(bytes))).toContain('[fr] Personal Vitality Rebate');
  expect(Buffer.from(bytes).includes('/Encrypt')).toBe(false);
});
