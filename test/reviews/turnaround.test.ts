import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useAssignments } from './assigning.ts';

const app = useTestApp({ env });
const { mine, assign, approve, pass } = useAssignments(app);

const rows = async (input: Fields = {}) => (await mine.call('reviews.turnaround', input)).rows;

/** Moves the times of an item, in seconds before now. */
const move = (job: { id: string }, { held = 0, passed = null as number | null, decided = 0 }) =>
  mine.sql()`update review_assignments set held_at = now() - make_interval(secs => ${held}),
    first_passed_at = now() - make_interval(secs => ${passed}), decided_at = now() - make_interval(secs => ${decided})
    where item_id = ${job.id}`;

test('turnaround is counted from the time of hold to the first pass and to the decision', async () => {
  const [one, two] = [await mine.join(), await mine.join()];
  const held = (source_text: string) => mine.held({ source_text });
  const [passed, late] = [await held('one two'), await held('three')];
  const [early, free, open] = [await held('four'), await held('five'), await held('six')];
  await assign(passed, { assignee: one.userId, second: two.userId, due_at: '2100-01-01T00:00:00Z' });
  await assign(late, { assignee: one.userId, due_at: '2020-01-01T00:00:00Z' });
  await assign(early, { assignee: one.userId });
  await assign(open, { assignee: one.userId });
  expect((await pass(passed, one))[0]).toBe(200);
  // Passing back and on again does not move the first decision.
  expect((await pass(passed, two, { back: true }))[0]).toBe(200);
  expect((await pass(passed, one))[0]).toBe(200);
  expect((await approve(passed, two))[0]).toBe(200);
  expect((await approve(late, one))[0]).toBe(200);
  expect((await mine.review(early.id, { action: 'reject' }, one)).status).toBe(200);
  expect((await approve(free))[0]).toBe(200);
  const [first] =
    await mine.sql()`select first_passed_at < passed_at as is_earlier, decided_at = closed_at as is_closed
    from review_assignments where item_id = ${passed.id}`;
  expect(first).toEqual({ is_earlier: true, is_closed: true });
  await move(passed, { held: 5000, passed: 4900, decided: 1000 });
  await move(late, { held: 1010, decided: 1000 });
  await move(early, { held: 1200, decided: 1000 });
  expect(await rows()).toEqual([
    expect.objectContaining({
      ...{ user_id: one.userId, target_lang: 'fr', items: 3, words: 4, on_time: 1, overdue: 1 },
      // 10, 100 and 200 seconds; 10, 200 and 4000.
      ...{ first_median: 100, first_p90: 180, last_median: 200, last_p90: 3240 },
    }),
    expect.objectContaining({ user_id: null, name: null, items: 1, on_time: 0, overdue: 0 }),
  ]);
  await mine.sql()`update review_assignments set decided_at = '2026-02-03T23:59:59.999Z' where item_id = ${late.id}`;
  expect(await rows({ from: '2026-02-03', to: '2026-02-03' })).toMatchObject([{ items: 1 }]);
  expect(await rows({ from: '2026-02-04', to: '2026-02-04' })).toEqual([]);
  // A reopened decision counts no longer.
  await mine.call('reviews.reopen', { kind: 'job', id: free.id });
  expect(await rows()).toMatchObject([{ user_id: one.userId, items: 2 }]);

  await mine.call('assignments.saveProfile', { user_id: one.userId, display_name: '=1+1' });
  const { file_name, content } = await mine.call('reviews.turnaroundXlsx', {});
  expect(file_name).toMatch(/^turnaround-.*\.xlsx$/);
  const sheet = strFromU8(unzipSync(Buffer.from(content, 'base64'))['xl/worksheets/sheet1.xml']!);
  expect(sheet).not.toContain('<f');
  expect(sheet).toContain('=1+1');
});

test('an item that awaits review again after a day starts its time again', async () => {
  const one = await mine.join();
  const job = await mine.held();
  await assign(job, { assignee: one.userId, due_at: '2020-01-01T00:00:00Z' });
  expect((await approve(job, one))[0]).toBe(200);
  const again = async () => {
    await mine.sql()`update translation_jobs set status = 'awaiting_review', decided_at = null where job_id = ${job.id}`;
    return [
      ...(await mine.sql()`select assignee, target_lang, decided_at from review_assignments where item_id = ${job.id}`),
    ];
  };
  await mine.sql()`update review_assignments set closed_at = now() - interval '25 hours' where item_id = ${job.id}`;
  expect(await again()).toEqual([{ assignee: null, target_lang: 'fr', decided_at: null }]);
  // An item that ceases to await review without a decision does not count.
  await mine.sql()`update translation_jobs set status = 'failed' where job_id = ${job.id}`;
  expect(await rows()).toEqual([]);
});

test('a text that was passed on is paid to both reviewers, the second one apart', async () => {
  const [one, two] = [await mine.join(), await mine.join()];
  const [job, other] = [await mine.held({ source_text: 'one two three' }), await mine.held()];
  for (const each of [job, other]) await assign(each, { assignee: one.userId, second: two.userId });
  expect((await pass(job, one))[0]).toBe(200);
  expect((await approve(job, two))[0]).toBe(200);
  // What is passed on and back and on again counts once, and before it is decided.
  expect((await pass(other, one))[0]).toBe(200);
  expect((await pass(other, two, { back: true }))[0]).toBe(200);
  expect((await pass(other, one))[0]).toBe(200);
  const paid = (await mine.call('reviews.pay', {})).rows as Fields[];
  expect(paid.map(({ user_id, review, segments }) => [user_id, review, segments])).toEqual(
    expect.arrayContaining([
      [one.userId, 'first', 2],
      [two.userId, 'second', 1],
    ]),
  );
  expect(paid).toHaveLength(2);
});
