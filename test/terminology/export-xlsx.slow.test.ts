import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeGlossaryXlsx, xlsxType } from '#server/formats/glossary/writer.ts';
import { readGlossaryXlsx } from '#server/formats/glossary/xlsx.ts';
import type { Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const exported = async (setId: string, headers: Headers = mine.headers) => {
  const response = await app.request(`/api/terminology?set_id=${setId}`, {
    headers: { ...headers, accept: xlsxType },
  });
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
};

const sheetOf = (bytes: Uint8Array) =>
  strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());

/** The terms of a glossary, in order. */
async function termsOf(setId: string): Promise<unknown[]> {
  const input = encodeURIComponent(JSON.stringify({ json: { set_id: setId, limit: 200 } }));
  const { body } = await app.json('GET', `/trpc/terminology.entries?input=${input}`, {
    headers: mine.headers,
  });
  return body.result.data.json.entries;
}

const header = 'source_term,target_term,source_lang,target_lang,case_sensitive,priority';

test('GET /api/terminology with text/csv returns a file that an upload reads as the same terms, and that runs no formula', async () => {
  const columns = `${header},definition,note,status`;
  const set = await mine.glossary([
    columns,
    '=1+1,\'=cmd|A0,en,fr,yes,-5,"-a, ""b""\n=c",@note,forbidden',
    "'quoted,''+44,,,,0,＝x,,",
    '-5,"a;b|c\td",,,,3,,,allowed',
  ]);
  const response = await app.request(`/api/terminology?set_id=${set.id}`, {
    headers: { ...mine.headers, accept: 'text/csv' },
  });
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="A glossary.csv"');
  const bytes = await response.bytes();
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const terms = parse(Buffer.from(bytes), { bom: true }).flatMap((row: string[]) => row.toSpliced(5, 1));
  expect(terms.filter((cell: string) => /^[=+\-@＝]/u.test(cell))).toEqual([]);
  const copy = await mine.uploadFile(bytes, { name: 'Copy' }, { name: 'copy.csv', type: 'text/csv' });
  expect(copy.status).toBe(200);
  const original = await termsOf(set.id);
  expect(original).toHaveLength(3);
  expect(original[0]).toMatchObject({ source_term: '=1+1', priority: -5, definition: '-a, "b" =c' });
  expect(await termsOf(copy.body.id)).toEqual(original);
});

describe('GET /api/terminology with the media type of workbooks', () => {
  test('returns a workbook that an upload reads as the same terms', async () => {
    const lines = [
      ...['=1+1,=cmd|" /C calc"!A0', '+44,+33', '-5,-6', '@SUM(A1),@somme', "'quoted,=HYPERLINK(1)"],
      ...['007,1e5', '"12/03/2026","2026-03-12"', 'TRUE,FALSE', 'March 1,1er mars', '_x0041_,_x000D_'],
      ...[
        '\u202eltr\u202c,\u200fعربي',
        '<b>&amp;</b>,"]]>"',
        '"a, b","c ""d"""',
        'é\u0301,😀',
        'A  B,C\u00a0\u00a0D',
      ],
      `${'x'.repeat(500)},${'😀'.repeat(500)}`,
    ];
    const set = await mine.glossary([
      header,
      ...lines.map(
        (line, index) => `${line},en,${index % 2 ? 'fr' : 'de'},${index % 3 ? '' : 'yes'},${index - 3}`,
      ),
      'any language,toute langue,,,,2147483647',
    ]);
    const { status, headers, bytes } = await exported(set.id);
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      ...[200, xlsxType, 'attachment; filename="A glossary.xlsx"'],
    ]);
    const text = sheetOf(bytes);
    expect(text).not.toMatch(/<f[ >]/);
    expect(text.match(/t="inlineStr"/g)?.length).toBe(6 + 16 * 5 + 3);
    const { body: again } = await mine.uploadFile(
      bytes,
      { name: 'Again' },
      { name: 'a.xlsx', type: xlsxType },
    );
    expect(again.warnings.filter((one: string) => !one.includes('every language pair'))).toEqual([]);
    const terms = await termsOf(set.id);
    expect(terms).toHaveLength(17);
    expect(await termsOf(again.id)).toEqual(terms);
  });

  test('is complete, however many terms the glossary has, also with none', async () => {
    const lines = Array.from({ length: 1201 }, (_, n) => `word ${n},mot ${n}`);
    const set = await mine.glossary(lines, { source_lang: 'en', target_lang: 'fr' });
    const read = await readGlossaryXlsx((await exported(set.id)).bytes, { source: null, target: null });
    expect(read.entries.map(({ sourceTerm }) => sourceTerm)).toEqual(lines.map((line) => line.split(',')[0]));
    const { body: empty } = await app.json('POST', '/trpc/terminology.create', {
      headers: mine.headers,
      body: { name: 'Empty', source_lang: 'en', target_lang: 'fr' },
    });
    const { status, bytes } = await exported(empty.result.data.id);
    expect([status, sheetOf(bytes).match(/<row /g)?.length]).toEqual([200, 1]);
  });

  test('has its own type, like TBX and JSON', async () => {
    const set = await mine.glossary(['a,b,en,fr']);
    const typeOf = async (accept: string) =>
      (
        await app.request(`/api/terminology?set_id=${set.id}`, { headers: { ...mine.headers, accept } })
      ).headers.get('content-type');
    expect(await typeOf('application/x-tbx+xml')).toBe('application/x-tbx+xml');
    expect(await typeOf(`${xlsxType}, */*;q=0.5`)).toBe(xlsxType);
    expect(await typeOf('*/*')).toMatch(/^application\/json/);
  });
});

test('a workbook of 100,000 terms is written piece by piece', async () => {
  let pagesRead = 0;
  async function* pages() {
    for (; pagesRead < 200; pagesRead++)
      yield Array.from({ length: 500 }, (_, n) => ({
        ...{ sourceTerm: `term ${pagesRead} ${n}`, targetTerm: crypto.randomUUID() },
        ...{ sourceLang: 'en', targetLang: 'fr', caseSensitive: false, priority: 0 },
      }));
  }
  let bytes = 0;
  let largest = 0;
  const pagesAtMegabyte: number[] = [];
  for await (const piece of writeGlossaryXlsx(pages())) {
    bytes += piece.length;
    largest = Math.max(largest, piece.length);
    if (pagesAtMegabyte.length < Math.floor(bytes / 1e6)) pagesAtMegabyte.push(pagesRead);
  }
  // Nothing is collected: a writer that held the pages would have read all of them before its first megabyte.
  expect(pagesAtMegabyte[0]).toBeLessThan(100);
  expect(largest).toBeLessThan(300_000);
  expect(bytes).toBeGreaterThan(2e6);
});
