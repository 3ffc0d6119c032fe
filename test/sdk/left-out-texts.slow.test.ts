import { describe, expect, it } from 'vitest';
import { findLeftOutTexts } from '#sdk/left-out-texts.ts';
import { extract as extractDocx } from '#server/formats/docx.ts';
import { extract as extractXlsx } from '#server/formats/xlsx.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { field, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { inline, row, workbookOf } from '../formats/xlsx-file.ts';

const box = (text: string) =>
  `<w:r><w:pict><w:txbxContent>${paragraph(run(text))}</w:txbxContent></w:pict></w:r>`;
const control = (properties: string, text: string) =>
  `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${paragraph(run(text))}</w:sdtContent></w:sdt>`;

describe('the texts of a file that stay by default', () => {
  it.each<[string, string, string[]]>([
    ['a text box', paragraph(run('a'), box('one')), ['text_boxes']],
    ['a text box with a number', paragraph(run('a'), box('12')), []],
    ['a content control', control('<w:alias w:val="x"/>', 'one'), ['content_controls']],
    ['a list', control('<w:dropDownList/>', 'one'), []],
    [
      'a table of contents',
      `<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>${paragraph(field(' TOC ', run('one')))}</w:sdtContent></w:sdt>`,
      [],
    ],
  ])('%s', async (_, body, kinds) => {
    expect(await findLeftOutTexts(wordFile(body))).toEqual(kinds);
  });

  it('are absent in another file, and in one that cannot be read', async () => {
    for (const bytes of [new Uint8Array(), Buffer.from('PK but no archive'), wordFile('').subarray(0, 100)])
      expect(await findLeftOutTexts(bytes)).toEqual([]);
  });

  it('are those of shapes in a workbook', async () => {
    const parts: Record<string, [string, string]> = {
      'drawings/drawing1.xml': [
        'drawing',
        '<x:wsDr xmlns:x="x" xmlns:a="a"><x:txBody><a:p><a:t>Box</a:t></a:p></x:txBody></x:wsDr>',
      ],
    };
    expect(await findLeftOutTexts(workbookOf([{ rows: row(inline('<t>a</t>')), parts }]))).toEqual([
      'text_boxes',
    ]);
  });

  const names = ['docx', 'xlsx'].flatMap((folder) => corpusNames(folder).map((name) => `${folder}/${name}`));
  it.each(names)('are those that the service proposes: %s', async (name) => {
    const bytes = corpusFile(name);
    const { include = [] } = await (name.endsWith('.docx') ? extractDocx : extractXlsx)(bytes);
    // A text box may be in a content control or a tracked change, under which the receipt counts it.
    const found = (await findLeftOutTexts(bytes)).filter(
      (kind) => include.includes(kind) || kind !== 'text_boxes',
    );
    expect(found.toSorted()).toEqual(include.toSorted());
  });
});
