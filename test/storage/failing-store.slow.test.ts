import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdRuns } from '#test/setup/held-runs.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { keyed } from '#test/translations/workspace.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';
import type { FaultRule } from './data-lake-emulator.ts';

const runs = holdRuns();
const { account, app } = await useAccountApp({ engine: runs.engine, accountTimes: impatient });

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
  await mine.connect();
});
afterEach(() => runs.release());

const sensitive = { metadata: { sensitive: true } };
const recordsOf = (id: string) =>
  mine.stored().filter((path) => path.includes(id) && !path.includes('manifest'));
const manifestLines = () =>
  mine
    .stored()
    .filter((path) => path.includes('manifest'))
    .flatMap((path) => mine.content(path).trim().split('\n'))
    .map((line) => JSON.parse(line).job_id as string);

/** Expects that a job was published exactly once, according to the job, the record and the manifest. */
async function expectPublishedOnce(id: string, status = 'published') {
  expect((await mine.readJob(id)).status).toBe(status);
  expect(recordsOf(id)).toHaveLength(1);
  expect(JSON.parse(mine.content(recordsOf(id)[0]!))).toMatchObject({ job_id: id, job: { status } });
  await expect.poll(manifestLines).toContain(id);
  expect(manifestLines().filter((line) => line === id)).toHaveLength(1);
  expect(await mine.usage()).toMatchObject([{ job_id: id, billable_chars: 5 }]);
  expect(await setsOf(app, mine.headers).memories()).toMatchObject([{ entry_count: 1 }]);
}

const faults: [string, FaultRule][] = [
  ['create: 403', { operation: 'create', how: 403 }],
  ['create: cut before the work is done', { operation: 'create', how: 'cut' }],
  ['append: no response', { operation: 'append', how: 'timeout' }],
  ['append: cut after the work is done', { operation: 'append', how: 'cut_after' }],
];
/** Two of the faults, for tests whose writes use the account in the same way as those above. */
const appendFaults = faults.slice(2);
const isRecord = { path: /^golden\/[0-9a-f]{6}\// };

describe('the account fails while a job is published (B 3.1)', () => {
  test.each(faults)(
    '%s: 502, parked, final, readable, billed, published after a verify',
    async (_name, rule) => {
      const end = mine.fail({ ...rule, ...isRecord });
      const answer = await mine.submit({ source_text: 'Hello', target_lang: 'fr' }, keyed('one'));
      expect(answer).toMatchObject({ status: 502, body: { error_code: 'persistence_failed' } });
      const [job] = await mine.list();
      expect(job).toMatchObject({ status: 'persistence_failed', final_translation: '«Hello»' });
      expect(await mine.usage()).toHaveLength(1);
      expect((await mine.golden(job.id)).status).toBe(409);
      end();
      // Repeating the request starts no second run.
      const again = await mine.submit({ source_text: 'Hello', target_lang: 'fr' }, keyed('one'));
      expect(again).toMatchObject({ status: 200, body: { id: job.id, status: 'persistence_failed' } });
      expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
      await expectPublishedOnce(job.id);
      expect((await mine.golden(job.id)).status).toBe(200);
      expect((await mine.replay()).replay).toEqual({ published: 0, failed: 0, remaining: 0 });
      await expectPublishedOnce(job.id);
    },
  );

  test.each<[string, FaultRule]>([
    ['500', { how: 500, times: 1 }],
    ['cut after', { how: 'cut_after', times: 1 }],
  ])('one passing failure (%s) at each write is not noticed', async (_name, rule) => {
    mine.fail({ ...rule, operation: 'create' });
    mine.fail({ ...rule, operation: 'append' });
    const job = await mine.job();
    await expectPublishedOnce(job.id);
  });

  test.each(appendFaults)(
    'the manifest alone (%s): the job is published all the same',
    async (_name, rule) => {
      const end = mine.fail({ ...rule, path: /manifest/ });
      const job = await mine.job();
      expect(job.status).toBe('published');
      expect(recordsOf(job.id)).toHaveLength(1);
      end();
    },
  );

  test('items of a batch: the failed one is parked and the answer, those before stay, later ones leave nothing', async () => {
    const inputs = ['One', 'held two', 'Three'].map((Text) => ({ Text, Targets: [{ Language: 'fr' }] }));
    const submitted = mine.submit({ inputs }, keyed('batch'));
    const run = await runs.next();
    await expect.poll(async () => (await mine.usage()).length).toBe(1);
    const end = mine.fail({ how: 403, operation: 'create', path: isRecord.path });
    run.succeed();
    const answer = await submitted;
    end();
    expect(answer).toMatchObject({ status: 502, body: { error_code: 'persistence_failed' } });
    const jobs = (await mine.list()).map((job: Record<string, unknown>) => [
      (job['request'] as { source_text: string }).source_text,
      job['status'],
    ]);
    expect(jobs).toEqual(
      expect.arrayContaining([
        ['One', 'published'],
        ['held two', 'persistence_failed'],
      ]),
    );
    expect(jobs).toHaveLength(2);
    const again = await mine.submit({ inputs }, keyed('batch'));
    expect(again.body.map(({ status }: { status: string }) => status)).toEqual([
      'published',
      'persistence_failed',
      'published',
    ]);
    expect(await mine.usage()).toHaveLength(3);
    expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
  });
});

describe('the binding is edited while a job runs', () => {
  test('it is parked, and published by the next verify', async () => {
    const submitted = mine.submit({ source_text: 'held!', target_lang: 'fr' });
    const run = await runs.next();
    await mine.bind();
    run.succeed();
    const answer = await submitted;
    expect([409, 502]).toContain(answer.status);
    const [job] = await mine.list();
    expect(job.status).toBe('persistence_failed');
    expect(recordsOf(job.id)).toEqual([]);
    expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
    await expectPublishedOnce(job.id);
  });

  test('it goes to where the tenant’s records go when it ends', async () => {
    const submitted = mine.submit({ source_text: 'held!', target_lang: 'fr' });
    const run = await runs.next();
    await mine.unbind();
    run.succeed();
    expect((await submitted).body.status).toBe('published');
    expect(mine.stored()).toEqual([]);
  });
});

describe('the account fails while a review publishes', () => {
  test.each(appendFaults)(
    '%s: 502, parked with the reviewer’s words, published after a verify',
    async (_name, rule) => {
      const { id } = await mine.job(sensitive);
      const end = mine.fail({ ...rule, ...isRecord });
      const answer = await mine.review(id, { action: 'modify', final_translation: 'Salut' });
      expect(answer).toMatchObject({ status: 502, body: { error_code: 'persistence_failed' } });
      expect(await mine.readJob(id)).toMatchObject({
        status: 'persistence_failed',
        final_translation: 'Salut',
        agent_run: { human_review_task: { status: 'completed' } },
      });
      end();
      expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
      await expectPublishedOnce(id, 'human_edited');
    },
  );

  test('two reviewers and a failing account: one closes it, once', async () => {
    const { id } = await mine.job(sensitive);
    const end = mine.fail({ how: 403, ...isRecord });
    const answers = await Promise.all(
      ['A', 'B'].map((reviewer) => mine.review(id, { action: 'approve', reviewer })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([400, 502]);
    end();
    expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
    await expectPublishedOnce(id);
  });
});
