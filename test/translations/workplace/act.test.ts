import { expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { env, operatorKey } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { callAt, useReviewers } from './reviewers.ts';

const app = useTestApp({ env, engine: engineOf(async () => answered(['Bonjour'], 7)) });

const mine = useReviewers(app);

const save = (job: { id: string; updated_at: string }, final_translation: string) => ({
  job_id: job.id,
  updated_at: job.updated_at,
  action: 'save' as const,
  final_translation,
});

test('a review of the job as it is counts, and its response is what the next one names', async () => {
  const job = await mine.held();
  const saved = await mine.call('translations.act', save(job, 'Salut'));
  expect(saved).toEqual(await mine.read(job.id));
  expect(Date.parse(saved.updated_at)).toBeGreaterThan(Date.parse(job.updated_at));
  const done = await mine.call('translations.act', {
    job_id: job.id,
    updated_at: saved.updated_at,
    action: 'approve',
  });
  expect(done).toMatchObject({ status: 'human_edited', final_translation: 'Salut' });
});

test('a review of an older version is 409 with the present job, and changes nothing', async () => {
  const job = await mine.held();
  const colleague = await mine.join();
  const saved = await mine.call('translations.act', save(job, 'Salut'), colleague);
  for (const action of ['save', 'approve', 'modify', 'reject']) {
    const { status, body } = await mine.refused('translations.act', { ...save(job, 'Bonjour'), action });
    expect(status).toBe(409);
    expect(body).toMatchObject({ error_code: 'conflict', present: saved });
    expect(body.detail).toBe(`job ${job.id} has changed since it was read (status=awaiting_review)`);
  }
  expect(await mine.read(job.id)).toEqual(saved);
});

test('so is a review of a job that was closed since then; a review of a closed job is 400', async () => {
  const job = await mine.held();
  await mine.review(job.id, { action: 'reject' });
  const late = await mine.refused('translations.act', save(job, 'Salut'));
  expect(late).toMatchObject({ status: 409, body: { present: { id: job.id, status: 'rejected' } } });
  const again = await mine.refused('translations.act', save(late.body.present, 'Salut'));
  expect(again).toMatchObject({ status: 400, body: { error_code: 'validation_error' } });
});

test('of reviews of one version that come at once, one counts', async () => {
  const job = await mine.held();
  const texts = Array.from({ length: 12 }, (_, n) => `Salut ${n}`);
  const answers = await Promise.all(texts.map((text) => mine.refused('translations.act', save(job, text))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)]);
  const [won] = answers.filter(({ status }) => status === 200);
  expect((await mine.read(job.id)).final_translation).toBe(won?.body.final_translation);
});

test('each review is a version of its own, even if the clock stands still or was ahead', async () => {
  const job = await mine.held();
  await mine.sql()`update translation_jobs set updated_at = now() + interval '1 hour' where job_id = ${job.id}`;
  let seen = await mine.read(job.id);
  for (const text of ['One', 'Two', 'Three']) {
    const saved = await mine.call('translations.act', save(seen, text));
    expect(Date.parse(saved.updated_at)).toBeGreaterThan(Date.parse(seen.updated_at));
    expect((await mine.refused('translations.act', save(seen, 'Late'))).status).toBe(409);
    seen = saved;
  }
});

test('the present job is what the caller may see of it', async () => {
  const job = await mine.held();
  await mine.review(job.id, { action: 'save', final_translation: 'Salut' });
  const presentFor = async (headers: Record<string, string>) =>
    (await callAt(app, 'translations.act', save(job, 'Late'), headers)).body.present;
  const { bearer, key } = mine.founder;
  for (const headers of [bearer, key])
    expect(JSON.stringify(await presentFor(headers))).not.toContain('model');
  const operator = await presentFor({ ...bearer, 'x-api-key': operatorKey });
  expect(operator.quality_assessment.model).toBe('model');
});

test('the error of the SDK has the current job', async () => {
  const job = await mine.held();
  const saved = await mine.call('translations.act', save(job, 'Salut'));
  const accessToken = mine.founder.bearer['authorization']?.replace('Bearer ', '');
  const client = new sdk.LinguaLoop({ baseUrl: app.address, accessToken });
  const error = await client.translations.act(save(job, 'Late')).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(sdk.ConflictError);
  expect(error.present).toEqual(saved);
});
