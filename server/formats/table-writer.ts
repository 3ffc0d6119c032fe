import { Zip, ZipDeflate } from 'fflate';
import { formulaLike } from './csv/reader.ts';
import { writeReference } from './xlsx/cell-reference.ts';
import { textElement } from './xlsx/cell-text.ts';
import { attributes } from './xml/xml-text.ts';

type Cell = string | number;

/** The widths of columns, in characters. */
type Widths = readonly { columns: number; width: number }[];

/**
 * Writes a workbook with one sheet, page by page, so that only one page is in memory. All cells except numbers are texts,
 * and have the format of texts: Excel then never reads one as a formula, a number or a date, also when it is edited.
 * The first row stays visible.
 */
export async function* writeTable(
  { name, head, widths }: { name: string; head: readonly string[]; widths: Widths },
  pages: AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let written: Uint8Array[] = [];
  const zip = new Zip((error, data) => {
    if (error) throw error;
    written.push(data);
  });
  const take = () => {
    const taken = written;
    written = [];
    return taken;
  };
  for (const [path, content] of Object.entries(partsOf(name))) {
    const part = new ZipDeflate(path);
    zip.add(part);
    part.push(encoder.encode(declaration + content), true);
  }
  const sheet = new ZipDeflate('xl/worksheets/sheet1.xml');
  zip.add(sheet);
  sheet.push(encoder.encode(declaration + sheetHead(widths) + rowOf(1, head)));
  let row = 1;
  for await (const page of pages)
    for (const cells of page) {
      sheet.push(encoder.encode(rowOf(++row, cells)));
      yield* take();
    }
  sheet.push(encoder.encode('</sheetData></worksheet>'), true);
  zip.end();
  yield* take();
}

function rowOf(row: number, values: readonly Cell[]): string {
  const cells = values.map((value, index) => {
    const place = attributes({ r: writeReference({ row, column: index + 1 }), s: `${textStyle}` });
    if (typeof value === 'number') return `<c${place}><v>${value}</v></c>`;
    return value === '' ? '' : `<c${place} t="inlineStr"><is>${textElement('', value)}</is></c>`;
  });
  return `<row r="${row}">${cells.join('')}</row>`;
}

/** The style with the format `@`, which is that of texts. */
const textStyle = 1;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const related = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const typed = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The columns have the format of texts also in rows without content. */
const sheetHead = (widths: Widths): string => {
  let first = 1;
  const columns = widths.map(({ columns, width }) => {
    const from = first;
    first += columns;
    return `<col min="${from}" max="${first - 1}" width="${width}" customWidth="1" style="${textStyle}"/>`;
  });
  return `<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`;
};

/** The other parts of the workbook by their paths. The name of the sheet is plain text. */
const partsOf = (name: string) => ({
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${typed}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${typed}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${typed}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${related}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${related}"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${related}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${related}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="0" numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
});

/** The byte order mark at the start of a CSV file, without which Excel does not read UTF-8. */
export const csvMark = '\ufeff';

/** Returns a row of a CSV file (RFC 4180). No spreadsheet runs one of its texts as a formula (`formulaLike`). */
export function csvRow(cells: readonly (string | number)[]): string {
  const written = cells.map((cell) => {
    const text = typeof cell === 'string' && formulaLike.test(cell) ? `'${cell}` : `${cell}`;
    return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${written.join(',')}\r\n`;
}
