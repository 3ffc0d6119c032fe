import { describe, expect, it } from 'vitest';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import type { Includable } from '#server/formats/selection.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { field, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { inline, row, workbookOf } from '../formats/xlsx-file.ts';
import { openFile } from './opened-file.ts';
import { hasModules, runJudge, withSaved } from './strangers.ts';

/*
 * A judge that uses none of the service's readers compares finished Office files with their receipts: each text that a
 * reader sees is translated or counted. It needs Python.
 */

const hasPython = hasModules('json');
const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };

interface Verdict {
  kinds: Record<string, [texts: number, translated: number]>;
  lost: [kind: string, text: string, characters: number][];
  broken: [path: string, kind: string, difference: string][];
}

async function judge(
  name: string,
  bytes: Uint8Array,
  include: Includable[] = [],
  drops = '',
): Promise<Verdict> {
  const file = await openFile(name.split('.').at(-1) as LayoutKind, bytes, { ...languages, include });
  const { bytes: written } = await file.write(({ source }) => ['[fr] ', ...source], {
    ...languages,
    include,
  });
  const kept = file.outcome!.kept.filter(({ reason }) => reason !== drops);
  return compare(name, bytes, written, kept);
}

function compare(name: string, bytes: Uint8Array, written: Uint8Array, kept: readonly unknown[]): Verdict {
  const files = [
    [name, bytes],
    [name, written],
  ] as const;
  return withSaved(
    files,
    ([source, result]) =>
      JSON.parse(runJudge('office-judge.py', JSON.stringify([{ source, result, kept }])))[0],
  );
}

const names = ['docx', 'xlsx'].flatMap((kind) => corpusNames(kind).map((name) => `${kind}/${name}`));

describe.skipIf(!hasPython)('a finished Office file, by an outside judge', () => {
  it.each(names)('%s: each visible text is translated or counted, and code stays', async (name) => {
    expect(await judge(name, corpusFile(name))).toMatchObject({ lost: [], broken: [] });
  });

  it('finds code that differs', () => {
    const code = (words: string) => wordFile(paragraph(field(words), run('Text')));
    expect(compare('d.docx', code(' PAGEREF a '), code(' PAGEREF b '), []).broken).toMatchObject([
      ['word/document.xml', 'code', expect.stringContaining('PAGEREF')],
    ]);
    const sheet = (formula: string) => workbookOf([{ rows: `<row><c><f>${formula}</f></c></row>` }]);
    expect(compare('d.xlsx', sheet('A2'), sheet('A3'), []).broken).toHaveLength(1);
    const related = (type: string) => workbookOf([{ rows: '', parts: { 'x.xml': [type, '<a/>'] } }]);
    expect(compare('d.xlsx', related('comments'), related('drawing'), []).broken).toHaveLength(1);
  });

  it('finds a text that is not counted', async () => {
    const box = `<w:r><w:pict><w:txbxContent>${paragraph(run('In the box'))}</w:txbxContent></w:pict></w:r>`;
    const withBox = wordFile(paragraph(run('Outside'), box));
    expect((await judge('a.docx', withBox)).lost).toEqual([]);
    expect((await judge('a.docx', withBox, [], 'text_boxes')).lost).toEqual([['paragraph', 'In the box', 8]]);
    const withCode = wordFile(paragraph(run('Outside'), field(' SET Name "Good day"')));
    expect((await judge('b.docx', withCode)).lost).toEqual([]);
    expect((await judge('b.docx', withCode, [], 'fields')).lost).toEqual([['code', 'Good day', 7]]);
    const title = '<w:tbl><w:tblPr><w:tblCaption w:val="Prices"/></w:tblPr><w:tr><w:tc/></w:tr></w:tbl>';
    const withTable = wordFile(`${title}${paragraph(run('Outside'))}`);
    expect((await judge('c.docx', withTable)).lost).toEqual([]);
    expect((await judge('c.docx', withTable, [], 'alternative_texts')).lost).toEqual([
      ['alternative', 'Prices', 6],
    ]);
  });

  it('finds the names that only a chart has, and the captions of slicers and pivot tables', async () => {
    const chart = '<c:chartSpace xmlns:c="c"><c:tx><c:v>Plan</c:v></c:tx></c:chartSpace>';
    const pivot =
      '<pivotTableDefinition><dataFields><dataField name="Total"/></dataFields></pivotTableDefinition>';
    const parts: Record<string, [type: string, xml: string]> = {
      'charts/chart1.xml': ['chart', chart],
      'slicers/slicer1.xml': ['slicer', '<slicers><slicer caption="Choose"/></slicers>'],
      'pivotTables/pivotTable1.xml': ['pivotTable', pivot],
    };
    const bytes = workbookOf([{ rows: row(inline('<t>Cell</t>')), parts }]);
    expect((await judge('a.xlsx', bytes)).lost).toEqual([]);
    for (const [reason, lost] of [
      ['charts', ['chart', 'Plan', 4]],
      ['form_fields', ['control', 'Choose', 6]],
      ['pivot_tables', ['pivot', 'Total', 5]],
    ] as const)
      expect((await judge('a.xlsx', bytes, [], reason)).lost).toEqual([lost]);
  });
});
