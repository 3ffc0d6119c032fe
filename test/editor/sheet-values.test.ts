import { expect, test } from 'vitest';
import { zipOf } from '#test/formats/flatten-zip.ts';
import { formatted, readValues } from '#web/app/editor/preview/sheet-values.ts';

test.each([
  [1234.5, '#,##0.00', 'de', '1.234,50'],
  [0.256, '0%', 'en', '26%'],
  [1234.5, '#,##0.00\\ [$€-407]', 'de', '1.234,50 €'],
  [12, '[$$-409]#,##0.00', 'en', '$12.00'],
  [-3, '#,##0;[Red](#,##0)', 'en', '(3)'],
  [5, '0.0 "kg"', 'en', '5.0 kg'],
  [45_000, 'dd/mm/yyyy', 'en', 'Mar 15, 2023'],
  [0.5, 'h:mm', 'de', '12:00'],
  [1.25, 'General', 'de', '1,25'],
  [1.25, '', 'en', '1.25'],
])('the number %s with the format %s is in %s: %s', (value, code, language, text) => {
  expect(formatted(value, code, language).replaceAll('\u00a0', ' ')).toBe(text);
});

test('a sheet has its numbers and results of formulas, and not its texts or those of other sheets', async () => {
  const file = (cells: string) => `<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`;
  const bytes = new Uint8Array(
    zipOf({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="A &amp; B" r:id="r2"/><sheet name="C" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Target="worksheets/one.xml"/><Relationship Id="r2" Target="/xl/worksheets/two.xml"/></Relationships>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.000"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
      'xl/worksheets/one.xml': file('<c r="A1"><v>7</v></c>'),
      'xl/worksheets/two.xml': file(
        '<c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><f>1/2</f><v>0.5</v></c><c r="C1"/><c r="D1" t="str"><f>X</f><v>a &lt; b</v></c><c r="E1" t="b"><v>1</v></c>',
      ),
    }),
  );
  expect(await readValues(bytes, 'A & B', 'de')).toEqual([
    { cell: 'B1', text: '0,500' },
    { cell: 'D1', text: 'a < b' },
    { cell: 'E1', text: 'TRUE' },
  ]);
  expect(await readValues(bytes, 'missing', 'de')).toEqual([]);
});
