import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { extract as extractDocx } from '#server/formats/docx.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { extract as extractPdf } from '#server/formats/pdf.ts';
import { countCharacters } from '#server/formats/text-tally.ts';
import { extract as extractXlsx } from '#server/formats/xlsx.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { partsOf } from './docx-walk.ts';
import { hasPdftotext } from './golden-pdf-readers.ts';
import { walkWorkbook } from './xlsx-walk.ts';

type Extracted = Awaited<ReturnType<typeof extractXlsx>>;

const unescapeXml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('\u00ad', '').replaceAll('&amp;', '&');
const translatedOf = ({ segments }: Extracted): number =>
  segments.reduce((sum, { source }) => sum + countCharacters(plainText(source)), 0);
const keptOf = ({ outcome }: Extracted, ...reasons: string[]): number =>
  outcome!.kept
    .filter(({ reason }) => reasons.includes(reason))
    .reduce((sum, one) => sum + one.characters, 0);

describe.each(corpusNames('xlsx'))('%s', (name) => {
  const bytes = corpusFile(`xlsx/${name}`);
  const { sheets, parts } = walkWorkbook(bytes);

  it('has every character of its cells, comments and names in its outcome', async () => {
    const extracted = await extractXlsx(bytes);
    const cells = sheets.flatMap((sheet) => sheet.cells.map(({ text = '' }) => countCharacters(text)));
    const segments = extracted.segments.filter(({ regionId }) => regionId !== 'formats');
    const staying = keptOf(extracted, 'number', 'formula_result', 'table_headers');
    expect(translatedOf({ ...extracted, segments }) + staying).toBe(
      cells.reduce((sum, count) => sum + count, 0),
    );
    expect(keptOf(extracted, 'sheet_names')).toBe(
      sheets.reduce((sum, sheet) => sum + countCharacters(sheet.name), 0),
    );
    const comments = Object.entries(parts).flatMap(([path, xml]) =>
      /^xl\/comments[^/]*\.xml$/.test(path)
        ? [
            ...Buffer.from(xml)
              .toString('utf8')
              .matchAll(/<comment\b.*?<\/comment>/gs),
          ]
        : [],
    );
    const written = comments
      .map(([comment]) => comment.replace(/<[^>]*>/g, ''))
      .filter((text) => /\p{L}/u.test(text));
    expect(keptOf(extracted, 'comments')).toBe(written.reduce((sum, text) => sum + countCharacters(text), 0));
    expect(extracted.outcome!.unaccounted).toBe(0);
  });
});

describe.each(corpusNames('docx'))('%s', (name) => {
  const bytes = corpusFile(`docx/${name}`);

  it('has every character of its parts in its outcome', async () => {
    const extracted = await extractDocx(bytes);
    const written = Object.entries(partsOf(bytes)).map(([path, xml]) => {
      if (!/^word\/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$/.test(path)) return 0;
      const visible = xml.replace(/<mc:Fallback\b.*?<\/mc:Fallback>/gs, '');
      const hyphens = visible.match(/<w:noBreakHyphen\b/g)?.length ?? 0;
      const texts = [
        ...visible.matchAll(/<(?:w|m):t(?:\s[^>]*)?>([^<]*)<\/(?:w|m):t>/g),
        // The title of a content control, the values of its list, and WordArt.
        ...visible.matchAll(/(?:<w:alias w:val| w:displayText|<v:textpath [^>]*string)="([^"]*)"/g),
      ];
      return texts.reduce((sum, [, text]) => sum + countCharacters(unescapeXml(text!)), hyphens);
    });
    // These are in other parts, or in attributes.
    const elsewhere = keptOf(extracted, 'charts', 'diagrams', 'alternative_texts', 'form_fields', 'address');
    const kept = extracted.outcome!.kept.reduce((sum, one) => sum + one.characters, 0) - elsewhere;
    const segments = extracted.segments.filter(({ regionId }) => !regionId.includes('words'));
    expect(translatedOf({ ...extracted, segments }) + kept).toBe(
      written.reduce((sum, count) => sum + count, 0),
    );
    expect(extracted.outcome!.unaccounted).toBe(0);
    expect(keptOf(extracted, 'other')).toBeLessThanOrEqual(40);
  });
});

/** The visible characters of the pages' content, without annotations and form fields, as poppler reads them. */
async function shownByPoppler(bytes: Uint8Array): Promise<number> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false, ignoreEncryption: true });
  for (const { node } of document.getPages()) node.delete(PDFName.of('Annots'));
  const path = join(mkdtempSync(join(tmpdir(), 'outcome-')), 'source.pdf');
  writeFileSync(path, document.isEncrypted ? bytes : await document.save({ updateFieldAppearances: false }));
  const text = execFileSync('pdftotext', ['-q', '-enc', 'UTF-8', path, '-']).toString('utf8');
  return countCharacters(text.normalize('NFKC').replace(/[\p{Cf}\p{Cc}]/gu, ''));
}

/** Texts that a reader does not see, or twice. Poppler leaves some of them out. */
const hidden = ['covered', 'partly_covered', 'invisible', 'clipped'];
const around = ['form_fields', 'annotations', 'bookmarks'];

describe.each(corpusNames('pdf').filter((name) => name.endsWith('.pdf')))('%s', (name) => {
  it('has the characters of its pages in its outcome', async (context) => {
    if (!hasPdftotext) return context.skip('pdftotext is not installed');
    const bytes = corpusFile(`pdf/${name}`);
    const extracted = await extractPdf(bytes);
    const shown = await shownByPoppler(bytes);
    const kept = extracted.outcome!.kept.filter(({ reason }) => !around.includes(reason));
    const all = translatedOf(extracted) + kept.reduce((sum, one) => sum + one.characters, 0);
    // A segment has no hyphen at the end of a line, and no sign of a formula that has no known character.
    expect(all).toBeGreaterThanOrEqual(Math.floor((name === 'form-xobject-text.pdf' ? 0.99 : 0.995) * shown));
    // Poppler leaves out some doubled letters.
    expect(all - keptOf(extracted, ...hidden)).toBeLessThanOrEqual(Math.ceil(1.02 * shown));
    expect(extracted.outcome!.unaccounted).toBe(0);
  });
});
