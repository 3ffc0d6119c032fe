import { describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openDocuments } from '../documents/workspace.ts';
import { breakGoldenStore, recordsOf } from '../translations/golden-files.ts';
import { openReviewers, useReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env });

const mine = useReviewers(app);

const reopen = (id: string) => mine.call('reviews.reopen', { kind: 'job', id });
const refusal = async (id: string, as = mine.founder) => {
  const { status, body } = await mine.refused('reviews.reopen', { kind: 'job', id }, as);
  return [status, body.detail];
};
const approved = async (fields = {}, as = mine.founder) => {
  const job = await mine.held();
  return (await mine.review(job.id, { action: 'approve', ...fields }, as)).body;
};
const golden = async (id: string) =>
  (await app.request(`/api/translations/${id}/golden`, { headers: mine.founder.bearer })).status;
const pairs = async () => [
  ...(await mine.sql()`select target_text, job_id from memory_segments where tenant_id = ${mine.founder.tenantId}`),
];

describe('reopening a job', () => {
  test('withdraws what its review published; the next decision publishes a new revision, and bills nothing', async () => {
    const job = await approved({ final_translation: 'Bonjour' });
    const store = { tenantId: mine.founder.tenantId };
    expect(await recordsOf(app, store, job.id)).toHaveLength(1);
    const uri = job.request.metadata.golden_uri;

    const item = await reopen(job.id);
    const open = await mine.read(job.id);
    expect(item).toEqual({
      kind: 'job',
      id: job.id,
      status: 'awaiting_review',
      updated_at: open.updated_at,
    });
    expect(open).toMatchObject({ status: 'awaiting_review', final_translation: 'Bonjour' });
    expect(open.agent_run.human_review_task).toMatchObject({ status: 'open', completed_by: null });
    expect(open.agent_run.human_review_task.id).not.toBe(job.agent_run.human_review_task.id);
    expect(open.request.metadata).toMatchObject({ review_pipeline_candidate: '[fr] Hello' });
    expect(open.request.metadata).not.toHaveProperty('golden_uri');
    expect(await golden(job.id)).toBe(409);
    expect(await recordsOf(app, store, job.id)).toHaveLength(0);
    expect(await pairs()).toEqual([]);

    const again = { job_id: job.id, updated_at: item.updated_at, action: 'approve' };
    const done = await mine.call('translations.act', again);
    expect(done.status).toBe('human_edited');
    expect(done.request.metadata.golden_uri).not.toBe(uri);
    expect(await golden(job.id)).toBe(200);
    expect(await recordsOf(app, store, job.id)).toHaveLength(1);
    expect(await pairs()).toEqual([{ target_text: 'Bonjour', job_id: job.id }]);
    const records = await mine.sql()`select from usage_records where tenant_id = ${mine.founder.tenantId}`;
    expect(records).toHaveLength(1);
  });

  test('a rejected job awaits review again, and the decision no longer counts as one of its reviewer', async () => {
    const job = await mine.held();
    await mine.review(job.id, { action: 'reject' });
    await reopen(job.id);
    expect(await mine.read(job.id)).toMatchObject({
      status: 'awaiting_review',
      final_translation: '[fr] Hello',
    });
    expect((await mine.review(job.id, { action: 'approve' })).body.status).toBe('published');
    const days =
      await mine.sql()`select approved, rejected from review_days where tenant_id = ${mine.founder.tenantId}`;
    expect([...days]).toEqual([{ approved: 1, rejected: 0 }]);
  });

  test('is for the reviewer who decided and for administrators, at any time', async () => {
    const [one, other] = [await mine.join(), await mine.join()];
    const job = await approved({}, one);
    const only = 'only the reviewer who decided, and administrators, can reopen a review';
    expect(await refusal(job.id, other)).toEqual([403, only]);
    await mine.call('reviews.reopen', { kind: 'job', id: job.id }, one);
    await mine.review(job.id, { action: 'approve' }, one);
    await reopen(job.id);
    const events = await mine.sql()`
      select actor_id, target, details from audit_log where action = 'review_reopened' and target = ${job.id} order by recorded_at`;
    expect([...events]).toEqual(
      [one, mine.founder].map(({ userId }) => ({
        actor_id: userId,
        target: job.id,
        details: { kind: 'job', status: 'published', decided_by: one.userId },
      })),
    );
    await mine.review(job.id, { action: 'approve' });
    await mine.sql()`update translation_jobs set decided_at = now() - interval '2 years' where job_id = ${job.id}`;
    expect((await reopen(job.id)).status).toBe('awaiting_review');
  });

  test('of several who reopen at once, one does', async () => {
    const job = await approved();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => mine.refused('reviews.reopen', { kind: 'job', id: job.id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  test('is rejected for a job that no review closed, that awaits review, or that is deleted or foreign', async () => {
    const published = await mine.job();
    expect(await refusal(published.id)).toEqual([409, `job ${published.id} was not decided by a review`]);
    const held = await mine.held();
    expect((await refusal(held.id))[0]).toBe(409);
    const foreign = await (await openReviewers(app)).held();
    expect(await refusal(foreign.id)).toEqual([404, 'job not found']);
    await mine.sql()`update translation_jobs set status = 'approved' where job_id = ${held.id}`;
    expect((await refusal(held.id))[1]).toMatch(/is being published; try again/);
  });

  test('a publication of the former decision that is still retried writes nothing more', async () => {
    await mine.job();
    const mend = await breakGoldenStore(app, { tenantId: mine.founder.tenantId });
    const job = await mine.held();
    await mine.review(job.id, { action: 'modify', final_translation: 'Premier' });
    const parked = await mine.read(job.id);
    expect(parked.status).toBe('persistence_failed');
    await mend();
    await reopen(job.id);
    const { publishJob } = await import('#server/texts/parked-jobs.ts');
    const late = { job: parked, attempt: 1, publishAs: 'human_edited' as const };
    await mine.review(job.id, { action: 'modify', final_translation: 'Second' });
    await publishJob(app.services, mine.founder.tenantId, late);
    expect(await mine.read(job.id)).toMatchObject({ status: 'human_edited', final_translation: 'Second' });
    expect(await recordsOf(app, { tenantId: mine.founder.tenantId }, job.id)).toHaveLength(1);
    expect(await pairs()).toEqual([{ target_text: 'Second', job_id: job.id }]);
  });
});

test('reopening a document withdraws its approval and what that fed; what reviews fed stays', async () => {
  const documents = await openDocuments(app);
  const { id } = await documents.translate(['One', 'Two']);
  await documents.correct(id, { A1: 'Un' }, {}, documents.admin);
  const call = (path: string, json: object) =>
    app.json('POST', `/trpc/${path}`, { headers: documents.admin, body: { json } });
  const approve = () => call('documents.approve', { document_id: id, confirm_critical: true });
  const stored = async () => [
    ...(await mine.sql()`select target_text from memory_segments where job_id = ${id} order by 1`),
  ];
  await approve();
  const before = await documents.row(id);
  const fed = await stored();
  expect((await call('reviews.reopen', { kind: 'document', id })).status).toBe(200);
  expect(await documents.read(id)).toMatchObject({
    status: 'translated',
    approved_at: null,
    approved_by: null,
    feed_manifest: { fed_pairs: [{ target_text: 'Un', stage: 'review' }], skipped: {} },
  });
  expect(await stored()).toEqual([{ target_text: 'Un' }]);
  expect((await call('reviews.reopen', { kind: 'document', id })).status).toBe(409);
  const again = await approve();
  expect(again.body.result.data.json.approval_result.already_approved).toBe(false);
  expect(await stored()).toEqual(fed);
  const after = await documents.row(id);
  expect(after['golden_uri']).not.toBe(before['golden_uri']);
  const { deleted, golden_records_deleted } = (await documents.removeDocument(id)).body;
  expect({ deleted, golden_records_deleted }).toEqual({ deleted: true, golden_records_deleted: 1 });
});
