import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { convertByLibreOffice } from '#test/formats/libreoffice.ts';
import { changedEntries } from '#test/formats/office-zip.ts';
import {
  attribute,
  isWithin,
  textsNotShown,
  translatableCells,
  type WalkedCell,
  type WalkedSheet,
  type WalkedWorkbook,
  walkWorkbook,
  withoutTextsAndSizes,
} from '#test/formats/xlsx-walk.ts';
import type { Comparison, FileFidelity, OfficeFormat } from './office.ts';
import { countEach } from './report.ts';
import { isTranslatedOnce, translateByStub } from './stub-translation.ts';

export const xlsxFidelity: OfficeFormat = {
  title: 'XLSX',
  judge: 'LibreOffice',
  notes: `*Found* are cells with letters. *Kept* are other texts:

| where | why it is kept |
|---|---|
| results of formulas | Excel computes them |
| table headers, sheet names | formulas refer to them; the findings count the headers |
| dropdown lists, headers and footers, comments, shapes, charts, diagrams, pivot tables | not translated; the findings count them |

Formulas, cached results, numbers, dates and styles are compared by cell; charts, drawings, tables and pivot tables as whole parts. The label of a
table's totals row changes with its cell, because Excel repairs files in which they differ. *All but texts and sizes* is the XML of each
sheet without texts, indexes of shared strings, and the sizes of rows and columns. When LibreOffice saves a workbook, it fills pivot tables again, and a run without properties that is not
the first one gets those of the run before it.`,
  measure: () =>
    Promise.all(corpusNames('xlsx').map((name) => measureFile(name, corpusFile(`xlsx/${name}`)))),
  open: (files) => {
    const saved = convertByLibreOffice(
      Object.fromEntries(files.map(({ name, translated }) => [name, translated])),
      'fods',
    );
    if (!saved) return null;
    return new Map(
      files.map(({ name, translated }) => {
        const fods = saved[name];
        return [
          name,
          fods !== undefined && textsNotShown(translated, Buffer.from(fods).toString()).length === 0,
        ];
      }),
    );
  },
};

export async function measureFile(name: string, source: Uint8Array): Promise<FileFidelity> {
  const { bytes, findings } = await translateByStub('xlsx', source);
  const [before, after] = [walkWorkbook(source), walkWorkbook(bytes)];
  let found = 0;
  let translatedOnce = 0;
  for (const [index, sheet] of before.sheets.entries()) {
    const places = new Map(sheet.cells.map((cell, at) => [cell, after.sheets[index]?.cells[at]]));
    for (const cell of translatableCells(sheet)) {
      found++;
      const now = places.get(cell);
      if (now?.reference === cell.reference && isTranslatedOnce(lines(cell.text), lines(now.text)))
        translatedOnce++;
    }
  }
  return {
    name,
    translated: bytes,
    found,
    translatedOnce,
    kept: countEach(keptTexts(before)),
    parts: Object.keys(before.parts).length,
    changedParts: changedEntries(source, bytes).length,
    comparisons: compareWorkbooks(before, after),
    findings,
  };
}

/** Converts line breaks to line feeds, because the translation of a cell contains only line feeds. */
function lines(text: string | undefined): string {
  return (text ?? '').replace(/\r\n?/g, '\n');
}

type List = (workbook: WalkedWorkbook) => string[];

function compareWorkbooks(before: WalkedWorkbook, after: WalkedWorkbook): Comparison[] {
  const translated = new Set(
    before.sheets.flatMap(({ path, ...sheet }) =>
      translatableCells({ path, ...sheet }).map(({ reference }) => `${path} ${reference}`),
    ),
  );
  const styles = dateStyles(before);
  /** Reads a property of each cell, with the place of the cell. Cells for which it is undefined are omitted. */
  const ofCells =
    (read: (cell: WalkedCell) => string | undefined): List =>
    ({ sheets }) =>
      sheets.flatMap(({ path, cells }) =>
        cells.flatMap((cell) => {
          const value = read(cell);
          return value === undefined ? [] : [`${path} ${cell.reference} ${value}`];
        }),
      );
  const elements =
    (pattern: RegExp): List =>
    ({ sheets }) =>
      sheets.flatMap(({ xml }) => xml.match(pattern) ?? []);
  const parts =
    (pattern: RegExp, read = (xml: string) => xml): List =>
    ({ parts: all }) =>
      Object.entries(all).flatMap(([path, content]) =>
        pattern.test(path) ? [`${path} ${read(Buffer.from(content).toString())}`] : [],
      );
  const number = ({ type, formula, value }: WalkedCell): string | undefined =>
    type === 'n' && formula === undefined ? value : undefined;
  const lists: [kind: string, list: List][] = [
    ['formulas', ofCells(({ formula }) => formula)],
    [
      'cached results',
      ofCells(({ formula, text, value }) => (formula === undefined ? undefined : (text ?? value))),
    ],
    ['numbers', ofCells(number)],
    ['of these dates', ofCells((cell) => (styles.has(styleOf(cell)) ? number(cell) : undefined))],
    [
      'other texts',
      ({ sheets }) =>
        sheets.flatMap(({ path, cells }) =>
          cells.flatMap(({ reference, text }) =>
            text === undefined || translated.has(`${path} ${reference}`)
              ? []
              : [`${path} ${reference} ${text}`],
          ),
        ),
    ],
    ['cell styles', ofCells((cell) => attribute(cell.attributes, 's'))],
    ['merged cells', elements(/<(?:\w+:)?mergeCell\s[^>]*>/g)],
    ['validations', elements(/<(?:\w+:)?dataValidation\s.*?(?:\/>|<\/(?:\w+:)?dataValidation>)/gs)],
    ['conditional formats', elements(/<(?:\w+:)?cfRule\s.*?(?:\/>|<\/(?:\w+:)?cfRule>)/gs)],
    ['links', elements(/<(?:\w+:)?hyperlink\s[^>]*>/g)],
    [
      'defined names',
      ({ parts: all }) =>
        Object.entries(all).flatMap(([path, content]) =>
          /workbook\.xml$/.test(path)
            ? (Buffer.from(content)
                .toString()
                .match(/<(?:\w+:)?definedName\s.*?<\/(?:\w+:)?definedName>/gs) ?? [])
            : [],
        ),
    ],
    ['charts', parts(/\/charts\/chart[^/]*\.xml$/)],
    ['drawings', parts(/\/drawings\/[^/]*\.xml$/)],
    ['tables', parts(/\/tables\/[^/]*\.xml$/, (xml) => xml.replaceAll(/ totalsRowLabel="[^"]*"/g, ''))],
    [
      'labels of totals rows',
      ({ sheets }) =>
        sheets.flatMap(({ path, cells, totalsLabels }) =>
          totalsLabels.map(({ reference, text }) => {
            const cell = cells.find((each) => each.reference === reference);
            return `${path} ${reference} ${cell?.text === text ? 'as in its table' : 'another text'}`;
          }),
        ),
    ],
    ['pivot tables', parts(/\/pivotTables\/[^/]*\.xml$/)],
    ['sheets: all but texts and sizes', ({ sheets }) => sheets.map(withoutTextsAndSizes)],
  ];
  return lists.map(([kind, list]) => ({ kind, before: list(before), after: list(after) }));
}

function styleOf({ attributes }: WalkedCell): number {
  return Number(attribute(attributes, 's') ?? 0);
}

/** The numbers of all cell styles with a date or time format. */
function dateStyles({ parts }: WalkedWorkbook): ReadonlySet<number> {
  const xml = Buffer.from(parts['xl/styles.xml'] ?? '').toString();
  const dates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);
  for (const [tag] of xml.matchAll(/<(?:\w+:)?numFmt\s[^>]*>/g)) {
    const code = (attribute(tag, 'formatCode') ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
    if (/[ymdhs]/i.test(code) && !/general/i.test(code)) dates.add(Number(attribute(tag, 'numFmtId')));
  }
  const formats = /<(?:\w+:)?cellXfs\b.*?<\/(?:\w+:)?cellXfs>/s.exec(xml)?.[0] ?? '';
  const styles = [...formats.matchAll(/<(?:\w+:)?xf\s[^>]*>/g)];
  return new Set(
    styles.flatMap(([tag], index) => (dates.has(Number(attribute(tag, 'numFmtId'))) ? [index] : [])),
  );
}

const letter = /\p{L}/u;

/** The untranslated texts in a workbook, by place. */
function keptTexts(workbook: WalkedWorkbook): string[] {
  return [
    ...workbook.sheets.flatMap(keptCells),
    ...workbook.sheets.map(() => 'sheet names'),
    ...workbook.sheets.flatMap(({ xml }) => keptInSheet(xml)),
    ...Object.entries(workbook.parts).flatMap(([path, content]) =>
      keptInPart(path, Buffer.from(content).toString()),
    ),
  ];
}

function keptCells(sheet: WalkedSheet): string[] {
  const translated = new Set(translatableCells(sheet));
  return sheet.cells.flatMap((cell) => {
    if (!letter.test(cell.text ?? '') || translated.has(cell)) return [];
    const isHeader = sheet.headers.some((range) => isWithin(cell.reference, range));
    return [isHeader && cell.formula === undefined ? 'table headers' : 'results of formulas'];
  });
}

function keptInSheet(xml: string): string[] {
  const lists = xml.match(/<(?:\w+:)?formula1>\s*(?:"|&quot;)[^<]*\p{L}/gu) ?? [];
  const around = [...xml.matchAll(/<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)>([^<]*)/g)].filter(
    ([, text]) =>
      letter.test(
        text!.replaceAll('&amp;', '&').replace(/&(?:"[^"]*"|&quot;.*?&quot;|K[0-9A-F]{6}|\d+|.)/g, ''),
      ),
  );
  return [...lists.map(() => 'dropdown lists'), ...around.map(() => 'headers and footers')];
}

const keptParts: readonly [path: RegExp, text: RegExp, kind: string][] = [
  [/\/comments\d*\.xml$/, /<(?:\w+:)?comment\s.*?<\/(?:\w+:)?comment>/gs, 'comments'],
  [/\/drawings\/drawing[^/]*\.xml$/, /<\w+:txBody>.*?<\/\w+:txBody>/gs, 'shapes'],
  [/\/charts\/chart[^/]*\.xml$/, /<a:p>.*?<\/a:p>/gs, 'charts'],
  [/\/diagrams\/data[^/]*\.xml$/, /<a:t>[^<]*/g, 'diagrams'],
  [/\/pivotTables\/[^/]*\.xml$/, /<(?:\w+:)?pivotTableDefinition\s/g, 'pivot tables'],
];

function keptInPart(path: string, xml: string): string[] {
  return keptParts.flatMap(([ofPart, text, kind]) =>
    ofPart.test(path)
      ? (xml.match(text) ?? [])
          .filter((found) => kind === 'pivot tables' || letter.test(found.replace(/<[^>]*>?/g, '')))
          .map(() => kind)
      : [],
  );
}
