import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { convertByLibreOffice } from './libreoffice.ts';
import { textsNotShown, translatableCells, walkWorkbook } from './xlsx-walk.ts';

const names = corpusNames('xlsx');
const options = { sourceLanguage: 'en', targetLanguage: 'fr' };

/** A translation that contains its source text, and characters that XML must escape. */
const translate = (source: string): string => `⟦${source}⟧ & <b>`;
const rebuilt = new Map<string, Promise<Uint8Array>>();

function translated(name: string): Promise<Uint8Array> {
  const known = rebuilt.get(name);
  if (known) return known;
  const run = async (): Promise<Uint8Array> => {
    const bytes = corpusFile(`xlsx/${name}`);
    const { segments } = await extract(bytes);
    const translations = segments.map(({ source, ...key }) => ({
      ...key,
      target: [translate(`${source[0]}`)],
    }));
    return (await rebuild(bytes, translations, options)).bytes;
  };
  const result = run();
  rebuilt.set(name, result);
  return result;
}

describe.each(names)('%s', (name) => {
  const original = walkWorkbook(corpusFile(`xlsx/${name}`));

  it('has a segment for each cell with text, and no other, in order', async () => {
    const { segments, pageCount } = await extract(corpusFile(`xlsx/${name}`));
    expect(pageCount).toBe(original.sheets.length);
    const walked = original.sheets.flatMap((sheet, index) =>
      translatableCells(sheet).map(({ reference, text }) => ({
        regionId: `sheet${sheet.sheetId}`,
        cellId: reference,
        kind: 'cell',
        page: index + 1,
        place: `${sheet.name}!${reference}`,
        source: [text!.trim().replace(/\r\n?/g, '\n')],
      })),
    );
    expect(walked.length).toBeGreaterThan(0);
    const ofCells = segments.filter(({ kind }) => kind === 'cell');
    expect(ofCells.map(({ maxLength: _, lengthUnit: __, ...segment }) => segment)).toEqual(walked);
  });

  it('does not change if the translations equal the texts', async () => {
    const bytes = corpusFile(`xlsx/${name}`);
    const { segments } = await extract(bytes);
    const same = await rebuild(
      bytes,
      segments.map(({ source, ...key }) => ({ ...key, target: source })),
      options,
    );
    expect(Buffer.compare(same.bytes, bytes)).toBe(0);
  });
});

/** The results of all formulas in a file of LibreOffice. Formulas whose result changes each time are left out. */
function resultsOf(fods: string): string[] {
  const cells = fods.matchAll(
    /<table:table-cell\b([^>]*?table:formula="([^"]*)"[^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs,
  );
  return [...cells]
    .filter(([, , formula]) => !/\b(?:NOW|TODAY|RAND|RANDBETWEEN)\(/.test(formula!))
    .map(
      ([, tag, , content = '']) =>
        `${/office:value="([^"]*)"/.exec(tag!)?.[1]} ${content.replace(/<[^>]*>/g, '')}`,
    );
}

it('LibreOffice calculates the same results after the headers of tables and the names of sheets have changed', {
  timeout: 300_000,
}, async (context) => {
  const include = ['table_headers' as const, 'sheet_names' as const];
  const calculated = names.filter((name) =>
    walkWorkbook(corpusFile(`xlsx/${name}`)).sheets.some(({ cells }) => cells.some(({ formula }) => formula)),
  );
  const changed: Record<string, Uint8Array> = {};
  for (const name of calculated) {
    const bytes = corpusFile(`xlsx/${name}`);
    const cells = new Set((await extract(bytes)).segments.map(({ place }) => place));
    const { segments } = await extract(bytes, { include });
    const translations = segments.map(({ source, place, ...key }) => ({
      ...key,
      target: [cells.has(place) ? `${source}` : `É'${source}#`],
    }));
    changed[name] = (await rebuild(bytes, translations, { ...options, include })).bytes;
  }
  const sources = Object.fromEntries(calculated.map((name) => [name, corpusFile(`xlsx/${name}`)]));
  const before = convertByLibreOffice(sources, 'fods', { recalculates: true });
  const after = convertByLibreOffice(changed, 'fods', { recalculates: true });
  if (!before || !after) return context.skip('LibreOffice is not installed');
  let formulas = 0;
  for (const name of calculated) {
    const results = resultsOf(Buffer.from(before[name]!).toString());
    formulas += results.length;
    expect(resultsOf(Buffer.from(after[name]!).toString()), name).toEqual(results);
  }
  expect(formulas).toBeGreaterThan(8_000);
});

it('LibreOffice opens every translated file and shows its translations', {
  timeout: 300_000,
}, async (context) => {
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await translated(name)] as const)),
  );
  const saved = convertByLibreOffice(files, 'fods');
  if (!saved) return context.skip('LibreOffice is not installed');
  expect(Object.keys(saved).sort()).toEqual([...names]);
  for (const name of names) {
    expect(textsNotShown(files[name]!, Buffer.from(saved[name]!).toString()), name).toEqual([]);
  }
});
