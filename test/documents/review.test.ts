import { afterEach, describe, expect, test, vi } from 'vitest';
import { withReviewLease } from '#server/documents/review-lease.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import { extract } from '#server/formats/xlsx.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { paragraph, run, wordFile } from '../formats/docx-file.ts';
import { partsOf } from '../formats/docx-walk.ts';
import { doubtingEngine, useDocuments } from './workspace.ts';

const engine = doubtingEngine();
const app = useTestApp({ env, engine });
afterEach(() => void vi.restoreAllMocks());

const mine = useDocuments(app, engine);

async function downloaded(id: string): Promise<string[]> {
  const { segments } = await extract(new Uint8Array(await (await mine.download(id)).arrayBuffer()));
  return segments.map(({ source }) => source.join(''));
}

describe('a correction (C 5)', () => {
  test('a correction renders the whole file again, without the engine', async () => {
    const { id, updated_at } = await mine.translate(['Hello', 'a doubtful one', 'World']);
    engine.asked.length = 0;
    const { status, body } = await mine.correct(
      id,
      { A1: 'Bonjour', A2: 'incertain' },
      { notes: 'Two of them', reviewer: ' Rev ' },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'translated', approved_at: null });
    expect(body.updated_at > updated_at).toBe(true);
    const [, , output] = body.artifacts;
    expect(output).toMatchObject({ kind: 'translated', revision: 2 });
    expect(body.review_history).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        reviewer: 'Rev',
        claimed_via: { id: expect.any(String), name: 'Workspace key' },
        corrections: 2,
        notes: 'Two of them',
        created_at: expect.any(String),
        artifact_id: output.id,
      },
    ]);
    expect(body.quality_report).toMatchObject({
      findings: [],
      overall_score: 0.92,
      translated_units: 3,
      metadata: { llm_quality: { needs_review_units: 0 } },
    });
    expect(await downloaded(id)).toEqual(['Bonjour', 'incertain', 'fr of World']);
    const { segments } = await mine.segments(id);
    expect(segments[1]).toMatchObject({
      target_text: 'incertain',
      corrected: true,
      quality: { score: null, needs_review: false, issues: [] },
      fast_path: null,
      provenance: { engine: 'reviewer' },
    });
    expect(segments[2]).toMatchObject({ corrected: false, target_text: 'fr of World' });
    expect((await mine.segments(id, '?flagged=true')).total).toBe(0);
    expect(engine.asked).toEqual([]);
    // The job is billed only once.
    expect(await mine.records()).toHaveLength(1);
  });

  test('a reviewer’s text is not doubted, and has no score of the text before it', async () => {
    const { id, quality_report } = await mine.translate(['a doubtful one', 'another doubtful one']);
    expect(quality_report).toMatchObject({
      overall_score: 0.4,
      findings: [{ code: 'low_segment_quality' }, { code: 'low_segment_quality' }],
    });
    const one = (await mine.correct(id, { A1: 'incertain' })).body.quality_report;
    expect(one).toMatchObject({ overall_score: 0.4, findings: [{ unit_id: 'A2' }] });
    expect(one.metadata.llm_quality).toEqual({ needs_review_units: 1, noncompliant_units: 0 });
    const both = (await mine.correct(id, { A2: 'aussi' })).body.quality_report;
    expect(both).toMatchObject({ overall_score: 1, findings: [] });
    // The segment was scored low and flagged before the corrections.
    expect(both.metadata.llm_quality).toEqual({ needs_review_units: 0, noncompliant_units: 0 });
    const { job } = (await mine.approve(id)).body;
    expect(job.quality_report).toEqual(both);
    expect((await mine.summary()).body).toMatchObject({ needs_review: 0, approved: 1 });
  });

  test('an unknown region or cell is 422, and nothing is applied', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const before = await mine.read(id);
    const { region_id } = (await mine.segments(id)).segments[0];
    const good = { region_id, cell_id: 'A1', target_text: 'Bonjour' };
    for (const [bad, field] of [
      [{ region_id, cell_id: 'A9', target_text: 't' }, 'cell_id'],
      [{ region_id: 'nowhere', target_text: 't' }, 'region_id'],
      [{ region_id, target_text: 't' }, 'region_id'],
    ] as const)
      expect(await mine.reviewDocument(id, { corrections: [good, bad] })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'corrections', 1, field], type: expect.any(String) }] },
      });
    expect(await mine.read(id)).toEqual(before);
    expect(await downloaded(id)).toEqual(['fr of Hello', 'fr of World']);
  });

  test.each([
    ['xlsx', () => workbookFile(['Hello'])],
    ['docx', () => new File([new Uint8Array(wordFile(paragraph(run('Hello'))))], 'Letter.docx')],
  ])('of characters that XML cannot have leaves a sound file: %s', async (format, file) => {
    const { id } = await mine.translate([], { source_document: file() });
    const [{ region_id, cell_id }] = (await mine.segments(id)).segments;
    const corrections = [{ region_id, cell_id, target_text: '=a\u0001b\u000bc\ufffe\uffff<d>&amp;\u001b' }];
    expect((await mine.reviewDocument(id, { corrections })).status).toBe(200);
    const bytes = new Uint8Array(await (await mine.download(id)).arrayBuffer());
    const { check } = await layoutFormats[format as 'xlsx']!();
    await check(bytes);
    const isForbidden = (char: string) =>
      (char < ' ' && !'\t\n\r'.includes(char)) || char === '\ufffe' || char === '\uffff';
    for (const [name, xml] of Object.entries(partsOf(bytes)))
      expect([...(xml as string)].filter(isForbidden), name).toEqual([]);
  });

  test('one that outlives its lease leaves the lease of the next one alone', async () => {
    const { id } = await mine.translate();
    const sql = openSuperuser(app.superuserUrl);
    await withReviewLease(app.services, mine.tenantId, id, async () => {
      await sql`update document_jobs set review_lease_until = now() + interval '5 s' where document_id = ${id}`;
    });
    expect((await mine.row(id))['review_lease_until']).not.toBeNull();
  });

  test.each(['returns', 'throws'])('frees the document when its work %s', async (ending) => {
    const { id } = await mine.translate();
    const work = async () => {
      if (ending === 'throws') throw new Error('no');
    };
    await withReviewLease(app.services, mine.tenantId, id, work).catch(() => {});
    expect((await mine.row(id))['review_lease_until']).toBeNull();
  });

  test('the session is the reviewer; without one, the name in the body, if there is one', async () => {
    const { id } = await mine.translate();
    await mine.correct(id, { A1: 'un' }, { reviewer: 'somebody else' }, mine.admin);
    await mine.correct(id, { A1: 'deux' }, { reviewer: 'Rev' });
    await mine.correct(id, { A1: 'trois' });
    const { review_history } = await mine.read(id);
    expect(review_history.map(({ reviewer }: { reviewer: string }) => reviewer)).toEqual([
      expect.stringMatching(/@example\.org$/),
      'Rev',
      null,
    ]);
  });

  test.each(['extracted', 'failed'])('a job that is %s is 400', async (status) => {
    const id = await mine.queue();
    await mine.change(id, { status });
    const answer = await mine.reviewDocument(id, { corrections: [{ region_id: 'r', target_text: 't' }] });
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({
        detail: `document job ${id} is not in a completed state (status=${status})`,
        error_code: 'validation_error',
      }),
    ]);
  });
});

describe('a correction feeds the memory at once (C 7 "Documents")', () => {
  const serve = async (source_text: string, target_lang = 'fr') => {
    const { body } = await mine.submit({ source_text, target_lang });
    return [body.final_translation, body.request.metadata.provenance?.fast_path];
  };

  test('the next job of its text is served it', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const { body } = await mine.correct(id, { A1: 'Bonjour' });
    expect(body.feed_manifest).toEqual({
      fed_pairs: [
        {
          source_text: 'Hello',
          target_text: 'Bonjour',
          source_hash: expect.stringMatching(/^[0-9a-f]+$/),
          corrected: true,
          stage: 'review',
          created_at: expect.any(String),
        },
      ],
      skipped: {},
      golden_skipped_at_cap: 0,
      last_feed_error: null,
    });
    expect(await serve('Hello')).toEqual(['Bonjour', 'tm_exact']);
    expect(await serve('World')).toEqual(['fr of World', undefined]);
    expect(await serve('Hello', 'de')).toEqual(['de of Hello', undefined]);
    const again = await mine.translate(['Hello']);
    expect((await mine.segments(again.id)).segments[0]).toMatchObject({
      target_text: 'Bonjour',
      fast_path: 'tm_exact',
      quality: { score: null },
    });
  });

  test('a later correction is served in its place; one that repeats what is served adds nothing', async () => {
    const { id } = await mine.translate(['Hello']);
    await mine.correct(id, { A1: 'Bonjour' });
    await mine.correct(id, { A1: 'Salut' });
    expect(await serve('Hello')).toEqual(['Salut', 'tm_exact']);
    const { body } = await mine.correct(id, { A1: ' Salut ' });
    expect(body.feed_manifest.fed_pairs).toHaveLength(2);
    // A text that the TM no longer serves is a correction again.
    await mine.correct(id, { A1: 'Bonjour' });
    expect(await serve('Hello')).toEqual(['Bonjour', 'tm_exact']);
  });

  test('of two corrections of one text, the last is served, even if it repeats what was served before', async () => {
    const { id } = await mine.translate(['Hello', 'Hello', 'Hello']);
    await mine.correct(id, { A1: 'Bonjour' });
    const { body } = await mine.correct(id, { A2: 'Salut', A3: 'Bonjour' });
    expect(body.feed_manifest.fed_pairs).toMatchObject(
      ['Bonjour', 'Salut', 'Bonjour'].map((target_text) => ({ source_text: 'Hello', target_text })),
    );
    expect(await serve('Hello')).toEqual(['Bonjour', 'tm_exact']);
  });

  test('a blank text, the source itself and its echo feed nothing', async () => {
    const { id } = await mine.translate(['Hello']);
    for (const text of ['', ' ', 'Hello', '[fr] Hello']) {
      const { status, body } = await mine.correct(id, { A1: text });
      expect([status, body.feed_manifest.fed_pairs]).toEqual([200, []]);
    }
    expect(await serve('Hello')).toEqual(['fr of Hello', undefined]);
  });

  test('a memory that cannot be written fails no review; the manifest has the error', async () => {
    const { id } = await mine.translate(['Hello']);
    const sql = openSuperuser(app.superuserUrl);
    await sql`alter table memory_segments add constraint broken check (target_text = '') not valid`;
    try {
      const { status, body } = await mine.correct(id, { A1: 'Bonjour' });
      expect([status, body.feed_manifest]).toEqual([
        200,
        {
          fed_pairs: [],
          skipped: {},
          golden_skipped_at_cap: 0,
          last_feed_error: 'the translation memory could not be updated',
        },
      ]);
    } finally {
      await sql`alter table memory_segments drop constraint broken`;
    }
    expect((await mine.correct(id, { A1: 'Salut' })).body.feed_manifest.last_feed_error).toBeNull();
  });
});
