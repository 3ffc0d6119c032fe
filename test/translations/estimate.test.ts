import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openSets } from '#test/translation-memory/sets.ts';
import { viaRpc } from '../contract/call.ts';
import { recordingEngine } from '../documents/workspace.ts';
import { keyed, openWorkspace, PATH, useWorkspace, type Workspace } from './workspace.ts';

const engine = recordingEngine();
const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ engine, env });
const small = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '20' } });
const weighted = useTestApp({ env: { ...env, DENSE_SCRIPT_WEIGHT: '2' } });
const mine = useWorkspace(app);

const text = (source_text: string, more = {}) => ({ source_text, target_lang: 'fr', ...more });
const batch = (texts: readonly string[], languages = ['fr'], more = {}) => ({
  inputs: texts.map((Text) => ({ Text, Targets: languages.map((Language) => ({ Language })) })),
  ...more,
});
const dry = { dry_run: true };
const none = { segments: 0, words: 0, characters: 0 };

/** Number of rows of each table that a submission writes to. */
async function rowsOf({ tenantId }: Pick<Workspace, 'tenantId'>, at = app) {
  const sql = openSuperuser(at.superuserUrl);
  const [row] = await sql`
    select (select count(*)::int from translation_jobs where tenant_id = ${tenantId}) as jobs,
      (select count(*)::int from document_jobs where tenant_id = ${tenantId}) as documents,
      (select count(*)::int from usage_records where tenant_id = ${tenantId}) as usage,
      (select count(*)::int from memory_segments where tenant_id = ${tenantId}) as segments,
      (select coalesce(sum(chars), 0)::int from work_in_flight where tenant_id = ${tenantId}) as reserved`;
  return row;
}
const nothing = { jobs: 0, documents: 0, usage: 0, segments: 0, reserved: 0 };

const estimateOf = async (at: Pick<Workspace, 'submit'>, body: object, headers = {}) => {
  const answer = await at.submit({ ...body, ...dry }, headers);
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  return answer.body;
};

describe('dry_run of a text', () => {
  test('returns the work and its price, and has no effect', async () => {
    engine.reset();
    expect(await estimateOf(mine, text('Hello 🌍'), keyed('hello'))).toEqual({
      dry_run: true,
      jobs: 1,
      existing_jobs: 0,
      source_lang: 'en',
      source_lang_detection: null,
      segments: 1,
      words: 1,
      characters: 7,
      billable_characters: 7,
      exact_matches: none,
      context_matches: none,
      sentence_matches: none,
      typography_matches: none,
      fuzzy_matches: { ...none, by_similarity: [95, 85, 75, 70].map((from) => ({ from, ...none })) },
      repetitions: none,
      no_match: { segments: 1, words: 1, characters: 7, not_searched: 0 },
      review: { jobs: 0, reasons: [] },
      allowance: { limit: 500_000, used: 0, remaining: 500_000 },
      refusal: null,
      warnings: [],
    });
    expect(engine.asked).toEqual([]);
    expect(await rowsOf(mine)).toEqual(nothing);
    // The key is still free.
    const { headers, body } = await mine.submit(text('Hello 🌍'), keyed('hello'));
    expect([headers.get('idempotency-replayed'), body.status]).toEqual([null, 'published']);
    // The fields of the estimate are not part of a job.
    expect(Object.keys(body.request)).not.toContain('dry_run');
  });

  test('false, null and a missing field submit the text', async () => {
    for (const dry_run of [false, null, undefined])
      expect((await mine.submit(text('Hello', { dry_run }))).body.status).toBe('published');
    expect((await mine.submit(text('Hello', { dry_run: 'true' }))).status).toBe(422);
    expect((await rowsOf(mine))?.['jobs']).toBe(3);
  });

  test('an asynchronous request is estimated at once', async () => {
    const answer = await mine.submit(text('Hello', dry), { prefer: 'respond-async' });
    expect([answer.status, answer.body.jobs, answer.headers.get('preference-applied')]).toEqual([
      200,
      1,
      null,
    ]);
    expect(await rowsOf(mine)).toEqual(nothing);
  });

  test('over /trpc, the procedure returns the same', async () => {
    const procedure = { path: 'translations.create', type: 'mutation' } as const;
    const { body } = await viaRpc(app, procedure, { input: text('Hello', dry), headers: mine.headers });
    expect(body).toMatchObject({ dry_run: true, billable_characters: 5 });
    expect(await rowsOf(mine)).toEqual(nothing);
  });

  test.each([
    [{ source_text: ' ' }, 400],
    [{ target_lang: 'xx' }, 422],
    [{ source_text: 'a'.repeat(50_001) }, 413],
    [{ max_characters: 0 }, 422],
    [{ max_characters: 1.5 }, 422],
  ])('%o is rejected as without it', async (wrong, status) => {
    expect((await mine.submit(text('Hello', { ...wrong, ...dry }))).status).toBe(status);
    expect((await mine.submit(text('Hello', wrong))).status).toBe(status);
  });

  test('needs a credential', async () => {
    const answer = await app.json('POST', PATH, { body: text('Hello', dry) });
    expect(answer.status).toBe(401);
  });

  test('a rule that requires a review is named', async () => {
    const legal = await estimateOf(mine, text('The lessee pays.', { domain: 'legal' }));
    expect(legal.review).toEqual({
      jobs: 1,
      reasons: ['the domain "legal" always requires a human review'],
    });
    const flagged = await estimateOf(mine, text('Hello', { metadata: { sensitive: true } }));
    expect(flagged.review).toMatchObject({ jobs: 1, reasons: [expect.stringContaining('sensitive')] });
    expect((await mine.submit(text('The lessee pays.', { domain: 'legal' }))).body.status).toBe(
      'awaiting_review',
    );
  });

  test('a detected language is returned, and warnings are those of the job', async () => {
    const german = 'Der Vertrag endet am ersten Mai, und der Mieter zahlt die Miete im Voraus.';
    expect(await estimateOf(mine, text(german, { source_lang: 'auto' }))).toMatchObject({
      source_lang: 'de',
    });
    const { warnings } = await estimateOf(mine, text(german));
    const { body } = await mine.submit(text(german));
    expect(warnings).toEqual(body.warnings);
    expect(warnings).toMatchObject([{ code: 'source_language_mismatch' }]);
  });

  test('dense scripts are weighted like on the invoice', async () => {
    const theirs = await openWorkspace(weighted);
    const request = text('Good morning', { target_lang: 'ja' });
    const estimate = await estimateOf(theirs, request);
    expect(estimate).toMatchObject({ characters: 12, billable_characters: 24 });
    await theirs.submit(request);
    expect(await theirs.usage()).toMatchObject([{ billable_chars: 24 }]);
  });
});

describe('dry_run of several texts', () => {
  const rent = 'The lessee pays the rent in advance on the first day of each month.';
  const similar = 'The lessee pays the rent in advance on the last day of each month.';
  const other = 'Dinosaurs lived long before people did.';

  test('counts exact and fuzzy matches, terms and repetitions, and the submission does the same', async () => {
    const sets = await openSets(app);
    await sets.memory([
      [rent, 'Le locataire paie le loyer.'],
      ['Good morning', 'Bonjour'],
    ]);
    await sets.glossary('invoice,facture');
    const texts = [rent, similar, other, 'invoice', other, 'Good morning', rent];
    const estimate = await estimateOf(sets, batch(texts));
    const chars = (...some: string[]) => some.reduce((sum, one) => sum + one.length, 0);
    const total = chars(...texts);
    expect(estimate).toMatchObject({
      jobs: 7,
      segments: 7,
      characters: total,
      billable_characters: total,
      exact_matches: { segments: 4, characters: chars(rent, 'invoice', 'Good morning', rent) },
      fuzzy_matches: { segments: 1, characters: similar.length },
      repetitions: { segments: 1, characters: other.length },
      no_match: { segments: 1, characters: other.length, not_searched: 0 },
    });
    const counted = estimate.fuzzy_matches.by_similarity.reduce(
      (sum: number, { segments }: { segments: number }) => sum + segments,
      0,
    );
    expect(counted).toBe(1);

    engine.reset();
    const { body: jobs } = await sets.submit(batch(texts));
    expect(jobs).toHaveLength(7);
    // Only the texts without an exact match reach the engine. A published one serves its repetition.
    expect(engine.texts().sort()).toEqual([other, similar].sort());
    const billed = (await sets.usage()).reduce((sum, { billable_chars }) => sum + billable_chars, 0);
    expect(billed).toBe(estimate.billable_characters);
  });

  test('a stored target that misses a glossary term counts as a fuzzy match', async () => {
    const sets = await openSets(app);
    await sets.memory([['Pay the invoice', 'Payez la note']]);
    await sets.glossary('invoice,facture');
    const estimate = await estimateOf(sets, batch(['Pay the invoice']));
    expect(estimate).toMatchObject({ exact_matches: none, fuzzy_matches: { segments: 1 } });
    expect(estimate.fuzzy_matches.by_similarity[0]).toEqual({
      from: 95,
      segments: 1,
      words: 3,
      characters: 15,
    });
  });

  test('each pair of text and language is a job', async () => {
    expect(await estimateOf(mine, batch(['One', 'Two'], ['fr', 'de', 'ja']))).toMatchObject({
      jobs: 6,
      characters: 18,
      repetitions: none,
    });
  });

  test('existing jobs of the key are free, and only the others count', async () => {
    await mine.submit(batch(['One', 'Two']), keyed('menu'));
    expect(await estimateOf(mine, batch(['One', 'Two']), keyed('menu'))).toMatchObject({
      jobs: 0,
      existing_jobs: 2,
      billable_characters: 0,
      refusal: null,
    });
    expect(await estimateOf(mine, batch(['One', 'Two', 'Three']), keyed('menu'))).toMatchObject({
      jobs: 1,
      existing_jobs: 2,
      billable_characters: 5,
    });
  });

  test('the pages of a text and of a file are counted', async () => {
    const long = 'A sentence of a page that is long enough. '.repeat(300);
    const source_document = { name: 'a.txt' };
    const ofText = await estimateOf(mine, text(long, { metadata: { source_document } }));
    expect(ofText.jobs).toBeGreaterThan(1);
    const form = new FormData();
    form.append('source_document', new File([long], 'a.txt', { type: 'text/plain' }));
    form.append('target_lang', 'fr');
    form.append('dry_run', 'yes');
    const ofForm = await mine.post(form, {});
    const raw = await mine.post(long, { 'content-type': 'text/plain' }, '?target_lang=fr&dry_run=true');
    for (const { status, body } of [ofForm, raw])
      expect([status, body]).toEqual([200, expect.objectContaining({ jobs: ofText.jobs, dry_run: true })]);
    expect(await rowsOf(mine)).toEqual(nothing);
  });

  test.each(['maybe', 'on', '2'])(
    'dry_run=%s in a form is rejected, and nothing is billed',
    async (value) => {
      const answer = await mine.post(
        'Hello',
        { 'content-type': 'text/plain' },
        `?target_lang=fr&dry_run=${value}`,
      );
      expect([answer.status, answer.body.detail]).toEqual([400, 'dry_run must be true or false']);
      expect(await rowsOf(mine)).toEqual(nothing);
    },
  );
});

describe('what would reject the submission', () => {
  test('is reported: the allowance', async () => {
    const theirs = await openWorkspace(small);
    const request = text('This text has more than twenty characters.');
    const { refusal } = await estimateOf(theirs, request);
    const rejected = await theirs.submit(request);
    expect(refusal).toEqual({ status: rejected.status, detail: rejected.body.detail });
    expect(rejected.status).toBe(429);
    expect((await estimateOf(theirs, text('Short'))).refusal).toBeNull();
  });

  test('is reported: max_characters', async () => {
    const { refusal } = await estimateOf(mine, text('Hello', { max_characters: 4 }));
    expect(refusal).toEqual({
      status: 413,
      detail: 'the request has more billable characters than max_characters',
    });
  });
});

describe('max_characters', () => {
  test.each([
    ['a text', text('Hello')],
    ['a batch', batch(['Hel', 'lo'])],
    ['the text of a document', text('Hello', { metadata: { source_document: {} } })],
  ])('rejects %s with more billable characters, and nothing exists', async (_what, request) => {
    const { status, body } = await mine.submit({ ...request, max_characters: 4 }, keyed('capped'));
    expect([status, body.detail, body.limit, body.actual, body.unit]).toEqual([
      413,
      'the request has more billable characters than max_characters',
      4,
      5,
      'characters',
    ]);
    const later = await mine.submit({ ...request, max_characters: 4 }, { prefer: 'respond-async' });
    expect(later.status).toBe(413);
    expect(await rowsOf(mine)).toEqual(nothing);
    // It is not a part of the request that the key identifies.
    const sent = await mine.submit({ ...request, max_characters: 5 }, keyed('capped'));
    const again = await mine.submit(request, keyed('capped'));
    expect([sent.status, again.status, again.headers.get('idempotency-request-differs')]).toEqual([
      200,
      200,
      null,
    ]);
    expect(again.body).toEqual(sent.body);
  });

  test('counts weighted characters', async () => {
    const theirs = await openWorkspace(weighted);
    const request = text('Hello', { target_lang: 'ja', max_characters: 9 });
    expect((await theirs.submit(request)).body).toMatchObject({ limit: 9, actual: 10 });
    expect((await theirs.submit({ ...request, max_characters: 10 })).status).toBe(200);
  });

  test('does not reject a repeated request whose jobs exist', async () => {
    await mine.submit(text('Hello'), keyed('one'));
    const again = await mine.submit(text('Hello', { max_characters: 1 }), keyed('one'));
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  });

  test.each(['0', '-1', '1e3', 'ten', '1.5'])('max_characters=%s in a query is rejected', async (value) => {
    const query = `?target_lang=fr&max_characters=${value}`;
    const answer = await mine.post('Hello', { 'content-type': 'text/plain' }, query);
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      'max_characters must be a whole number from 1 to 1000000000',
    ]);
  });
});
