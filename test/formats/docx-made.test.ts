import {
  Document,
  ExternalHyperlink,
  Footer,
  FootnoteReferenceRun,
  Header,
  HeadingLevel,
  Packer,
  PageNumber,
  Paragraph,
  Tab,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx';
import { expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/docx.ts';
import { flatten } from '#server/formats/flatten.ts';
import { formatTagged } from '#server/formats/inline-content.ts';

/** A document as programs write them with a library. */
function makeDocument(): Promise<Uint8Array> {
  const cell = (text: string): TableCell => new TableCell({ children: [new Paragraph(text)] });
  const document = new Document({
    footnotes: { 1: { children: [new Paragraph('1993')] } },
    sections: [
      {
        headers: { default: new Header({ children: [new Paragraph('Acme pumps')] }) },
        footers: {
          default: new Footer({
            children: [
              new Paragraph({
                children: [
                  new TextRun({ children: ['Page ', PageNumber.CURRENT, ' of ', PageNumber.TOTAL_PAGES] }),
                ],
              }),
            ],
          }),
        },
        children: [
          new Paragraph({ text: 'Manual', heading: HeadingLevel.HEADING_1 }),
          new Paragraph({
            children: [
              new TextRun('Read '),
              new ExternalHyperlink({
                link: 'https://example.com/safety',
                children: [new TextRun({ text: 'the safety rules', style: 'Hyperlink' })],
              }),
              new TextRun({ text: ' first', bold: true }),
              new FootnoteReferenceRun(1),
              new TextRun({ children: [new Tab(), 'today'] }),
            ],
          }),
          new Table({ rows: [new TableRow({ children: [cell('Valve'), cell('12')] })] }),
        ],
      },
    ],
  });
  return Packer.toBuffer(document);
}

it('a document made by a library has the same text in the other language, by the reader of flat text too', async () => {
  const bytes = await makeDocument();
  const { segments, findings } = await extract(bytes);
  expect(findings).toEqual([]);
  expect(segments.map(({ kind, source }) => [kind, formatTagged(source)])).toEqual([
    ['header', 'Acme pumps'],
    ['heading', 'Manual'],
    ['paragraph', 'Read <1>the safety rules</1> first<2/>today'],
    ['table_cell', 'Valve'],
    ['footer', 'Page <1/> of <2/>'],
  ]);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    regionId,
    cellId,
    target: source.map((item) => (typeof item === 'string' ? item.toUpperCase() : item)),
  }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  expect(await flatten('docx', rebuilt.bytes)).toBe((await flatten('docx', bytes)).toUpperCase());
});
