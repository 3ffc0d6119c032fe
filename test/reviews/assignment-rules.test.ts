import { describe, expect, test } from 'vitest';
import { covers } from '#server/member-languages.ts';
import { applyRules } from '#server/review/assignments/rules.ts';
import { env, type Fields, type Person, revoke } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { pair, useAssignments } from './assigning.ts';

const app = useTestApp({ env });
const { mine, assign, refusedAssign, list, ids, approve, pass, saveProfile, saveRules, apply, audited } =
  useAssignments(app);

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

test.each([
  ['* fr', 'en fr-CA', true],
  ['* fr-ca', 'en fr-CA', true],
  ['* fr-CA', 'en fr', false],
  ['EN pt-BR', 'en-GB pt-br', true],
  ['de fr', 'en fr', false],
  ['* zh-Hant', 'en zh-Hant-TW', true],
  ['* f', 'en fr', false],
])('the languages %s cover %s: %s', (own, wanted, expected) => {
  const [source_lang = '', target_lang = ''] = own.split(' ');
  const [from = '', to = ''] = wanted.split(' ');
  const languages = [{ source_lang, target_lang, review: true, second: false }];
  const of = { source_lang: from, target_lang: to };
  expect([covers(languages, 'review', of), covers(languages, 'second', of)]).toEqual([expected, false]);
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

  test('find the member that they name among more than 1,000', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    await mine.sql()`insert into users (tenant_id, user_id, email, provider, role)
      select ${mine.founder.tenantId}, '00' || n || ${mine.founder.tenantId}, n || '@many.test', 'password', 'reviewer'
      from generate_series(1, 1000) n`;
    await saveRules({ assignee: { member: one.userId }, second: { member: two.userId } });
    await mine.held();
    await apply();
    expect(await list('list')).toMatchObject([
      { assignee: { user_id: one.userId }, second: { user_id: two.userId } },
    ]);
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

  test('demand a second review of what awaited review when they were saved, from the response on', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    const job = await mine.held();
    await saveRules({ second: { member: two.userId } });
    expect(await approve(job, one)).toEqual([409, expect.stringContaining('needs a reviewer')]);
  });

  test('demand a second review also of what is decided before they are applied', async () => {
    const [one, two] = [await mine.join(), await mine.join()];
    for (const as of [one, two]) await saveProfile(as, { languages: [pair('fr')] });
    await saveRules({ assignee: { member: one.userId }, second: { member: two.userId } });
    const job = await mine.held();
    for (const as of [two, one, mine.founder])
      expect(await approve(job, as)).toEqual([
        409,
        `job ${job.id} ${as === two ? `is assigned to ${one.email}` : `needs a second review by ${two.email}; pass it on with assignments.pass`}`,
      ]);
    await saveRules({ target_lang: 'de', assignee: null, second: { member: two.userId } });
    expect(await approve(await mine.held(), two)).toEqual([200, 'published']);
  });

  test('are applied before a member takes an item', async () => {
    const [one, two, taker] = [await mine.join(), await mine.join(), await mine.join()];
    await saveRules({ assignee: { member: one.userId }, second: { member: two.userId } });
    expect(await refusedAssign(await mine.held(), { assignee: taker.userId }, taker)).toEqual([
      403,
      expect.stringContaining(`is assigned to ${one.email}`),
    ]);
    await saveRules({ assignee: null, second: { member: two.userId } });
    const job = await mine.held();
    await assign(job, { assignee: taker.userId }, taker);
    const { status } = await mine.review(job.id, { action: 'modify', final_translation: 'Salut' }, taker);
    expect([status, (await mine.read(job.id)).status]).toEqual([409, 'awaiting_review']);
  });

  test('without a member change an item once, and replace a removed second reviewer', async () => {
    const again = () =>
      mine.sql()`update review_assignments set rules_from = now() where rules_from is not null`;
    await saveRules({ assignee: null, due: { hours: 48 } });
    await mine.held();
    for (let run = 0; run < 3; run++) {
      await apply();
      await again();
    }
    expect(await audited('review_assigned')).toHaveLength(1);

    const [one, two, three] = [await mine.join(), await mine.join(), await mine.join()];
    for (const as of [one, two, three]) await saveProfile(as, { languages: [pair('fr')] });
    await saveRules({ assignee: { member: one.userId }, second: 'fewest_words' });
    const job = await mine.held();
    await apply();
    const reviewers = async () =>
      (await mine.sql()`select assignee, second from review_assignments where item_id = ${job.id}`)[0];
    const { second } = (await reviewers())!;
    await revoke(app, mine.founder, second === two.userId ? two : three);
    await apply();
    expect(await reviewers()).toEqual({
      assignee: one.userId,
      second: second === two.userId ? three.userId : two.userId,
    });
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

  test('are not overwritten by an administrator who has not seen the latest ones', async () => {
    const rule = (hours: number) => ({ assignee: null, second: null, due: { hours } });
    const read = await mine.call('assignments.rules');
    expect(read.rules).toEqual([]);
    const change = { rules: [rule(1)], version: read.version };
    const saved = await mine.call('assignments.saveRules', change);
    // The same request again, after a lost response.
    expect(await mine.call('assignments.saveRules', change)).toEqual(saved);
    const both = await Promise.all(
      [2, 3].map((hours) =>
        mine.refused('assignments.saveRules', { rules: [rule(hours)], version: saved.version }),
      ),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body.detail).toBe(
      'the rules have changed since they were read; read them again',
    );
    // Also if all rules were removed.
    const { version } = await mine.call('assignments.saveRules', { rules: [] });
    expect(version).toBe(read.version);
    expect((await mine.refused('assignments.saveRules', { rules: [], version: saved.version })).status).toBe(
      200,
    );
    expect(
      (await mine.refused('assignments.saveRules', { rules: [rule(4)], version: saved.version })).status,
    ).toBe(409);
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
  // The sum does not fit into 32 bits.
  await mine.sql()`update review_assignments set words = 2000000000 where assignee = ${one.userId}`;
  expect((await mine.call('assignments.load')).members).toContainEqual(
    expect.objectContaining({ user_id: one.userId, words: 6_000_000_000 }),
  );
  expect(await ids('list', { state: 'overdue' })).toEqual([late?.id]);
  expect(await ids('list', { state: 'unassigned' })).toEqual([open?.id]);
});

test('the forecast counts days in the time zone of the member', async () => {
  const east = await mine.join();
  // A Monday that is at least 3 days away.
  const day = new Date(Date.now() + 3 * 86_400_000);
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() + 1);
  const before = new Date(day.getTime() - 86_400_000).toISOString().slice(0, 10);
  await saveProfile(east, { time_zone: 'Pacific/Kiritimati', away_from: '2020-01-01', away_to: before });
  // On this Monday in the zone, which is still the Sunday of the absence in UTC.
  await assign(await mine.held({ source_text: 'a text of five words' }), {
    assignee: east.userId,
    due_at: `${before}T12:00:00Z`,
  });
  await mine.sql()`insert into review_days (tenant_id, day, user_id, words, timed, worked_ms)
    values (${mine.founder.tenantId}, current_date, ${east.userId}, 1, 5, 3600000)`;
  const { members } = await mine.call('assignments.load');
  expect(members).toContainEqual(expect.objectContaining({ user_id: east.userId, at_risk: 0 }));
});
