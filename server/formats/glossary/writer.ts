import { Zip, ZipDeflate } from 'fflate';
import { leadingColumns } from '../glossary-file.ts';
import { layoutKinds } from '../layout-kinds.ts';
import { type FieldName, fieldView, type TermFields } from '../term-fields.ts';
import { writeReference } from '../xlsx/cell-reference.ts';
import { textElement } from '../xlsx/cell-text.ts';
import { attributes } from '../xml/xml-text.ts';

export const xlsxType = layoutKinds.xlsx.mediaType;

/** A term of an exported glossary. If a language is empty, the term applies to any language. */
export interface ExportedTerm extends Partial<TermFields> {
  sourceTerm: string;
  targetTerm: string;
  sourceLang: string;
  targetLang: string;
  caseSensitive: boolean;
  priority: number;
}

/**
 * Writes a workbook with a glossary, page by page, so that only one page is in memory. All cells except the priority
 * are texts, and have the format of texts: Excel then never reads a term as a formula, a number or a date, also when
 * the cell is edited. `readGlossaryXlsx` returns the same terms, with control characters as spaces.
 *
 * @param fields the fields that have a column
 */
export async function* writeGlossaryXlsx(
  pages: AsyncIterable<readonly ExportedTerm[]>,
  fields: readonly FieldName[] = [],
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
  for (const [name, content] of Object.entries(parts)) {
    const part = new ZipDeflate(name);
    zip.add(part);
    part.push(encoder.encode(declaration + content), true);
  }
  const sheet = new ZipDeflate('xl/worksheets/sheet1.xml');
  zip.add(sheet);
  sheet.push(encoder.encode(declaration + sheetHead(fields) + rowOf(1, [...leadingColumns, ...fields])));
  let row = 1;
  for await (const page of pages)
    for (const term of page) {
      sheet.push(encoder.encode(rowOf(++row, cellsOf(term, fields))));
      yield* take();
    }
  sheet.push(encoder.encode('</sheetData></worksheet>'), true);
  zip.end();
  yield* take();
}

/** Returns the cells of a term in the order of the columns. */
function cellsOf(term: ExportedTerm, fields: readonly FieldName[]): (string | number)[] {
  const written = fieldView(term);
  return [
    term.sourceTerm,
    term.targetTerm,
    term.sourceLang,
    term.targetLang,
    term.caseSensitive ? 'yes' : 'no',
    term.priority,
    ...fields.map((field) => (written[field] === true ? 'yes' : `${written[field] ?? ''}`)),
  ];
}

function rowOf(row: number, values: readonly (string | number)[]): string {
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

/** The first row stays visible. The columns have the format of texts also in rows without terms. */
const sheetHead = (fields: readonly FieldName[]): string => {
  const further =
    fields.length === 0
      ? ''
      : `<col min="7" max="${6 + fields.length}" width="24" customWidth="1" style="${textStyle}"/>`;
  return `<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="2" width="40" customWidth="1" style="${textStyle}"/><col min="3" max="6" width="14" customWidth="1" style="${textStyle}"/>${further}</cols><sheetData>`;
};

/** The other parts of the workbook by their paths. */
const parts = {
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${typed}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${typed}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${typed}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${related}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${related}"><sheets><sheet name="Terms" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${related}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${related}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="0" numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};
