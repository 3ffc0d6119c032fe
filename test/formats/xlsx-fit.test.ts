import { describe, expect, it } from 'vitest';
import { zipOf } from './flatten-zip.ts';
import { item, translated, workbookFiles } from './xlsx-file.ts';
import { walkWorkbook } from './xlsx-walk.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const short = 'Full name';
const long = 'Full name of the employee';

interface Made {
  /** The alignment of style 1. Style 0 is usual. */
  alignment?: string;
  rows: string;
  columns?: string;
  after?: string;
  source?: string;
  /** The range that is printed. */
  area?: string;
}

/** The workbook has two shared strings: the source, and one without letters. */
function workbook({
  alignment = '',
  rows,
  columns = '',
  after = '',
  source = short,
  area,
}: Made): Uint8Array {
  const files = workbookFiles([{ rows, after }], [item(source), item('17')]);
  files['xl/worksheets/s0.xml'] = `${files['xl/worksheets/s0.xml']}`.replace('<sheetData>', `${columns}$&`);
  if (area)
    files['xl/workbook.xml'] = `${files['xl/workbook.xml']}`.replace(
      '</workbook>',
      `<definedNames><definedName name="_xlnm.Print_Area" localSheetId="0">${area}</definedName></definedNames>$&`,
    );
  files['xl/_rels/workbook.xml.rels'] = `${files['xl/_rels/workbook.xml.rels']}`.replace(
    '</',
    '<Relationship Id="styles" Type="urn:x/styles" Target="styles.xml"/></',
  );
  files['xl/styles.xml'] =
    `<styleSheet xmlns="${main}"><fonts><font><sz val="11"/></font></fonts><cellXfs><xf/><xf><alignment ${alignment}/></xf></cellXfs></styleSheet>`;
  return zipOf(files);
}

const sheetOf = async (made: Made, text = long): Promise<string> =>
  walkWorkbook(await translated(workbook(made), text)).sheets[0]!.xml;

const cell = (reference: string, index: number, style = 0): string =>
  `<c r="${reference}" s="${style}" t="s"><v>${index}</v></c>`;
const line = (...cells: string[]): string => `<row r="1">${cells.join('')}</row>`;

describe('a column', () => {
  const widthsOf = (xml: string): number[] =>
    [...xml.matchAll(/<col [^>]*width="([^"]*)"/g)].map(([, width]) => Number(width));
  const beside = line(cell('A1', 0), cell('B1', 1));

  it('becomes wider if the next cell would cut a translation, but not its source', async () => {
    const xml = await sheetOf({ rows: beside });
    const [width] = widthsOf(xml);
    expect(width).toBeGreaterThan(15);
    expect(xml).toContain(`<cols><col min="1" max="1" width="${width}" customWidth="1"/></cols><sheetData>`);
  });

  it('becomes at most twice as wide', async () => {
    expect(widthsOf(await sheetOf({ rows: beside }, 'word '.repeat(100)))).toEqual([18.28]);
  });

  it('is cut out of its range, with the properties of the range', async () => {
    const columns =
      '<cols><col min="1" max="3" width="10" style="1" bestFit="1"/><col min="5" max="5" width="3"/></cols>';
    const xml = await sheetOf({ columns, rows: line(cell('B1', 0), cell('C1', 1)) });
    const [, width] = widthsOf(xml);
    expect(xml).toContain(
      `<cols><col min="1" max="1" width="10" style="1" bestFit="1"/><col min="2" max="2" width="${width}" customWidth="1" style="1"/><col min="3" max="3" width="10" style="1" bestFit="1"/><col min="5" max="5" width="3"/></cols>`,
    );
  });

  it('gets an element between those of its neighbors', async () => {
    const columns = '<cols><col min="1" max="1" width="10"/><col min="5" max="5" width="3"></col></cols>';
    const xml = await sheetOf({ columns, rows: line(cell('B1', 0), cell('C1', 1)) });
    expect(xml).toMatch(
      /<col min="1"[^>]*\/><col min="2" max="2" [^>]*\/><col min="5" max="5" width="3"><\/col>/,
    );
  });

  it('becomes wider at the left of a text that is flush right, and in a merged cell', async () => {
    const right = line(cell('A1', 1), cell('B1', 0, 1));
    expect(widthsOf(await sheetOf({ rows: right, alignment: 'horizontal="right"' }))).toHaveLength(1);
    const after = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>';
    const columns = '<cols><col min="1" max="1" width="4"/><col min="2" max="2" width="6"/></cols>';
    const xml = await sheetOf({ rows: line(cell('A1', 0)), columns, after });
    expect(widthsOf(xml)[0]).toBe(4);
    expect(widthsOf(xml)[1]).toBeGreaterThan(8);
  });

  it.each<[string, Made]>([
    ['the next cells are empty', { rows: line(cell('A1', 0), '<c r="B1"/>') }],
    ['there is room up to the next text', { rows: line(cell('A1', 0), cell('E1', 1)) }],
    ['the source is cut too', { rows: beside, source: 'Full name of the person' }],
    ['the text shrinks', { rows: line(cell('A1', 0, 1), cell('B1', 1)), alignment: 'shrinkToFit="1"' }],
    ['the column is hidden', { rows: beside, columns: '<cols><col min="1" max="1" hidden="1"/></cols>' }],
    ['the text is alone in the center', { rows: line(cell('B1', 0, 1)), alignment: 'horizontal="center"' }],
  ])('keeps its width if %s', async (_, made) => {
    expect(widthsOf(await sheetOf(made))).toEqual([]);
  });
});

describe('a row with a text that wraps', () => {
  const alignment = 'wrapText="1"';
  const row = (attributes: string, other = ''): string =>
    `<row r="1" ${attributes}>${cell('A1', 0, 1)}${other}</row>`;

  it.each(['', ' customHeight="1"'])('grows with the lines of the translation (%s)', async (attribute) => {
    const xml = await sheetOf({ alignment, rows: row(`ht="15.5"${attribute}`) });
    // Two more lines of 11 points.
    const height = Number(new RegExp(`<row r="1" ht="(\\d+)"${attribute}>`).exec(xml)?.[1]);
    expect(height).toBeGreaterThan(40);
    expect(height).toBeLessThan(60);
  });

  it('gets a height if it has none, because not all programs compute it', async () => {
    const xml = await sheetOf({ alignment, rows: row('') });
    expect(xml).toMatch(/<row ht="4\d" r="1" ?>/);
    expect(await sheetOf({ alignment, rows: row('') }, 'Name')).toContain('<row r="1" >');
    expect(await sheetOf({ alignment, rows: row(''), source: long })).toContain('<row r="1" >');
    const result = row('', '<c r="B1" s="1" t="str"><f>A2</f><v>Result</v></c>');
    expect(await sheetOf({ alignment, rows: result })).toContain('<row r="1" >');
  });

  it('grows by the lines of a merged cell', async () => {
    const columns = '<cols><col min="1" max="2" width="6"/></cols>';
    const after = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>';
    const made = { alignment, columns, after, rows: row('ht="15"') };
    const height = Number(/ ht="([^"]*)"/.exec(await sheetOf(made))?.[1]);
    expect(height).toBeGreaterThan(25);
    const tall = '<mergeCells><mergeCell ref="A1:B2"/></mergeCells>';
    expect(await sheetOf({ ...made, after: tall })).toContain(' ht="15"');
  });

  it.each<[string, string, string]>([
    ['the translation has as many lines', 'ht="15" customHeight="1"', 'Name'],
    ['the row is high enough', 'ht="90" customHeight="1"', long],
    ['the row is hidden', 'ht="15" hidden="1"', long],
    ['the row is too low for the source', 'ht="9" customHeight="1"', long],
  ])('keeps its height if %s', async (_, attributes, text) => {
    expect(await sheetOf({ alignment, rows: row(attributes) }, text)).toContain(`<row r="1" ${attributes}>`);
  });

  it('makes its column wider for a word that is longer than the column', async () => {
    expect(await sheetOf({ alignment, rows: row('ht="15"') }, 'Beschäftigungsverhältnis')).toContain(
      '<cols>',
    );
  });
});

describe('a printed sheet', () => {
  const wide = (width: number): string => `<cols><col min="2" max="2" width="${width}"/></cols>`;
  const beside = line(cell('A1', 0), cell('B1', 1));
  const margins = '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>';
  /** The page setup and the elements around it. Column A grows from 9 to 18 digits; A4 has 94 digits upright. */
  const printed = async (made: Partial<Made> = {}, text = long): Promise<string> =>
    (await sheetOf({ rows: beside, columns: wide(84), after: margins, ...made }, text)).replace(
      /.*<\/sheetData>|<\/worksheet>/gs,
      '',
    );

  it('stays one page wide if a column grows', async () => {
    expect(await printed()).toBe(`${margins}<pageSetup scale="90"/>`);
    const setup = '<pageSetup scale="50" orientation="landscape" paperSize="9"/><headerFooter/>';
    expect(await printed({ after: margins + setup })).toBe(margins + setup);
    const full = setup.replace('50', '100');
    const columns = wide(130);
    expect(await printed({ columns, after: margins + full })).toBe(margins + setup.replace('50', '93'));
  });

  it('stays one page wide if a text is longer than its column, and nothing is after it', async () => {
    const rows = line(cell('C1', 0));
    const columns = wide(68);
    expect(await printed({ rows, columns }, 'Name')).toBe(margins);
    expect(await printed({ rows, columns })).toMatch(/scale="9[01]"/);
  });

  it('gets its scale after its margins, before other elements', async () => {
    const rest = '<headerFooter/><drawing id="r1"/>';
    expect(await printed({ after: margins + rest })).toBe(`${margins}<pageSetup scale="90"/>${rest}`);
    const open = margins.replace('/>', '></pageMargins>');
    expect(await printed({ after: open + rest })).toBe(`${open}<pageSetup scale="90"/>${rest}`);
  });

  it('is measured in the columns of its print area', async () => {
    expect(await printed({ area: "'A, b'!$A$1:$A$9" })).toBe(`${margins}<pageSetup scale="90"/>`);
    // No sheet has so many columns, so the range is ignored.
    expect(await printed({ area: 'Sheet1!$A:$XFE' })).toBe(`${margins}<pageSetup scale="90"/>`);
    expect(await printed({ area: 'Sheet1!$A:$A' })).toBe(margins);
    expect(await printed({ area: 'Sheet1!$A$1:$B$9', columns: wide(68) })).toBe(margins);
    expect(await printed({ area: 'Sheet1!$A$1:$C$9', columns: wide(75) })).toMatch(/scale="9\d"/);
  });

  it.each<[string, Partial<Made>]>([
    ['it fits', { columns: wide(70) }],
    ['it was two pages wide', { columns: wide(90) }],
    ['Excel fits it', { columns: `<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>${wide(84)}` }],
    ['its pages end at set columns', { after: `${margins}<colBreaks><brk id="1" man="1"/></colBreaks>` }],
    ['its paper is not known', { after: `${margins}<pageSetup paperSize="119"/>` }],
    ['it would be smaller than 60 %', { after: `${margins}<pageSetup scale="65" paperSize="11"/>` }],
  ])('keeps its scale if %s', async (_, made) => {
    expect(await printed(made)).toBe(made.after ?? margins);
  });
});
