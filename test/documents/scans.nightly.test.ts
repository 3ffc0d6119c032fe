import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { renderGoldenPdf } from '#server/formats/golden/pdf.ts';
import { recognize } from '#server/formats/pdf.ts';
import { Sandbox } from '#server/platform/sandbox/sandbox.ts';
import type { tasks } from '#server/platform/sandbox/tasks.ts';
import { env } from '#test/factories.ts';
import { runPoppler } from '#test/fidelity/eye/poppler.ts';
import { missingForScans } from '#test/fidelity/scans/measure.ts';
import { scanOf } from '#test/fidelity/scans/scan.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { imagePdf, truncatedJpeg } from '../formats/scanned-pdf.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const missing = missingForScans();
if (missing) console.warn(`scans are not tested: ${missing}`);

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

const letter = `Dear Madam

The garden behind the old library opens in the spring, and every visitor may plant one tree.

Please bring a warm coat, because the evenings are still cold.`;

const scanOfLetter = async (skew = 1): Promise<Uint8Array> =>
  scanOf(await renderGoldenPdf({ text: letter, language: 'en', title: 'Letter' }), {
    dpi: 150,
    skew,
    noise: 10,
    paper: [244, 236, 214],
  });

/** A scan in which some words are hardly legible. */
const coarseScan = async (): Promise<Uint8Array> =>
  scanOf(await renderGoldenPdf({ text: letter, language: 'en', title: 'Letter' }), {
    dpi: 50,
    skew: 2,
    noise: 0,
  });

const pdfFile = (bytes: Uint8Array): File =>
  new File([new Uint8Array(bytes)], 'scan.pdf', { type: 'application/pdf' });
const translate = (bytes: Uint8Array) => mine.translate([], { source_document: pdfFile(bytes) });

/** Reads the text of a PDF with pdftotext, with single spaces. */
function textOf(pdf: Uint8Array): string {
  const directory = mkdtempSync(join(tmpdir(), 'scans-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'result.pdf');
  writeFileSync(path, pdf);
  return runPoppler('pdftotext', ['-raw', path, '-']).toString('utf8').replace(/\s+/g, ' ').trim();
}

/** Reads the words that a person sees on the first page. */
async function seenWords(pdf: Uint8Array): Promise<string> {
  const picture = await scanOf(pdf, { dpi: 200, skew: 0, noise: 0 });
  const { lines } = await recognize(picture, 1, 'en');
  return lines.flatMap(({ words }) => words.map(({ text }) => text)).join(' ');
}

const bomb = {
  bytes: truncatedJpeg(60_000, 60_000),
  entries: { Width: 100, Height: 100, ColorSpace: 'DeviceGray', BitsPerComponent: 8, Filter: 'DCTDecode' },
};

describe.skipIf(missing)('a scanned PDF', () => {
  test('is translated in place: the translation can be copied, and the source is not visible', async () => {
    engine.reply = ({ segments }) => segments.map((text) => text.replace(/\b[a-z]{4,}\b/g, 'zebra'));
    const { id, ...job } = await translate(await scanOfLetter());
    expect(job).toMatchObject({ status: 'translated', failure: null });
    const { segments } = await mine.segments(id);
    expect(segments.map(({ source_text }: { source_text: string }) => source_text)).toEqual(
      letter.split('\n\n'),
    );
    const result = new Uint8Array(await (await mine.download(id)).arrayBuffer());
    const text = textOf(result);
    for (const { target_text } of segments) expect(text).toContain(target_text);
    const seen = await seenWords(result);
    expect(seen).toContain('zebra');
    expect(seen).not.toMatch(/garden|library|spring|visitor|evenings/);
    expect(job.quality_report.findings).toContainEqual(
      expect.objectContaining({ code: 'text_recognized', message: expect.stringContaining('1 page') }),
    );
    const outcomes = job.quality_report.metadata.receipt.rows.map(
      ({ outcome }: { outcome: string }) => outcome,
    );
    expect(outcomes).toEqual(['translated', 'unchanged']);
  });

  test('a correction is set in place, too, without another recognition', async () => {
    const { id } = await translate(await scanOfLetter());
    const { region_id } = (await mine.segments(id)).segments[0];
    const corrections = [{ region_id, target_text: 'Corrected greeting' }];
    expect((await mine.reviewDocument(id, { corrections })).status).toBe(200);
    const result = new Uint8Array(await (await mine.download(id)).arrayBuffer());
    expect(textOf(result)).toContain('Corrected greeting');
  });

  test('with uncertain words cannot be approved before a reviewer has confirmed them', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const { id } = await translate(await coarseScan());
    const { segments } = await mine.segments(id);
    const doubtful = segments.filter(
      ({ quality }: { quality: { needs_review: boolean } }) => quality.needs_review,
    );
    expect(doubtful.length).toBeGreaterThan(0);
    expect(doubtful[0].quality.issues[0]).toMatchObject({
      severity: 'critical',
      explanation: expect.stringContaining('uncertain'),
    });
    const [row] =
      await sql`select words from document_segments where document_id = ${id} and words is not null order by position`;
    expect(row?.['words'][0]).toEqual({ text: 'Dear', confidence: expect.any(Number), uncertain: false });
    const refused = await mine.approve(id, { reviewer: 'Rev', confirm_critical: false });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'critical_findings']);
  });

  test('whose new version keeps its translations has each doubt once', async () => {
    const bytes = await coarseScan();
    const { id } = await translate(bytes);
    const again = await mine.translate([], { source_document: pdfFile(bytes), update_of: id });
    const doubtsOf = async (of: string) =>
      (await mine.segments(of)).segments.map(
        ({ quality }: { quality: { issues: { explanation: string }[] } }) =>
          quality.issues.filter(({ explanation }) => explanation.includes('uncertain')).length,
      );
    expect(again.status).toBe('translated');
    expect(Math.max(...(await doubtsOf(id)))).toBe(1);
    expect(await doubtsOf(again.id)).toEqual(await doubtsOf(id));
  });

  test('of which a page is hostile keeps that page, with a finding, and translates the others', async () => {
    const good = await scanOfLetter(0);
    const { id, ...job } = await translate(await joined(await imagePdf([bomb]), good));
    expect(job).toMatchObject({ status: 'translated', failure: null });
    expect(job.quality_report.findings).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        message: expect.stringMatching(/page 1 was not recognized.*too much time or memory/),
      }),
    );
    expect((await mine.segments(id)).total).toBe(letter.split('\n\n').length);
  });
});

describe.skipIf(missing)('the recognition of a page', () => {
  const open = (): Sandbox<typeof tasks> => {
    const registry = new URL('../../server/platform/sandbox/tasks.ts', import.meta.url);
    const sandbox = new Sandbox<typeof tasks>(registry);
    onTestFinished(() => sandbox.close());
    return sandbox;
  };

  test('ends at its limit of CPU time', async () => {
    const payload = { format: 'pdf' as const, bytes: await scanOfLetter(), page: 1, language: 'en' };
    await expect(open().run('recognize_page', payload, { cpuMs: 700 })).rejects.toMatchObject({
      reason: 'time',
    });
  });

  test.each([
    ['declares 60,000 by 60,000 pixels', 60_000, 60_000],
    ['is cut off', 1000, 1000],
    ['has one pixel', 1, 1],
  ])('survives an image that %s', async (_name, width, height) => {
    const entries = { ...bomb.entries, Width: width, Height: height };
    const bytes = await imagePdf([{ bytes: truncatedJpeg(width, height), entries }]);
    const result = await open().run('recognize_page', { format: 'pdf', bytes, page: 1, language: 'en' });
    expect('refused' in result ? result.refused : result.lines).toEqual(width === 60_000 ? 'unreadable' : []);
  });
});

async function joined(...files: Uint8Array[]): Promise<Uint8Array> {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  const all = await PDFDocument.create();
  for (const file of files) {
    const document = await PDFDocument.load(file);
    for (const page of await all.copyPages(document, document.getPageIndices())) all.addPage(page);
  }
  return all.save({ useObjectStreams: false });
}
