import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { formatTagged } from '#server/formats/inline-content.ts';
import { ods, odt } from '#server/formats/opendocument.ts';
import { fileOf } from './opendocument-file.ts';

const options = { sourceLanguage: 'en', targetLanguage: 'fr' };
const textsOf = async (bytes: Uint8Array) =>
  (await odt.extract(bytes, options)).segments.map(({ source }) => formatTagged(source));
const object = (kind: string, content: string) =>
  `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`;
const manifest = (...entries: [path: string, type: string][]) =>
  `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">${entries
    .map(
      ([path, type]) =>
        `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type && `application/vnd.oasis.opendocument.${type}`}"/>`,
    )
    .join('')}</manifest:manifest>`;
const translated = async (bytes: Uint8Array, translate = (text: string) => `[fr] ${text}`) => {
  const { segments } = await odt.extract(bytes, options);
  const translations = segments.map(({ source, ...key }) => ({
    ...key,
    target: source.map((one) => (typeof one === 'string' ? translate(one) : one)),
  }));
  return unzipSync((await odt.rebuild(bytes, translations, options)).bytes);
};

test('charts and documents inside of a file are counted as kept, and named', async () => {
  const bytes = fileOf({
    body: '<text:p>Report</text:p>',
    more: {
      'META-INF/manifest.xml': `<!DOCTYPE manifest:manifest>${manifest(['/', 'text'], ['Object 1/', 'chart'], ['Object 2/', 'spreadsheet'], ['Object 3/', 'text'])}`,
      'Object 1/content.xml': object(
        'chart',
        '<chart:title><text:p>Sales</text:p></chart:title><text:p>2026</text:p>',
      ),
      'Object 2/content.xml': object('spreadsheet', '<text:p>Net price</text:p>'),
    },
  });
  const { segments, findings, outcome } = await odt.extract(bytes, options);
  expect(segments.map(({ source }) => source)).toEqual([['Report']]);
  expect(findings.map(({ message }) => message)).toEqual([
    '1 chart is not translated',
    '1 embedded document is not translated',
  ]);
  expect(outcome).toMatchObject({ unaccounted: 0 });
  expect(JSON.stringify(outcome)).toMatch(/charts.*embedded_documents/);
  const parts = await translated(bytes);
  expect(strFromU8(parts['Object 1/content.xml']!)).toContain('<text:p>Sales</text:p>');
  expect(strFromU8(parts['content.xml']!)).toContain('[fr] Report');
});

test('a file without the entry "mimetype" is read if its manifest has the type', async () => {
  const withType = (type: string) => {
    const { mimetype: _, ...parts } = unzipSync(fileOf({ kind: 'text', body: '<text:p>Hello</text:p>' }));
    return zipSync({ ...parts, 'META-INF/manifest.xml': strToU8(`\ufeff${manifest(['/', type])}`) });
  };
  expect(await textsOf(withType('text'))).toEqual(['Hello']);
  await expect(ods.extract(withType('text'), options)).rejects.toThrow('not an OpenDocument spreadsheet');
  await expect(odt.extract(withType(''), options)).rejects.toThrow('lacks a media type');
});

test('a part that does not declare the namespace of languages gets none', async () => {
  const parts = unzipSync(fileOf({ body: '<text:p>Hello</text:p>', styles: '' }));
  const style = 'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"';
  const styles = (more: string) =>
    `<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" ${style}${more}><style:default-style style:family="paragraph"><style:text-properties/></style:default-style></office:document-styles>`;
  const rebuilt = async (more: string) => {
    const file = zipSync({ ...parts, 'styles.xml': strToU8(styles(more)) });
    return strFromU8((await translated(file))['styles.xml']!);
  };
  expect(await rebuilt('')).toBe(styles(''));
  const declared = ' xmlns:f="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"';
  expect(await rebuilt(declared)).toContain('<style:text-properties f:language="fr" f:country="FR"/>');
});

test('a text keeps the format that its style has from a style of the file', async () => {
  const bytes = fileOf({
    body: '<text:p>By <text:span text:style-name="T9">Ada</text:span> and others</text:p>',
    styles:
      '<office:styles><style:style style:name="Strong" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style></office:styles>',
  });
  const parts = unzipSync(bytes);
  const content = strFromU8(parts['content.xml']!).replace(
    '</office:automatic-styles>',
    '<style:style style:name="T9" style:family="text" style:parent-style-name="Strong"><style:text-properties fo:language="en"/></style:style></office:automatic-styles>',
  );
  expect(await textsOf(zipSync({ ...parts, 'content.xml': strToU8(content) }))).toEqual([
    'By <1>Ada</1> and others',
  ]);
});

test('results of matrix formulas and copies of tables in other files stay', async () => {
  const cell = (text: string, more = '') =>
    `<table:table-cell office:value-type="string"${more}><text:p>${text}</text:p></table:table-cell>`;
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
  const formula =
    ' table:formula="of:=A1:A2" table:number-matrix-columns-spanned="2" table:number-matrix-rows-spanned="2"';
  const body =
    `<table:table table:name="S">${row(cell('Tea'), cell('R1', formula), cell('R2'), cell('Cup'))}${row(cell('Pot'), cell('R3'), cell('R4'))}${row(cell('Can'), cell('Jar'))}</table:table>` +
    `<table:table table:name="'file:///b.ods'#T"><table:table-source table:mode="copy-results-only"/>${row(cell('Copy'))}</table:table><table:table table:name="U">${row(cell('Mug'))}</table:table>`;
  const { segments, outcome } = await ods.extract(fileOf({ kind: 'spreadsheet', body }), options);
  expect(segments.map(({ source }) => source.join(''))).toEqual(['Tea', 'Cup', 'Pot', 'Can', 'Jar', 'Mug']);
  expect(outcome?.kept).toMatchObject([{ reason: 'sheet_names' }, { reason: 'formula_result', texts: 5 }]);
});

test('a text that fits in its cell is in a finding if its translation is cut there', async () => {
  const style = (name: string, family: string, content: string) =>
    `<style:style style:name="${name}" style:family="${family}"><style:${family}-properties ${content}/></style:style>`;
  const styles = `<office:styles><style:default-style style:family="table-cell"><style:text-properties fo:font-size="10pt"/></style:default-style>${style('wide', 'table-column', 'style:column-width="10cm"')}${style('narrow', 'table-column', 'style:column-width="1in"')}${style('wrap', 'table-cell', 'fo:wrap-option="wrap"')}<style:style style:name="own" style:family="table-cell" style:parent-style-name="wrap"><style:text-properties fo:font-size="8pt"/></style:style></office:styles>`;
  const cell = (text: string, more = '') =>
    `<table:table-cell office:value-type="string"${more}><text:p>${text}</text:p></table:table-cell>`;
  const columns =
    '<table:table-column table:style-name="narrow" table:number-columns-repeated="2"/><table:table-column table:style-name="wide"/><table:table-column table:style-name="narrow" table:default-cell-style-name="own"/><table:table-column table:style-name="other"/>';
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
  const number =
    '<table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>';
  const bytes = fileOf({
    kind: 'spreadsheet',
    styles,
    body: `<table:table table:name="S">${columns}${[
      row(cell('A'), cell('B'), cell('C'), cell('D'), cell('E'), number),
      row(cell('A'), '<table:table-cell/>', cell('C')),
      row(cell('A', ' table:style-name="own"'), cell('B', ' table:number-columns-spanned="2"'), number),
      row(cell('This source is too wide for its cell'), cell('B', ' table:style-name="unknown"'), number),
    ].join('')}</table:table>`,
  });
  const { segments } = await ods.extract(bytes, options);
  const translations = segments.map(({ source, ...key }) => ({
    ...key,
    target: [`${source} and a longer text`],
  }));
  const { findings } = await ods.rebuild(bytes, translations, options);
  expect(findings.map(({ severity, code, message }) => [severity, code, message])).toEqual(
    ['S!A1', 'S!B1', 'S!B4'].map((place) => [
      'info',
      'text_too_long',
      `the translation of ${place} is wider than its column, and the next cell is not empty`,
    ]),
  );
});
