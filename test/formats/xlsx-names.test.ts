import { describe, expect, it } from 'vitest';
import type { SegmentTranslation } from '#server/formats/document.ts';
import type { Includable } from '#server/formats/selection.ts';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { zipOf } from './flatten-zip.ts';
import { inline, item, type MadeSheet, row, shared, shownIn, table, workbookFiles } from './xlsx-file.ts';
import { unescapeXml, walkWorkbook } from './xlsx-walk.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
const included: Includable[] = ['table_headers', 'sheet_names'];

type Files = Record<string, string | Uint8Array>;

/** Translates the texts that are named, and keeps all others. */
async function renamed(
  bytes: Uint8Array,
  targets: Record<string, string>,
  { include = included, pages }: { include?: Includable[]; pages?: string[] } = {},
) {
  const { segments } = await extract(bytes, { include, pages });
  const translations = segments.map(
    ({ regionId, cellId, source, place }): SegmentTranslation => ({
      regionId,
      cellId,
      target: [targets[place] ?? targets[`${source}`] ?? `${source}`],
    }),
  );
  return rebuild(bytes, translations, { ...languages, include, pages });
}

const partOf = (bytes: Uint8Array, path: string): string =>
  Buffer.from(walkWorkbook(bytes).parts[path]!).toString('utf8');

const sheetNames = (bytes: Uint8Array): string[] => walkWorkbook(bytes).sheets.map(({ name }) => name);

/** A workbook with parts at other paths, each with a relationship from one part. */
function withParts(
  sheets: MadeSheet[],
  parts: [from: string, type: string, path: string, xml: string][],
  definedNames = '',
): Uint8Array {
  const files: Files = workbookFiles(sheets);
  files['xl/workbook.xml'] = `${files['xl/workbook.xml']}`.replace('</sheets>', `</sheets>${definedNames}`);
  for (const [from, type, path, xml] of parts) {
    const list = from.replace(/[^/]*$/, (name) => `_rels/${name}.rels`);
    const isLink = type === 'hyperlink';
    const relation = `<Relationship Id="x" Type="urn:x/${type}" Target="${isLink ? path : `/${path}`}"/>`;
    files[list] = `${files[list] ?? '<Relationships></Relationships>'}`.replace('</', `${relation}</`);
    if (!isLink) files[path] = xml;
  }
  return zipOf(files);
}

describe('the headers of tables', () => {
  const columns = (...names: string[]): string =>
    `<tableColumns>${names.map((name, index) => `<tableColumn id="${index + 1}" name="${name}"/>`).join('')}</tableColumns>`;
  const rows =
    row(inline('<t>Item</t>'), shared(0), '<c><v>2026</v></c>') +
    row(inline('<t>Pen</t>'), '<c><v>2</v></c>', '<c><f>Sales[[#This Row],[Unit price]]*2</f><v>4</v></c>');
  const sales = (parts = table('Sales', 'A1:C2', '', columns('Item', 'Unit price', '2026'))): Uint8Array =>
    zipOf(
      workbookFiles(
        [{ rows, parts }, { rows: row('<c><f>SUM(Sales[Unit price])</f><v>2</v></c>', shared(0)) }],
        [item('Unit price')],
      ),
    );

  it('are segments if the request includes them, and cells in the receipt', async () => {
    const { segments, findings, outcome } = await extract(sales(), { include: ['table_headers'] });
    expect(segments.map(({ place, kind }) => [place, kind])).toEqual([
      ['Sheet1!A1', 'cell'],
      ['Sheet1!B1', 'cell'],
      ['Sheet1!A2', 'cell'],
      ['Sheet2!B1', 'cell'],
    ]);
    expect(findings).toEqual([]);
    expect(outcome?.kept.map(({ reason }) => reason)).not.toContain('table_headers');
    expect(outcome?.unaccounted).toBe(0);
    const kept = (await extract(sales())).outcome?.kept.find(({ reason }) => reason === 'table_headers');
    expect(kept).toMatchObject({ class: 'not_selected', texts: 2 });
  });

  it('change in the cells, in the table and in all formulas', async () => {
    const { bytes } = await renamed(sales(), { 'Sheet1!B1': 'Prix [€]' });
    expect(shownIn(bytes)).toEqual(['Item', 'Prix [€]', '2026', 'Pen', '2', '4']);
    expect(shownIn(bytes, 1)).toEqual(['2', 'Unit price']);
    expect(partOf(bytes, 'xl/tables/Sales.xml')).toContain('name="Prix [€]"');
    const formulas = walkWorkbook(bytes).sheets.flatMap(({ cells }) =>
      cells.flatMap(({ formula }) => formula ?? []),
    );
    expect(formulas).toEqual(["<f>Sales[[#This Row],[Prix '[€']]]*2</f>", "<f>SUM(Sales[Prix '[€']])</f>"]);
  });

  it('change in the formulas of the table', async () => {
    const ofTable = (name: string): string =>
      `<tableColumns><tableColumn id="1" name="${name}"><calculatedColumnFormula>Sales[${name}]*2</calculatedColumnFormula><totalsRowFormula>SUM(Sales[${name}])</totalsRowFormula></tableColumn></tableColumns>`;
    const made = (name: string): Uint8Array =>
      zipOf(
        workbookFiles([
          { rows: row(inline(`<t>${name}</t>`)), parts: table('Sales', 'A1:A2', '', ofTable(name)) },
        ]),
      );
    const { bytes } = await renamed(made('Price'), { Price: 'Prix' });
    expect(partOf(bytes, 'xl/tables/Sales.xml')).toBe(partOf(made('Prix'), 'xl/tables/Sales.xml'));
  });

  it('stay different in a table, whatever their letter case, and have at most 255 characters', async () => {
    const { bytes, findings } = await renamed(sales(), { Item: 'unit PRICE', 'Sheet1!B1': 'Unit price' });
    expect(partOf(bytes, 'xl/tables/Sales.xml')).toContain(columns('unit PRICE2', 'Unit price', '2026'));
    expect(shownIn(bytes).slice(0, 2)).toEqual(['unit PRICE2', 'Unit price']);
    expect(findings).toEqual([]);
    const same = (await renamed(sales(), { Item: '2026', 'Sheet1!B1': '2026' })).bytes;
    expect(shownIn(same).slice(0, 3)).toEqual(['20262', '20263', '2026']);
    const long = await renamed(sales(), { Item: 'x'.repeat(300) });
    expect(shownIn(long.bytes)[0]).toBe('x'.repeat(255));
    expect(long.findings).toMatchObject([{ code: 'text_truncated', unitId: 'A1' }]);
  });

  it('have line breaks and quotes in the table as Excel spells them', async () => {
    const { bytes } = await renamed(sales(), { Item: 'a\n"b" & c' });
    expect(partOf(bytes, 'xl/tables/Sales.xml')).toContain('name="a_x000a_&quot;b&quot; &amp; c"');
  });

  it('stay if their translation is empty, or if the name of the column is another text', async () => {
    const { bytes } = await renamed(sales(), { 'Sheet1!B1': '' });
    expect(Buffer.compare(bytes, sales())).toBe(0);
    const other = sales(table('Sales', 'A1:C2', '', columns('Item', 'Price', '2026')));
    const { segments, findings } = await extract(other, { include: ['table_headers'] });
    expect(segments.map(({ place }) => place)).toEqual(['Sheet1!A1', 'Sheet1!A2', 'Sheet2!B1']);
    expect(findings.map(({ message }) => message)).toEqual([
      '1 column header of the table Sales is not translated, because the cells differ from the names of the columns',
    ]);
  });

  const query = table('Sales', 'A1:C2', ' tableType="queryTable"', columns('Item', 'Unit price', '2026'));

  it('stay in a table that a query fills, with a finding and as kept texts', async () => {
    const { segments, findings, outcome } = await extract(sales(query), { include: ['table_headers'] });
    expect(segments.map(({ place }) => place)).toEqual(['Sheet1!A2', 'Sheet2!B1']);
    expect(findings.map(({ message }) => message)).toEqual([
      '2 column headers of the table Sales are not translated, because a query or a slicer finds the columns by their headers',
    ]);
    expect(outcome?.kept).toContainEqual(expect.objectContaining({ class: 'kept', reason: 'table_headers' }));
  });

  it('stay in a table with a slicer', async () => {
    const bytes = withParts(
      [{ rows: row(inline('<t>Item</t>')), parts: table('Sales', 'A1:A2', '', columns('Item')) }],
      [
        [
          'xl/workbook.xml',
          'slicerCache',
          'xl/s.xml',
          '<slicerCacheDefinition><tableSlicerCache tableId="1"/></slicerCacheDefinition>',
        ],
      ],
    );
    expect((await extract(bytes, { include: ['table_headers'] })).segments).toEqual([]);
    expect((await extract(bytes, { include: ['table_headers'] })).findings[0]!.code).toBe(
      'table_header_kept',
    );
  });

  it('stay on a sheet that is not selected', async () => {
    const { bytes } = await renamed(sales(), { 'Unit price': 'Prix' }, { pages: ['Sheet2'] });
    expect(partOf(bytes, 'xl/worksheets/s0.xml')).toBe(partOf(sales(), 'xl/worksheets/s0.xml'));
    expect(shownIn(bytes, 1)).toEqual(['2', 'Prix']);
  });

  it('are also in the warning about pivot tables', async () => {
    const cache =
      '<pivotCacheDefinition><cacheSource><worksheetSource name="Sales"/></cacheSource></pivotCacheDefinition>';
    const bytes = withParts(
      [{ rows: row(inline('<t>Pen</t>')) }],
      [
        ['xl/worksheets/s0.xml', 'pivotTable', 'xl/p.xml', '<p/>'],
        ['xl/p.xml', 'pivotCacheDefinition', 'xl/cache.xml', cache],
      ],
    );
    const warnings = async (include: Includable[]): Promise<number> =>
      (await extract(bytes, { include })).findings.filter(({ severity }) => severity === 'warning').length;
    expect([await warnings([]), await warnings(['table_headers'])]).toEqual([0, 1]);
  });
});

describe('the names of sheets', () => {
  const two = (...names: string[]): Uint8Array =>
    zipOf(workbookFiles(names.map((name) => ({ name, rows: row(inline('<t>Pen</t>')) }))));

  it('are segments after all others if the request includes them, and rows of the receipt', async () => {
    const bytes = two('Data', '2026', 'Rest');
    const { segments, outcome } = await extract(bytes, { include: ['sheet_names'], pages: ['data', '2026'] });
    expect(
      segments.map(({ regionId, cellId, kind, page, place }) => [regionId, cellId, kind, page, place]),
    ).toEqual([
      ['sheet1', 'A1', 'cell', 1, 'Data!A1'],
      ['sheet2', 'A1', 'cell', 2, '2026!A1'],
      ['sheet1', 'name', 'text_block', 1, 'Data, sheet name'],
    ]);
    expect(outcome?.kept).toEqual([
      { class: 'not_selected', reason: 'pages', texts: 2, characters: 7 },
      { class: 'kept', reason: 'number', texts: 1, characters: 4 },
    ]);
    expect((await extract(bytes)).outcome?.kept).toEqual([
      { class: 'not_selected', reason: 'sheet_names', texts: 3, characters: 12 },
    ]);
  });

  it.each([
    ['forbidden characters are replaced', ['A/B: [c]\\d', 'x?*'], ['A-B- (c)-d', 'x']],
    ['apostrophes and spaces at the ends are removed', ["'a' ", " l'été"], ['a', "l'été"]],
    ['equal names get numbers, whatever their letter case', ['Été', 'été'], ['Été', 'été (2)']],
    ['the reserved name gets a number', ['History', 'b'], ['History (2)', 'b']],
    [
      'a name is cut after a word, or in a long word',
      ['Zwölf Boxkämpfer jagen Viktor quer', 'x'.repeat(40)],
      ['Zwölf Boxkämpfer jagen Viktor', 'x'.repeat(31)],
    ],
    [
      'a number is within the maximum length',
      ['x'.repeat(40), 'x'.repeat(50)],
      ['x'.repeat(31), `${'x'.repeat(27)} (2)`],
    ],
    ['characters that belong together are not cut', [`${'x'.repeat(29)}👩‍💻`, 'b'], ['x'.repeat(29), 'b']],
    ['an empty name, or one of which nothing remains, is not used', ['', '??'], ['Data', 'Rest']],
    ['names may be exchanged', ['Rest', 'Data'], ['Rest', 'Data']],
  ])('are names that Excel accepts: %s', async (_, targets, expected) => {
    const places = { 'Data, sheet name': targets[0]!, 'Rest, sheet name': targets[1]! };
    const { bytes, findings } = await renamed(two('Data', 'Rest'), places);
    expect(sheetNames(bytes)).toEqual(expected);
    const tooLong = targets.filter((name) => name.length > 31).length;
    expect(findings.filter(({ code }) => code === 'text_truncated')).toHaveLength(tooLong);
  });

  it('stay different from a name that stays', async () => {
    const { bytes } = await renamed(two('Data', 'Rest'), { 'Data, sheet name': 'REST' });
    expect(sheetNames(bytes)).toEqual(['REST (2)', 'Rest']);
  });

  /** A workbook whose first sheet has this name, with references to it in all kinds of parts. */
  const referring = (name: string, written: string): Uint8Array => {
    const sheet = 'xl/worksheets/s1.xml';
    const after = `<conditionalFormatting sqref="A1"><cfRule><formula>${written}!$B$1&gt;1</formula><cfvo type="formula" val="${written}!$A$1"/></cfRule></conditionalFormatting><dataValidations><dataValidation><formula1>${written}!$A$1:$A$9</formula1><formula2>${written}!$A$1</formula2></dataValidation></dataValidations><hyperlinks><hyperlink ref="A1" location="${written}!A1"/></hyperlinks><extLst><ext><xm:f xmlns:xm="urn:xm">${written}!A1:B2</xm:f></ext></extLst>`;
    const cells = row(`<c><f>${written}!A1&amp;"Data!A1"</f><v>1</v></c>`, '<c><f>[1]Data!A1</f></c>');
    const titles = `<lpstr>${name}</lpstr><lpstr>Other</lpstr><lpstr>Data</lpstr><lpstr>${written}!Print_Area</lpstr>`;
    return withParts(
      [
        { name, rows: row('<c><v>1</v></c>') },
        { name: 'Other', rows: cells, after },
      ],
      [
        [sheet, 'drawing', 'xl/d.xml', `<wsDr><sp textlink="${written}!$A$1"><t>Data!A1</t></sp></wsDr>`],
        ['xl/d.xml', 'hyperlink', `#${encodeURI(written)}!A1`, ''],
        [
          'xl/d.xml',
          'chart',
          'xl/c.xml',
          `<chartSpace><pivotSource><name>[b.xlsx]${name}!P1</name></pivotSource><f>${written}!$A$1:$A$2</f><v>Data!A1</v></chartSpace>`,
        ],
        [sheet, 'vmlDrawing', 'xl/v.vml', `<xml><FmlaLink>${written}!$A$1</FmlaLink></xml>`],
        [sheet, 'ctrlProp', 'xl/p.xml', `<formControlPr fmlaLink="${written}!$A$1" fmlaRange="$A$1"/>`],
        [
          'xl/workbook.xml',
          'pivotCacheDefinition',
          'xl/cache.xml',
          `<pivotCacheDefinition><worksheetSource ref="A1:B2" sheet="${name}"/></pivotCacheDefinition>`,
        ],
        [
          'xl/workbook.xml',
          'pivotCacheDefinition',
          'xl/other.xml',
          '<pivotCacheDefinition xmlns:r="urn:r"><worksheetSource sheet="Data" r:id="r"/></pivotCacheDefinition>',
        ],
        ['xl/workbook.xml', 'externalLink', 'xl/e.xml', '<externalLink><f>Data!A1</f></externalLink>'],
        [
          '',
          'extended-properties',
          'docProps/app.xml',
          `<Properties><TitlesOfParts>${titles}</TitlesOfParts></Properties>`,
        ],
      ],
      `<definedNames><definedName name="Data">${written}!$A$1,${written}!$1:$2</definedName></definedNames>`,
    );
  };

  it('change in every reference, and nowhere else', async () => {
    const { bytes, findings } = await renamed(referring('Data', 'Data'), {
      'Data, sheet name': 'Les données',
    });
    const expected = referring('Les données', "'Les données'");
    for (const path of Object.keys(walkWorkbook(expected).parts))
      expect(partOf(bytes, path), path).toBe(partOf(expected, path));
    expect(findings).toEqual([]);
  });

  it('change in a link without the quotes that it should have', async () => {
    const linked = (name: string, location: string): Uint8Array =>
      zipOf(
        workbookFiles([
          {
            name,
            rows: '',
            after: `<hyperlinks><hyperlink ref="A1" location="${location}!A1"/></hyperlinks>`,
          },
        ]),
      );
    const { bytes } = await renamed(linked('My data', 'My data'), { 'My data': 'Rest' });
    expect(partOf(bytes, 'xl/worksheets/s0.xml')).toBe(
      partOf(linked('Rest', 'Rest'), 'xl/worksheets/s0.xml'),
    );
  });

  it('change in formulas of sheets that are not selected, which keep their own name', async () => {
    const bytes = zipOf(
      workbookFiles([
        { name: 'Data', rows: row(inline('<t>Pen</t>')) },
        { name: 'Rest', rows: row('<c><f>Data!A1</f></c>', inline('<t>Pen</t>')) },
      ]),
    );
    const { bytes: result } = await renamed(
      bytes,
      { Data: 'Données', Rest: 'x', Pen: 'y' },
      { pages: ['Data'] },
    );
    expect(sheetNames(result)).toEqual(['Données', 'Rest']);
    expect(unescapeXml(partOf(result, 'xl/worksheets/s1.xml'))).toBe(
      partOf(bytes, 'xl/worksheets/s1.xml').replace('Data!', 'Données!'),
    );
  });

  it('come with a warning about formulas that make references from texts', async () => {
    const formulas = { A1: 'INDIRECT(B1)', B1: 'INDIRECT("Data!A1")', C1: 'INDIRECT("Data!A"&amp;1)' };
    const cells = Object.entries(formulas).map(([cell, formula]) => `<c r="${cell}"><f>${formula}</f></c>`);
    const bytes = zipOf(workbookFiles([{ name: 'Data', rows: row(...cells) }]));
    const { findings } = await renamed(bytes, { 'Data, sheet name': 'Données' });
    expect(findings).toEqual([
      {
        severity: 'warning',
        code: 'unsupported_content_kept',
        message:
          '2 formulas make references from texts (Data!A1, Data!C1), which may contain old names of sheets or columns; check the results in Excel',
        unitId: null,
      },
    ]);
  });
});

it('a drawing of controls that is not XML stays, and the workbook is translated', async () => {
  const bytes = withParts(
    [{ name: 'Data', rows: row(inline('<t>Pen</t>')) }],
    [['xl/worksheets/s0.xml', 'vmlDrawing', 'xl/v.vml', '<xml><FmlaLink>Data!A1</FmlaLink><br></xml>']],
  );
  const { bytes: result } = await renamed(bytes, { Data: 'Rest' });
  expect(sheetNames(result)).toEqual(['Rest']);
  expect(partOf(result, 'xl/v.vml')).toBe(partOf(bytes, 'xl/v.vml'));
});
