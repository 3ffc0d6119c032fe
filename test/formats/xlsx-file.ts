import type { Segment, SegmentTranslation } from '#server/formats/document.ts';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { zipOf } from './flatten-zip.ts';
import { type WalkedCell, walkWorkbook } from './xlsx-walk.ts';

const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';

export interface MadeSheet {
  /** The XML inside `<sheetData>`. */
  rows: string;
  name?: string;
  sheetId?: string;
  /** The type of the sheet's relationship; the default is `worksheet`. */
  type?: string;
  /** XML after `</sheetData>`. */
  after?: string;
  /** Parts to which the sheet refers: type and XML, by path below `xl/`. */
  parts?: Record<string, [type: string, xml: string]>;
}

/** A row with these cells. */
export const row = (...cells: string[]): string => `<row>${cells.join('')}</row>`;
/** A cell with a shared string. */
export const shared = (index: number, attributes = ''): string => `<c${attributes} t="s"><v>${index}</v></c>`;
export const inline = (content: string): string => `<c t="inlineStr"><is>${content}</is></c>`;
/** An entry of the shared strings. */
export const item = (text: string): string => `<si><t>${text}</t></si>`;

/**
 * The parts of a workbook. `items` are the shared strings as XML; if omitted, the workbook has no part with shared
 * strings.
 */
export function workbookFiles(sheets: MadeSheet[], items?: string[]): Record<string, string | Uint8Array> {
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${officeTypes}/${type}" Target="${target}"/>`;
  const files: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': `<Types><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${workbookType}"/></Types>`,
    '_rels/.rels': `<Relationships>${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${officeTypes}"><sheets>${sheets
      .map(
        ({ name, sheetId }, index) =>
          `<sheet name="${name ?? `Sheet${index + 1}`}" sheetId="${sheetId ?? index + 1}" r:id="s${index}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets
      .map(({ type = 'worksheet' }, index) => relation(`s${index}`, type, `worksheets/s${index}.xml`))
      .join('')}${items ? relation('strings', 'sharedStrings', 'sharedStrings.xml') : ''}</Relationships>`,
  };
  if (items) {
    const uses = sheets.flatMap(({ rows }) => rows.match(/t="s"/g) ?? []).length;
    files['xl/sharedStrings.xml'] =
      `<sst xmlns="${main}" count="${uses}" uniqueCount="${items.length}">${items.join('')}</sst>`;
  }
  for (const [index, { rows, after = '', parts = {} }] of sheets.entries()) {
    files[`xl/worksheets/s${index}.xml`] =
      `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData>${after}</worksheet>`;
    const named = Object.entries(parts);
    if (named.length > 0)
      files[`xl/worksheets/_rels/s${index}.xml.rels`] =
        `<Relationships>${named.map(([path, [type]], part) => relation(`p${part}`, type, `../${path}`)).join('')}</Relationships>`;
    for (const [path, [, xml]] of named) files[`xl/${path}`] = xml;
  }
  return files;
}

export const workbookOf = (sheets: MadeSheet[], items?: string[]): Uint8Array =>
  zipOf(workbookFiles(sheets, items));

/** A table that begins at `ref`, as a part of its sheet. */
export const table = (
  name: string,
  ref: string,
  attributes = '',
  columns = '',
): Record<string, [string, string]> => ({
  [`tables/${name}.xml`]: [
    'table',
    `<table xmlns="${main}" id="1" name="${name}" displayName="${name}" ref="${ref}"${attributes}>${columns}</table>`,
  ],
});

/** The texts that are translated, by place. */
export async function textsOf(bytes: Uint8Array): Promise<Record<string, string>> {
  const { segments } = await extract(bytes);
  return Object.fromEntries(segments.map(({ place, source }) => [place, `${source.join('')}`]));
}

type Translate = string | ((text: string, segment: Segment) => string);

/** The workbook after all segments were translated. */
export async function translated(bytes: Uint8Array, translate: Translate): Promise<Uint8Array> {
  const { segments } = await extract(bytes);
  const translations = segments.map((segment): SegmentTranslation => {
    const text = typeof translate === 'string' ? translate : translate(`${segment.source[0]}`, segment);
    return { regionId: segment.regionId, cellId: segment.cellId, target: text === '' ? [] : [text] };
  });
  return (await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' })).bytes;
}

/** All cells of a workbook for each sheet, read independently of the engine. */
export const cellsOf = (bytes: Uint8Array): WalkedCell[][] =>
  walkWorkbook(bytes).sheets.map(({ cells }) => cells);

/** The displayed values of a sheet's cells; by default of the first sheet. */
export const shownIn = (bytes: Uint8Array, sheet = 0): (string | undefined)[] =>
  cellsOf(bytes)[sheet]!.map(({ text, value }) => text ?? value);
