import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';
import { zipOf } from './flatten-zip.ts';
import {
  inline,
  item,
  type MadeSheet,
  row,
  shared,
  shownIn,
  table,
  translated,
  workbookOf,
} from './xlsx-file.ts';
import { walkWorkbook } from './xlsx-walk.ts';

const options = { sourceLanguage: 'en', targetLanguage: 'fr' };
const partOf = (bytes: Uint8Array, path: string): string => Buffer.from(unzipSync(bytes)[path]!).toString();

/** Translates only the cells at these places. */
async function correct(bytes: Uint8Array, targets: Record<string, string>): Promise<Uint8Array> {
  const { segments } = await extract(bytes);
  const translations = segments
    .filter(({ place }) => targets[place] !== undefined)
    .map(({ regionId, cellId, place }) => ({ regionId, cellId, target: [targets[place]!] }));
  expect(translations).toHaveLength(Object.keys(targets).length);
  return (await rebuild(bytes, translations, options)).bytes;
}

/** The numbers of the sheets whose parts differ. */
function changedSheets(before: Uint8Array, after: Uint8Array): number[] {
  const [old, next] = [unzipSync(before), unzipSync(after)];
  return walkWorkbook(before).sheets.flatMap(({ path }, index) =>
    Buffer.compare(old[path]!, next[path]!) === 0 ? [] : [index + 1],
  );
}

const counts = (bytes: Uint8Array): string[] =>
  [...partOf(bytes, 'xl/sharedStrings.xml').matchAll(/(?:count|uniqueCount)="\d+"/g)].map(([found]) => found);

describe('a shared string', () => {
  const sheets = (...rows: string[]): MadeSheet[] => rows.map((cells) => ({ rows: row(cells) }));

  it('changes in its place if all its cells get the same text: no sheet changes', async () => {
    const bytes = workbookOf(sheets(shared(0) + shared(1), shared(1) + shared(0)), [
      item('One'),
      item('Two'),
    ]);
    const result = await translated(bytes, (text) => `${text}!`);
    expect(partOf(result, 'xl/sharedStrings.xml')).toContain(
      '<si><t>One!</t></si><si><t>Two!</t></si></sst>',
    );
    expect(changedSheets(bytes, result)).toEqual([]);
    expect(counts(result)).toEqual(counts(bytes));
  });

  it('keeps its entry, byte for byte, if no cell gets another text', async () => {
    const rich = '<si><r><t>Ri</t></r><r><rPr><b/></rPr><t>ch</t></r></si>';
    const bytes = workbookOf(sheets(shared(0) + shared(1)), [rich, item('Two')]);
    const result = await correct(bytes, { 'Sheet1!A1': 'Rich', 'Sheet1!B1': 'Deux' });
    expect(partOf(result, 'xl/sharedStrings.xml')).toContain(`${rich}<si><t>Deux</t></si>`);
  });

  it('whose cells get different texts is appended for the fewer sheets', async () => {
    const bytes = workbookOf(sheets(shared(0), shared(0), shared(0) + shared(1)), [item('One'), item('Two')]);
    const result = await correct(bytes, {
      'Sheet1!A1': 'Un',
      'Sheet2!A1': 'Uno',
      'Sheet3!A1': 'Uno',
      'Sheet3!B1': 'Dos',
    });
    expect([shownIn(result), shownIn(result, 1), shownIn(result, 2)]).toEqual([
      ['Un'],
      ['Uno'],
      ['Uno', 'Dos'],
    ]);
    expect(changedSheets(bytes, result)).toEqual([1]);
    expect(partOf(result, 'xl/sharedStrings.xml')).toMatch(
      /<si><t>Uno<\/t><\/si><si><t>Dos<\/t><\/si><si><t>Un<\/t><\/si><\/sst>$/,
    );
    // The number of cells with a shared string is unchanged, and there is one more shared string.
    expect(counts(result)).toEqual(['count="4"', 'uniqueCount="3"']);
  });

  it('with several texts in one sheet needs one changed sheet, and one entry for each text', async () => {
    const bytes = workbookOf(sheets(shared(0).repeat(5), shared(0)), [item('One')]);
    const result = await correct(bytes, {
      'Sheet1!A1': 'a',
      'Sheet1!B1': 'b',
      'Sheet1!C1': 'b',
      'Sheet1!D1': 'c',
      'Sheet2!A1': 'c',
    });
    expect([shownIn(result), shownIn(result, 1)]).toEqual([['a', 'b', 'b', 'c', 'One'], ['c']]);
    expect(changedSheets(bytes, result)).toEqual([1]);
    expect(walkWorkbook(result).strings.toSorted()).toEqual(['One', 'a', 'b', 'c']);
  });

  it('of a formula keeps its text for it: other cells are pointed to a new entry', async () => {
    const rows = row('<c t="s"><f>B1</f><v>0</v></c>', shared(0), shared(0));
    const bytes = workbookOf([{ rows }, { rows: row(shared(0)) }], [item('One')]);
    const result = await translated(bytes, 'Un');
    expect([shownIn(result), shownIn(result, 1)]).toEqual([['One', 'Un', 'Un'], ['Un']]);
    expect(partOf(result, 'xl/worksheets/s0.xml')).toContain(
      '<c t="s"><f>B1</f><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>1</v></c>',
    );
    expect(counts(result)).toEqual(['count="4"', 'uniqueCount="2"']);
  });

  it('of a table header keeps its text and its runs for it', async () => {
    const rich = '<si><r><rPr><b/></rPr><t>Na</t></r><r><t>me</t></r><rPh sb="0" eb="1"><t>X</t></rPh></si>';
    const header = { rows: row(shared(0)) + row(inline('<t>b</t>')), parts: table('T', 'A1:A2') };
    const bytes = workbookOf([header, { rows: row(shared(0)) }, { rows: row(shared(0)) }], [rich]);
    const result = await translated(bytes, 'Nom');
    expect([shownIn(result), shownIn(result, 1), shownIn(result, 2)]).toEqual([
      ['Name', 'Nom'],
      ['Nom'],
      ['Nom'],
    ]);
    // The sheet with the header must change anyway, so the two other sheets stay unchanged.
    expect(changedSheets(bytes, result)).toEqual([1]);
    expect(partOf(result, 'xl/sharedStrings.xml')).toContain(
      `<si><r><rPr><b/></rPr><t>Nom</t></r></si>${rich}</sst>`,
    );
  });

  it('without counts in its table gets none', async () => {
    const bytes = workbookOf([{ rows: row('<c t="s"><f>B1</f><v>0</v></c>', shared(0)) }], [item('One')]);
    const files = Object.fromEntries(
      Object.entries(unzipSync(bytes)).map(([path, content]) => [
        path,
        Buffer.from(content)
          .toString()
          .replace(/ (?:uniqueC|c)ount="\d+"/g, ''),
      ]),
    );
    const result = await translated(zipOf(files), 'Un');
    expect(shownIn(result)).toEqual(['One', 'Un']);
    expect(counts(result)).toEqual([]);
  });

  it('is appended under a prefix that is declared, whatever the last entry declares for itself', async () => {
    const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
    const last = `<y:si xmlns:y="${main}"><y:t>One</y:t></y:si>`;
    const bytes = workbookOf(
      [{ rows: row('<c t="s"><f>B1</f><v>0</v></c>', shared(0), shared(1)) }],
      [item('Two'), last],
    );
    const result = await translated(bytes, (text) => `${text}!`);
    expect(partOf(result, 'xl/sharedStrings.xml')).toContain(
      `<si><t>Two</t></si><y:si xmlns:y="${main}"><y:t>One!</y:t></y:si><si><t>Two!</t></si></sst>`,
    );
    expect(shownIn(result)).toEqual(['Two', 'Two!', 'One!']);
  });
});

describe('the random workbook', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    '%i shows in each cell what it was given',
    async (seed) => {
      const next = seededRandom(seed + 1);
      const pick = (count: number): number => Math.floor(next() * count);
      const sheets = Array.from({ length: 1 + pick(4) }, (): MadeSheet => {
        const rows = Array.from({ length: 1 + pick(4) }, () =>
          row(
            ...Array.from({ length: 4 }, () => {
              const kind = pick(8);
              if (kind === 0) return inline('<t>own</t>');
              if (kind === 1) return `<c t="s"><f>A1</f><v>${pick(5)}</v></c>`;
              return shared(pick(5));
            }),
          ),
        ).join('');
        return { rows, ...(pick(2) ? { parts: table(`T${pick(1000)}`, 'A1:B3') } : {}) };
      });
      const bytes = workbookOf(sheets, ['a', 'b', 'c', 'd', '1'].map(item));
      const { segments } = await extract(bytes);
      const given = new Map(segments.map(({ place }) => [place, `${'xyzabc'[pick(6)]}${'12'[pick(2)]}`]));
      const result = await rebuild(
        bytes,
        segments.map(({ place, ...key }) => ({ ...key, target: [given.get(place)!] })),
        options,
      );
      const before = walkWorkbook(bytes);
      const after = walkWorkbook(result.bytes);
      const column = 'ABCD';
      for (const [index, sheet] of before.sheets.entries())
        for (const [at, { text, formula }] of sheet.cells.entries()) {
          const place = `${sheet.name}!${column[at % 4]}${Math.floor(at / 4) + 1}`;
          expect(after.sheets[index]!.cells[at]).toMatchObject({ text: given.get(place) ?? text });
          expect(after.sheets[index]!.cells[at]!.formula).toBe(formula);
        }
      const unique = /uniqueCount="(\d+)"/.exec(partOf(result.bytes, 'xl/sharedStrings.xml'))![1];
      expect(Number(unique)).toBe(after.items.length);
    },
  );
});
