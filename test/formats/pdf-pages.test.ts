import { PDFDocument } from '@cantoo/pdf-lib';
import { expect, test } from 'vitest';
import { pageBytes } from '#server/formats/pdf/objects.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { form, madePdf } from './pdf-made.ts';
import { shownTexts } from './pdf-shown.ts';

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

test('texts of one style have one size on all pages of a PDF, except texts that need a much smaller one', async () => {
  const lines = [
    'The contractor sends the invoice',
    'after the work has been accepted',
    'by both parties in writing.',
  ];
  const box = '40 258 200 54 re S';
  const boxed = {
    content: `${box} ${lines.map((line, index) => `BT /F 12 Tf 45 ${296 - 14 * index} Td (${line}) Tj ET`).join(' ')}`,
  };
  const source = await madePdf(boxed, boxed, boxed);
  const { segments } = await extract(source);
  const [longer, longest] = [1.35, 3].map((times) => {
    const words = lines.join(' ').split(' ');
    return [...words, ...words, ...words].slice(0, Math.round(times * words.length)).join(' ');
  });
  const sizesOf = async (...targets: string[]) => {
    const translations = segments.map(({ regionId }, index) => ({
      regionId,
      cellId: null,
      target: [targets[index]!],
    }));
    const { bytes } = await rebuild(source, translations, languages);
    return Promise.all([1, 2, 3].map(async (number) => (await shownTexts(bytes, number))[0]!.size));
  };
  const short = lines.join(' ').replace('writing', 'letters');
  const [first, second, third] = await sizesOf(short, longer!, short);
  expect(second).toBeLessThan(11.9);
  expect([first, third]).toEqual([second, second]);
  expect(await sizesOf(short, longest!, short)).toEqual([12, expect.closeTo(7.2, 0), 12]);
});
