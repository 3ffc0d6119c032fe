import { describe, expect, it } from 'vitest';
import type { SegmentTranslation } from '#server/formats/document.ts';
import type { Includable } from '#server/formats/selection.ts';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { withoutShare } from './docx-file.ts';
import { inline, row, workbookOf } from './xlsx-file.ts';
import { walkWorkbook } from './xlsx-walk.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
const included: Includable[] = ['comments', 'text_boxes', 'charts'];

const shape = (content: string): string => `<xdr:sp><xdr:txBody>${content}</xdr:txBody></xdr:sp>`;
const paragraph = (...runs: string[]): string =>
  `<a:p>${runs.map((text) => `<a:r><a:rPr b="1"/><a:t>${text}</a:t></a:r>`).join('')}</a:p>`;
const drawing = (content: string): string =>
  `<xdr:wsDr xmlns:xdr="urn:x" xmlns:a="urn:a" xmlns:mc="urn:mc">${content}</xdr:wsDr>`;

/** Names that Excel does not copy from cells of the workbook: typed, and of another workbook. */
const ownNames =
  '<c:ser><c:tx><c:v>Plan</c:v></c:tx><c:trendline><c:name>Trend of the plan</c:name></c:trendline><c:cat><c:strLit><c:pt><c:v>May</c:v></c:pt></c:strLit></c:cat></c:ser>' +
  '<c:tx><c:strRef><c:f>[1]Old!$A$1</c:f><c:strCache><c:pt><c:v>Last year</c:v></c:pt></c:strCache></c:strRef></c:tx>' +
  '<c:tx><c:strRef><c:f>[0]!Name</c:f><c:strCache><c:pt><c:v>Copied</c:v></c:pt></c:strCache></c:strRef></c:tx>';
const bytes = workbookOf([
  {
    name: 'Data',
    rows: row(inline('<t>North</t>')),
    parts: {
      'comments1.xml': [
        'comments',
        '<comments><authors><author>Ann</author></authors><commentList><comment ref="B2"><text><r><t>See </t></r><r><t>the &amp; notes</t></r></text></comment><comment ref="B3"><text><t>[Threaded comment] Copy of it</t></text></comment><comment ref="B4"><text><t>42</t></text></comment></commentList></comments>',
      ],
      'threadedComments/c.xml': [
        'threadedComment',
        '<ThreadedComments><threadedComment ref="B3"><text>Why so much?</text></threadedComment></ThreadedComments>',
      ],
      'drawings/d.xml': [
        'drawing',
        drawing(
          `${shape(paragraph('A long ', 'box'))}${shape('<a:p><a:r><a:t>First</a:t></a:r><a:br/><a:r><a:t>Second</a:t></a:r><a:fld><a:t>Slide</a:t></a:fld></a:p>')}<mc:AlternateContent><mc:Choice>${shape(paragraph('New'))}</mc:Choice><mc:Fallback>${shape(paragraph('New'))}</mc:Fallback></mc:AlternateContent>`,
        ),
      ],
      'charts/c.xml': [
        'chart',
        `<c:chartSpace xmlns:c="urn:c" xmlns:a="urn:a"><c:title>${paragraph('Sales by region')}</c:title><c:strCache><c:pt><c:v>North</c:v></c:pt><c:pt><c:v>Other</c:v></c:pt></c:strCache>${ownNames}</c:chartSpace>`,
      ],
    },
  },
  { name: 'Rest', rows: row(inline('<t>Left</t>')) },
]);

async function translated(file: Uint8Array, include: Includable[], pages?: string[]): Promise<Uint8Array> {
  const { segments } = await extract(file, { include, pages });
  const translations = segments.map(
    ({ regionId, cellId, source }): SegmentTranslation => ({ regionId, cellId, target: [`<${source}>`] }),
  );
  return (await rebuild(file, translations, { ...languages, include, pages })).bytes;
}

const partOf = (file: Uint8Array, path: string): string =>
  Buffer.from(walkWorkbook(file).parts[path]!).toString('utf8');

describe('comments, text boxes and charts of a workbook', () => {
  it('are segments after the cells of their sheets if the request includes them', async () => {
    const { segments, findings } = await extract(bytes, { include: included });
    expect(
      segments.map(({ regionId, cellId, kind, page, place, source }) => [
        regionId,
        cellId,
        kind,
        page,
        place,
        `${source}`,
      ]),
    ).toEqual([
      ['sheet1', 'A1', 'cell', 1, 'Data!A1', 'North'],
      ['sheet2', 'A1', 'cell', 2, 'Rest!A1', 'Left'],
      ['sheet1.comments1', 't1', 'text_block', 1, 'Data, comment B2', 'See the & notes'],
      ['sheet1.threadedComment1', 't1', 'text_block', 1, 'Data, comment B3', 'Why so much?'],
      ['sheet1.drawing1', 't1', 'text_block', 1, 'Data, text box 1', 'A long box'],
      ['sheet1.drawing1', 't2', 'text_block', 1, 'Data, text box 1', 'First'],
      ['sheet1.drawing1', 't3', 'text_block', 1, 'Data, text box 1', 'Second'],
      ['sheet1.drawing1', 't4', 'text_block', 1, 'Data, text box 1', 'New'],
      ['sheet1.chart1', 't1', 'text_block', 1, 'Data, chart 1', 'Sales by region'],
      ['sheet1.chart1', 'n1', 'text_block', 1, 'Data, chart 1', 'Plan'],
      ['sheet1.chart1', 'n2', 'text_block', 1, 'Data, chart 1', 'Trend of the plan'],
      ['sheet1.chart1', 'n3', 'text_block', 1, 'Data, chart 1', 'May'],
      ['sheet1.chart1', 'n4', 'text_block', 1, 'Data, chart 1', 'Last year'],
    ]);
    expect(findings).toEqual([]);
  });

  it('are not segments by default, and the findings name the field that includes them', async () => {
    const { segments, findings } = await extract(bytes);
    expect(segments.map(({ place }) => place)).toEqual(['Data!A1', 'Rest!A1']);
    expect(findings.map((finding) => withoutShare(finding).message)).toEqual([
      '2 comments are not translated; add `comments` to `include` to translate them',
      '3 text boxes and shapes with text are not translated; add `text_boxes` to `include` to translate them',
      '5 texts in charts are not translated; add `charts` to `include` to translate them',
    ]);
  });

  it('get their translation in the formatting of their longest run, and everything else stays', async () => {
    const result = await translated(bytes, included);
    expect(partOf(result, 'xl/comments1.xml')).toBe(
      partOf(bytes, 'xl/comments1.xml')
        .replace('<t>See </t>', '<t></t>')
        .replace('the &amp; notes', '&lt;See the &amp; notes&gt;'),
    );
    expect(partOf(result, 'xl/threadedComments/c.xml')).toContain('<text>&lt;Why so much?&gt;</text>');
    expect(partOf(result, 'xl/drawings/d.xml')).toBe(
      partOf(bytes, 'xl/drawings/d.xml')
        .replace('A long ', '&lt;A long box&gt;')
        .replace('<a:t>box<', '<a:t><')
        .replace('First', '&lt;First&gt;')
        .replace('Second', '&lt;Second&gt;')
        .replace('New', '&lt;New&gt;'),
    );
    expect(partOf(result, 'xl/charts/c.xml')).toBe(
      partOf(bytes, 'xl/charts/c.xml')
        .replace('Sales by region', '&lt;Sales by region&gt;')
        .replace('<c:v>North<', '<c:v>&lt;North&gt;<')
        .replace(/(?<=>)(Plan|Trend of the plan|May|Last year)(?=<)/g, '&lt;$1&gt;'),
    );
  });

  it('are in a finding if words lose their formatting', async () => {
    const run = (text: string, properties = '') => `<a:r>${properties}<a:t>${text}</a:t></a:r>`;
    const red = '<a:rPr lang="en-US" dirty="0"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:rPr>';
    const comment = (name: string) =>
      `<comment ref="A1"><text><r>${name}</r><r><rPr><sz val="9"/></rPr><t>Ask me</t></r></text></comment>`;
    const file = (...paragraphs: string[]) =>
      workbookOf([
        {
          rows: '',
          parts: {
            'comments1.xml': [
              'comments',
              `<comments><commentList>${comment('<rPr><b/><sz val="9"/></rPr><t>Ann: </t>')}${comment('<rPr><sz val="9"/></rPr><t>1: </t>')}</commentList></comments>`,
            ],
            'drawings/d.xml': ['drawing', drawing(shape(paragraphs.join('')))],
          },
        },
      ]);
    const findingsOf = async (bytes: Uint8Array) => {
      const { segments } = await extract(bytes, { include: included });
      const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: ['x'] }));
      return (await rebuild(bytes, translations, { ...languages, include: included })).findings;
    };
    const rest = 'some words of the translation do not have the formatting of the source';
    const message = `in 2 texts of comments, text boxes and charts, ${rest}`;
    expect(
      await findingsOf(
        file(
          `<a:p>${run('A ')}${run('red', red)}${run(' box')}</a:p>`,
          `<a:p>${run('Red ', red)}${run('too', red.replace('en-US" dirty="0', 'en-GB'))}${run(' ')}<a:br>${red}</a:br>${run('More')}</a:p>`,
        ),
      ),
    ).toEqual([{ severity: 'info', code: 'formatting_lost', message, unitId: null }]);
    const [one] = await findingsOf(file(`<a:p>${run('A', red)}</a:p>`));
    expect(one?.message).toBe(message.replace('2 texts', '1 text'));
  });

  it('stay if their sheet is not selected', async () => {
    const { segments, findings } = await extract(bytes, { include: included, pages: ['Rest'] });
    expect(segments.map(({ place }) => place)).toEqual(['Rest!A1']);
    expect(findings.map(({ code }) => code)).toContain('not_selected');
    const result = await translated(bytes, included, ['Rest']);
    for (const path of ['comments1.xml', 'drawings/d.xml', 'charts/c.xml'])
      expect(partOf(result, `xl/${path}`)).toBe(partOf(bytes, `xl/${path}`));
  });
});

it('a drawing of two sheets is read and written once', async () => {
  const parts: Record<string, [string, string]> = {
    'drawings/d.xml': ['drawing', drawing(shape(paragraph('Box')))],
  };
  const twice = workbookOf([
    { rows: '', parts },
    { rows: '', parts },
  ]);
  expect((await extract(twice, { include: included })).segments.map(({ place }) => place)).toEqual([
    'Sheet1, text box 1',
  ]);
  expect(partOf(await translated(twice, included), 'xl/drawings/d.xml')).toContain('<a:t>&lt;Box&gt;</a:t>');
});

describe.each(corpusNames('xlsx'))('%s, with everything included', (name) => {
  it('has each included text translated, in parts that can be read again', async () => {
    const file = corpusFile(`xlsx/${name}`);
    const before = await extract(file, { include: included });
    const after = await extract(await translated(file, included), { include: included });
    expect(after.segments.map(({ source }) => `${source}`)).toEqual(
      before.segments.map(({ source }) => `<${source}>`),
    );
  });
});
