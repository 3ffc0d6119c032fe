import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { codeOf, HEX32, PATH, submittingTo, usageOf } from './submitting.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp({ tenant_name: 'Maison Übersetzung' });
});

const { accepted } = submittingTo(app, () => tenant);

describe('B 2.2, 2.3: the shape of a job', () => {
  test('a published job: scores and issues in every assessment, C 4', async () => {
    const job = await accepted();
    expect(job).toMatchObject({
      id: expect.stringMatching(HEX32),
      status: 'published',
      baseline_translation: '[fr] Hello',
      final_translation: '[fr] Hello',
      quality_assessment: { score: 92, issues: [], summary: expect.anything() },
      verification: { score: 92, issues: [], passed: true, summary: expect.anything() },
      agent_run: { status: expect.any(String), steps: expect.any(Array), error: null },
    });
    expect(job.refinement).toMatchObject({ score: 92, issues: [], applied: false, rounds: 0 });
    expect(job.refinement).toHaveProperty('summary');
    expect(job).not.toHaveProperty('usage');
  });

  test('a held job: an open task in its whole shape, beside the gate', async () => {
    const before = Date.now();
    const job = await accepted({ domain: 'medical', metadata: { min_quality_score: 99 } });
    const { human_review_task: task, quality_gate: gate } = job.agent_run;
    expect(task).toMatchObject({
      id: expect.stringMatching(HEX32),
      status: 'open',
      requested_by: 'review_gate_agent',
      reason: expect.stringMatching(/./),
      completed_by: null,
      created_at: expect.stringMatching(INSTANT),
      completed_at: null,
    });
    for (const text of [task.question, task.instructions]) {
      expect(text === null || typeof text === 'string').toBe(true);
    }
    expect(task.requested_actions.toSorted()).toEqual(['approve', 'modify', 'reject', 'save']);
    expect(Array.isArray(task.metadata)).toBe(false);
    expect(task.metadata).toEqual(expect.any(Object));
    expect(task.triggers.map(codeOf)).toEqual(gate.triggers.map(codeOf));
    expect(task.id).not.toBe(job.id);
    expect(Date.parse(task.created_at)).toBeGreaterThanOrEqual(before - 1000);
    expect(job.baseline_translation).toBe('[fr] Hello');
  });

  test('the steps have the fields of AgentStep, and all are over when the response arrives', async () => {
    const job = await accepted();
    const { steps } = job.agent_run;
    expect(steps.length).toBeGreaterThan(0);
    const ids = new Set<string>();
    for (const step of steps) {
      expect(step).toMatchObject({
        id: expect.stringMatching(HEX32),
        name: expect.stringMatching(/./),
        actor: expect.stringMatching(/./),
        kind: expect.stringMatching(/^(agent|tool|human|system)$/),
        status: expect.stringMatching(/^(completed|skipped)$/),
        tool_calls: expect.any(Array),
        decisions: expect.any(Array),
        error: null,
        started_at: expect.stringMatching(INSTANT),
        completed_at: expect.stringMatching(INSTANT),
      });
      for (const key of ['input_summary', 'output_summary']) expect(step).toHaveProperty(key);
      expect(Date.parse(step.completed_at)).toBeGreaterThanOrEqual(Date.parse(step.started_at));
      for (const call of step.tool_calls) {
        expect(call).toMatchObject({ id: expect.stringMatching(HEX32), tool_name: expect.any(String) });
        expect(call.status).toMatch(/^(pending|running|completed|skipped|failed)$/);
      }
      for (const decision of step.decisions) {
        expect(decision).toMatchObject({
          id: expect.stringMatching(HEX32),
          label: expect.any(String),
          outcome: expect.any(String),
          created_at: expect.stringMatching(INSTANT),
        });
      }
      ids.add(step.id);
    }
    expect(ids.size).toBe(steps.length);
  });

  test('B 4.1: GET of the job, its list entry and /trpc return the same as the submission', async () => {
    const { headers } = await app.signUp();
    const fields = { domain: 'legal', metadata: { a: [1, { b: 'c' }] }, tone: 'formal' };
    const job = await accepted(fields, headers);
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers });
    expect(read.status).toBe(200);
    expect(read.body).toEqual(job);
    const list = await app.json('GET', PATH, { headers });
    expect(list.body).toEqual([job]);
    const input = encodeURIComponent(JSON.stringify({ json: { job_id: job.id } }));
    const rpc = await app.json('GET', `/trpc/translations.get?input=${input}`, { headers });
    expect(rpc.body.result.data.json).toEqual(job);
  });
});

describe('B 8, A 8.1: the billed characters of a job', () => {
  test.each([
    ['code points, not code units', 'en', 'fr', 'a😀é', 3],
    ['blanks count', 'en', 'de', ' a b ', 5],
    ['a dense target weighs 3.5, rounded up once', 'en', 'ja', 'abc', 11],
    ['a dense source likewise', 'th', 'en', 'a', 4],
    ['dense on both sides is never squared', 'zh-Hans', 'ko', 'ab', 7],
    ['hi, mr and ne are dense too', 'en', 'ne', 'ab', 7],
    ['ur, fa and ar are not', 'ar', 'ur', 'ab', 2],
  ])('%s', async (_name, source, target, text, billable) => {
    const job = await accepted({ source_text: text, source_lang: source, target_lang: target });
    const [record, ...others] = await usageOf(openSuperuser(app.superuserUrl), job.id);
    expect(others).toEqual([]);
    expect(record?.billable_chars).toBe(billable);
    expect(String(record?.billing_period)).toContain(new Date().toISOString().slice(0, 7));
  });

  test('C 7: a held job is billed like a published one', async () => {
    const job = await accepted({ domain: 'legal', source_text: 'four' });
    const [record] = await usageOf(openSuperuser(app.superuserUrl), job.id);
    expect(record?.billable_chars).toBe(4);
  });
});
