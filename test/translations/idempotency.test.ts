import { beforeEach, describe, expect, test } from 'vitest';
import { failure } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { askedRoles, cat, german, good, heldReply, liveEngine } from './live.ts';
import { keyed, openWorkspace, PATH, useWorkspace } from './workspace.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });
const mine = useWorkspace(app);
beforeEach(() => {
  fake.otherwise(good);
  fake.requests.length = 0;
});

const request = { source_text: cat, target_lang: 'de' };
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

describe('a key that belongs to a job returns that job (B 4.2 rule 1)', () => {
  test('while it is pending, without waiting for it', async () => {
    const { held, reached, letGo } = heldReply();
    fake.otherwise(held);
    const first = mine.submit(request, keyed('k'));
    await reached;
    const second = await mine.submit(request, keyed('k'));
    expect([second.status, second.body.status, replayed(second)]).toEqual([200, 'pending', 'true']);
    letGo();
    expect((await first).body).toMatchObject({ id: second.body.id, status: 'published' });
    expect(await mine.usage()).toHaveLength(1);
  });

  test('after its review, in its new state', async () => {
    const sensitive = { ...request, metadata: { sensitive: true } };
    const { body: job } = await mine.submit(sensitive, keyed('k'));
    const resend = async () => {
      const answer = await mine.submit(sensitive, keyed('k'));
      expect([answer.status, answer.body.id, replayed(answer)]).toEqual([200, job.id, 'true']);
      return answer.body.status;
    };
    expect(await resend()).toBe('awaiting_review');
    await mine.review(job.id, { action: 'reject' });
    expect(await resend()).toBe('rejected');
    expect(await mine.usage()).toHaveLength(1);
  });

  test('by session and API key of one tenant, but not for another tenant', async () => {
    const { body: job } = await mine.submit(request, keyed('k'));
    const headers = { ...mine.admin, ...keyed('k') };
    const bySession = await app.json('POST', PATH, { headers, body: request });
    expect([bySession.body.id, replayed(bySession)]).toEqual([job.id, 'true']);
    const theirs = await (await openWorkspace(app)).submit(request, keyed('k'));
    expect(theirs.body.id).not.toBe(job.id);
    expect(replayed(theirs)).toBeNull();
  });

  test('only if the request is valid', async () => {
    await mine.submit(request, keyed('k'));
    expect((await mine.submit({ ...request, source_text: ' ' }, keyed('k'))).status).toBe(400);
    expect((await mine.submit({ ...request, target_lang: 'xx' }, keyed('k'))).status).toBe(422);
  });

  test('for 50 concurrent submissions, which are one run and one usage record', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => mine.submit(request, keyed('k'))));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    const fresh = answers.filter((answer) => replayed(answer) === null);
    expect(fresh).toMatchObject([{ body: { status: 'published' } }]);
    expect(askedRoles(fake).translation).toBe(1);
    expect(await mine.usage()).toHaveLength(1);
  });
});

describe('the key', () => {
  test('is the field of the body, or the header if that is absent', async () => {
    const both = await mine.submit({ ...request, idempotency_key: 'field' }, keyed('header'));
    expect(both.body.request.idempotency_key).toBe('field');
    expect((await mine.submit(request, keyed('field'))).body.id).toBe(both.body.id);
    const header = await mine.submit({ ...request, idempotency_key: null }, keyed('header'));
    expect(header.body.id).not.toBe(both.body.id);
  });

  test('has 1 to 255 code points, in the field and in the header', async () => {
    for (const idempotency_key of ['k', '😀'.repeat(255)])
      expect((await mine.submit({ ...request, idempotency_key })).status).toBe(200);
    for (const idempotency_key of ['', '😀'.repeat(256)])
      expect((await mine.submit({ ...request, idempotency_key })).status).toBe(422);
    expect((await mine.submit(request, keyed('k'.repeat(256)))).status).toBe(422);
  });
});

describe('a failed job is run again under the same id (B 4.2 rule 2)', () => {
  test('billed once, and its failure reveals no cause', async () => {
    fake.otherwise(failure(500, { message: '4711-secret' }));
    const failed = await mine.submit(request, keyed('k'));
    expect([failed.status, failed.body.error_code]).toEqual([503, 'transient_error']);
    const [job] = await mine.list();
    expect(job).toMatchObject({ status: 'failed', agent_run: { error: failed.body.detail } });
    expect(JSON.stringify([failed.body, job])).not.toContain('4711-secret');
    expect(await mine.usage()).toEqual([]);
    fake.otherwise(good);
    const again = await mine.submit(request, keyed('k'));
    expect(replayed(again)).toBeNull();
    expect(again.body).toMatchObject({ id: job.id, status: 'published', final_translation: german[cat] });
    expect(again.body.agent_run.error).toBeNull();
    expect(await mine.usage()).toMatchObject([{ job_id: job.id }]);
  });

  test('once for 20 concurrent resends', async () => {
    fake.otherwise(failure(500));
    await mine.submit(request, keyed('k'));
    fake.otherwise(good);
    fake.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => mine.submit(request, keyed('k'))));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    expect(askedRoles(fake).translation).toBe(1);
    expect(await mine.usage()).toHaveLength(1);
  });

  test('and so is one that is pending for 600 seconds', async () => {
    fake.otherwise(failure(500));
    await mine.submit(request, keyed('k'));
    const [{ id }] = await mine.list();
    fake.otherwise(good);
    const pendingFor = (seconds: number) =>
      openSuperuser(app.superuserUrl)`update translation_jobs set status = 'pending',
        updated_at = now() - make_interval(secs => ${seconds}) where job_id = ${id}`;
    await pendingFor(590);
    expect((await mine.submit(request, keyed('k'))).body).toMatchObject({ id, status: 'pending' });
    await pendingFor(601);
    expect((await mine.submit(request, keyed('k'))).body).toMatchObject({ id, status: 'published' });
  });
});

test('a run continues without its client, whose resend returns the job', async () => {
  const { held, reached, letGo } = heldReply();
  fake.otherwise(held);
  const lost = new AbortController();
  const sent = app.request(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...mine.headers, ...keyed('lost') },
    body: JSON.stringify(request),
    signal: lost.signal,
  });
  await reached;
  lost.abort();
  await expect(sent).rejects.toThrow();
  const [job] = await mine.list();
  letGo();
  await poll(async () => (await mine.read(job.id)).status === 'published');
  const back = await mine.submit(request, keyed('lost'));
  expect([replayed(back), back.body.id, back.body.final_translation]).toEqual(['true', job.id, german[cat]]);
  expect(askedRoles(fake).translation).toBe(1);
  expect(await mine.usage()).toHaveLength(1);
});
