import { FileError, limits, overLimit } from '../file-error.ts';
import { openOfficeFile } from '../office/office-format.ts';
import type { OfficePackage, Relationship } from '../office/package.ts';
import { attributeOf } from '../office/xml-reader.ts';
import { clip } from '../text.ts';
import { type CellRange, lastRow, readRange } from './cell-reference.ts';
import { readXmlPart } from './part-stream.ts';

/** The first and the last column of a printed range, up to column `XFD`. */
const columnsOfArea =
  /^[^,]*!\$?([A-W]?[A-Z]{1,2}|X(?:[A-E][A-Z]|F[A-D]))\$?\d*:\$?([A-W]?[A-Z]{1,2}|X(?:[A-E][A-Z]|F[A-D]))\$?\d*$/;

export interface Sheet {
  /** The position of the sheet in the workbook, from 1. Sheets of all types are counted. */
  number: number;
  name: string;
  /** The key of the sheet. It is made from the sheet's id, so it does not change when the sheet is renamed or moved. */
  regionId: string;
  /** The path of the sheet's part. */
  path: string;
  /** Whether Excel does not show the sheet. */
  isHidden: boolean;
  /**
   * The type of the sheet's relationship. Only a `worksheet` has cells to translate; a `chartsheet`, `dialogsheet` or
   * macro sheet has none.
   */
  type: string;
  /** The range that is printed; undefined if the workbook does not set one. */
  printArea?: CellRange;
}

/** An opened workbook. */
export interface Workbook {
  office: OfficePackage;
  /** The path of the workbook's own part, which lists the sheets. */
  path: string;
  sheets: Sheet[];
  /** The path of the part with the shared strings; undefined if missing. */
  sharedStrings: string | undefined;
  /** Whether the file has a digital signature. */
  isSigned: boolean;
}

const transitional = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const strict = 'http://purl.oclc.org/ooxml/spreadsheetml/main';

/** Whether a tag belongs to SpreadsheetML. Tags of other namespaces are extensions. */
export function isSpreadsheet({ namespace }: { namespace: string | undefined }): boolean {
  return namespace === transitional || namespace === strict;
}

/** @throws {FileError} `unreadable` if the tag is not the required root element */
export function requireRoot(tag: { local: string; namespace: string | undefined }, local: string): void {
  if (tag.local !== local || !isSpreadsheet(tag)) throw notWorkbook();
}

const name = 'an Excel workbook';

function notWorkbook(): FileError {
  return new FileError('unreadable', `the file is not ${name}`);
}

/**
 * The content types of workbooks and templates, with or without macros. Binary workbooks (.xlsb) have another content
 * type.
 */
const workbookType =
  /^application\/vnd\.(openxmlformats-officedocument\.spreadsheetml\.(sheet|template)|ms-excel\.(sheet|template)\.macroEnabled)\.main\+xml$/i;

/**
 * Opens an XLSX and reads its list of sheets. Checks the limits for which the cells need not be read.
 *
 * @throws {FileError} `empty`, `protected`, `too_large` or `unreadable`
 */
export async function openWorkbook(bytes: Uint8Array): Promise<Workbook> {
  const { office, main, relationships: related, isSigned } = await openOfficeFile(bytes, name);
  if (!workbookType.test(await contentType(office, main))) throw notWorkbook();
  const sharedStrings = related.find(({ type }) => type === 'sharedStrings')?.target;
  if (sharedStrings !== undefined && office.sizeOf(sharedStrings) > limits.officeXmlPart)
    throw overLimit('the size in bytes of the shared strings of the workbook', limits.officeXmlPart);
  const sheets = await readSheets(office, main, related);
  return { office, path: main, sheets, sharedStrings, isSigned };
}

async function contentType(office: OfficePackage, path: string): Promise<string> {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  let byExtension = '';
  let byName = '';
  await readXmlPart(office, '[Content_Types].xml', {
    openTag: ({ local, attributes: { PartName, Extension, ContentType = '' } }) => {
      if (local === 'Override' && PartName?.toLowerCase() === `/${path}`.toLowerCase()) byName = ContentType;
      if (local === 'Default' && Extension?.toLowerCase() === extension) byExtension = ContentType;
    },
  });
  return byName || byExtension;
}

async function readSheets(
  office: OfficePackage,
  main: string,
  related: readonly Relationship[],
): Promise<Sheet[]> {
  const parts = new Map(related.map((relationship) => [relationship.id, relationship]));
  const sheets: Sheet[] = [];
  const taken = new Set<string>();
  const take = (key: string): boolean => {
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  let depth = 0;
  let area = '';
  let printed: Sheet | undefined;
  await readXmlPart(office, main, {
    openTag: (tag) => {
      depth++;
      if (depth === 1) requireRoot(tag, 'workbook');
      if (tag.local === 'definedName' && attributeOf(tag, 'name') === '_xlnm.Print_Area')
        printed = sheets[Number(attributeOf(tag, 'localSheetId'))];
      area = '';
      if (depth !== 3 || tag.local !== 'sheet' || !isSpreadsheet(tag)) return;
      const part = parts.get(relationId(tag.attributes));
      if (part?.target === undefined || !take(part.target))
        throw new FileError('unreadable', 'a sheet of the workbook has no separate part');
      // This call throws if the part is missing. Excel could not open such a workbook.
      office.sizeOf(part.target);
      const number = sheets.length + 1;
      const id = attributeOf(tag, 'sheetId');
      const bySheetId = `sheet${id}`;
      sheets.push({
        number,
        name: attributeOf(tag, 'name') ?? '',
        regionId: /^\d{1,10}$/.test(id ?? '') && take(bySheetId) ? bySheetId : `position${number}`,
        path: part.target,
        isHidden: /^(?:veryH|h)idden$/.test(attributeOf(tag, 'state') ?? ''),
        type: part.type,
      });
    },
    text: (text) => {
      area += text;
    },
    closeTag: () => {
      depth--;
      const [, left, right] = columnsOfArea.exec(area) ?? [];
      if (printed && right) printed.printArea = readRange(`${left}1:${right}${lastRow}`);
      printed = undefined;
    },
  });
  return sheets;
}

/** Returns the value of the attribute `r:id`, whatever its prefix is. `sheetId` is a different attribute. */
function relationId(attributes: Readonly<Record<string, string>>): string {
  for (const name in attributes)
    if (name.endsWith(':id') && !name.startsWith('xmlns:')) return attributes[name]!;
  return '';
}

/** The maximum number of names of sheets in a message. */
const maxNames = 20;
/** The maximum length of a name in a message. Excel allows 31 characters. */
const maxLength = 40;

/**
 * Returns the worksheets of a workbook that are selected.
 *
 * @param names the names of sheets; undefined for all. Letter case is ignored, because Excel allows no two names that
 *   differ only in it
 * @throws {FileError} `selection` if a name belongs to no worksheet
 */
export function selectSheets(sheets: readonly Sheet[], names: readonly string[] | undefined): Sheet[] {
  const worksheets = sheets.filter(({ type }) => type === 'worksheet');
  if (!names) return worksheets;
  const byName = new Map(worksheets.map((sheet) => [keyOf(sheet.name), sheet]));
  const selected = new Set<Sheet>();
  for (const name of names) {
    const sheet = worksheets.find((one) => one.name === name) ?? byName.get(keyOf(name));
    if (!sheet) throw missing(name, worksheets);
    selected.add(sheet);
  }
  return worksheets.filter((sheet) => selected.has(sheet));
}

function keyOf(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

function missing(name: string, worksheets: readonly Sheet[]): FileError {
  const known = worksheets.slice(0, maxNames).map((sheet) => JSON.stringify(clip(sheet.name, maxLength)));
  const more = worksheets.length > maxNames ? ` and ${worksheets.length - maxNames} more` : '';
  const message = `pages: the workbook has no sheet ${JSON.stringify(clip(name, maxLength))}; its sheets: ${known.join(', ')}${more}`;
  const withComma = worksheets.find((sheet) => sheet.name.includes(','));
  const hint = withComma && `; send a name with a comma in a JSON list: ${JSON.stringify([withComma.name])}`;
  return new FileError('selection', `${message}${hint ?? ''}`);
}
