import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { link, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { partsOf } from '../formats/docx-walk.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const mine = useDocuments(app, engine);

const box = (text: string): string =>
  `<w:txbxContent><w:tbl><w:tr><w:tc>${paragraph(run(text))}</w:tc></w:tr></w:tbl></w:txbxContent>`;
const both = (text: string): string =>
  `<w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice><w:drawing>${box(text)}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box(text)}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
const bytes = wordFile(paragraph(run('Body'), both('Boxed')) + paragraph(link(run('Link'))), {
  footnotes: `<w:footnotes><w:footnote w:id="2">${paragraph(run('Noted'))}</w:footnote></w:footnotes>`,
  comments: `<w:comments><w:comment w:id="1">${paragraph(run('Remark'))}</w:comment></w:comments>`,
});
const docx = () => new File([bytes as Uint8Array<ArrayBuffer>], 'a.docx');
const send = (include?: string) =>
  mine.send({ source_document: docx(), wait: '1', ...(include && { include }) });

describe('a DOCX with notes and text boxes', () => {
  test('is translated without them by default, and the report names the field that includes them', async () => {
    const { body } = await send();
    expect(engine.texts()).toEqual(['Body', 'Link']);
    expect(body.quality_report.findings.map(({ message }: { message: string }) => message)).toEqual([
      '1 text box is not translated (21% of the visible characters); add `text_boxes` to `include` to translate them',
      '1 footnote is not translated (21% of the visible characters); add `footnotes` to `include` to translate them',
      '1 comment is not translated; add `comments` to `include` to translate them',
    ]);
    expect(body.quality_report.metadata.receipt.rows).toEqual(
      expect.arrayContaining([
        { outcome: 'not_selected', reason: 'footnotes', texts: 1, characters: 5 },
        { outcome: 'not_selected', reason: 'text_boxes', texts: 1, characters: 5 },
        { outcome: 'not_selected', reason: 'comments', texts: 1, characters: 6 },
      ]),
    );
  });

  test('is translated with what the request includes, which is billed and in the receipt', async () => {
    const { status, body } = await send('text_boxes,footnotes');
    expect([status, body.request.include]).toEqual([200, ['footnotes', 'text_boxes']]);
    expect(engine.texts().toSorted()).toEqual(['Body', 'Boxed', 'Link', 'Noted']);
    expect(body.billable_chars).toBe('BodyBoxedLinkNoted'.length);
    expect(body.quality_report.metadata.receipt.rows).toEqual([
      expect.objectContaining({ outcome: 'translated', texts: 4, characters: 18 }),
      expect.objectContaining({ outcome: 'not_selected', reason: 'comments' }),
    ]);
    const parts = partsOf(new Uint8Array(await (await mine.download(body.id)).arrayBuffer()));
    expect(parts['word/document.xml']!.match(/fr of Boxed/g)).toHaveLength(2);
    expect(parts['word/footnotes.xml']).toContain('fr of Noted');
    expect(parts['word/comments.xml']).toContain('>Remark<');
  });

  test('has places for them in the editor, and corrections are written into them', async () => {
    const { body } = await send('text_boxes,footnotes');
    const { boxes } = (await mine.query('boxes', { document_id: body.id })).body;
    expect(boxes.map(({ anchor }: { anchor: unknown }) => anchor)).toEqual([
      { type: 'paragraph', part: 'word/document.xml', paragraph: 1 },
      {
        ...{ type: 'table_cell', part: 'word/document.xml', object: 'text box 1' },
        ...{ table: 1, row: 1, column: 1, paragraph: 1 },
      },
      { type: 'paragraph', part: 'word/document.xml', paragraph: 2 },
      { type: 'paragraph', part: 'word/footnotes.xml', object: 'footnote 1', paragraph: 1 },
    ]);
    const corrections = [
      { region_id: 'box1-t1', cell_id: 'r1c1', target_text: 'Encadré' },
      { region_id: 'footnote1-p1', target_text: 'Noté' },
    ];
    expect((await mine.reviewDocument(body.id, { corrections, reviewer: 'Ada' })).status).toBe(200);
    const parts = partsOf(new Uint8Array(await (await mine.download(body.id)).arrayBuffer()));
    expect(parts['word/document.xml']!.match(/Encadré/g)).toHaveLength(2);
    expect(parts['word/footnotes.xml']).toContain('Noté');
    expect((await mine.query('outline', { document_id: body.id })).status).toBe(200);
  });

  test('cannot include what its format does not have', async () => {
    const { status, body } = await send('sheet_names');
    expect([status, body.error_code]).toEqual([400, 'validation_error']);
  });
});
