import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { callAt, openReviewers, type Reviewers } from './reviewers.ts';

const app = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '100000000' } });

interface Page {
  jobs: { id: string; updated_at: string }[];
  next_cursor: string | null;
  searched_to: string | null;
}

/** All pages of a search. */
async function walk(of: Reviewers, input: Fields = {}): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)?.next_cursor) {
    pages.push(await of.call('translations.search', { ...input, ...(cursor !== undefined && { cursor }) }));
    expect(pages.length).toBeLessThan(100);
  }
  return pages;
}

const idsOf = (pages: Page[]) => pages.flatMap(({ jobs }) => jobs.map(({ id }) => id));

describe('filters', () => {
  let mine: Reviewers;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    mine = await openReviewers(app);
    const add = async (name: string, fields: Fields) => {
      ids[name] = (await mine.job(fields)).id;
    };
    await add('plain', { source_text: 'Straße und ÉTÉ' });
    await add('german', { source_lang: 'de', target_lang: 'en', source_text: '100% sure_thing \\ here' });
    await add('legal', { domain: 'legal', source_text: 'A contract' });
    await add('sensitive', {
      metadata: { sensitive: true },
      source_text: 'A secret',
      target_lang: 'zh-Hans',
    });
    await add('rejected', { domain: 'legal', source_text: 'Never' });
    await mine.review(ids['rejected'] as string, { action: 'reject' });
    await add('edited', { domain: 'legal', source_text: 'Plain source' });
    await mine.review(ids['edited'] as string, { action: 'modify', final_translation: 'La Grenouille' });
  });

  test.each<[string, Fields, string[]]>([
    ['no filter', {}, ['edited', 'rejected', 'sensitive', 'legal', 'german', 'plain']],
    ['a status', { statuses: ['rejected'] }, ['rejected']],
    ['several statuses', { statuses: ['published', 'rejected'] }, ['rejected', 'german', 'plain']],
    ['a status twice', { statuses: ['rejected', 'rejected'] }, ['rejected']],
    ['a status of no job', { statuses: ['failed'] }, []],
    ['a source language', { source_lang: 'de' }, ['german']],
    ['a target language in other letters', { target_lang: 'ZH-hans' }, ['sensitive']],
    ['both languages', { source_lang: 'de', target_lang: 'fr' }, []],
    ['a trigger', { trigger: 'sensitive_content' }, ['sensitive']],
    ['a trigger and a status', { trigger: 'policy_required', statuses: ['awaiting_review'] }, ['legal']],
    ['a text of the source, in other letters', { text: 'STRASSE' }, []],
    ['a text of the source, in capitals', { text: 'straße UND été' }, ['plain']],
    ['a text that was stored composed, decomposed', { text: 'e\u0301te\u0301' }, ['plain']],
    ['a text of the translation', { text: 'grenouille' }, ['edited']],
    ['a percent sign', { text: '%' }, ['german']],
    ['an underscore', { text: '_' }, ['german']],
    ['a backslash', { text: '\\' }, ['german']],
    ['a pattern', { text: 'A c%t' }, []],
    ['a quote', { text: "'; drop table" }, []],
  ])('%s', async (_name, input, expected) => {
    const pages = await walk(mine, input);
    expect(idsOf(pages)).toEqual(expected.map((name) => ids[name]));
    expect(idsOf(await walk(mine, { ...input, limit: 1 }))).toEqual(idsOf(pages));
    expect(idsOf(await walk(mine, { ...input, order: 'oldest' }))).toEqual(idsOf(pages).reverse());
  });

  test('a span of time has its first moment and not its last', async () => {
    const { updated_at } = await mine.read(ids['legal'] as string);
    const next = new Date(Date.parse(updated_at) + 1).toISOString();
    const at = (updated_from: string, updated_to: string) =>
      walk(mine, { updated_from, updated_to }).then(idsOf);
    expect(await at(updated_at, next)).toEqual([ids['legal']]);
    expect(await at(next, next)).toEqual([]);
    expect(await at('2000-01-01T00:00:00Z', updated_at)).toEqual([ids['german'], ids['plain']]);
    const elsewhere = updated_at.replace('Z', '+00:00');
    expect(await at(elsewhere, next)).toEqual([ids['legal']]);
  });

  test('a found job is in short what it is in full', async () => {
    const { jobs } = await mine.call('translations.search', { trigger: 'sensitive_content' });
    const job = await mine.read(ids['sensitive'] as string);
    expect(jobs[0]).toEqual({
      id: job.id,
      status: 'awaiting_review',
      source_lang: 'en',
      target_lang: 'zh-Hans',
      text_type: 'Plain',
      source_excerpt: 'A secret',
      translation_excerpt: '[zh-Hans] A secret',
      score: job.agent_run.quality_gate.score,
      triggers: ['sensitive_content'],
      claimed_by: [],
      created_at: job.created_at,
      updated_at: job.updated_at,
    });
  });

  test('a long text is shown by its first 300 characters, none of them cut in half', async () => {
    const { id } = await mine.job({ source_text: '🦊'.repeat(400), text_type: 'Html' });
    const { jobs } = await mine.call('translations.search', { limit: 1 });
    expect(jobs[0]).toMatchObject({ id, text_type: 'Html', source_excerpt: '🦊'.repeat(300) });
  });
});

test('others who are on a job are named, the member who asks is not, and a key sees all', async () => {
  const mine = await openReviewers(app);
  const { id } = await mine.held();
  const member = await mine.join();
  await mine.call('reviews.claim', { kind: 'job', id });
  await mine.call('reviews.claim', { kind: 'job', id }, member);
  const namesFor = async (input: Fields, headers: Record<string, string>) =>
    (await callAt(app, 'translations.search', input, headers)).body.jobs[0].claimed_by;
  expect(await namesFor({}, mine.founder.bearer)).toEqual([member.email]);
  expect(await namesFor({}, member.bearer)).toEqual([mine.founder.email]);
  expect(await namesFor({}, mine.founder.key)).toEqual([mine.founder.email, member.email]);
});

describe('among very many jobs', () => {
  let mine: Reviewers;
  let oldest: string;
  let sql: postgres.Sql;
  const many = 10_500;

  afterAll(() => sql.end());
  beforeAll(async () => {
    mine = await openReviewers(app);
    oldest = (await mine.job({ source_text: 'A needle' })).id;
    const { id } = await mine.job({ source_text: 'Hay' });
    sql = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
    await sql`
      insert into translation_jobs (tenant_id, job_id, status, request, final_translation, agent_run, updated_at)
      select tenant_id, md5('hay ' || n), 'published', request, final_translation, agent_run, updated_at + n * interval '1 second'
      from translation_jobs, generate_series(1, ${many}) n where job_id = ${id}`;
  });

  test('one request examines at most 10,000, returns how far it has come, and the next continues there', async () => {
    const pages = await walk(mine, { text: 'needle' });
    expect(pages.map(({ jobs }) => jobs.length)).toEqual([0, 1]);
    expect(idsOf(pages)).toEqual([oldest]);
    const [row] = await sql`
      select updated_at from translation_jobs where tenant_id = ${mine.founder.tenantId}
      order by updated_at desc, job_id desc offset 9999 limit 1`;
    expect(pages[0]?.searched_to).toBe(row?.['updated_at'].toISOString());
    expect(pages[1]).toMatchObject({ next_cursor: null, searched_to: null });
  });

  test('texts are examined up to some megabytes, and at least one', async () => {
    const large = await openReviewers(app);
    const { id } = await large.job({ source_text: 'Hay' });
    await sql`
      insert into translation_jobs (tenant_id, job_id, status, request, final_translation, agent_run)
      select tenant_id, md5('large ' || n), status, request, repeat('hay ', 125000) || case n when 79 then 'needle' else '' end, agent_run
      from translation_jobs, generate_series(1, 80) n where job_id = ${id}`;
    const pages = await walk(large, { text: 'needle' });
    expect(idsOf(pages)).toHaveLength(1);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.length).toBeLessThan(5);
  });

  test('counts are exact up to 10,000 of a status; then they say that there are more', async () => {
    const { by_status } = await mine.call('translations.counts');
    expect(by_status).toContainEqual({ status: 'published', count: 10_000, more: true });
  });
});

test('counts have every status, and since when jobs await review', async () => {
  const mine = await openReviewers(app);
  const before = await mine.call('translations.counts');
  expect(before.by_status).toHaveLength(10);
  for (const one of before.by_status) expect(one).toMatchObject({ count: 0, more: false });
  expect(before.waiting).toEqual({ count: 0, more: false, oldest_at: null });

  const first = await mine.held();
  const second = await mine.held();
  await mine.job();
  const other = await openReviewers(app);
  await other.held();
  await mine.sql()`update translation_jobs set status = 'refined' where job_id = ${second.id}`;
  const { by_status, waiting } = await mine.call('translations.counts');
  expect(by_status.filter(({ count }: { count: number }) => count > 0)).toEqual([
    { status: 'refined', count: 1, more: false },
    { status: 'awaiting_review', count: 1, more: false },
    { status: 'published', count: 1, more: false },
  ]);
  expect(waiting).toEqual({ count: 2, more: false, oldest_at: first.updated_at });
});
