import { describe, expect, it } from 'vitest';
import { zipOf } from './flatten-zip.ts';
import { item, translated, workbookFiles } from './xlsx-file.ts';
import { walkWorkbook } from './xlsx-walk.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** The styles of a workbook: horizontal in 11 pt, then one for each alignment, in 20 pt. */
const styles = (...alignments: string[]): string =>
  `<styleSheet xmlns="${main}"><fonts><font><sz val="11"/></font><font><sz val="20"/></font></fonts><cellStyleXfs><xf><alignment textRotation="90"/></xf></cellStyleXfs><cellXfs><xf fontId="0"/>${alignments
    .map((alignment) => `<xf fontId="1"><alignment ${alignment}/></xf>`)
    .join('')}</cellXfs></styleSheet>`;

interface Heading {
  alignment?: string;
  style?: number;
  attributes?: string;
  after?: string;
  source?: string;
}

/** The workbook has a heading in the first of two rows. Both rows are 60 points high. */
function headed({
  alignment = 'textRotation="90"',
  style = 1,
  attributes = '',
  after = '',
  source = 'Total',
}: Heading): Uint8Array {
  const cell = (reference: string, number: number): string =>
    `<c r="${reference}" s="${number}" t="s"><v>0</v></c>`;
  const rows = `<row r="1" ht="60"${attributes} customHeight="1">${cell('A1', style)}</row><row r="2" ht="60">${cell('A2', 0)}</row>`;
  const files = workbookFiles([{ rows, after }], [item(source)]);
  files['xl/_rels/workbook.xml.rels'] = `${files['xl/_rels/workbook.xml.rels']}`.replace(
    '</',
    '<Relationship Id="styles" Type="urn:x/styles" Target="styles.xml"/></',
  );
  files['xl/styles.xml'] = styles(alignment);
  return zipOf(files);
}

const heightsOf = (bytes: Uint8Array): number[] =>
  [...walkWorkbook(bytes).sheets[0]!.xml.matchAll(/ ht="([^"]*)"/g)].map(([, height]) => Number(height));

const long = 'Total general amount';

describe('a row with a turned heading', () => {
  it('grows if the translation is longer than the row is high, and is otherwise unchanged', async () => {
    const bytes = await translated(headed({}), long);
    const [grown, other] = heightsOf(bytes);
    // 20 letters of 20 points are about half as wide as they are high.
    expect(grown).toBeGreaterThan(170);
    expect(grown).toBeLessThan(260);
    expect(other).toBe(60);
    expect(walkWorkbook(bytes).sheets[0]!.xml).toContain(` customHeight="1"><c r="A1" s="1" t="s">`);
  });

  it.each<[string, Heading, string]>([
    ['the translation is short enough', {}, 'Sum'],
    ['the text is horizontal', { style: 0 }, long],
    ['the cell has several rows', { after: '<mergeCells><mergeCell ref="A1:A2"/></mergeCells>' }, long],
    ['the row is hidden', { attributes: ' hidden="1"' }, long],
    ['the rotation is invalid', { alignment: 'textRotation="200"' }, long],
  ])('keeps its height if %s', async (_, heading, text) => {
    expect(heightsOf(await translated(headed(heading), text))).toEqual([60, 60]);
  });

  it('grows if its cell has several columns', async () => {
    const after = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>';
    expect(heightsOf(await translated(headed({ after }), long))[0]).toBeGreaterThan(170);
  });

  const heightFor = async (alignment: string, text = long): Promise<number> =>
    heightsOf(await translated(headed({ alignment }), text))[0]!;

  it('grows as much as the angle needs, in both directions', async () => {
    const upright = await heightFor('textRotation="90"');
    expect(await heightFor('textRotation="180"')).toBe(upright);
    const sloping = await heightFor('textRotation="30"');
    expect(sloping).toBeLessThan(upright * 0.75);
    expect(await heightFor('textRotation="120"')).toBe(sloping);
    // Five letters fit into 60 points, so six need 72.
    expect(await heightFor('textRotation="255"', 'Totals')).toBe(72);
  });

  it('grows less if the source has several lines, and never above the maximum of Excel', async () => {
    const ofLines = async (source: string): Promise<number> =>
      heightsOf(await translated(headed({ alignment: 'textRotation="90" wrapText="1"', source }), long))[0]!;
    expect(await ofLines('Sum\nof it')).toBeLessThan((await ofLines('Sum')) * 0.75);
    expect(await heightFor('textRotation="90"', 'x'.repeat(30_000))).toBe(409);
    expect(await heightFor('textRotation="90" wrapText="1"', 'word '.repeat(390))).toBe(409);
  });
});
