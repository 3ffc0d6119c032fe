import { beforeEach, describe, expect, test } from 'vitest';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';
import { goldenFiles, recordsOf } from './golden-files.ts';
import { cat, good, heldReply, liveEngine } from './live.ts';
import { openWorkspace, PATH, useWorkspace } from './workspace.ts';

const operatorKey = 'an-operator-key-of-some-length-0123456789';
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };
const app = useTestApp({ env });

const fake = await useFakeOpenAi();
const live = useTestApp({ env, engine: liveEngine(fake) });

const mine = useWorkspace(app);
beforeEach(() => {
  fake.otherwise(good);
});

const counts = {
  deleted: true,
  records_removed: expect.any(Number),
  artifacts_removed: expect.any(Number),
  golden_records_deleted: expect.any(Number),
  tm_pairs_removed: expect.any(Number),
};

describe('what is deleted (B 4.1, C 4)', () => {
  test('a published job with its golden record; the counts say so', async () => {
    const source = 'a text that stands nowhere else: zq8141';
    const job = await mine.job({ source_text: source });
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    const { body } = await mine.remove(job.id, mine.admin);
    expect(body).toEqual({ ...counts, job_id: job.id, golden_records_deleted: 1 });
    expect(body.records_removed).toBeGreaterThanOrEqual(1);
    const left = [...(await goldenFiles(app, mine)).values()].filter((text) => text.includes('zq8141'));
    expect(left).toEqual([]);
    expect(await recordsOf(app, mine, job.id)).toEqual([]);
    expect(await contentsOf(app)).not.toContain('zq8141');
  });

  test('afterwards it is 404 on every route, and in no list', async () => {
    const job = await mine.job();
    const other = await mine.job();
    await mine.remove(job.id, mine.admin);
    const answers = [
      await mine.get(job.id),
      await mine.review(job.id, { action: 'approve' }),
      await app.json('GET', `${PATH}/${job.id}/golden`, { headers: mine.headers }),
      await mine.remove(job.id, mine.admin),
      await mine.remove(job.id, { 'x-api-key': operatorKey }),
    ];
    for (const { status, body } of answers) expect([status, body.detail]).toEqual([404, 'job not found']);
    expect(await mine.list()).toEqual([other]);
  });

  test('the usage record stays', async () => {
    const job = await mine.job();
    const before = await mine.usage();
    await mine.remove(job.id, mine.admin);
    expect(before).toMatchObject([{ job_id: job.id, billable_chars: 5 }]);
    expect(await mine.usage()).toEqual(before);
  });
});

describe('a job that is deleted while it is processed (A 7.3)', () => {
  test('its submission ends with 404 not_found, nothing of it is kept or billed', async () => {
    const { held, reached, letGo } = heldReply();
    fake.otherwise(held);
    const at = await openWorkspace(live);
    const submission = at.submit({ source_text: cat, target_lang: 'de' });
    await reached;
    const [job] = await at.list();
    expect((await at.remove(job.id, at.admin)).status).toBe(200);
    letGo();
    const { status, body } = await submission;
    expect([status, body.error_code]).toEqual([404, 'not_found']);
    await poll(async () => (await at.get(job.id)).status === 404);
    expect(await at.list()).toEqual([]);
    expect(await at.usage()).toEqual([]);
  });
});
