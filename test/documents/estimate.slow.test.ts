import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { keyed } from '#test/translations/workspace.ts';
import { openDocuments, recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ engine, env });
const small = useTestApp({ env: { ...env, WORKSPACE_LIMITS: '{"storage_bytes":1}' } });
const mine = useDocuments(app, engine);

const dry = { dry_run: 'true' };
const corpusFile = async (path: string, name: string) =>
  new File([new Uint8Array(await readFile(`test/corpus/${path}`))], name);

async function expectNothing({ tenantId } = mine, at = app) {
  const sql = openSuperuser(at.superuserUrl);
  const [row] = await sql`
    select (select count(*)::int from document_jobs where tenant_id = ${tenantId}) as jobs,
      (select count(*)::int from document_artifacts where tenant_id = ${tenantId}) as files,
      (select count(*)::int from usage_records where tenant_id = ${tenantId}) as usage`;
  expect(row).toEqual({ jobs: 0, files: 0, usage: 0 });
}

describe('dry_run of a document', () => {
  const rent = 'The lessee pays the rent in advance on the first day of each month.';
  const similar = 'The lessee pays the rent in advance on the last day of each month.';

  test('counts segments, matches and repetitions, and the job does and bills the same', async () => {
    await setsOf(app, mine.headers).memory([[rent, 'Le locataire paie le loyer.']]);
    const cells = [rent, similar, 'Wholly different', 'Wholly different', rent];
    const { status, body: estimate } = await mine.send({ source_document: workbookFile(cells), ...dry });
    const characters = cells.join('').length;
    expect([status, estimate]).toEqual([
      200,
      expect.objectContaining({
        jobs: 1,
        existing_jobs: 0,
        segments: 5,
        characters,
        billable_characters: characters,
        exact_matches: { segments: 2, words: 28, characters: 2 * rent.length },
        fuzzy_matches: expect.objectContaining({ segments: 1, characters: similar.length }),
        repetitions: { segments: 1, words: 2, characters: 16 },
        no_match: { segments: 1, words: 2, characters: 16, not_searched: 0 },
        refusal: null,
      }),
    ]);
    expect(engine.asked).toEqual([]);
    await expectNothing();
    const job = await mine.translate(cells);
    expect(job.billable_chars).toBe(estimate.billable_characters);
    expect(engine.texts().sort()).toEqual(['Wholly different', similar].sort());
  });

  test.each([
    ['docx/form-footnotes-tables.docx', 'a.docx'],
    ['pdf/chinese-report-tables.pdf', 'a.pdf'],
  ])('the estimate of %s is what the job bills', async (path, name) => {
    const file = await corpusFile(path, name);
    const { status, body } = await mine.send({ source_document: file, ...dry });
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.segments).toBeGreaterThan(5);
    const job = await mine.send({ source_document: file, wait: '1' });
    expect([job.body.status, job.body.billable_chars]).toEqual(['translated', body.billable_characters]);
    expect(job.body.quality_report.total_units).toBe(body.segments);
  });

  test('only the selected part is counted', async () => {
    const file = workbookFile(['Hello']);
    const { status, body } = await mine.send({ source_document: file, pages: '["Nowhere"]', ...dry });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('Nowhere')]);
  });

  test.each([
    ['not a workbook', new File(['no zip'], 'a.xlsx'), 400],
    ['a PDF that cannot be read', new File(['%PDF-1.7 nothing'], 'a.pdf'), 400],
    ['an empty file', new File([], 'a.docx'), 400],
    ['another format', new File(['a'], 'a.rtf'), 415],
  ])('%s is rejected, and nothing is stored', async (_what, file, expected) => {
    const { status, body } = await mine.send({ source_document: file, ...dry });
    expect([status, typeof body.detail]).toEqual([expected, 'string']);
    await expectNothing();
  });

  test('a value that is not understood is rejected', async () => {
    const { status, body } = await mine.send({ dry_run: 'perhaps' });
    expect([status, body.detail]).toEqual([400, 'dry_run must be true or false']);
    await expectNothing();
  });

  test('an existing job of the key is free', async () => {
    await mine.send({}, keyed('menu'));
    const { body } = await mine.send(dry, keyed('menu'));
    expect(body).toMatchObject({ jobs: 0, existing_jobs: 1, segments: 0, billable_characters: 0 });
  });

  test('the form of POST /api/translations is estimated, too', async () => {
    const form = new FormData();
    form.append('source_document', workbookFile(['Hello', 'World']));
    for (const [name, value] of Object.entries({ target_lang: 'fr', ...dry })) form.append(name, value);
    const { status, body } = await mine.post(form, {});
    expect([status, body.dry_run, body.characters]).toEqual([200, true, 10]);
    await expectNothing();
  });

  test('what would reject the file is reported', async () => {
    const theirs = await openDocuments(small);
    const { body } = await theirs.send(dry);
    const rejected = await theirs.send();
    expect(rejected.status).toBeGreaterThanOrEqual(400);
    expect(body.refusal).toEqual({ status: rejected.status, detail: rejected.body.detail });
    await expectNothing(theirs, small);
  });
});

describe('max_characters of a document', () => {
  test('rejects a larger file before a job exists', async () => {
    const form = { source_document: workbookFile(['Hello', 'World']), max_characters: '9' };
    const { status, body } = await mine.send(form, keyed('capped'));
    expect([status, body]).toEqual([
      413,
      refusalOf('the request has more billable characters than max_characters', {
        ...{ limit: 9, actual: 10, unit: 'characters' },
      }),
    ]);
    await expectNothing();
    const sent = await mine.send({ ...form, max_characters: '10' }, keyed('capped'));
    const again = await mine.send({ source_document: form.source_document }, keyed('capped'));
    expect([sent.status, again.body.id, again.headers.get('idempotency-request-differs')]).toEqual([
      202,
      sent.body.id,
      null,
    ]);
  });
});
