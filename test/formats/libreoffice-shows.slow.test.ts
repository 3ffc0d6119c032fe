import { strFromU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { LayoutFormat } from '#server/formats/document.ts';
import * as docx from '#server/formats/docx.ts';
import { ods, odt } from '#server/formats/opendocument.ts';
import { paragraph, run } from './docx-file.ts';
import { wordFiles, zipOf } from './flatten-zip.ts';
import { convertByLibreOffice } from './libreoffice.ts';
import { fileOf } from './opendocument-file.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'de' };

async function inCapitals(format: LayoutFormat, bytes: Uint8Array): Promise<Uint8Array> {
  const { segments } = await format.extract(bytes, languages);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    ...{ regionId, cellId },
    target: source.map((item) => (typeof item === 'string' ? item.toUpperCase() : item)),
  }));
  return (await format.rebuild(bytes, translations, languages)).bytes;
}

/** The lines of a text, without the quotation marks of CSV. */
const linesOf = (text: Uint8Array): string[] =>
  strFromU8(text)
    .replace(/["\ufeff]/g, '')
    .trim()
    .split(/\s*\n/);

const valued = (value: string, content: string, more = 'office:value-type="string"'): string =>
  `<table:table-row><table:table-cell ${more} office:string-value="${value}">${content}</table:table-cell></table:table-row>`;
const rows = [
  valued('only an attribute', ''),
  valued('both forms', '<text:p>both forms</text:p>'),
  valued('two&#10;paragraphs', '<text:p>two</text:p><text:p>paragraphs</text:p>'),
  valued('other value', '<text:p>other words</text:p>'),
  '<table:table-row><table:table-cell office:value-type="string"><text:p>plain text</text:p></table:table-cell></table:table-row>',
].join('');
const shown = ['ONLY AN ATTRIBUTE', 'BOTH FORMS', 'TWO', 'PARAGRAPHS', 'OTHER VALUE', 'PLAIN TEXT'];

const packages = 'http://schemas.openxmlformats.org/package/2006';
/** A Word file with all that LibreOffice needs. */
const packageOf = (body: string): Uint8Array => {
  const files = Object.entries(wordFiles(body)).map(([path, xml]) => [
    path,
    xml.replace('<Relationships>', `<Relationships xmlns="${packages}/relationships">`),
  ]);
  const types = `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
  return zipOf({ '[Content_Types].xml': types, ...Object.fromEntries(files) });
};

describe('LibreOffice shows the translation', () => {
  it('of cells whose value is in an attribute', async ({ skip }) => {
    const untyped = valued('no type', '<text:p>no type</text:p>', 'table:style-name="a"');
    const body = `<table:table table:name="S">${rows}${untyped}</table:table>`;
    const bytes = await inCapitals(ods, fileOf({ kind: 'spreadsheet', body, isComplete: true }));
    const saved = convertByLibreOffice({ 'cells.ods': bytes }, 'csv');
    if (!saved) return skip('LibreOffice is not installed');
    expect(linesOf(saved['cells.ods']!)).toEqual([...shown, 'NO TYPE']);
  });

  it('of such cells in the table of a text', async ({ skip }) => {
    const body = `<table:table table:name="T"><table:table-column/>${rows}</table:table>`;
    const bytes = await inCapitals(odt, fileOf({ body, isComplete: true }));
    const saved = convertByLibreOffice({ 'cells.odt': bytes }, 'txt', { filter: 'Text' });
    if (!saved) return skip('LibreOffice is not installed');
    expect(linesOf(saved['cells.odt']!)).toEqual(shown);
  });

  it('of a drop cap as one paragraph', async ({ skip }) => {
    const frame =
      '<w:pPr><w:framePr w:dropCap="drop" w:lines="3" w:wrap="around" w:vAnchor="text" w:hAnchor="text"/></w:pPr>';
    const file = packageOf(paragraph(frame, run('o')) + paragraph(run('nce upon a time.')));
    const saved = convertByLibreOffice({ 'cap.docx': await inCapitals(docx, file) }, 'txt', {
      filter: 'Text',
    });
    if (!saved) return skip('LibreOffice is not installed');
    expect(linesOf(saved['cap.docx']!)).toEqual(['ONCE UPON A TIME.']);
  });
});
