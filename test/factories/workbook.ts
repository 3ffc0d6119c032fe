import { zipOf } from '../formats/flatten-zip.ts';

const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${officeTypes}/${type}" Target="${target}"/>`;

/** An XLSX file with one sheet and these values in column A, from A1. Numbers become number cells. */
export function workbook(...cells: (string | number)[]): Uint8Array<ArrayBuffer> {
  const rows = cells.map((cell, index) => {
    const at = `A${index + 1}`;
    return typeof cell === 'number'
      ? `<row r="${index + 1}"><c r="${at}"><v>${cell}</v></c></row>`
      : `<row r="${index + 1}"><c r="${at}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c></row>`;
  });
  return new Uint8Array(
    zipOf({
      '[Content_Types].xml': `<Types><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${workbookType}"/></Types>`,
      '_rels/.rels': `<Relationships>${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
      'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${officeTypes}"><sheets><sheet name="Sheet1" sheetId="1" r:id="s1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation('s1', 'worksheet', 'worksheets/s1.xml')}</Relationships>`,
      'xl/worksheets/s1.xml': `<worksheet xmlns="${main}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
    }),
  );
}

/** The workbook as a file that can be sent in a form. */
export const workbookFile = (cells: (string | number)[], name = 'Book.xlsx', type = xlsxType) =>
  new File([workbook(...cells)], name, { type });
