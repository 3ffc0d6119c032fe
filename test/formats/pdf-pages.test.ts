import { PDFDocument } from '@cantoo/pdf-lib';
import { expect, test } from 'vitest';
import { pageBytes } from '#server/formats/pdf/objects.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { form, madePdf } from './pdf-made.ts';

const shown = (text: string) => `BT /F 12 Tf 50 300 Td (${text}) Tj ET`;
// The pages share a form with a running header.
const header = form(`BT /F 10 Tf 50 380 Td (Annual report) Tj ET`);
const page = (text: string) => ({
  content: `/Header Do ${shown(text)}`,
  resources: { XObject: { Header: header } },
});
const file = await madePdf(page('The first page'), page('The second page'), page('The third page'));
const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };

test('the pages of a PDF that are not selected keep their content, and shared forms keep their text there', async () => {
  const pages = ['2'];
  const { segments, findings, pageCount } = await extract(file, { pages });
  expect(segments.map(({ page: number, source }) => [number, `${source}`])).toEqual([
    [2, 'Annual report'],
    [2, 'The second page'],
  ]);
  expect([pageCount, findings.map(({ code }) => code)]).toEqual([3, ['not_selected']]);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: ['Texte'] }));
  const rebuilt = await rebuild(file, translations, { ...languages, pages });
  const contents = async (bytes: Uint8Array) =>
    (await PDFDocument.load(bytes))
      .getPages()
      .map(({ node }) => Buffer.from(pageBytes(node)).toString('latin1'));
  const [before, after] = [await contents(file), await contents(rebuilt.bytes)];
  expect([after[0]?.trim(), after[2]?.trim()]).toEqual([before[0]?.trim(), before[2]?.trim()]);
  expect(after[1]).not.toBe(before[1]);
  const again = await extract(rebuilt.bytes);
  expect(again.segments.map(({ source }) => `${source}`)).toEqual([
    'Annual report',
    'The first page',
    'Texte',
    'Texte',
    'Annual report',
    'The third page',
  ]);
});
