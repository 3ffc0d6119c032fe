import { describe, expect, test } from 'vitest';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { paragraph, wordFile } from './docx-file.ts';
import { fileOf } from './opendocument-file.ts';
import { deckOf, slideOf } from './pptx-file.ts';
import { inline, row, workbookOf } from './xlsx-file.ts';

/*
 * Alternative texts of pictures and shapes, which screen readers read: a format translates them or names their number. A
 * row is a kind of text; a cell is an Office file, with its texts or its finding.
 */

type Cell = readonly [format: LayoutKind, file: Uint8Array, expected: readonly string[]];

const picture = (attributes: string) =>
  paragraph(
    `<w:r><w:drawing><wp:docPr xmlns:wp="x" id="1" name="Picture 1" ${attributes}/></w:drawing></w:r>`,
  );
const vml = (attributes: string) =>
  paragraph(`<w:r><w:pict><v:shape xmlns:v="v" ${attributes}/></w:pict></w:r>`);
const drawing = (attributes: string) =>
  workbookOf([
    {
      rows: row(inline('<t>Hi</t>')),
      parts: {
        'drawings/d.xml': [
          'drawing',
          `<xdr:wsDr xmlns:xdr="x" xmlns:mc="m"><xdr:pic><xdr:cNvPr id="1" name="Picture 1" ${attributes}/></xdr:pic><mc:Fallback><xdr:cNvPr ${attributes}/></mc:Fallback></xdr:wsDr>`,
        ],
      },
    },
  ]);
const slide = (attributes: string) =>
  deckOf(slideOf(`<p:pic><p:nvPicPr><p:cNvPr id="1" name="Picture 1" ${attributes}/></p:nvPicPr></p:pic>`));
const kept = (count = 1) => [
  `${count === 1 ? '1 alternative text is' : `${count} alternative texts are`} not translated`,
];

const rows: Readonly<Record<string, readonly Cell[]>> = {
  'a description': [
    ['docx', wordFile(picture('descr="A red house"') + picture('descr="B"')), kept(2)],
    ['docx', wordFile(vml('alt="A red house"')), kept()],
    ['xlsx', drawing('descr="A red house"'), kept()],
    ['pptx', slide('descr="A red house"'), kept()],
    [
      'odt',
      fileOf({ body: '<text:p>Hi<draw:frame><svg:desc>A red house</svg:desc></draw:frame></text:p>' }),
      ['Hi', 'A red house'],
    ],
  ],
  'a title': [
    ['docx', wordFile(picture('title="House" descr="A red house"')), kept()],
    ['xlsx', drawing('title="House"'), kept()],
    ['pptx', slide('title="House"'), kept()],
    [
      'odt',
      fileOf({ body: '<text:p>Hi<draw:frame><svg:title>House</svg:title></draw:frame></text:p>' }),
      ['Hi', 'House'],
    ],
  ],
  'the name of a file, and no text': [
    ['docx', wordFile(picture('descr="house.png"') + picture('descr=""') + picture('descr="12"')), []],
    ['xlsx', drawing('descr="house.png"'), []],
    ['pptx', slide('descr="house.jpeg"'), []],
  ],
};

describe.each(Object.entries(rows))('alternative texts: %s', (_, cells) => {
  test.each(cells)('in a %s file', async (format, file, expected) => {
    const { extract } = await layoutFormats[format]();
    const { segments, findings, outcome } = await extract(file);
    const messages = findings.flatMap(({ message }) => (/alternative/.test(message) ? [message] : []));
    const texts = format === 'odt' ? segments.map(({ source }) => source.join('')) : messages;
    expect(texts).toEqual(expected);
    expect(outcome?.unaccounted).toBe(0);
  });
});

test('an alternative text of a drawing whose texts are translated is named, too', async () => {
  const { extract } = await layoutFormats.xlsx();
  const { findings } = await extract(drawing('descr="A red house"'), { include: ['text_boxes'] });
  expect(findings.map(({ message }) => message)).toEqual(kept());
});
