import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openWorkspace, useWorkspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const mine = useWorkspace(app);

const held = () => mine.job({ metadata: { sensitive: true } });
const task = (job: { agent_run: { human_review_task: Record<string, unknown> } }) =>
  job.agent_run.human_review_task;
const instant = /^\d{4}-\d\d-\d\dT/;

async function reviewed(id: string, body: Record<string, unknown>, headers?: Record<string, string>) {
  const answer = await mine.review(id, body, headers);
  expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).toBe(200);
  expect(answer.body.id).toBe(id);
  expect(await mine.read(id)).toEqual(answer.body);
  return answer.body;
}

async function setStatus(id: string, status: string) {
  await openSuperuser(app.superuserUrl)`update translation_jobs set status = ${status} where job_id = ${id}`;
}

describe('save (B 3.1)', () => {
  test('keeps the draft; the job and its task stay open', async () => {
    const job = await held();
    const saved = await reviewed(job.id, { action: 'save', final_translation: 'Salut' });
    expect(saved).toMatchObject({
      ...{ status: 'awaiting_review', final_translation: 'Salut', published_text: null },
    });
    expect(task(saved)).toMatchObject({ status: 'open', completed_by: null, completed_at: null });
  });

  test('the first stores review_pipeline_candidate, and later ones leave it', async () => {
    const job = await held();
    expect(job.request.metadata).not.toHaveProperty('review_pipeline_candidate');
    const first = await reviewed(job.id, { action: 'save', final_translation: 'Salut' });
    expect(first.request.metadata.review_pipeline_candidate).toBe('[fr] Hello');
    const second = await reviewed(job.id, { action: 'save', final_translation: 'Bonjour' });
    expect(second.request.metadata.review_pipeline_candidate).toBe('[fr] Hello');
    expect(second.final_translation).toBe('Bonjour');
    expect(second.baseline_translation).toBe('[fr] Hello');
  });
});

describe('approve (B 3.1, C 4)', () => {
  test('of the pipeline’s own output is published', async () => {
    const job = await held();
    const done = await reviewed(job.id, { action: 'approve' });
    expect(done).toMatchObject({ status: 'published', published_text: '[fr] Hello' });
    expect((await (await mine.golden(job.id)).text()).trim()).toBe('[fr] Hello');
  });

  test('of a saved draft publishes the draft: human_edited where it differs', async () => {
    const job = await held();
    await reviewed(job.id, { action: 'save', final_translation: 'Salut' });
    const done = await reviewed(job.id, { action: 'approve' });
    expect(done).toMatchObject({ status: 'human_edited', published_text: 'Salut' });
  });

  test('a given text wins over the draft, and is compared with the pipeline’s output, not with the draft', async () => {
    const job = await held();
    await reviewed(job.id, { action: 'save', final_translation: 'Salut' });
    const done = await reviewed(job.id, { action: 'approve', final_translation: '[fr] Hello' });
    expect(done).toMatchObject({ status: 'published', final_translation: '[fr] Hello' });
  });
});

describe('modify (B 3.1, C 4)', () => {
  test('without final_translation is 422, even after a draft, and changes nothing', async () => {
    const job = await held();
    const saved = await reviewed(job.id, { action: 'save', final_translation: 'Salut' });
    for (const body of [{ action: 'modify' }, { action: 'modify', final_translation: null }])
      expect((await mine.review(job.id, body)).status).toBe(422);
    expect(await mine.read(job.id)).toEqual(saved);
  });
});

describe('reject (B 3.1, C 7)', () => {
  test('completes the task; nothing can be downloaded; the billed usage stays billed', async () => {
    const job = await held();
    const done = await reviewed(job.id, {
      action: 'reject',
      notes: 'not our voice',
      final_translation: 'mine',
    });
    expect([done.status, done.final_translation, done.published_text]).toEqual([
      'rejected',
      '[fr] Hello',
      null,
    ]);
    expect(task(done)).toMatchObject({ status: 'completed', completed_at: expect.stringMatching(instant) });
    expect((await mine.golden(job.id)).status).toBe(409);
    expect(done.request.metadata).not.toHaveProperty('golden_uri');
    expect(await mine.usage()).toHaveLength(1);
  });
});

describe('the task (B 2.3)', () => {
  test('offers save, approve, modify and reject, and is open until it is closed', async () => {
    const job = await held();
    expect(task(job)).toMatchObject({
      status: 'open',
      requested_by: 'review_gate_agent',
      completed_by: null,
      completed_at: null,
    });
    expect((task(job)['requested_actions'] as string[]).toSorted()).toEqual([
      'approve',
      'modify',
      'reject',
      'save',
    ]);
    const done = await reviewed(job.id, { action: 'approve' });
    expect(task(done)).toEqual({
      ...task(job),
      metadata: expect.any(Object),
      status: 'completed',
      completed_by: task(done)['completed_by'],
      completed_at: expect.stringMatching(instant),
    });
  });
});

describe('the recorded reviewer (B 5, C 7)', () => {
  test('the session’s e-mail address, whatever reviewer the body names', async () => {
    const founder = await openWorkspace(app, { email: 'rita@example.org' });
    const job = await founder.job({ metadata: { regulated: true } });
    const body = { action: 'approve', reviewer: 'Somebody Else' };
    const { body: done } = await founder.review(job.id, body, founder.admin);
    expect(task(done)['completed_by']).toBe('rita@example.org');
    expect(JSON.stringify(done)).not.toContain('Somebody Else');
  });
});

describe('only awaiting_review and refined jobs are reviewable (B 3.1)', () => {
  const actions = [
    { action: 'save', final_translation: 'Salut' },
    { action: 'approve' },
    { action: 'modify', final_translation: 'Salut' },
    { action: 'reject' },
  ];

  test.each(['pending', 'approved', 'published', 'persistence_failed'])(
    'a job that is %s is 400 validation_error, and stays as it is',
    async (status) => {
      const job = await held();
      await setStatus(job.id, status);
      const before = await mine.read(job.id);
      for (const body of actions) {
        const answer = await mine.review(job.id, body);
        expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_error']);
        expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
      }
      expect(await mine.read(job.id)).toEqual(before);
    },
  );
});

describe('one of concurrent closing reviews wins (C 7)', () => {
  const closings = Array.from({ length: 20 }, (_, at) => {
    const action = ['approve', 'modify', 'reject', 'approve'][at % 4];
    return {
      action,
      reviewer: `reviewer ${at}`,
      ...(action === 'modify' && { final_translation: `Salut ${at}` }),
    };
  });

  test('of 20 at the same time one is 200, the others 400 validation_error', async () => {
    const job = await held();
    const answers = await Promise.all(
      closings.map(async (body) => ({ body, answer: await mine.review(job.id, body) })),
    );
    const won = answers.filter(({ answer }) => answer.status === 200);
    expect(won).toHaveLength(1);
    for (const { answer } of answers)
      if (answer.status !== 200)
        expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_error']);

    const { body, answer } = won[0]!;
    const after = await mine.read(job.id);
    expect(after).toEqual(answer.body);
    expect(task(after)).toMatchObject({ status: 'completed', completed_by: body.reviewer });
    const expected = {
      approve: ['published', '[fr] Hello'],
      modify: ['human_edited', body.final_translation],
      reject: ['rejected', after.final_translation],
    }[body.action as 'approve' | 'modify' | 'reject'];
    expect([after.status, after.final_translation]).toEqual(expected);
    expect(await mine.usage()).toHaveLength(1);
  });

  test('a draft saved concurrently with a closing review never undoes it', async () => {
    const job = await held();
    const save = (at: number) => mine.review(job.id, { action: 'save', final_translation: `draft ${at}` });
    const [closing, ...saves] = await Promise.all([
      mine.review(job.id, { action: 'modify', final_translation: 'Salut' }),
      ...Array.from({ length: 10 }, (_, at) => save(at)),
    ]);
    expect(closing!.status).toBe(200);
    for (const { status, body } of saves)
      if (status !== 200) expect([status, body.error_code]).toEqual([400, 'validation_error']);
    expect(await mine.read(job.id)).toMatchObject({ status: 'human_edited', final_translation: 'Salut' });
  });
});
