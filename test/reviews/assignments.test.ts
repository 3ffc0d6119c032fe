import { describe, expect, test } from 'vitest';
import { pruneAssignments } from '#server/translation/review/assignments/assign.ts';
import { applyRules } from '#server/translation/review/assignments/rules.ts';
import { env, type Fields, type Person, revoke } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openDocuments } from '../documents/workspace.ts';
import { callAt, openReviewers, useReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env });
const mine = useReviewers(app);

const item = ({ id }: { id: string }) => ({ kind: 'job', id });
/** Changes the assignment of one job, which must succeed. Returns the new version. */
async function assign(job: { id: string }, fields: Fields, as: Person = mine.founder): Promise<number> {
  const { results } = await mine.call('assignments.assign', { items: [item(job)], ...fields }, as);
  expect(results[0]).toMatchObject({ outcome: 'done' });
  return results[0].version;
}
/** Tries to change the assignment of one job. Returns the status and the reason. */
async function refusedAssign(job: Fields, fields: Fields, as: Person = mine.founder) {
  const { results } = await mine.call(
    'assignments.assign',
    { items: [{ kind: 'job', ...job }], ...fields },
    as,
  );
  expect(results[0].outcome).toBe('refused');
  return [results[0].http_status, results[0].detail];
}
const list = async (name: string, input: Fields = {}, as: Person = mine.founder): Promise<Fields[]> =>
  (await mine.call(`assignments.${name}`, input, as)).items;
const ids = async (name: string, input: Fields = {}, as: Person = mine.founder) =>
  (await list(name, input, as)).map(({ id }) => id);
const approve = async (job: { id: string }, as: Person = mine.founder) => {
  const { status, body } = await mine.review(job.id, { action: 'approve' }, as);
  return [status, status === 200 ? body.status : body.detail];
};
const pass = async (job: { id: string }, as: Person, fields: Fields = {}) => {
  const { status, body } = await mine.refused('assignments.pass', { ...item(job), ...fields }, as);
  return [status, status === 200 ? body.step : body.detail];
};
const saveProfile = (as: Person, fields: Fields) =>
  mine.call('assignments.saveProfile', { user_id: as.userId, ...fields });
const pair = (target_lang: string, fields: Fields = {}) => ({
  source_lang: '*',
  target_lang,
  review: true,
  second: true,
  ...fields,
});
const saveRules = (...rules: Fields[]) =>
  mine.call('assignments.saveRules', {
    rules: rules.map((rule) => ({ assignee: null, second: null, due: null, ...rule })),
  });
const apply = () => applyRules(app.services, { tenantId: mine.founder.tenantId });
const audited = async (action: string) => [
  ...(await mine.sql()`select actor_kind, actor_id, target, details from audit_log
    where tenant_id = ${mine.founder.tenantId} and action = ${action} order by recorded_at`),
];

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
    expect(
      (await mine.review(second.id, { action: 'save', final_translation: 'Brouillon' }, other)).status,
    ).toBe(200);
    expect(await approve(second, one)).toEqual([200, 'human_edited']);
    expect(await ids('mine', {}, one)).toEqual([first.id]);
    // An administrator decides for others, and each member decides unassigned items.
    expect(await approve(first)).toEqual([200, 'published']);
    expect(await approve(third, other)).toEqual([200, 'published']);
    expect(await audited('review_assigned')).toMatchObject([
      { actor_id: mine.founder.userId, target: first.id, details: { assignee: one.userId, due_at: null } },
      { target: second.id },
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
    expect((await mine.refused('assignments.load', {}, one)).status).toBe(403);
    expect((await mine.refused('assignments.saveRules', { rules: [] }, one)).status).toBe(403);
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

  test('of another workspace does not exist, and nor do its members', async () => {
    const theirs = await openReviewers(app);
    const job = await mine.held();
    const foreign = await theirs.held();
    const unknown = await refusedAssign({ id: 'f'.repeat(32) }, { assignee: mine.founder.userId });
    const hostile = await refusedAssign({ id: foreign.id }, { assignee: mine.founder.userId });
    expect([hostile[0], String(hostile[1]).replace(foreign.id, '')]).toEqual([
      404,
      String(unknown[1]).replace('f'.repeat(32), ''),
    ]);
    expect(await refusedAssign(job, { assignee: theirs.founder.userId })).toEqual([404, 'member not found']);
    expect((await pass(foreign, mine.founder))[0]).toBe(404);
    expect((await mine.refused('assignments.saveProfile', { user_id: theirs.founder.userId })).status).toBe(
      404,
    );
    expect(await ids('list', { holder: theirs.founder.userId })).toEqual([]);
    expect(await refusedAssign({ kind: 'document', id: job.id }, { assignee: mine.founder.userId })).toEqual([
      404,
      'document job not found',
    ]);
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
    await mine.sql()`update review_assignments set closed_at = now() - interval '2 days' where item_id = ${job.id}`;
    await app.database.inPlatform(pruneAssignments);
    expect([...(await rows())]).toEqual([{ item_id: two.id }]);
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
    expect((await mine.refused('assignments.mine', { cursor: 'x' })).status).toBe(422);
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

describe('a member', () => {
  test('sets the own name, time zone and absence; an administrator sets languages', async () => {
    const one = await mine.join();
    const own = {
      display_name: 'Ada',
      time_zone: 'Pacific/Auckland',
      away_from: '2020-01-01',
      away_to: '2100-01-01',
    };
    expect(await mine.call('assignments.saveProfile', own, one)).toMatchObject({
      ...own,
      name: 'Ada',
      is_away: true,
    });
    expect((await mine.refused('assignments.saveProfile', { languages: [] }, one)).status).toBe(403);
    expect(
      (await mine.refused('assignments.saveProfile', { user_id: mine.founder.userId }, one)).status,
    ).toBe(403);
    const { languages } = await saveProfile(one, { languages: [pair('fr')] });
    expect(languages).toEqual([pair('fr')]);
    const { members } = await mine.call('assignments.profiles', {}, one);
    expect(members).toHaveLength(2);
    expect(members.find(({ user_id }: Fields) => user_id === one.userId)).toMatchObject({
      name: 'Ada',
      languages,
    });
    const first = await mine.call('assignments.profiles', { limit: 1 });
    const rest = await mine.call('assignments.profiles', { limit: 1, cursor: first.next_cursor });
    expect(rest).toMatchObject({ members: [{}], next_cursor: null });
  });

  test.each([
    ['an unknown time zone', { time_zone: 'Mars/Base' }],
    ['a control character', { display_name: 'a\u0000b' }],
    ['a line separator', { display_name: 'a\u2028b' }],
    ['a long name', { display_name: 'x'.repeat(101) }],
    ['an absence that ends before it begins', { away_from: '2030-01-02', away_to: '2030-01-01' }],
    ['half an absence', { away_from: '2030-01-02' }],
    ['a day that does not exist', { away_from: '2030-02-30', away_to: '2030-03-01' }],
    ['a language that is no code', { languages: [pair("'; drop")] }],
    ['a pair twice', { languages: [pair('fr'), pair('fr')] }],
    ['201 pairs', { languages: Array.from({ length: 201 }, (_, n) => pair(`x${n}`)) }],
  ])('has no profile with %s', async (_name, fields) => {
    expect((await mine.refused('assignments.saveProfile', fields)).status).toBe(422);
  });

  test('reviews only the own languages, and loses what they no longer include', async () => {
    const one = await mine.join();
    await saveProfile(one, { languages: [pair('de'), pair('fr', { second: false })] });
    const [french, german] = [await mine.held(), await mine.held({ target_lang: 'de' })];
    await assign(french, { assignee: one.userId });
    expect((await refusedAssign(french, { assignee: null, second: one.userId }))[0]).toBe(409);
    await assign(german, { assignee: one.userId, due_at: '2100-01-01T00:00:00Z' });
    await saveProfile(one, { languages: [pair('fr')] });
    expect(await ids('mine', {}, one)).toEqual([french.id]);
    expect(await list('list', { state: 'unassigned' })).toMatchObject([
      { id: german.id, assignee: null, due_at: '2100-01-01T00:00:00.000Z' },
    ]);
    expect(await approve(german, one)).toEqual([403, 'you do not review en → de']);
    expect(await refusedAssign(german, { assignee: one.userId })).toEqual([
      409,
      `${one.email} makes no reviews of en → de`,
    ]);
    expect(await approve(french, one)).toEqual([200, 'published']);
  });
});

describe('rules', () => {
  test('apply to each item that begins to await review, in their order, and set both reviewers and the due date', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    for (const as of [one, two]) await saveProfile(as, { languages: [pair('fr'), pair('de')] });
    await saveRules(
      { target_lang: 'de', assignee: { member: two.userId } },
      {
        domain: 'LEGAL',
        regulated: true,
        assignee: 'fewest_words',
        second: 'fewest_words',
        due: { hours: 48 },
      },
      { assignee: { member: one.userId } },
    );
    const [german, french] = [
      await mine.held({ target_lang: 'de', source_text: 'one two three' }),
      await mine.held(),
    ];
    const published = await mine.job();
    const rows = () => mine.sql()`select item_id, rules_from is null as done from review_assignments
      where tenant_id = ${mine.founder.tenantId}`;
    // The row is stored with the item, so a process that dies here loses nothing.
    expect((await rows()).map((row) => row['done'])).toEqual([false, false]);
    const jobs = await mine.sql()`select payload ->> 'tenantId' as tenant from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'apply_assignment_rules'
      and payload ->> 'tenantId' = ${mine.founder.tenantId} and payload ->> 'all' is null`;
    expect(jobs.length).toBeGreaterThan(0);
    await Promise.all([apply(), apply()]);
    expect(await list('list')).toMatchObject([
      {
        id: french.id,
        assignee: { user_id: one.userId },
        second: { user_id: two.userId },
        four_eyes: true,
        assigned_by: null,
      },
      { id: german.id, assignee: { user_id: two.userId }, second: null, due_at: null },
    ]);
    const [{ due_at }] = (await list('list')) as [{ due_at: string }];
    expect(Math.abs(Date.parse(due_at) - Date.now() - 48 * 3_600_000)).toBeLessThan(600_000);
    expect((await rows()).every((row) => row['done'])).toBe(true);
    expect(await ids('list', { state: 'unassigned' })).toEqual([]);
    expect((await mine.read(published.id)).status).toBe('published');
    expect((await audited('review_assigned')).map(({ actor_kind }) => actor_kind)).toEqual([
      'server',
      'server',
    ]);
    await apply();
    expect(await audited('review_assigned')).toHaveLength(2);
  });

  test('select the member with the fewest words who has the languages and is not absent', async () => {
    const [busy, away, free, other] = [
      await mine.join(),
      await mine.join(),
      await mine.join(),
      await mine.join(),
    ];
    for (const as of [busy, away, free]) await saveProfile(as, { languages: [pair('fr')] });
    await saveProfile(other, { languages: [pair('de')] });
    await saveProfile(away, { away_from: '2020-01-01', away_to: '2100-01-01' });
    await assign(await mine.held({ source_text: 'five words are in this' }), { assignee: busy.userId });
    await saveRules({ assignee: 'fewest_words' });
    const jobs = [];
    for (const text of ['one two three', 'one two three four', 'one two'])
      jobs.push(await mine.held({ source_text: text }));
    await apply();
    const items = await list('list');
    const holders = jobs.map(
      ({ id }) => (items.find((one) => one['id'] === id) as { assignee: Fields }).assignee['user_id'],
    );
    // 3 words, then 7 words against 5.
    expect(holders).toEqual([free.userId, free.userId, busy.userId]);
  });

  test('leave an item to a later try if no one is available, and apply to what awaits review already', async () => {
    const one = await mine.join();
    const [job, other] = [await mine.held(), await mine.held({ source_text: 'a long text of six words' })];
    await saveProfile(one, { languages: [pair('fr')], away_from: '2020-01-01', away_to: '2100-01-01' });
    await saveRules({
      max_words: 5,
      assignee: 'fewest_words',
      second: 'fewest_words',
      due: { working_days: 2 },
    });
    await applyRules(app.services, { tenantId: mine.founder.tenantId, all: true });
    expect(await list('list', { state: 'unassigned' })).toMatchObject([
      { id: job.id, four_eyes: true, due_at: expect.any(String) },
      { id: other.id, four_eyes: false, due_at: null },
    ]);
    expect((await approve(job))[0]).toBe(409);
    await saveProfile(one, { away_from: null, away_to: null });
    await mine.sql()`update review_assignments set rules_from = now() where item_id = ${job.id} and rules_from is not null`;
    // The sweep queues the task for the workspace.
    await applyRules(app.services, {});
    const queued =
      await mine.sql()`select from graphile_worker.jobs where key = ${`apply_assignment_rules:${mine.founder.tenantId}`}`;
    expect(queued).toHaveLength(1);
    await apply();
    expect(await ids('mine', {}, one)).toEqual([job.id]);
    expect(await pass(job, one)).toEqual([200, 'second']);
  });

  test('assign again what a removed member had', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    for (const as of [one, two]) await saveProfile(as, { languages: [pair('fr')] });
    const job = await mine.held();
    await assign(job, { assignee: one.userId });
    await saveRules({ assignee: 'fewest_words' });
    await revoke(app, mine.founder, one);
    await apply();
    expect(await ids('mine', {}, two)).toEqual([job.id]);
  });

  test.each([
    ['an unknown choice', [{ assignee: 'nobody', second: null, due: null }]],
    ['0 hours', [{ assignee: null, second: null, due: { hours: 0 } }]],
    ['negative words', [{ assignee: null, second: null, due: null, min_words: -1 }]],
    ['51 rules', Array.from({ length: 51 }, () => ({ assignee: null, second: null, due: null }))],
  ])('are rejected with %s', async (_name, rules) => {
    expect((await mine.refused('assignments.saveRules', { rules })).status).toBe(422);
  });
});

test('the load has the items, words, overdue and risky ones of each member, and the speed of the last 30 days', async () => {
  const [one, two] = [await mine.join(), await mine.join()];
  const jobs = [];
  for (let n = 0; n < 4; n++) jobs.push(await mine.held({ source_text: 'a text of five words' }));
  const [late, soon, later, open] = jobs as { id: string }[];
  await assign(late as { id: string }, { assignee: one.userId, due_at: '2020-01-01T00:00:00Z' });
  await assign(soon as { id: string }, {
    assignee: one.userId,
    due_at: new Date(Date.now() + 60_000).toISOString(),
  });
  await assign(later as { id: string }, {
    assignee: one.userId,
    due_at: '2100-01-01T00:00:00Z',
    second: two.userId,
  });
  await mine.sql()`insert into review_days (tenant_id, day, user_id, words, timed, worked_ms)
    values (${mine.founder.tenantId}, current_date, ${one.userId}, 1, 5, 3600000)`;
  const { members, unassigned } = await mine.call('assignments.load');
  const of = ({ userId }: Person) => members.find(({ user_id }: Fields) => user_id === userId);
  expect(of(one)).toMatchObject({
    items: 3,
    words: 15,
    overdue: 1,
    at_risk: 1,
    words_per_hour: 1,
    upcoming: 0,
  });
  expect(of(one).next_due_at).toBe('2020-01-01T00:00:00.000Z');
  expect(of(two)).toMatchObject({ items: 0, words: 0, at_risk: null, words_per_hour: null, upcoming: 1 });
  expect(unassigned).toBe(1);
  expect(await ids('list', { state: 'overdue' })).toEqual([late?.id]);
  expect(await ids('list', { state: 'unassigned' })).toEqual([open?.id]);
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
  const colleague = await mine.join();
  const { members } = await mine.call('assignments.profiles', { user_id: colleague.userId });
  expect(members.map(({ user_id }: Fields) => user_id)).toEqual([colleague.userId]);
  const unknown = await mine.call('assignments.profiles', { user_id: other.founder.userId });
  expect(unknown).toEqual({ members: [], next_cursor: null });
});
