import { describe, expect, it } from 'vitest';
import { extract } from '#server/formats/xlsx.ts';
import { item, row, shared, table, workbookOf } from './xlsx-file.ts';

const warnings = async (rows: string, after = '', items = ['Done', 'Open']): Promise<string[]> => {
  const { findings } = await extract(workbookOf([{ rows, after }], items.map(item)));
  return findings.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
};
const formula = (content: string): string => `<c r="C1"><f>${content}</f><v>1</v></c>`;
const cells = row(shared(0, ' r="A1"'), shared(1, ' r="B1"'));
const withFormula = (content: string): string =>
  row(shared(0, ' r="A1"'), shared(1, ' r="B1"'), formula(content));
const message = (...texts: string[]): string =>
  `formulas, conditional formats, filters or dropdown lists compare cells with texts that are translated only in the cells; check their results: ${texts.join(', ')}`;

describe('a text that is translated in a cell', () => {
  it.each<[where: string, rows: string, after: string]>([
    ['a formula', withFormula('COUNTIF(A:A,"done")+COUNTIF(A:A,"&lt;&gt;Done*")'), ''],
    [
      'a conditional format',
      cells,
      '<conditionalFormatting sqref="A1"><cfRule type="cellIs" operator="equal"><formula>"Done"</formula></cfRule></conditionalFormatting>',
    ],
    [
      'a dropdown list',
      cells,
      '<dataValidations><dataValidation type="list" sqref="A1"><formula1>"Done, None"</formula1></dataValidation></dataValidations>',
    ],
    [
      'a formula of a validation',
      cells,
      '<dataValidations><dataValidation type="custom" sqref="A1"><formula1>A1&lt;&gt;"Done"</formula1></dataValidation></dataValidations>',
    ],
    [
      'a rule in the form of newer versions',
      cells,
      '<extLst><ext><x14:conditionalFormattings xmlns:x14="x" xmlns:xm="y"><x14:conditionalFormatting><x14:cfRule type="cellIs"><xm:f>"Done"</xm:f></x14:cfRule></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>',
    ],
    [
      'a filter',
      cells,
      '<autoFilter ref="A1:A9"><filterColumn colId="0"><filters><filter val="Done"/></filters></filterColumn></autoFilter>',
    ],
    [
      'a filter with a condition',
      cells,
      '<autoFilter ref="A1:A9"><filterColumn colId="0"><customFilters><customFilter operator="notEqual" val="Done*"/></customFilters></filterColumn></autoFilter>',
    ],
  ])('has a warning if %s compares cells with it', async (where, rows, after) => {
    const [found] = await warnings(rows, after);
    expect(found?.toLowerCase()).toBe(message('"done"'));
    expect(await warnings(rows, after, ['Finished', 'Open']), where).toEqual([]);
  });

  it('has a warning if the filter of a table compares cells with it', async () => {
    const rows = row(...['Name', 'Done'].map((_, index) => shared(index))) + row(shared(1));
    const filter =
      '<autoFilter ref="A1:B9"><filterColumn colId="0"><filters><filter val="Done"/></filters></filterColumn></autoFilter>';
    const parts = table('Sales', 'A1:B2', '', filter);
    const { findings } = await extract(workbookOf([{ rows, parts }], ['Name', 'Done'].map(item)));
    expect(findings.map((finding) => finding.message)).toContain(message('"Done"'));
  });

  it('is named with at most two others', async () => {
    const names = ['One', 'Two', 'Three', 'Four', 'Five'];
    const rows = row(
      ...names.map((_, index) => shared(index)),
      `<c><f>${names.map((name) => `"${name}"`).join('&amp;')}</f></c>`,
    );
    expect(await warnings(rows, '', names)).toEqual([message('"One"', '"Two"', '"Three", and 2 more')]);
  });

  it('has no warning if a formula only contains it in a longer text', async () => {
    expect(await warnings(withFormula('"Done so far: "&amp;A1'))).toEqual([]);
  });
});
