import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { withoutShare } from './docx-file.ts';
import { zipOf } from './flatten-zip.ts';
import {
  inline,
  item,
  row,
  shared,
  shownIn,
  table,
  textsOf,
  translated,
  workbookFiles,
  workbookOf,
} from './xlsx-file.ts';

const options = { sourceLanguage: 'en', targetLanguage: 'fr' };

describe('the header of an Excel Table', () => {
  const rows = [
    row(inline('<t>Above</t>'), inline('<t>Beside</t>')),
    row(inline('<t>Name</t>'), shared(0), inline('<t>2026</t>'), inline('<t>Outside</t>')),
    row(inline('<t>Body</t>'), shared(0)),
  ].join('');

  it('keeps its texts, and their number is reported', async () => {
    const bytes = workbookOf([{ rows, parts: table('Sales', 'A2:C3') }], [item('Price')]);
    expect(await textsOf(bytes)).toEqual({
      'Sheet1!A1': 'Above',
      'Sheet1!B1': 'Beside',
      'Sheet1!D2': 'Outside',
      'Sheet1!A3': 'Body',
      'Sheet1!B3': 'Price',
    });
    expect((await extract(bytes)).findings.map(withoutShare)).toEqual([
      {
        severity: 'info',
        code: 'table_header_kept',
        message:
          '2 column headers of the table Sales are not translated, because formulas refer to the columns by their headers; add `table_headers` to `include` to translate them',
        unitId: 'Sales',
      },
    ]);
    expect(shownIn(await translated(bytes, (text) => text.toUpperCase()))).toEqual([
      ...['ABOVE', 'BESIDE', 'Name', 'Price', '2026', 'OUTSIDE', 'BODY', 'PRICE'],
    ]);
  });

  it('is none in a table without a header row', async () => {
    const bytes = workbookOf(
      [{ rows, parts: table('Sales', 'A2:C3', ' headerRowCount="0"') }],
      [item('Price')],
    );
    expect(Object.keys(await textsOf(bytes))).toHaveLength(7);
    expect((await extract(bytes)).findings).toEqual([]);
  });

  it('has as many rows as the table says', async () => {
    const bytes = workbookOf(
      [{ rows, parts: table('Sales', 'A1:B3', ' headerRowCount="2"') }],
      [item('Price')],
    );
    expect(Object.keys(await textsOf(bytes))).toEqual(['Sheet1!D2', 'Sheet1!A3', 'Sheet1!B3']);
  });
});

describe('what else stays untranslated', () => {
  it('is counted by kind', async () => {
    const drawing = (text: string): string =>
      `<xdr:sp><xdr:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
    const bytes = workbookOf([
      {
        rows: row(inline('<t>a</t>')),
        after:
          '<dataValidations><dataValidation type="list"><formula1>"Yes,No"</formula1></dataValidation>' +
          '<dataValidation type="list"><formula1>Names!$A$1:$A$3</formula1></dataValidation></dataValidations>' +
          '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;K01+000Title&amp;D</oddHeader><oddFooter>&amp;P / &amp;N &amp;"Arial,Bold"&amp;12</oddFooter></headerFooter>',
        parts: {
          'comments1.xml': [
            'comments',
            '<comments><authors><author>Ann</author></authors><commentList><comment ref="A1"><text><r><t>One</t></r><r><t>two</t></r></text></comment><comment ref="A2"><text><t>?</t></text></comment></commentList></comments>',
          ],
          'drawings/d.xml': [
            'drawing',
            `<xdr:wsDr xmlns:xdr="urn:x" xmlns:a="urn:a" xmlns:mc="urn:mc">${drawing('Box')}${drawing('12')}<mc:AlternateContent><mc:Choice>${drawing('Twice')}</mc:Choice><mc:Fallback>${drawing('Twice')}</mc:Fallback></mc:AlternateContent></xdr:wsDr>`,
          ],
          'pivotTables/p.xml': ['pivotTable', '<pivotTableDefinition grandTotalCaption="All"/>'],
          'charts/c.xml': [
            'chart',
            '<c:chartSpace xmlns:c="urn:c" xmlns:a="urn:a"><a:p><a:r><a:t>Sales</a:t></a:r></a:p><c:strCache><c:v>Cached</c:v></c:strCache></c:chartSpace>',
          ],
        },
      },
      { rows: '', type: 'dialogsheet' },
      { rows: row(inline('<t>a</t>')), type: 'xlMacrosheet' },
      { rows: '', type: 'chartsheet' },
    ]);
    expect((await extract(bytes)).findings.map(withoutShare)).toEqual(
      [
        '1 comment is not translated; add `comments` to `include` to translate them',
        '2 text boxes and shapes with text are not translated; add `text_boxes` to `include` to translate them',
        '1 text in a chart is not translated; add `charts` to `include` to translate them',
        '1 header or footer is not translated',
        '1 pivot table is not translated',
        '2 dialog sheets and macro sheets are not translated',
        '1 dropdown list with fixed entries is not translated',
      ].map((message) => ({ severity: 'info', code: 'unsupported_content_kept', message, unitId: null })),
    );
  });

  it('has every text in its receipt: of slicers, pivot tables, links, and chart sheets', async () => {
    const pivot =
      '<pivotTableDefinition grandTotalCaption="All"><pivotFields><pivotField name="City"><items><item n="The north"/></items></pivotField></pivotFields><dataFields><dataField name="Sum of sales"/></dataFields></pivotTableDefinition>';
    const bytes = workbookOf([
      {
        rows: row(inline('<t>a</t>')),
        name: '1',
        after: '<hyperlinks><hyperlink ref="A1" tooltip="See more"/></hyperlinks>',
        parts: {
          'slicers/s.xml': ['slicer', '<slicers><slicer name="x" caption="Choose"/></slicers>'],
          'timelines/t.xml': ['timeline', '<timelines><timeline name="x" caption="When"/></timelines>'],
          'pivotTables/p.xml': ['pivotTable', pivot],
        },
      },
      {
        rows: '',
        name: '2',
        type: 'chartsheet',
        after: '<headerFooter><oddHeader>&amp;CSecret &amp;P</oddHeader></headerFooter>',
      },
    ]);
    const { outcome } = await extract(bytes);
    expect(outcome!.kept.map(({ reason, texts, characters }) => [reason, texts, characters])).toEqual([
      ['headers_and_footers', 1, 6],
      ['tips', 1, 7],
      ['pivot_tables', 1, 25],
      ['form_fields', 2, 10],
      ['sheet_names', 2, 2],
    ]);
  });

  it.each<[rule: string, source: string, pivots: string | null]>([
    [
      'takes its fields from cells',
      '<worksheetSource ref="A1:B3" sheet="Data"/>',
      'the fields of 2 pivot tables',
    ],
    ['takes them from an Excel Table, whose headers stay', '<worksheetSource name="Sales"/>', null],
    ['takes them from another workbook', '<worksheetSource r:id="x" ref="A1:B3" sheet="Data"/>', null],
    ['takes them from a database', '', null],
  ])('is a pivot table, with a warning if its headers are translated: it %s', async (_, source, pivots) => {
    const files = workbookFiles([
      {
        rows: row(inline('<t>a</t>')),
        parts: {
          'pivotTables/p.xml': ['pivotTable', '<pivotTableDefinition/>'],
          'pivotTables/q.xml': ['pivotTable', '<pivotTableDefinition/>'],
        },
      },
    ]);
    for (const name of ['p', 'q'])
      files[`xl/pivotTables/_rels/${name}.xml.rels`] =
        '<Relationships><Relationship Id="c" Type="x/pivotCacheDefinition" Target="../cache.xml"/></Relationships>';
    files['xl/cache.xml'] =
      `<pivotCacheDefinition xmlns:r="urn:r"><cacheSource>${source}</cacheSource></pivotCacheDefinition>`;
    expect((await extract(zipOf(files))).findings.slice(1)).toEqual(
      pivots === null
        ? []
        : [
            {
              severity: 'warning',
              code: 'unsupported_content_kept',
              message: expect.stringMatching(`^${pivots} have the names of cells that are translated`),
              unitId: null,
            },
          ],
    );
  });

  it('is a signature, which is not valid for the translation', async () => {
    const files = workbookFiles([{ rows: row(inline('<t>a</t>')) }]);
    files['_rels/.rels'] = `${files['_rels/.rels']}`.replace(
      '</Relationships>',
      '<Relationship Id="s" Type="http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin" Target="_xmlsignatures/origin.sigs"/></Relationships>',
    );
    expect((await extract(zipOf(files))).findings).toMatchObject([
      { severity: 'warning', code: 'unsupported_content_kept', message: expect.stringContaining('signed') },
    ]);
  });

  it('is everything in a workbook without texts, which is the same file again', async () => {
    const bytes = workbookOf([{ rows: row('<c><v>1</v></c>', inline('<t>12</t>')) }]);
    const { segments, findings } = await extract(bytes);
    expect(segments).toEqual([]);
    expect(findings).toMatchObject([{ severity: 'info', code: 'no_translatable_text', unitId: null }]);
    expect(Buffer.compare((await rebuild(bytes, [], options)).bytes, bytes)).toBe(0);
  });
});

it('counts the texts of buttons and other controls, but not those of comments', async () => {
  const shape = (type: string, text: string) =>
    `<v:shape><v:textbox style='x'><div><font>${text}</font><br></div></v:textbox><x:ClientData ObjectType="${type}"><x:Anchor/></x:ClientData></v:shape>`;
  const vml = `<xml>${shape('Button', 'Clear the&nbsp;sheet')}${shape('Note', 'A note')}${shape('Checkbox', '12')}</xml>`;
  const bytes = workbookOf([
    { rows: row(inline('<t>a</t>')), parts: { 'drawings/v.vml': ['vmlDrawing', vml] } },
  ]);
  const { findings, outcome } = await extract(bytes);
  expect(findings.map(({ message }) => message)).toEqual(['1 form control is not translated']);
  expect(outcome?.kept).toContainEqual({ class: 'kept', reason: 'form_fields', texts: 1, characters: 13 });
});
