import { describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { textByPdfjs, withPdf } from '../formats/golden-pdf-readers.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

const pdfFile = (path: string): File =>
  new File([new Uint8Array(corpusFile(path))], path.slice(path.indexOf('/') + 1), {
    type: 'application/pdf',
  });

/** A PDF file of four pages, one in each rotation. */
const turned = 'pdf/made-rotations-labels-links.pdf';

const translate = (path: string, form = {}) =>
  mine.translate([], { source_document: pdfFile(path), ...form });

async function downloaded(id: string): Promise<Uint8Array> {
  const response = await mine.download(id);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  return new Uint8Array(await response.arrayBuffer());
}

type Rectangle = [left: number, bottom: number, right: number, top: number];

interface ListedSegment {
  region_id: string;
  page: number;
  source_text: string;
  target_text: string;
  source_rectangles: Rectangle[];
  target_rectangles: Rectangle[];
}

async function listed(id: string): Promise<ListedSegment[]> {
  return (await mine.segments(id, '?limit=500')).segments;
}

const texts = (text: string): string => text.replace(/\s+/g, ' ');

describe('a PDF (C 5)', { timeout: 60_000 }, () => {
  test('is translated in place: the download has its pages, with the translations as text', async () => {
    const { id, ...job } = await translate(turned);
    expect(job).toMatchObject({
      status: 'translated',
      source_format: 'pdf',
      source_file_name: 'made-rotations-labels-links.pdf',
      failure: null,
    });
    const bytes = await downloaded(id);
    const pages = await withPdf(new Uint8Array(bytes), async (document) =>
      Promise.all([1, 2, 3, 4].map(async (number) => (await document.getPage(number)).rotate)),
    );
    expect(pages).toEqual([0, 90, 180, 270]);
    const text = texts(await textByPdfjs(new Uint8Array(bytes)));
    const segments = await listed(id);
    expect(segments.length).toBeGreaterThan(10);
    for (const { source_text, target_text } of segments) {
      expect(target_text).toBe(`fr of ${source_text}`);
      expect(text).toContain(texts(target_text));
    }
    const raw = segments.reduce((sum, { source_text }) => sum + source_text.length, 0);
    expect(job.billable_chars).toBe(raw);
  });

  test('of scanned pages in a language that cannot be recognized is not translated, has a finding, and is not billed', async () => {
    const job = await translate('pdf/made-scanned-no-text.pdf', { source_lang: 'ru' });
    expect(job).toMatchObject({ status: 'translated', billable_chars: 0 });
    expect(job.quality_report.findings).toEqual([
      expect.objectContaining({
        code: 'no_translatable_text',
        message: expect.stringContaining('images'),
      }),
    ]);
    expect(engine.asked).toEqual([]);
    expect(await withPdf(await downloaded(job.id), async ({ numPages }) => numPages)).toBe(3);
  });

  test.each([
    ['bad/password-user.pdf', 'the PDF is protected by a password'],
    ['bad/garbage.pdf', 'the file is not a PDF'],
    ['bad/flate-bomb.pdf', 'the unpacked size in bytes of one stream of the PDF is over the limit of'],
  ])('that cannot be read fails its job, and is 400 with wait=true: %s', async (path, message) => {
    const { status, body } = await mine.send({ source_document: pdfFile(path) });
    expect(status).toBe(202);
    await mine.run(body.id);
    const job = await mine.read(body.id);
    expect(job).toMatchObject({
      status: 'failed',
      failure: { stage: 'extract', message: expect.stringContaining(message) },
      error: expect.stringContaining(message),
      billable_chars: 0,
    });
    const waited = await mine.send({ source_document: pdfFile(path), wait: 'true' });
    expect([waited.status, waited.body.detail]).toEqual([400, expect.stringContaining(message)]);
    expect(await mine.records()).toEqual([]);
  });
});
