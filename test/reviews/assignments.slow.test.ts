import { describe, expect, test } from 'vitest';
import { pruneAssignments } from '#server/review/assignments/assign.ts';
import { env, type Fields, revoke } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openDocuments } from '../documents/workspace.ts';
import { callAt, openReviewers } from '../translations/workplace/reviewers.ts';
import { useAssignments } from './assigning.ts';

const app = useTestApp({ env });
const { mine, item, assign, refusedAssign, list, ids, approve, pass, audited } = useAssignments(app);

describe('an assigned item', () => {
  test('is in the list of its assignee by due date, and is decided by the assignee', async () => {
    const [one, other] = [await mine.join(), await mine.join()];
    const [first, second, third] = [
      await mine.held(),
      await mine.held({ source_text: 'two words' }),
      await mine.held(),
    ];
    await assign(first, { assignee: one.userId });
    await assign(second, { assignee: one.userId, due_at: '2100-01-02T10:00:00+02:00', comment: ' Please. ' });
    expect(await ids('mine', {}, one)).toEqual([second.id, first.id]);
    expect(await ids('mine', {}, other)).toEqual([]);
    expect((await list('mine', {}, one))[0]).toMatchObject({
      ...{ kind: 'job', title: 'two words', format: null, target_lang: 'fr', domain: 'legal', words: 2 },
      assignee: { user_id: one.userId, name: one.email },
      assigned_by: { user_id: mine.founder.userId, name: mine.founder.email },
      ...{
        due_at: '2100-01-02T08:00:00.000Z',
        is_overdue: false,
        comment: 'Please.',
        step: 'first',
        version: 1,
      },
    });
    expect(await ids('list', { state: 'unassigned' })).toEqual([third.id]);
    expect(await approve(second, other)).toEqual([409, `job ${second.id} is assigned to ${one.email}`]);
    const { headers } = { headers: { 'x-api-key': mine.founder.apiKey as string } };
    const byKey = await app.json('POST', `/api/translations/${second.id}/review`, {
      headers,
      body: { action: 'reject', reviewer: 'CAT' },
    });
    expect([byKey.status, byKey.body.detail]).toEqual([409, `job ${second.id} is assigned to ${one.email}`]);
    expect(await approve(second, one)).toEqual([200, 'published']);
    expect(await ids('mine', {}, one)).toEqual([first.id]);
    // An administrator takes an item over first, and each member decides unassigned items.
    expect((await approve(first))[0]).toBe(409);
    await assign(first, { assignee: mine.founder.userId });
    expect(await approve(first)).toEqual([200, 'published']);
    expect(await approve(third, other)).toEqual([200, 'published']);
    expect(await audited('review_assigned')).toMatchObject([
      { actor_id: mine.founder.userId, target: first.id, details: { assignee: one.userId, due_at: null } },
      { target: second.id },
      { target: first.id, details: { assignee: mine.founder.userId, former: one.userId } },
    ]);
  });

  test('is taken, handed over and unassigned by members; the rest is for administrators', async () => {
    const [one, other] = [await mine.join(), await mine.join()];
    const job = await mine.held();
    expect(await refusedAssign(job, { assignee: other.userId }, one)).toEqual([
      403,
      'only administrators can assign items to others',
    ]);
    await assign(job, { assignee: one.userId }, one);
    expect((await refusedAssign(job, { assignee: other.userId }, other))[0]).toBe(403);
    expect((await refusedAssign(job, { due_at: null }, one))[0]).toBe(403);
    await assign(job, { assignee: other.userId, comment: 'I am away' }, one);
    expect(await list('mine', {}, other)).toMatchObject([
      { comment: 'I am away', assigned_by: { user_id: one.userId } },
    ]);
    await assign(job, { assignee: null }, other);
    expect(await ids('list', { state: 'unassigned' })).toEqual([job.id]);
    expect(await audited('review_unassigned')).toMatchObject([
      { actor_id: other.userId, target: job.id, details: { former: other.userId } },
    ]);
  });

  test('has one assignee if two members take it at the same time, and the loser learns who has it', async () => {
    const members = [await mine.join(), await mine.join()] as const;
    for (let round = 0; round < 5; round++) {
      const job = await mine.held();
      const answers = await Promise.all(
        members.map((as) =>
          mine.call('assignments.assign', { items: [{ ...item(job), version: 0 }], assignee: as.userId }, as),
        ),
      );
      const outcomes = answers.map(({ results }) => results[0]);
      const winner = outcomes.findIndex(({ outcome }) => outcome === 'done');
      expect(outcomes[1 - winner]).toMatchObject({
        ...{ outcome: 'refused', http_status: 409, version: 1 },
        assignee: { user_id: members[winner]?.userId },
      });
      expect(await ids('mine', {}, members[winner])).toContain(job.id);
    }
  });

  test('has no assignee and no holder of another workspace', async () => {
    const theirs = await openReviewers(app);
    const job = await mine.held();
    expect(await refusedAssign(job, { assignee: theirs.founder.userId })).toEqual([404, 'member not found']);
    expect(await ids('list', { holder: theirs.founder.userId })).toEqual([]);
    expect(await refusedAssign({ kind: 'document', id: job.id }, { assignee: mine.founder.userId })).toEqual([
      404,
      'document job not found',
    ]);
  });

  test.each([
    ['Plain words, "quoted" – and a number 3.5!', 7],
    ['e-mail don’t foo.bar(x) == 3', 4],
    ['--- … !!!', 0],
    ['吾輩は猫である。𠮷野家', 5],
    ['Node.jsを使う', 3],
    ['สวัสดีชาวโลก', 3],
    ['안녕하세요 세계', 2],
    ['١٢٣\u00a0كلمة\u3000x', 3],
  ])('has the words of its source before it is assigned: %s', async (source_text, words) => {
    await mine.held({ source_text });
    expect(await list('list', { state: 'unassigned' })).toMatchObject([
      { words, version: 0, assigned_at: null },
    ]);
  });

  test('in HTML has no words in its tags', async () => {
    await mine.held({ source_text: '<p class="a b">Two&nbsp;words</p>', text_type: 'Html' });
    expect(await list('list', { state: 'unassigned' })).toMatchObject([{ words: 2 }]);
  });

  test('becomes unassigned when its assignee is removed; a decided or deleted one is in no list', async () => {
    const [one, other] = [await mine.join(), await mine.join()];
    const [job, gone, two] = [await mine.held(), await mine.held(), await mine.held()];
    await assign(job, { assignee: one.userId });
    await assign(gone, { assignee: one.userId });
    await assign(two, { assignee: other.userId, second: one.userId });
    const bearer = mine.founder.bearer;
    expect(
      (await app.request(`/api/translations/${gone.id}`, { method: 'DELETE', headers: bearer })).status,
    ).toBe(200);
    await revoke(app, mine.founder, one);
    expect(await ids('list', { state: 'unassigned' })).toEqual([job.id]);
    expect(await approve(job)).toEqual([200, 'published']);
    expect(await pass(two, other)).toEqual([200, 'second']);
    // The second review is still needed, and the item is listed until someone is set.
    expect(await approve(two)).toEqual([
      409,
      `job ${two.id} needs a second reviewer; an administrator can set one`,
    ]);
    expect(await ids('list', { state: 'unassigned' })).toEqual([two.id]);
    const rows = () =>
      mine.sql()`select item_id from review_assignments where tenant_id = ${mine.founder.tenantId}`;
    expect(await rows()).toHaveLength(2);
    await mine.sql()`update review_assignments set closed_at = now() - interval '401 days' where item_id = ${job.id}`;
    await app.database.inPlatform((tx) => pruneAssignments(tx, [mine.founder.tenantId]));
    expect(await rows()).toHaveLength(2);
    await app.database.inPlatform((tx) => pruneAssignments(tx, []));
    expect([...(await rows())]).toEqual([{ item_id: two.id }]);
  });

  test('keeps the comment for its reviewers until they change or another comment replaces it', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    const job = await mine.held();
    await assign(job, { assignee: one.userId });
    await assign(job, { assignee: two.userId, comment: 'Ask the lawyer' }, one);
    await assign(job, { due_at: '2100-01-01T00:00:00Z' });
    const shown = async () => {
      const [{ comment, assigned_by } = {} as Fields] = await list('list', { items: [item(job)] });
      return [comment, (assigned_by as Fields)['user_id']];
    };
    expect(await shown()).toEqual(['Ask the lawyer', one.userId]);
    await assign(job, { due_at: null, comment: 'Done already' });
    expect(await shown()).toEqual(['Done already', mine.founder.userId]);
    await assign(job, { assignee: one.userId });
    expect(await shown()).toEqual([null, mine.founder.userId]);
  });

  test('goes back to its reviewers when its decision is reopened', async () => {
    const one = await mine.join();
    const job = await mine.held();
    await assign(job, { assignee: one.userId });
    expect(await approve(job, one)).toEqual([200, 'published']);
    expect(await refusedAssign(job, { assignee: one.userId })).toEqual([
      409,
      `job ${job.id} does not await review`,
    ]);
    await mine.call('reviews.reopen', item(job), one);
    expect(await ids('mine', {}, one)).toEqual([job.id]);
  });

  test.each([
    ['no change', {}, 'must have assignee'],
    ['the same member twice', { assignee: 'a', second: 'a' }, 'another member'],
    ['a day without a time', { due_at: '2030-01-01' }, 'due_at'],
    ['a year with 5 digits', { due_at: '+010000-01-01T00:00:00Z' }, 'due_at'],
    ['a long comment', { assignee: null, comment: 'x'.repeat(2001) }, 'comment'],
    ['no item', { assignee: null, items: [] }, 'items'],
    [
      '501 items',
      { assignee: null, items: Array.from({ length: 501 }, (_, n) => ({ kind: 'job', id: `${n}` })) },
      'items',
    ],
    [
      'an item twice',
      {
        assignee: null,
        items: [
          { kind: 'job', id: 'a' },
          { kind: 'job', id: 'a' },
        ],
      },
      'twice',
    ],
  ])('is not changed by a request with %s', async (_name, input, why) => {
    const { status, body } = await mine.refused('assignments.assign', {
      items: [{ kind: 'job', id: 'a' }],
      ...input,
    });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(why)]);
  });

  test('of 500 is assigned at once; a list continues at its cursor', async () => {
    const one = await mine.join();
    const job = await mine.held();
    await mine.sql()`insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
      select tenant_id, md5(n::text), status, request, agent_run from translation_jobs, generate_series(1, 499) n
      where job_id = ${job.id}`;
    const items = (await mine.sql()`select 'job' as kind, job_id as id from translation_jobs
      where tenant_id = ${mine.founder.tenantId}`) as unknown as Fields[];
    const { results } = await mine.call('assignments.assign', { items: [...items], assignee: one.userId });
    expect(results.filter(({ outcome }: Fields) => outcome === 'done')).toHaveLength(500);
    const seen = new Set<unknown>();
    for (let cursor: string | undefined; ; ) {
      const page = await mine.call('assignments.mine', { limit: 200, cursor }, one);
      for (const { id } of page.items) seen.add(id);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(seen.size).toBe(500);
    for (const end of [
      'x',
      '0000-01-01T00:00:00.000Z a',
      '2026-02-30T00:00:00.000Z a',
      '2026-01-01T00:00:00.000Z \0',
    ]) {
      const cursor = Buffer.from(end).toString('base64url');
      for (const name of ['mine', 'list'])
        expect((await mine.refused(`assignments.${name}`, { cursor })).status).toBe(422);
    }
  });

  test('is recorded in the event feed with each change', async () => {
    const one = await mine.join();
    const job = await mine.held();
    const feed = (input: Fields) =>
      app.json('GET', `/trpc/events.list?input=${encodeURIComponent(JSON.stringify({ json: input }))}`, {
        headers: mine.founder.bearer,
      });
    const cursor = (await feed({})).body.result.data.json.next_cursor;
    await assign(job, { assignee: one.userId, second: mine.founder.userId });
    await pass(job, one);
    await assign(job, { second: null, assignee: null });
    const { events } = (await feed({ cursor })).body.result.data.json;
    expect(events.map(({ type, resource, status }: Fields) => [type, resource, status])).toEqual([
      ['review.assigned', 'translation', 'awaiting_review'],
      ['review.passed', 'translation', 'awaiting_review'],
      ['review.unassigned', 'translation', 'awaiting_review'],
    ]);
  });
});

describe('a second review', () => {
  test('publishes after the first one, by another member; the first reviewer and administrators do not', async () => {
    const [one, two, other] = [await mine.join(), await mine.join(), await mine.join()];
    const job = await mine.held();
    await assign(job, { assignee: one.userId, second: two.userId });
    expect(await ids('mine', { state: 'upcoming' }, two)).toEqual([job.id]);
    expect(await ids('mine', {}, two)).toEqual([]);
    const needs = `job ${job.id} needs a second review by ${two.email}; pass it on with assignments.pass`;
    expect(await approve(job, one)).toEqual([409, needs]);
    expect(await approve(job)).toEqual([409, needs]);
    expect((await approve(job, two))[0]).toBe(409);
    expect(await pass(job, two)).toEqual([409, `job ${job.id} needs a first review by another member`]);
    expect((await pass(job, other))[0]).toBe(409);
    expect(await pass(job, one, { version: 0 })).toEqual([
      409,
      `job ${job.id} has changed since it was read`,
    ]);
    expect(await pass(job, one, { comment: 'Look at the date' })).toEqual([200, 'second']);
    expect(await pass(job, one)).toEqual([409, `job ${job.id} is already passed on`]);
    const awaits = `job ${job.id} awaits the second review by ${two.email}`;
    expect(await approve(job, one)).toEqual([409, awaits]);
    expect(await approve(job)).toEqual([409, awaits]);
    expect((await mine.review(job.id, { action: 'reject' }, one)).status).toBe(409);
    expect(await list('mine', {}, two)).toMatchObject([{ step: 'second', comment: 'Look at the date' }]);
    expect(await ids('mine', {}, one)).toEqual([]);
    expect(await approve(job, two)).toEqual([200, 'published']);
    expect(await audited('review_passed')).toMatchObject([
      { actor_id: one.userId, details: { to: 'second' } },
    ]);
  });

  test('is not by the member who made the first one, whatever is assigned later', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    const job = await mine.held();
    await assign(job, { assignee: one.userId, second: two.userId });
    expect(await refusedAssign(job, { assignee: two.userId })).toEqual([
      409,
      `job ${job.id} needs two different reviewers`,
    ]);
    await pass(job, one);
    expect((await refusedAssign(job, { assignee: null, second: one.userId }))[0]).toBe(409);
    await assign(job, { assignee: null });
    expect((await refusedAssign(job, { second: one.userId }))[0]).toBe(409);
    expect((await refusedAssign(job, { second: null }, one))[0]).toBe(403);
    // An administrator may remove the second review, which is recorded.
    await assign(job, { second: null });
    expect(await approve(job, one)).toEqual([200, 'published']);
    expect((await audited('review_assigned')).at(-1)?.['details']).toMatchObject({ second: null });
  });

  test('passes an item back to the first reviewer, who may reject it', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    const job = await mine.held();
    await assign(job, { assignee: one.userId, second: two.userId });
    expect(await pass(job, two, { back: true })).toEqual([409, `job ${job.id} is not passed on yet`]);
    await pass(job, one);
    expect((await pass(job, one, { back: true }))[0]).toBe(409);
    expect(await pass(job, two, { back: true, comment: 'Terms' })).toEqual([200, 'first']);
    expect(await list('mine', {}, one)).toMatchObject([{ comment: 'Terms', step: 'first' }]);
    expect((await mine.review(job.id, { action: 'reject' }, one)).body.status).toBe('rejected');
  });

  test('holds a document', async () => {
    const documents = await openDocuments(app);
    const { id } = await documents.translate(['One', 'Two words']);
    const call = (name: string, input: Fields) => callAt(app, `assignments.${name}`, input, documents.admin);
    const [me] = (await call('profiles', {})).body.members;
    const items = [{ kind: 'document', id }];
    const { results } = (await call('assign', { items, assignee: me.user_id })).body;
    expect(results[0].outcome).toBe('done');
    const [listed] = (await call('mine', {})).body.items;
    expect(listed).toMatchObject({
      kind: 'document',
      format: 'xlsx',
      words: 3,
      title: expect.stringMatching(/xlsx$/),
    });
    const byKey = await documents.approve(id);
    expect([byKey.status, byKey.body.detail]).toEqual([409, `document ${id} is assigned to ${me.email}`]);
    expect((await documents.approve(id, {}, documents.admin)).status).toBe(200);
    expect((await call('mine', {})).body.items).toEqual([]);
    // A repeated approval changes nothing.
    expect((await documents.approve(id)).body.already_approved ?? true).toBe(true);
    await documents.removeDocument(id);
    const rows = await mine.sql()`select from review_assignments where item_id = ${id}`;
    expect(rows).toHaveLength(0);
  });
});

test('some items are listed in their order, without those that do not await review or that are not of the workspace', async () => {
  const jobs = [await mine.held(), await mine.held(), await mine.held()] as { id: string }[];
  const [first, decided, last] = jobs as [{ id: string }, { id: string }, { id: string }];
  await assign(last, { assignee: mine.founder.userId });
  await approve(decided);
  const other = await openReviewers(app);
  const foreign = await other.held();
  const items = [last, foreign, decided, first].map(item);
  expect((await list('list', { items })).map(({ id, version }) => [id, version])).toEqual([
    [last.id, 1],
    [first.id, 0],
  ]);
  const { status, body } = await mine.refused('assignments.list', { items: [item(first), item(first)] });
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'items']]);
  // The request must fit into a URL.
  const many = Array.from({ length: 101 }, (_, n) => ({ kind: 'job', id: `job-${n}` }));
  expect((await mine.refused('assignments.list', { items: many })).status).toBe(422);
  expect(await list('list', { items: many.slice(1) })).toEqual([]);
  const colleague = await mine.join();
  const { members } = await mine.call('assignments.profiles', { user_id: colleague.userId });
  expect(members.map(({ user_id }: Fields) => user_id)).toEqual([colleague.userId]);
  const unknown = await mine.call('assignments.profiles', { user_id: other.founder.userId });
  expect(unknown).toEqual({ members: [], next_cursor: null });
});

test('the texts of the editor are those of an assignee, and a group names its assignees and earliest due date', async () => {
  const [one, other] = [await mine.join(), await mine.join()];
  const jobs = [await mine.held(), await mine.held(), await mine.held()] as { id: string }[];
  const [first, second, third] = jobs as [{ id: string }, { id: string }, { id: string }];
  const group = async () => (await mine.call('reviews.inbox')).tasks[0];
  expect(await group()).toMatchObject({ assignees: [], due_at: null });
  await assign(first, { assignee: one.userId, due_at: '2100-01-03T08:00:00Z' });
  await assign(second, { assignee: other.userId, due_at: '2100-01-02T08:00:00Z' });
  expect(await group()).toMatchObject({
    texts: 3,
    assignees: [one.email, other.email].sort(),
    due_at: '2100-01-02T08:00:00.000Z',
  });
  const texts = async (assignee: string | null) =>
    (await mine.call('reviews.texts', { assignee })).texts.map(({ id }: Fields) => id);
  expect(await texts(one.userId)).toEqual([first.id]);
  expect(await texts(null)).toEqual([third.id]);
  expect(await texts('unknown')).toEqual([]);
});
