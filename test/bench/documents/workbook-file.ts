import { zipOf } from '#test/formats/flatten-zip.ts';
import { seededRandom } from '../seeded-random.ts';
import { inventWords } from './sentences.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageTypes = 'http://schemas.openxmlformats.org/package/2006';
const sheetTypes = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const columns = 'ABCDEFGHIJKLM';
const textColumns = 10;

/**
 * A workbook as Excel writes it: sheets of 1,000 rows, each with ten cells of different texts (shared strings), two
 * numbers and a formula.
 * @param cells the number of texts, a multiple of 10
 */
export function textWorkbook(cells: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(cells);
  const texts = Array.from({ length: cells }, (_, n) => `${inventWords(3, random)} ${n}`);
  return workbookPackage(
    texts.map((text) => `<si><t>${text}</t></si>`),
    sheetsOf(cells),
  );
}

/**
 * A workbook just below the limits of B 8. Unpacked, it has 200,000,000 bytes: 79,900,000 of shared strings, and the
 * rest in sheets. It has 50,000 texts with 1,900,000 characters, each in two runs with a format. Because of its
 * apostrophes, each character needs two bytes in memory.
 */
export function largestWorkbook(): Uint8Array<ArrayBuffer> {
  const cells = 50_000;
  const random = seededRandom(200);
  const font = '<rPr><b/><sz val="11"/><color rgb="FF112233"/><rFont val="Calibri"/><family val="2"/></rPr>';
  const items = Array.from({ length: cells }, (_, n) => {
    const text = `${n} ${inventWords(9, random)}`.slice(0, 37).replace(/ (?=\S*$)/, '’');
    const item = `<r>${font}<t xml:space="preserve">${text.slice(0, 20)}</t></r><r>${font}<t xml:space="preserve">${text.slice(20)}</t></r>`;
    return `<si>${item}<extLst>${'<ext uri="x"/>'.repeat(80)}</extLst></si>`;
  });
  const sheets = sheetsOf(cells);
  const stringBytes = items.reduce((sum, item) => sum + Buffer.byteLength(item), 0);
  const share = Math.floor((199_950_000 - stringBytes) / sheets.length);
  /** Rows of numbers, beginning with row 1001. */
  const numbers = (bytes: number) => {
    const row = (at: number) => `<row r="${at}">${'<c><v>3.1415926535897931</v></c>'.repeat(200)}</row>`;
    return Array.from({ length: Math.floor(bytes / row(10_000).length) }, (_, n) => row(1001 + n)).join('');
  };
  return workbookPackage(
    items,
    sheets.map((rows) => rows + numbers(share - rows.length)),
  );
}

/** The rows of each sheet. Text number n is shared string n. */
function sheetsOf(cells: number): string[] {
  const rows = cells / textColumns;
  const perSheet = 1000;
  return Array.from({ length: Math.ceil(rows / perSheet) }, (_, sheet) =>
    Array.from({ length: Math.min(perSheet, rows - sheet * perSheet) }, (_, at) => {
      const row = at + 1;
      const first = (sheet * perSheet + at) * textColumns;
      const texts = Array.from(
        { length: textColumns },
        (_, column) => `<c r="${columns[column]}${row}" s="0" t="s"><v>${first + column}</v></c>`,
      );
      return `<row r="${row}" spans="1:13">${texts.join('')}<c r="K${row}"><v>${row}</v></c><c r="L${row}"><v>2.5</v></c><c r="M${row}"><f>K${row}*L${row}</f><v>${row * 2.5}</v></c></row>`;
    }).join(''),
  );
}

function workbookPackage(items: readonly string[], sheets: readonly string[]): Uint8Array<ArrayBuffer> {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${officeTypes}/${type}" Target="${target}"/>`;
  const numbers = sheets.map((_, index) => index + 1);
  const part = (name: string, type: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="${sheetTypes}.${type}+xml"/>`;
  return new Uint8Array(
    zipOf({
      '[Content_Types].xml': `${declaration}<Types xmlns="${packageTypes}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('workbook', 'sheet.main')}${numbers.map((n) => part(`worksheets/sheet${n}`, 'worksheet')).join('')}${part('sharedStrings', 'sharedStrings')}${part('styles', 'styles')}</Types>`,
      '_rels/.rels': `${declaration}<Relationships xmlns="${packageTypes}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
      'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${officeTypes}"><sheets>${numbers.map((n) => `<sheet name="Sheet${n}" sheetId="${n}" r:id="sheet${n}"/>`).join('')}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packageTypes}/relationships">${numbers.map((n) => relation(`sheet${n}`, 'worksheet', `worksheets/sheet${n}.xml`)).join('')}${relation('strings', 'sharedStrings', 'sharedStrings.xml')}${relation('styles', 'styles', 'styles.xml')}</Relationships>`,
      'xl/styles.xml': `${declaration}<styleSheet xmlns="${main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf/></cellXfs></styleSheet>`,
      'xl/sharedStrings.xml': `${declaration}<sst xmlns="${main}" count="${items.length}" uniqueCount="${items.length}">${items.join('')}</sst>`,
      ...Object.fromEntries(
        sheets.map((rows, index) => [
          `xl/worksheets/sheet${index + 1}.xml`,
          `${declaration}<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`,
        ]),
      ),
    }),
  );
}
