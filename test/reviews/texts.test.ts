import { expect, test } from 'vitest';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useReviewers } from '../translations/workplace/reviewers.ts';
import { judgingEngine } from './judging-engine.ts';

const app = useTestApp({ env, engine: judgingEngine() });

const mine = useReviewers(app);

const list = (input: Fields = {}) => mine.call('reviews.texts', input);

// biome-ignore lint/suspicious/noExplicitAny: the texts of a page
const texts = async (input: Fields = {}): Promise<any[]> => (await list(input)).texts;

const sources = async (input: Fields = {}) => (await texts(input)).map(({ source_text }) => source_text);

test('a text is listed with its findings, the reasons for its review, and the members who work on it', async () => {
  const { id } = await mine.held({ source_text: 'wrong', metadata: { submitter: 'app@example.org' } });
  const colleague = await mine.join();
  await mine.call('reviews.claim', { kind: 'job', id }, colleague);
  expect(await list()).toEqual({
    texts: [
      {
        id,
        updated_at: expect.any(String),
        status: 'critical',
        source_lang: 'en',
        target_lang: 'fr',
        is_own_decision: false,
        is_html: false,
        ...{ context: null, max_length: null, length_unit: null },
        domain: 'legal',
        submitter: 'app@example.org',
        source_text: 'wrong',
        target_text: 'fr of wrong',
        is_cut: false,
        pipeline_text: null,
        issues: [expect.objectContaining({ severity: 'critical', explanation: 'critical' })],
        score: 92,
        threshold: expect.any(Number),
        reasons: expect.arrayContaining([
          { code: 'policy_required', reason: expect.stringContaining('legal') },
          { code: 'critical_issue', reason: expect.any(String) },
        ]),
        claimed_by: [colleague.email],
      },
    ],
    next_cursor: null,
  });
});

test('a draft keeps the findings of the model, which are not rechecked', async () => {
  const { id } = await mine.held({ source_text: 'wrong' });
  const plain = await mine.held({ source_text: 'plain' });
  for (const job of [id, plain.id])
    await mine.review(job, { action: 'save', final_translation: `better ${job}` });
  expect(await texts()).toMatchObject([
    {
      id,
      status: 'critical',
      issues: [{ severity: 'critical', status: 'not_rechecked' }],
      target_text: `better ${id}`,
      pipeline_text: 'fr of wrong',
    },
    { id: plain.id, status: 'draft', issues: [], pipeline_text: 'fr of plain' },
  ]);
});

test('the filters are those of the groups in the inbox', async () => {
  await mine.held({ source_text: 'one', metadata: { submitter: 'app' } });
  await mine.held({ source_text: 'two' });
  await mine.held({ source_text: 'three', target_lang: 'de' });
  await mine.job({ source_text: 'four doubtful' });
  const { tasks } = await mine.call('reviews.inbox');
  const groups = await Promise.all(tasks.map(({ filter }: Fields) => sources(filter as Fields)));
  expect(groups.sort()).toEqual([['four doubtful'], ['one'], ['three'], ['two']]);
  expect(await sources({ domain: 'legal' })).toEqual(['one', 'two', 'three']);
  expect(await sources({ submitter: 'app' })).toEqual(['one']);
  expect(await sources({ domain: null })).toEqual(['four doubtful']);
  expect(await sources({ trigger: 'low_quality_score' })).toEqual(['four doubtful']);
  expect(await sources({ text: 'TWO' })).toEqual(['two']);
});

test('pages follow each other without gaps or repeats, the longest waiting first', async () => {
  const all = ['a', 'b', 'c', 'd', 'e'];
  for (const source_text of all) await mine.held({ source_text });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Fields = await list({ limit: 2, domain: 'legal', ...(cursor && { cursor }) });
    seen.push(...(page['texts'] as Fields[]).map(({ source_text }) => source_text as string));
    cursor = page['next_cursor'] as string | null;
  } while (cursor !== null);
  expect(seen).toEqual(all);
});

test('named texts are listed also after their decision', async () => {
  const [published, rejected, other] = [
    await mine.held({ source_text: 'a' }),
    await mine.held({ source_text: 'b' }),
    await mine.held({ source_text: 'c' }),
  ];
  await mine.review(published.id, { action: 'approve' });
  await mine.review(rejected.id, { action: 'reject' });
  expect(await texts()).toMatchObject([{ id: other.id }]);
  expect(await texts({ job_ids: [published.id, rejected.id] })).toMatchObject([
    { id: published.id, status: 'confirmed', is_own_decision: true },
    { id: rejected.id, status: 'rejected', is_own_decision: true },
  ]);
  const colleague = await mine.join();
  const { texts: theirs } = await mine.call('reviews.texts', { job_ids: [published.id] }, colleague);
  expect(theirs).toMatchObject([{ status: 'confirmed', is_own_decision: false }]);
  await mine.call('reviews.reopen', { kind: 'job', id: published.id });
  expect(await texts({ job_ids: [published.id] })).toMatchObject([
    { status: 'todo', is_own_decision: false },
  ]);
});

test('up to 20 named texts are listed while searches use all slots, and more texts need a slot', async () => {
  const { id } = await mine.held();
  const ids = Array.from({ length: 21 }, (_, n) => (n === 0 ? id : n.toString(16).padStart(32, '0')));
  const settled: string[] = [];
  const call = (path: string, input: Fields = {}) =>
    mine.call(path, input).then((body) => {
      settled.push(path);
      return body;
    });
  const searches: Promise<unknown>[] = [];
  const sql = mine.sql();
  await sql.begin(async (tx) => {
    await tx`lock table document_jobs in access exclusive mode`;
    for (const _ of [1, 2, 3]) searches.push(call('reviews.inbox'));
    await expect
      .poll(async () => {
        const [held] = await tx`select count(*)::int as waiting from pg_locks
          where not granted and relation = 'document_jobs'::regclass`;
        return held?.['waiting'];
      })
      .toBe(3);
    searches.push(call('reviews.texts', { job_ids: ids }));
    expect((await mine.call('reviews.texts', { job_ids: ids.slice(0, 20) })).texts).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(settled).toEqual([]);
  });
  await Promise.all(searches);
  expect(settled).toHaveLength(4);
});

test('long texts are cut, and say so', async () => {
  await mine.held({ source_text: 'word '.repeat(1000) });
  expect(await texts()).toMatchObject([{ is_cut: true, source_text: 'word '.repeat(800) }]);
});

test('a page reads at most 32 MB of texts, but a filter without matches needs one request', async () => {
  const { id } = await mine.held({ source_text: 'long' });
  const sql = mine.sql();
  await sql`update translation_jobs set request = request || jsonb_build_object('source_text',
    (select string_agg(md5(n::text), '') from generate_series(1, 15625) n)) where job_id = ${id}`;
  const columns = await sql`select string_agg(column_name, ',') as names from information_schema.columns
    where table_name = 'translation_jobs' and is_generated = 'NEVER' and column_name <> 'job_id'`;
  const names = columns[0]?.['names'];
  await sql.unsafe(`insert into translation_jobs (job_id, ${names}) select md5(n::text), ${names}
    from translation_jobs, generate_series(1, 29) n where job_id = '${id}'`);
  for (const filter of [{}, { submitter: null }, { domain: 'legal' }]) {
    const page = await list(filter);
    expect(page.next_cursor).not.toBeNull();
    expect(page.texts.length).toBeLessThan(20);
  }
  for (const filter of [{ submitter: 'app' }, { domain: null }, { text: 'absent' }])
    expect(await list(filter)).toEqual({ texts: [], next_cursor: null });
});

test.each(['assignee', 'second', 'due_at', 'step'] as const)(
  'the texts of an assignment have the same %s',
  async (field) => {
    const colleagues = [await mine.join(), await mine.join(), await mine.join()];
    const [assignee, second, other] = colleagues.map(({ userId }) => userId);
    const due_at = '2099-12-03T17:00:00.123Z';
    for (const [source_text, change] of [
      ['one', {}],
      [
        'other',
        { assignee: { assignee: other }, second: { second: other }, due_at: { due_at: null } }[
          field as never
        ] ?? {},
      ],
    ] as const) {
      const { id } = await mine.held({ source_text });
      const item = { kind: 'job', id };
      await mine.call('assignments.assign', { items: [item], assignee, second, due_at, ...change });
      if (field === 'step' && source_text === 'other') await mine.call('assignments.pass', item);
    }
    await mine.held({ source_text: 'unassigned' });
    const assigned = { step: 'first', assignee, second, due_at };
    expect(await sources({ assigned })).toEqual(['one']);
  },
);

test('an empty domain is a domain like others', async () => {
  await mine.held();
  expect(await texts({ domain: '' })).toEqual([]);
});

test('a cursor of another form is rejected', async () => {
  expect((await mine.refused('reviews.texts', { cursor: 'x' })).status).toBe(422);
});
