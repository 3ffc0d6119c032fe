import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { partsOf } from '../formats/docx-walk.ts';
import { deckOf, paragraph, run, shape } from '../formats/pptx-file.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const mine = useDocuments(app, engine);

const bytes = deckOf({
  slides: [
    { shapes: shape(paragraph(run('First')), { frame: [10, 20, 100, 50] }) },
    { shapes: shape(paragraph(run('Second'))) },
    { shapes: shape(paragraph(run('Hidden'))), hidden: true },
  ],
  master: shape(paragraph(run('Master'))),
});
const send = (fields: Record<string, string> = {}) =>
  mine.send({
    ...{ source_document: new File([bytes as Uint8Array<ArrayBuffer>], 'talk.pptx'), wait: '1' },
    ...fields,
  });

describe('a presentation', () => {
  test('is translated in place, and its download has its media type and name', async () => {
    const { status, body } = await send();
    expect([status, body.status, body.source_format]).toEqual([200, 'translated', 'pptx']);
    expect(engine.texts()).toEqual(['First', 'Second']);
    expect(body.quality_report.findings.map(({ message }: { message: string }) => message)).toContain(
      '1 hidden slide is not translated; add `hidden` to `include` to translate them',
    );
    const download = await mine.download(body.id);
    expect(download.headers.get('content-type')).toBe(
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    );
    expect(download.headers.get('x-suggested-filename')).toBe('talk.fr.pptx');
    const parts = partsOf(new Uint8Array(await download.arrayBuffer()));
    expect(parts['ppt/slides/slide1.xml']).toContain('fr of First');
    expect(parts['ppt/slides/slide3.xml']).toContain('>Hidden<');
  });

  test('is translated with the slides and the parts that the request names', async () => {
    const { body } = await send({ pages: '1,3', include: 'hidden,masters' });
    expect(engine.texts().toSorted()).toEqual(['First', 'Hidden', 'Master']);
    expect([body.request.pages, body.request.include]).toEqual([
      ['1', '3'],
      ['masters', 'hidden'],
    ]);
    expect((await send({ pages: '4' })).status).toBe(400);
    expect((await send({ include: 'footnotes' })).status).toBe(400);
  });

  test('has places on slides in the editor', async () => {
    const { body } = await send({ include: 'masters' });
    const { boxes } = (await mine.query('boxes', { document_id: body.id })).body;
    expect(
      boxes.map(({ anchor, page, source_rectangles: places }: Record<string, unknown>) => [
        anchor,
        page,
        places,
      ]),
    ).toEqual([
      [{ type: 'slide', place: 'slide 1, paragraph 1' }, 1, [[10, 470, 110, 520]]],
      [{ type: 'slide', place: 'slide 2, paragraph 1' }, 2, null],
      [{ type: 'slide', place: 'master 1, paragraph 1' }, null, null],
    ]);
  });
});
