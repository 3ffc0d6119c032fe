import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { partsOf } from './docx-walk.ts';
import { zipOf } from './flatten-zip.ts';
import { inline, item, row, shared, workbookFiles, workbookOf } from './xlsx-file.ts';

async function translated(bytes: Uint8Array, targets: string[], from = 'en', to = 'fr') {
  const { segments } = await extract(bytes);
  const translations = segments.map((segment, index) => ({ ...segment, target: [targets[index]!] }));
  const result = await rebuild(bytes, translations, { sourceLanguage: from, targetLanguage: to });
  return { parts: partsOf(result.bytes), findings: result.findings };
}

const raised = '<rPr><vertAlign val="superscript"/></rPr>';
const bold = '<rPr><b/></rPr>';
const text = (value: string): string =>
  `<t${/^\s|\s$/.test(value) ? ' xml:space="preserve"' : ''}>${value}</t>`;
const run = (value: string, properties = ''): string => `<r>${properties}${text(value)}</r>`;

describe('rich text in a cell', () => {
  it.each<[rule: string, rich: string, target: string, result: string, lost: number]>([
    [
      'keeps a raised figure at its letter',
      run('Area in m') + run('2', raised) + run(' of the house'),
      'Surface de 2 maisons en m2',
      run('Surface de 2 maisons en m') + run('2', raised),
      0,
    ],
    [
      'keeps the formatting of words that the translation has, too',
      run('By ') + run('Ann Lee', bold) + run(' for all'),
      'Pour tous, par Ann Lee',
      run('Pour tous, par ') + run('Ann Lee', bold),
      0,
    ],
    [
      'has the formatting of most of its text, and loses that of other words',
      run('Read ', bold) + run('this', '<rPr><i/></rPr>') + run(' with care', bold),
      'Lisez avec soin',
      run('Lisez avec soin', bold),
      1,
    ],
  ])('%s', async (_, rich, target, result, lost) => {
    const bytes = workbookOf([{ rows: row(shared(0), inline(rich)) }], [`<si>${rich}</si>`]);
    const { parts, findings } = await translated(bytes, [target, target]);
    expect(parts['xl/sharedStrings.xml']).toContain(`<si>${result}</si>`);
    expect(parts['xl/worksheets/s0.xml']).toContain(`<is>${result}</is>`);
    const message =
      'in 2 texts of cells, some words of the translation do not have the formatting of the source';
    const finding = { severity: 'info', code: 'formatting_lost', message, unitId: null };
    expect(findings).toEqual(lost ? [finding] : []);
  });
});

describe('a sheet', () => {
  const bytesWith = (views: string): Uint8Array => {
    const files = workbookFiles([{ rows: row(shared(0)) }, { rows: row('<c><v>1</v></c>') }], [item('One')]);
    const path = 'xl/worksheets/s0.xml';
    files[path] = (files[path] as string).replace('<sheetData>', `<sheetPr/>${views}<cols/><sheetData>`);
    return zipOf(files);
  };
  const views = (attributes = ''): string =>
    `<sheetViews><sheetView${attributes} tabSelected="1" workbookViewId="0"/></sheetViews>`;

  it.each<[rule: string, from: string, to: string, before: string, after: string]>([
    ['is right-to-left in a right-to-left language', 'en', 'ar', views(), views(' rightToLeft="1"')],
    [
      'stays right-to-left in another such language',
      'ar',
      'fa',
      views(' rightToLeft="1"'),
      views(' rightToLeft="1"'),
    ],
    ['is left-to-right again in other languages', 'ar', 'en', views(' rightToLeft="1"'), views()],
    [
      'without views gets one',
      'en',
      'ur',
      '',
      '<sheetViews><sheetView rightToLeft="1" workbookViewId="0"/></sheetViews>',
    ],
    [
      'stays as it is if the direction is the same',
      'en',
      'fr',
      views(' rightToLeft="1"'),
      views(' rightToLeft="1"'),
    ],
  ])('%s', async (_, from, to, before, after) => {
    const { parts } = await translated(bytesWith(before), ['x'], from, to);
    expect(parts['xl/worksheets/s0.xml']).toContain(`<sheetPr/>${after}<cols/>`);
    expect(parts['xl/worksheets/s1.xml']).not.toContain('sheetView');
  });
});
