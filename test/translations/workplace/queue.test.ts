import { describe, expect, test } from 'vitest';
import { pruneClaims } from '#server/review/claims.ts';
import { addDocument, env, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openReviewers, useReviewers } from './reviewers.ts';

const app = useTestApp({ env });

const mine = useReviewers(app);

/** Creates this many jobs that await review. Returns their IDs, oldest first. */
async function waiting(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await mine.held()).id);
  return ids;
}

/** The jobs that a member receives one after the other, until there are no more. */
async function queueOf(as?: Person, input = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { job, cursor } = await mine.call('reviews.next', { ...input, ...(after && { after }) }, as);
    if (job) ids.push(job.id);
    after = cursor;
    expect(ids.length).toBeLessThan(50);
  }
  return ids;
}

describe('reviews.next', () => {
  test('returns jobs that await review, the oldest first, each once', async () => {
    const ids = await waiting(3);
    await mine.job();
    await mine.review((await mine.held()).id, { action: 'reject' });
    expect(await queueOf()).toEqual(ids);
    expect(await mine.call('reviews.next', {})).toMatchObject({
      job: { id: ids[0], status: 'awaiting_review' },
      claim: { claimed_until: expect.any(String), others: [] },
    });
  });

  test('returns nothing if no job awaits review', async () => {
    await (await openReviewers(app)).held();
    expect(await mine.call('reviews.next')).toEqual({ job: null, cursor: null, claim: null });
  });

  test('keeps to languages and a trigger', async () => {
    await waiting(1);
    const { id } = await mine.held({ source_lang: 'de', target_lang: 'en' });
    const sensitive = await mine.job({ metadata: { sensitive: true } });
    expect(await queueOf(undefined, { source_lang: 'de' })).toEqual([id]);
    expect(await queueOf(undefined, { target_lang: 'en', trigger: 'policy_required' })).toEqual([id]);
    expect(await queueOf(undefined, { trigger: 'sensitive_content' })).toEqual([sensitive.id]);
    expect(await queueOf(undefined, { target_lang: 'ja' })).toEqual([]);
  });

  test('skips jobs that others have claimed, but not one’s own', async () => {
    const [first, second, third] = await waiting(3);
    const colleague = await mine.join();
    await mine.call('reviews.claim', { kind: 'job', id: first }, colleague);
    await mine.call('reviews.claim', { kind: 'job', id: second });
    expect(await queueOf(undefined, { claim: false })).toEqual([second, third]);
    expect(await queueOf(colleague, { claim: false })).toEqual([first, third]);
  });

  test('does not pass over a claim that has ended, of another workspace, or of a document', async () => {
    const [id] = await waiting(1);
    const colleague = await mine.join();
    await mine.call('reviews.claim', { kind: 'job', id }, colleague);
    const sql = mine.sql();
    await sql`update review_claims set expires_at = now() - interval '1 ms' where item_id = ${id as string}`;
    const { tenantId: elsewhere } = (await openReviewers(app)).founder;
    await sql`
      insert into review_claims select ${elsewhere}, user_id, item_kind, item_id, holder, now(), now() + interval '1 min'
      from review_claims where item_id = ${id as string}`;
    await sql`
      insert into review_claims select tenant_id, user_id, 'document', item_id, holder, now(), now() + interval '1 min'
      from review_claims where item_id = ${id as string}`;
    expect((await mine.call('reviews.next')).job.id).toBe(id);
  });

  test('of many members who ask at once, each gets a job of their own', async () => {
    const ids = await waiting(6);
    const members = await Promise.all(Array.from({ length: 8 }, () => mine.join()));
    const given = await Promise.all(members.map((member) => mine.call('reviews.next', {}, member)));
    const got = given.flatMap(({ job }) => (job ? [job.id] : []));
    expect(new Set(got).size).toBe(got.length);
    expect(got.toSorted()).toEqual(ids.toSorted());
  });
});

describe('reviews.claim', () => {
  test('returns who is on an item, and since when; no one is locked out', async () => {
    const [id] = await waiting(1);
    const colleague = await mine.join();
    const before = Date.now();
    const own = await mine.call('reviews.claim', { kind: 'job', id });
    expect(own.others).toEqual([]);
    const seconds = (Date.parse(own.claimed_until) - before) / 1000;
    expect(seconds).toBeGreaterThan(58);
    expect(seconds).toBeLessThan(70);
    const theirs = await mine.call('reviews.claim', { kind: 'job', id }, colleague);
    expect(theirs.others).toEqual([
      {
        holder: mine.founder.email,
        position: null,
        claimed_at: expect.any(String),
        expires_at: own.claimed_until,
      },
    ]);
    expect((await mine.review(id as string, { action: 'approve' }, colleague)).status).toBe(200);
  });

  test('renewed, lasts 60 seconds from then, and began when it began', async () => {
    const [id] = await waiting(1);
    const colleague = await mine.join();
    const seen = async () =>
      (await mine.call('reviews.claim', { kind: 'job', id, release: true }, colleague)).others[0];
    await mine.call('reviews.claim', { kind: 'job', id });
    await mine.sql()`
      update review_claims set claimed_at = now() - interval '50 s', expires_at = now() + interval '10 s' where item_id = ${id as string}`;
    const old = await seen();
    const { claimed_until } = await mine.call('reviews.claim', { kind: 'job', id });
    expect(await seen()).toEqual({ ...old, expires_at: claimed_until });
    expect(Date.parse(claimed_until) - Date.parse(old.expires_at)).toBeGreaterThan(40_000);
  });

  test('a member holds 20 items at most: the oldest claims end', async () => {
    const ids = await waiting(22);
    for (const id of ids) await mine.call('reviews.claim', { kind: 'job', id });
    const colleague = await mine.join();
    expect(await queueOf(colleague, { claim: false })).toEqual(ids.slice(0, 2));
  });
});

test('claims that have ended are deleted in all workspaces, and no others', async () => {
  const other = await openReviewers(app);
  const [kept, ended, foreign] = [await mine.held(), await mine.held(), await other.held()];
  for (const { id } of [kept, ended]) await mine.call('reviews.claim', { kind: 'job', id });
  await other.call('reviews.claim', { kind: 'job', id: foreign.id });
  const sql = mine.sql();
  // The claims of earlier tests.
  await sql`delete from review_claims where item_id <> all(${[kept.id, ended.id, foreign.id]})`;
  await sql`update review_claims set expires_at = now() where item_id = any(${[ended.id, foreign.id]})`;
  expect(await app.database.inPlatform(pruneClaims)).toBe(2);
  const rows = await sql`select item_id from review_claims`;
  expect([...rows]).toEqual([{ item_id: kept.id }]);
});

test('a document is claimed as a job is, and its claim is no claim of a job', async () => {
  const colleague = await mine.join();
  const id = await addDocument(app, mine.founder);
  await mine.call('reviews.claim', { kind: 'document', id });
  const { others } = await mine.call('reviews.claim', { kind: 'document', id }, colleague);
  expect(others).toMatchObject([{ holder: mine.founder.email }]);
  expect((await mine.refused('reviews.claim', { kind: 'job', id }, colleague)).status).toBe(404);
});

test('a claim on a document has the segment that the member has open, if one is open', async () => {
  const colleague = await mine.join();
  const item = { kind: 'document', id: await addDocument(app, mine.founder) };
  const seen = async () => {
    const { others } = await mine.call('reviews.claim', { ...item, release: true }, colleague);
    return others.map(({ position }: { position: number | null }) => position);
  };
  await mine.call('reviews.claim', { ...item, position: 1 });
  expect(await seen()).toEqual([1]);
  await mine.call('reviews.claim', { ...item, position: 0 });
  expect(await seen()).toEqual([0]);
  await mine.call('reviews.claim', item);
  expect(await seen()).toEqual([null]);
  expect((await mine.refused('reviews.claim', { ...item, position: 2 })).status).toBe(422);
  const text = { kind: 'job', id: (await mine.held()).id };
  expect((await mine.refused('reviews.claim', { ...text, position: 0 })).status).toBe(422);
  expect(await seen()).toEqual([null]);
});
