import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { resumeAnalyses } from '#server/analyses/analyses.ts';
import { runAnalysis } from '#server/analyses/run-analysis.ts';
import { removeUnreferencedFiles } from '#server/documents/unreferenced-files.ts';
import { viaRpc } from '#test/contract/call.ts';
import { workbook } from '#test/factories/workbook.ts';
import type { Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { recordingEngine, stoppable, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ engine, env });
const mine = useDocuments(app, engine);
const sql = () => openSuperuser(app.superuserUrl);

const queries = ['get', 'list', 'exportXlsx'];
const ask = (name: string, input: Fields, headers = mine.headers) =>
  viaRpc(
    app,
    { path: `analyses.${name}`, type: queries.includes(name) ? 'query' : 'mutation' },
    { input, headers },
  );
async function call(name: string, input: Fields) {
  const { status, body } = await ask(name, input);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

type Answer = Awaited<ReturnType<typeof call>>;

const content = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
const sheet = (analysis_id: string, file_name: string, cells: string[]) => ({
  analysis_id,
  file_name,
  content: content(workbook(...cells)),
});
const run = (analysisId: string, limits?: { runMs: number; fileMs: number }) =>
  runAnalysis(app.services, { tenantId: mine.tenantId, analysisId }, limits);

/** Creates an analysis of these workbooks, and counts it. */
async function analyze(files: Record<string, string[]>, target_langs = ['fr', 'ja']) {
  const { id } = await call('create', { target_langs });
  for (const [name, cells] of Object.entries(files)) await call('addFile', sheet(id, name, cells));
  await run(id);
  return call('get', { analysis_id: id });
}

const jobs = () => sql()`select document_id, idempotency_key, request ->> 'target_lang' as lang, submitted_by
  from document_jobs where tenant_id = ${mine.tenantId} order by 2`;

async function runDocuments() {
  for (const { document_id } of await jobs()) await mine.run(String(document_id));
}

const rent = 'The lessee pays the rent in advance on the first day of each month.';
const similar = 'The lessee pays the rent in advance on the last day of each month.';

describe('an analysis', () => {
  test('counts each file in each language, with repetitions across files, and bills nothing', async () => {
    await setsOf(app, mine.headers).memory([[rent, 'Le locataire paie le loyer.']]);
    const analysis = await analyze({
      'a.xlsx': [rent, similar, 'Wholly different', 'Wholly different'],
      'b.xlsx': ['Wholly different', 'Wholly different', rent, 'New words here'],
    });
    expect(analysis).toMatchObject({ status: 'completed', progress: { done: 4, all: 4 } });
    const [a, b] = analysis.files;
    const of = (text: string, words: number, segments = 1) => ({
      segments,
      words: segments * words,
      characters: segments * text.length,
    });
    expect(a.languages[0]).toMatchObject({
      target_lang: 'fr',
      segments: 4,
      words: 14 + 14 + 4,
      exact_matches: of(rent, 14),
      fuzzy_matches: of(similar, 14),
      repetitions: of('Wholly different', 2),
      repetitions_across: of('', 0, 0),
      no_match: { ...of('Wholly different', 2), not_searched: 0 },
      billable_characters: a.languages[0].characters,
      covered: 'covered',
      seconds: null,
      start: null,
    });
    expect(b.languages[0]).toMatchObject({
      exact_matches: of(rent, 14),
      repetitions: of('Wholly different', 2),
      repetitions_across: of('Wholly different', 2),
      no_match: of('New words here', 3),
    });
    // Japanese has no TM, and a dense script.
    expect(b.languages[1]).toMatchObject({
      exact_matches: of('', 0, 0),
      no_match: of('New words here', 3),
      repetitions_across: { segments: 2 },
    });
    expect(b.languages[1].billable_characters).toBeGreaterThan(b.languages[1].characters);
    expect(analysis.totals).toMatchObject({
      segments: 16,
      billable_characters: analysis.files
        .flatMap(({ languages }: Answer) => languages)
        .reduce((sum: number, one: Answer) => sum + one.billable_characters, 0),
    });
    expect(analysis.totals.by_language.map((one: Answer) => [one.target_lang, one.segments])).toEqual([
      ['fr', 8],
      ['ja', 8],
    ]);
    expect(engine.asked).toEqual([]);
    expect(await jobs()).toEqual([]);
  });

  test('agrees with the estimate of a document', async () => {
    await setsOf(app, mine.headers).memory([[rent, 'Le locataire paie le loyer.']]);
    const cells = [rent, similar, rent, 'Other - text', 'Other - text', 'Other – text'];
    const analysis = await analyze({ 'a.xlsx': cells }, ['fr']);
    const { body: estimate } = await mine.send({
      source_document: new File([workbook(...cells)], 'a.xlsx'),
      dry_run: 'true',
    });
    const [cell] = analysis.files[0].languages;
    const { dry_run, jobs, existing_jobs, allowance, refusal, review, warnings, proposed, ...counted } =
      estimate;
    const { source_lang, source_lang_detection, ...figures } = counted;
    expect(cell).toMatchObject(figures);
    expect(cell.typography_matches).toEqual({ segments: 1, words: 2, characters: 12 });
  });

  test.each([
    ['empty.docx', '', /^The file is empty\.$/],
    ['broken.docx', 'no zip', /^The .*\.$/],
    ['plan.heic', 'x', /^Unsupported file type; accepted: .*\.$/],
    ['old.doc', 'x', /save it as \.docx\.$/],
    ['blank.md', ' \n', /^No text was found in the file\.$/],
  ])('%s is refused in words, and the other files are sent', async (name, bytes, reason) => {
    const { id } = await call('create', { target_langs: ['fr'] });
    await call('addFile', { analysis_id: id, file_name: name, content: content(bytes) });
    await call('addFile', sheet(id, 'good.xlsx', ['Good']));
    await run(id);
    const { files, progress } = await call('get', { analysis_id: id });
    expect(files[0]).toMatchObject({
      state: 'refused',
      refusal: expect.stringMatching(reason),
      languages: [],
    });
    expect(files[1].state).toBe('counted');
    expect(progress).toEqual({ done: 2, all: 2 });
    await call('start', { analysis_id: id });
    await run(id);
    expect(await jobs()).toMatchObject([{ lang: 'fr' }]);
  });

  test('a file with the name of a translated one is its new version: the same texts are unchanged and not billed', async () => {
    const first = await analyze({ 'a.xlsx': [rent, 'Stays as it is', 'Goes away'] }, ['fr']);
    await call('start', { analysis_id: first.id });
    await run(first.id);
    const [sent] = (await jobs()).map((row) => String(row['document_id']));
    await runDocuments();
    // The first file again is not a new version; another name is another file.
    const again = await analyze(
      {
        'a.xlsx': [rent, 'Stays as it is', 'Goes away'],
        'b.xlsx': ['Stays as it is', 'All new'],
      },
      ['fr'],
    );
    expect(again.files.map(({ languages }: Answer) => languages[0].version)).toEqual([null, null]);
    await call('delete', { analysis_id: again.id });

    const second = await analyze({ 'a.xlsx': [rent, 'Stays as it is', 'All new', 'All new'] }, ['fr', 'de']);
    const [file] = second.files;
    const [french, german] = file.languages;
    expect(french).toMatchObject({
      segments: 4,
      unchanged: { segments: 2, words: 14 + 4, characters: rent.length + 'Stays as it is'.length },
      repetitions: { segments: 1 },
      billable_characters: 2 * 'All new'.length,
      version: { document_id: sent, used: true },
    });
    expect(german).toMatchObject({ unchanged: { segments: 0 }, version: null });
    const asNew = await call('setVersion', { analysis_id: second.id, file_id: file.id, used: false });
    expect(asNew.files[0].languages[0]).toMatchObject({
      unchanged: { segments: 0 },
      billable_characters: french.characters,
      version: { used: false },
    });
    expect(asNew.files[0].languages[1]).toEqual(german);
    const back = await call('setVersion', { analysis_id: second.id, file_id: file.id, used: true });
    expect(back.files[0].languages).toEqual(file.languages);

    await call('start', { analysis_id: second.id });
    await run(second.id);
    const requests = await sql()`select request ->> 'update_of' as of from document_jobs
      where tenant_id = ${mine.tenantId} and status = 'queued' order by request ->> 'target_lang'`;
    expect(requests.map((row) => row['of'])).toEqual([null, sent]);
    await runDocuments();
    const [billed] = await sql()`select billable_chars from usage_records where job_id = (
      select document_id from document_jobs where request ->> 'update_of' = ${sent ?? ''})`;
    expect(billed).toEqual({ billable_chars: french.billable_characters });
    const late = await ask('setVersion', { analysis_id: second.id, file_id: file.id, used: false });
    expect([late.status, late.body.detail]).toEqual([409, 'documents of the file were already requested']);
  });

  test('without a removed file counts what repeated it, and keeps files that were started', async () => {
    const { id, files } = await analyze(
      { 'a.xlsx': ['Wholly different'], 'b.xlsx': ['Wholly different', 'More'], 'c.xlsx': ['More'] },
      ['fr'],
    );
    expect(files.map(({ languages }: Answer) => languages[0].repetitions_across.segments)).toEqual([0, 1, 1]);
    const [a, b] = files.map((file: Answer) => file.id);
    await call('removeFile', { analysis_id: id, file_id: a });
    await run(id);
    const left = await call('get', { analysis_id: id });
    expect(
      left.files.map(({ name, languages }: Answer) => [name, languages[0].repetitions_across.segments]),
    ).toEqual([
      ['b.xlsx', 0],
      ['c.xlsx', 1],
    ]);
    await call('start', { analysis_id: id, only: [{ file_id: b, target_lang: 'fr' }] });
    expect((await ask('removeFile', { analysis_id: id, file_id: b })).status).toBe(409);
    expect((await ask('removeFile', { analysis_id: id, file_id: a })).status).toBe(404);
    const stored = await sql()`select count(*)::int as files from analysis_files where analysis_id = ${id}`;
    expect(stored).toEqual([{ files: 2 }]);
  });

  test('is counted again if a file is removed after a later one was counted in one language', async () => {
    const { id, files } = await analyze({ 'a.xlsx': ['One', 'Two'] }, ['fr', 'de', 'es']);
    const [a] = files;
    await call('addFile', sheet(id, 'b.xlsx', ['One', 'Two']));
    await run(id, { runMs: 0, fileMs: 0 });
    const counted = async () =>
      (await call('get', { analysis_id: id })).files
        .at(-1)
        .languages.map((cell: Answer) => cell.repetitions_across?.segments ?? null);
    expect(await counted()).toEqual([2]);
    await call('removeFile', { analysis_id: id, file_id: a.id });
    await run(id);
    expect(await counted()).toEqual([0, 0, 0]);
  });

  test('keeps the decision about an earlier version when a file is removed', async () => {
    const first = await analyze({ 'b.xlsx': ['An old sentence', 'Shared by both'] }, ['fr']);
    await call('start', { analysis_id: first.id });
    await run(first.id);
    await runDocuments();
    const { id, files } = await analyze(
      { 'a.xlsx': ['Shared by both files'], 'b.xlsx': ['An old sentence', 'Shared by both files'] },
      ['fr'],
    );
    const [a, b] = files;
    const version = async () => (await call('get', { analysis_id: id })).files.at(-1).languages[0].version;
    expect(await version()).toMatchObject({ used: true });
    await call('setVersion', { analysis_id: id, file_id: b.id, used: false });
    await call('removeFile', { analysis_id: id, file_id: a.id });
    await run(id);
    expect(await version()).toMatchObject({ used: false });
    const cells = (await call('get', { analysis_id: id })).files[0].languages;
    expect(cells[0].repetitions_across.segments).toBe(0);
    expect(cells[0].state ?? null).toBe(b.languages[0].state ?? null);
  });

  test('is not held up by a file that is lost', async () => {
    const { id, files } = await analyze({ 'a.xlsx': ['One'] }, ['fr']);
    const { storage } = app.services;
    await storage.remove(`${mine.tenantId}/documents/${id}.${files[0].id}`);
    await call('start', { analysis_id: id });
    await call('addFile', sheet(id, 'b.xlsx', ['Two']));
    await run(id);
    const after = await call('get', { analysis_id: id });
    expect(after.files.map(({ state }: Answer) => state)).toEqual(['counted', 'counted']);
    expect(after.files[0].languages[0].start).toMatchObject({
      state: 'refused',
      detail: 'The stored file is lost or damaged; remove it, and add it again.',
    });
    expect((await ask('removeFile', { analysis_id: id, file_id: files[0].id })).status).toBe(200);
  });

  test('names the files that need a second review by a rule, and a review by their domain', async () => {
    const rules = [{ target_lang: 'de', min_words: 3, assignee: null, second: 'fewest_words', due: null }];
    await sql()`insert into assignment_rules (tenant_id, rules)
      values (${mine.tenantId}, ${JSON.stringify(rules)}::text::jsonb)`;
    const reviewsOf = ({ files }: Answer) =>
      files.map(({ languages }: Answer) => languages.map((cell: Answer) => cell.review));
    const files = { 'a.xlsx': ['Two words'], 'b.xlsx': ['More than two words'] };
    expect(reviewsOf(await analyze(files, ['fr', 'de']))).toEqual([
      ['usual', 'usual'],
      ['usual', 'second'],
    ]);
    const { id } = await call('create', { target_langs: ['fr', 'de'], domain: 'medical' });
    await call('addFile', sheet(id, 'b.xlsx', files['b.xlsx']));
    await run(id);
    expect(reviewsOf(await call('get', { analysis_id: id }))).toEqual([['policy', 'second']]);
  });

  test('a file that was added before is added once, also by two calls at a time', async () => {
    const { id } = await call('create', { target_langs: ['fr'] });
    const file = sheet(id, 'a.xlsx', ['Once']);
    await Promise.all([call('addFile', file), call('addFile', file)]);
    const { files } = await call('addFile', file);
    expect(files).toHaveLength(1);
  });

  test('takes 40 files', async () => {
    const { id } = await call('create', { target_langs: ['fr'] });
    for (let index = 0; index < 40; index++)
      await call('addFile', { analysis_id: id, file_name: `${index}.zip`, content: '' });
    const { status, body } = await ask('addFile', sheet(id, 'last.xlsx', ['A']));
    expect([status, body.detail ?? body.message]).toEqual([409, expect.stringContaining('40 files')]);
  });

  test('a run that ends early continues with the next file and language', async () => {
    const { id } = await call('create', { target_langs: ['fr', 'de', 'ja'] });
    for (const name of ['a.xlsx', 'b.xlsx']) await call('addFile', sheet(id, name, ['One', 'Two']));
    const seen: number[] = [];
    for (let runs = 0; runs < 6; runs++) {
      await run(id, { runMs: -1, fileMs: -1 });
      seen.push((await call('get', { analysis_id: id })).progress.done);
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    const { files, progress } = await call('get', { analysis_id: id });
    expect(progress).toEqual({ done: 6, all: 6 });
    expect(files[1].languages.map((one: Answer) => one.repetitions_across.segments)).toEqual([2, 2, 2]);
  });

  test('a canceled one keeps what is counted, and takes no file', async () => {
    const { id } = await call('create', { target_langs: ['fr'] });
    await call('addFile', sheet(id, 'a.xlsx', ['One']));
    expect(await call('cancel', { analysis_id: id })).toMatchObject({ status: 'canceled' });
    await run(id);
    expect((await call('get', { analysis_id: id })).progress).toEqual({ done: 0, all: 1 });
    expect((await ask('addFile', sheet(id, 'b.xlsx', ['Two']))).status).toBe(409);
  });

  test('is listed, latest first, page by page', async () => {
    const ids = [];
    for (let index = 0; index < 3; index++) ids.push((await call('create', { target_langs: ['fr'] })).id);
    const first = await call('list', { limit: 2 });
    const second = await call('list', { limit: 2, cursor: first.next_cursor });
    expect([...first.analyses, ...second.analyses].map(({ id }: Fields) => id)).toEqual(ids.reverse());
    expect(second.next_cursor).toBeNull();
  });
});

describe('a start', () => {
  test('sends each file in each language once, however often it is repeated', async () => {
    const { id } = await analyze({ 'a.xlsx': ['One'], 'b.xlsx': ['Two'] });
    await Promise.all([call('start', { analysis_id: id }), call('start', { analysis_id: id })]);
    await Promise.all([run(id), run(id)]);
    // The outcome of a document was lost: the process died after it was created.
    await sql()`update analysis_files set starts = '{"fr":{"state":"requested"}}' where analysis_id = ${id}`;
    await run(id);
    const again = await call('start', { analysis_id: id });
    await run(id);
    const made = await jobs();
    expect(made).toHaveLength(4);
    expect(new Set(made.map(({ submitted_by }) => submitted_by))).toEqual(new Set(['api_key']));
    expect(again.started_at).not.toBeNull();
    const { documents, files } = await call('get', { analysis_id: id });
    expect(documents).toEqual({ requested: 0, sent: 4, refused: 0 });
    expect(
      files
        .flatMap(({ languages }: Answer) => languages.map(({ start }: Answer) => start.document_id))
        .sort(),
    ).toEqual(made.map(({ document_id }) => document_id).sort());
  });

  test('sends only what was chosen, and the document is what was counted', async () => {
    const { id, files } = await analyze({ 'a.xlsx': ['One', 'Two'], 'b.xlsx': ['Three'] });
    const only = [{ file_id: files[0].id, target_lang: 'fr' }];
    await call('start', { analysis_id: id, only });
    await run(id);
    const [job, ...others] = await jobs();
    expect(others).toEqual([]);
    await mine.run(job!['document_id']);
    expect((await mine.read(job!['document_id'])).billable_chars).toBe(
      files[0].languages[0].billable_characters,
    );
    const wrong = [{ file_id: 'x', target_lang: 'fr' }];
    expect((await ask('start', { analysis_id: id, only: wrong })).status).toBe(422);
    // The speed of that document is known now.
    expect((await call('get', { analysis_id: id })).totals.seconds).toBeGreaterThanOrEqual(0);
  });

  test('sends a failed document again if it is chosen, once, and no other document', async () => {
    const { id } = await analyze({ 'a.xlsx': ['One'], 'b.xlsx': ['Two'] }, ['fr']);
    await call('start', { analysis_id: id });
    await run(id);
    const { files } = await call('get', { analysis_id: id });
    const [first, second] = files.map((file: Answer) => file.languages[0].start.document_id);
    await sql()`update document_jobs set status = 'failed' where document_id = ${first}`;
    await call('start', { analysis_id: id });
    await run(id);
    expect(await jobs()).toHaveLength(2);
    const only = files.map((file: Answer) => ({ file_id: file.id, target_lang: 'fr' }));
    for (let calls = 0; calls < 2; calls++) {
      await call('start', { analysis_id: id, only });
      await run(id);
    }
    const after = (await call('get', { analysis_id: id })).files;
    const again = after[0].languages[0].start;
    expect(again).toMatchObject({ state: 'sent', document_id: expect.not.stringContaining(first) });
    expect(after[1].languages[0].start.document_id).toBe(second);
    expect(await jobs()).toHaveLength(3);
    const asked = { document_ids: [again.document_id, first, 'unknown'] };
    const { body } = await viaRpc(
      app,
      { path: 'documents.files', type: 'query' },
      { input: asked, headers: mine.headers },
    );
    expect(new Set(body.files.map((file: Answer) => file.id))).toEqual(new Set([again.document_id, first]));
    expect(body.next_cursor).toBeNull();
  });

  test('reports what the allowance does not cover, and tries it again', async () => {
    const { id } = await analyze({ 'a.xlsx': ['One'] }, ['fr']);
    await sql()`update tenants set monthly_char_limit = 0 where tenant_id = ${mine.tenantId}`;
    const before = await call('get', { analysis_id: id });
    expect(before.allowance).toMatchObject({ missing: 3, refusal: { status: 429 } });
    expect(before.files[0].languages[0].covered).toBe('beyond');
    await call('start', { analysis_id: id });
    await run(id);
    const refused = await call('get', { analysis_id: id });
    expect(refused.files[0].languages[0].start).toMatchObject({ state: 'refused', status: 429 });
    await sql()`update tenants set monthly_char_limit = 1000 where tenant_id = ${mine.tenantId}`;
    await call('start', { analysis_id: id });
    await run(id);
    expect((await call('get', { analysis_id: id })).documents).toEqual({ requested: 0, sent: 1, refused: 0 });
  });

  test('has documents with as many words for their reviewers as the analysis counted', async () => {
    const { id } = await call('create', { target_langs: ['fr'] });
    const text =
      '# Title\n\nRun `npm install` **now**, then e-mail us.\n\n- 吾輩は猫である。\n- Now\n- Now\n';
    const file_name = `${'x'.repeat(300)}.md`;
    await call('addFile', { analysis_id: id, file_name, content: content(text) });
    await run(id);
    const [file] = (await call('get', { analysis_id: id })).files;
    expect(file).toMatchObject({ state: 'counted', name: expect.stringMatching(/^x{247}\.md$/) });
    await call('start', { analysis_id: id });
    await run(id);
    await mine.run((await jobs())[0]!['document_id']);
    const [row] = await sql()`select words from review_assignments where tenant_id = ${mine.tenantId}`;
    expect([row!['words'], file.languages[0].words]).toEqual([12, 12]);
  });

  test('that was lost with its worker is found by the sweep; a canceled analysis is not', async () => {
    const { id: canceled } = await call('create', { target_langs: ['fr'] });
    await call('addFile', sheet(canceled, 'a.xlsx', ['One']));
    await call('cancel', { analysis_id: canceled });
    const { id } = await analyze({ 'a.xlsx': ['One'] });
    await call('start', { analysis_id: id });
    const queued = async () =>
      (await sql()`select key from graphile_worker.jobs where key like 'run_analysis:%'`).map(
        ({ key }) => key,
      );
    await sql()`delete from graphile_worker._private_jobs`;
    await sql()`update analyses set updated_at = now() - interval '1 hour' where tenant_id = ${mine.tenantId}`;
    await resumeAnalyses(app.services, 900, async () => []);
    expect(await queued()).toEqual([`run_analysis:${id}`]);
    await run(id);
    await sql()`delete from graphile_worker._private_jobs`;
    await sql()`update analyses set updated_at = now() - interval '1 hour' where tenant_id = ${mine.tenantId}`;
    await resumeAnalyses(app.services, 900, async () => []);
    expect(await queued()).toEqual([]);
  });

  test('without a counted file is a conflict', async () => {
    const { id } = await call('create', { target_langs: ['fr'] });
    expect((await ask('start', { analysis_id: id })).status).toBe(409);
  });
});

describe('the files of an analysis', () => {
  const stored = () =>
    sql()`select bytes::int, objects from storage_totals where tenant_id = ${mine.tenantId}`;

  test('count as storage, stay during the sweep, and are removed with the analysis', async () => {
    const { id, files } = await analyze({ 'a.xlsx': ['One'] });
    expect(await stored()).toMatchObject([{ objects: 1, bytes: files[0].size_bytes }]);
    const { storage } = app.services;
    const path = `${mine.tenantId}/documents`;
    expect(await storage.list(path)).toEqual([`${id}.${files[0].id}`]);
    await removeUnreferencedFiles(app.services);
    expect(await storage.list(path)).toHaveLength(1);
    await ask('delete', { analysis_id: id });
    expect(await storage.list(path)).toEqual([]);
    expect(await stored()).toMatchObject([{ objects: 0, bytes: 0 }]);
    expect((await ask('get', { analysis_id: id })).status).toBe(404);
  });

  test('are deleted after 30 days, except during a legal hold', async () => {
    const { id } = await analyze({ 'a.xlsx': ['One'] });
    await sql()`update analyses set expires_at = now() - interval '1 second' where analysis_id = ${id}`;
    const queued = async () =>
      (await sql()`select key from graphile_worker.jobs where key = ${`run_analysis:${id}`}`).length;
    await sql()`delete from graphile_worker._private_jobs where key = ${`run_analysis:${id}`}`;
    await resumeAnalyses(app.services, 900, async () => [mine.tenantId]);
    expect(await queued()).toBe(0);
    // A run for its members does not delete it.
    await run(id);
    expect((await ask('get', { analysis_id: id })).status).toBe(200);
    await resumeAnalyses(app.services, 900, async () => []);
    const [job] =
      await sql()`select payload from graphile_worker._private_jobs where key = ${`run_analysis:${id}`}`;
    await runAnalysis(app.services, job!['payload']);
    expect((await ask('get', { analysis_id: id })).status).toBe(404);
  });

  test('are counted by another worker if the process stops', async () => {
    const { id } = await call('create', { target_langs: ['fr'] });
    await call('addFile', sheet(id, 'a.xlsx', ['One']));
    const { stop, restore } = stoppable(app);
    stop();
    // More often than a file that kills its reader is tried.
    for (let attempts = 0; attempts < 6; attempts++) await run(id);
    restore();
    expect((await call('get', { analysis_id: id })).status).toBe('analyzing');
    await run(id);
    expect((await call('get', { analysis_id: id })).status).toBe('completed');
  });
});

test('the workbook has a row for each file and language, and no formula', async () => {
  const { id } = await analyze({ '=cmd()|a.xlsx': ['One'], 'b.xlsx': ['Two'] });
  const { content: encoded, file_name } = await call('exportXlsx', { analysis_id: id });
  expect(file_name).toMatch(/^analysis-.*\.xlsx$/);
  const parts = unzipSync(new Uint8Array(Buffer.from(encoded, 'base64')));
  const xml = strFromU8(parts['xl/worksheets/sheet1.xml']!);
  expect(xml.match(/<row /g)).toHaveLength(1 + 4 + 3);
  expect(xml).toContain('=cmd()|a.xlsx');
  expect(xml).not.toContain('<f>');
});
