import { expect, it } from 'vitest';
import { inline, item, row, shared, table, translated, workbookOf } from './xlsx-file.ts';
import { walkWorkbook } from './xlsx-walk.ts';

/** A table with a header row, a data row and a totals row. */
const sales = (columns: string, attributes = ' totalsRowCount="1"') =>
  workbookOf(
    [
      {
        rows:
          row(inline('<t>Region</t>'), inline('<t>Sum</t>')) +
          row(inline('<t>North</t>'), '<c><v>1</v></c>') +
          row(shared(0), '<c><f>SUBTOTAL(109,Sales[Sum])</f><v>1</v></c>'),
        parts: table('Sales', 'A1:B3', attributes, `<tableColumns count="2">${columns}</tableColumns>`),
      },
    ],
    [item('Total')],
  );

const tableOf = (bytes: Uint8Array): string =>
  /<tableColumns.*<\/tableColumns>/s.exec(
    Buffer.from(walkWorkbook(bytes).parts['xl/tables/Sales.xml']!).toString(),
  )![0];

it.each<[rule: string, label: string, text: string, written: string]>([
  ['is the text of its cell', 'totalsRowLabel="Total"', 'Summe', 'totalsRowLabel="Summe"'],
  ['in single quotes, too', "totalsRowLabel = 'Total'", 'Somme', 'totalsRowLabel = "Somme"'],
  [
    'has quotes, markup and line breaks as Excel spells them',
    'totalsRowLabel="Total"',
    '"a"\n<b> & _x0041_',
    'totalsRowLabel="&quot;a&quot;_x000a_&lt;b&gt; &amp; _x005F_x0041_"',
  ],
  ['stays if it was another text', 'totalsRowLabel="Sum"', 'Summe', 'totalsRowLabel="Sum"'],
])('the label of a totals row in its table %s', async (_, label, text, written) => {
  const columns = (attribute: string): string =>
    `<tableColumn id="1" name="Region" ${attribute}/><tableColumn id="2" name="Sum" totalsRowFunction="sum"/>`;
  const bytes = sales(columns(label));
  const result = await translated(bytes, (source) => (source === 'Total' ? text : source));
  expect(tableOf(result)).toBe(tableOf(sales(columns(written))));
  expect(walkWorkbook(result).sheets[0]!.cells[4]!.text).toBe(text);
});

it('the label stays with its column and in its table', async () => {
  const label = '<tableColumn id="1" name="Region"/><tableColumn id="2" name="Sum" totalsRowLabel="Total"/>';
  expect(tableOf(await translated(sales(label), 'Summe'))).toContain(label);
});

it('a table without a totals row is copied, even if it has a label for one', async () => {
  const label = '<tableColumn id="1" name="Region" totalsRowLabel="Total"/>';
  expect(tableOf(await translated(sales(label, ' totalsRowShown="0"'), 'Summe'))).toContain(label);
});
