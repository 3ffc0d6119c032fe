import { expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openReviewers, useReviewers } from './reviewers.ts';

const app = useTestApp({ env });

const mine = useReviewers(app);

test('each review has its result, in order, and a rejected one does not affect the others', async () => {
  const jobs = await Promise.all(Array.from({ length: 5 }, () => mine.held()));
  const [approved, edited, rejected, stale, closed] = jobs;
  const foreign = await (await openReviewers(app)).held();
  await mine.review(stale.id, { action: 'save', final_translation: 'Salut' });
  await mine.review(closed.id, { action: 'reject' });
  for (const { id } of jobs) await mine.call('reviews.claim', { kind: 'job', id, opened: true });
  const { results } = await mine.call('translations.reviewMany', {
    reviews: [
      { job_id: stale.id, action: 'approve', updated_at: stale.updated_at },
      { job_id: approved.id, action: 'approve', updated_at: approved.updated_at },
      { job_id: closed.id, action: 'approve' },
      { job_id: edited.id, action: 'modify', final_translation: 'Coucou' },
      { job_id: foreign.id, action: 'approve' },
      { job_id: 'f'.repeat(32), action: 'approve' },
      { job_id: rejected.id, action: 'reject', notes: 'not our voice' },
    ],
  });
  const done = (job_id: string, status: string) => ({ outcome: 'done', job_id, status });
  const refused = (job_id: string, http_status: number, error_code: string, detail: string) => ({
    outcome: 'refused',
    job_id,
    http_status,
    error_code,
    detail,
    retry_after: null,
  });
  expect(results).toMatchObject([
    refused(
      stale.id,
      409,
      'conflict',
      `job ${stale.id} has changed since it was read (status=awaiting_review)`,
    ),
    done(approved.id, 'published'),
    refused(closed.id, 400, 'validation_error', `job ${closed.id} is not reviewable (status=rejected)`),
    done(edited.id, 'human_edited'),
    refused(foreign.id, 404, 'not_found', 'job not found'),
    refused('f'.repeat(32), 404, 'not_found', 'job not found'),
    done(rejected.id, 'rejected'),
  ]);
  for (const { id } of [approved, edited, rejected]) {
    const { status, updated_at } = await mine.read(id);
    expect(results.find((one: { job_id: string }) => one.job_id === id)).toMatchObject({
      status,
      updated_at,
    });
  }
  expect(await mine.read(stale.id)).toMatchObject({ status: 'awaiting_review', final_translation: 'Salut' });
});

test('what the caller has not opened is left out, and so are critical findings, until they are named', async () => {
  const source_text = 'Pay 1,200 euros by Friday';
  const [opened, claimed, critical, rejected] = await Promise.all(
    Array.from({ length: 4 }, () => mine.held({ source_text })),
  );
  const colleague = await mine.join();
  await mine.call('reviews.claim', { kind: 'job', id: opened.id, opened: true });
  // Only the colleague has opened this job. The caller has claimed it without opening it.
  await mine.call('reviews.claim', { kind: 'job', id: claimed.id, opened: true }, colleague);
  await mine.call('reviews.claim', { kind: 'job', id: claimed.id });
  await mine.call('reviews.claim', { kind: 'job', id: critical.id, opened: true });
  const approval = (job_id: string, named = {}) => ({ job_id, action: 'approve', ...named });
  const wrong = { action: 'modify', final_translation: 'Payez 9 900 euros avant vendredi' };
  const { results } = await mine.call('translations.reviewMany', {
    reviews: [
      approval(opened.id),
      approval(claimed.id),
      approval(critical.id, wrong),
      { job_id: rejected.id, action: 'reject' },
    ],
  });
  expect(results).toMatchObject([
    { outcome: 'done' },
    { outcome: 'left_out', job_id: claimed.id, reason: 'unopened', critical_findings: [] },
    {
      outcome: 'left_out',
      job_id: critical.id,
      reason: 'critical_findings',
      critical_findings: [{ severity: 'critical' }],
    },
    { outcome: 'done', status: 'rejected' },
  ]);
  expect(await mine.read(claimed.id)).toEqual(claimed);
  expect(await mine.read(critical.id)).toEqual(critical);
  const named = await mine.call('translations.reviewMany', {
    reviews: [
      approval(claimed.id, { confirm_unopened: true }),
      approval(critical.id, { ...wrong, confirm_critical: true }),
    ],
  });
  expect(named.results).toMatchObject([{ status: 'published' }, { status: 'human_edited' }]);
});

test('a text that a colleague changed after the caller opened it is left out, and the caller’s own change is not', async () => {
  const colleague = await mine.join();
  const [theirs, own] = [await mine.held(), await mine.held()];
  for (const { id } of [theirs, own]) await mine.call('reviews.claim', { kind: 'job', id, opened: true });
  const save = { action: 'save', final_translation: 'changed' };
  expect((await mine.review(theirs.id, save, colleague)).status).toBe(200);
  expect((await mine.review(own.id, save)).status).toBe(200);
  const { results } = await mine.call('translations.reviewMany', {
    reviews: [theirs, own].map(({ id }) => ({ job_id: id, action: 'approve' })),
  });
  expect(results).toMatchObject([{ outcome: 'left_out', reason: 'unopened' }, { outcome: 'done' }]);
});

test('an invalid review rejects the request before any is applied', async () => {
  const job = await mine.held();
  const reviews = [
    { job_id: job.id, action: 'approve' },
    { job_id: 'x', action: 'modify' },
  ];
  const { status, body } = await mine.refused('translations.reviewMany', { reviews });
  expect(status).toBe(422);
  expect(body.detail[0].loc).toEqual(['body', 'reviews', 1, 'final_translation']);
  expect(await mine.read(job.id)).toEqual(job);
});
