import { expect, test } from 'vitest';
import type { SegmentTranslation } from '#server/formats/document.ts';
import { check, extract, rebuild } from '#server/formats/xlsx.ts';
import { item, row, shared, shownIn, table, workbookOf } from './xlsx-file.ts';
import { walkWorkbook } from './xlsx-walk.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
/** The first and the last sheet share all of their texts; the last also shares a header of a table. */
const bytes = workbookOf(
  [
    { name: 'Kept', rows: row(shared(0), shared(1)) + row(shared(2)), parts: table('T', 'A1:B2') },
    { name: 'Other', rows: row(shared(0)) },
    { name: 'Wanted', rows: row(shared(1), shared(0)) + row(shared(2)) },
  ],
  [item('Yes'), item('Price'), item('Total')],
);

async function translated(pages: string[]): Promise<Uint8Array> {
  const { segments } = await extract(bytes, { pages });
  const translations = segments.map(
    ({ regionId, cellId, source }): SegmentTranslation => ({ regionId, cellId, target: [`fr ${source}`] }),
  );
  return (await rebuild(bytes, translations, { ...languages, pages })).bytes;
}

test('the sheets of a workbook that are not selected stay byte for byte, although they share texts', async () => {
  const result = await translated(['wanted']);
  expect(shownIn(result, 2)).toEqual(['fr Price', 'fr Yes', 'fr Total']);
  const [before, after] = [walkWorkbook(bytes), walkWorkbook(result)];
  for (const sheet of [0, 1]) {
    expect(after.sheets[sheet]!.xml).toBe(before.sheets[sheet]!.xml);
    expect(shownIn(result, sheet)).toEqual(shownIn(bytes, sheet));
  }
});

test('only the texts of the selected sheets are read, and the report has the number of the others', async () => {
  const { segments, findings, pageCount } = await extract(bytes, { pages: ['Other'] });
  expect(segments.map(({ place }) => place)).toEqual(['Other!A1']);
  expect([pageCount, findings.map(({ message }) => message)]).toEqual([
    3,
    ['2 sheets are not selected; the text stays unchanged'],
  ]);
  const texts: string[] = [];
  await check(bytes, (text) => texts.push(text) < 10, { pages: ['Other'] });
  expect(texts).toEqual(['Yes']);
});

test('an unknown sheet is refused with the names of the sheets', async () => {
  const selection = { pages: ['None'] };
  for (const read of [() => check(bytes, undefined, selection), () => extract(bytes, selection)])
    await expect(read()).rejects.toMatchObject({
      reason: 'selection',
      message: 'pages: the workbook has no sheet "None"; its sheets: "Kept", "Other", "Wanted"',
    });
});
