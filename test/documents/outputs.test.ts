import { PDFDocument } from '@cantoo/pdf-lib';
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { madePdf } from '../formats/pdf-made.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const mine = useDocuments(app, engine);

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const pageWith = (text: string) => ({ content: text && `BT /F 12 Tf 50 300 Td (${text}) Tj ET` });
const pdf = async (...texts: string[]) =>
  new File([(await madePdf(...texts.map(pageWith))) as Uint8Array<ArrayBuffer>], 'two.pdf', {
    type: 'application/pdf',
  });
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const wordText = (bytes: Uint8Array) =>
  [...strFromU8(unzipSync(bytes)['word/document.xml']!).matchAll(/<w:t [^>]*>([^<]*)</g)].map(
    ([, text]) => text,
  );

test('the text of a PDF as a Word file has the name and type of a Word file, and a correction replaces it', async () => {
  const { body } = await mine.send({
    source_document: await pdf('First page', 'Second page'),
    output: 'docx',
    pages: '2',
    wait: '1',
  });
  expect([body.status, body.source_format, body.request.output]).toEqual(['translated', 'pdf', 'docx']);
  const response = await mine.download(body.id);
  expect(response.headers.get('content-type')).toBe(wordType);
  expect(response.headers.get('content-disposition')).toContain('two.docx');
  expect(response.headers.get('x-suggested-filename')).toBe('two.fr.docx');
  const [text] = wordText(await bytesOf(response));
  expect(engine.texts()).toEqual(['Second page']);
  expect(text).toContain('Second page');
  const [segment] = (await mine.segments(body.id)).segments;
  const corrections = [{ region_id: segment.region_id, target_text: 'La page deux' }];
  expect((await mine.reviewDocument(body.id, { corrections })).status).toBe(200);
  expect(wordText(await bytesOf(await mine.download(body.id)))).toEqual(['La page deux']);
  expect(engine.texts()).toEqual(['Second page']);
});

test('a bilingual PDF has both languages, and its selected pages only are doubled', async () => {
  const { body } = await mine.send({
    source_document: await pdf('First page', 'Second page'),
    output: 'bilingual',
    pages: '2',
    wait: '1',
  });
  const response = await mine.download(body.id);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('x-suggested-filename')).toBe('two.en-fr.pdf');
  expect((await PDFDocument.load(await bytesOf(response))).getPageCount()).toBe(3);
});

test('a PDF without text gives a Word file too', async () => {
  const { body } = await mine.send({ source_document: await pdf(''), output: 'docx', wait: '1' });
  expect(body.status).toBe('translated');
  expect(wordText(await bytesOf(await mine.download(body.id)))).toEqual([]);
});
