import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, startFakeOpenAi } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { askedRoles, cat, german, good, heldReply, liveEngine } from './live.ts';
import { keyed, openWorkspace, PATH, type Workspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const engine = liveEngine(fake);

const app = useTestApp({ env, engine });

let mine: Workspace;
beforeEach(async () => {
  fake.otherwise(good);
  fake.requests.length = 0;
  mine = await openWorkspace(app);
});

const request = { source_text: cat, target_lang: 'de' };
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

/** A job whose process died in the middle of it, as old as `seconds`. */
async function abandon(by: Workspace, at: typeof app, key: string, seconds: number): Promise<string> {
  fake.otherwise(failure(500));
  await by.submit(request, keyed(key));
  const [job] = await by.list();
  await openSuperuser(at.superuserUrl)`
    update translation_jobs set status = 'pending', updated_at = now() - make_interval(secs => ${seconds})
    where job_id = ${job.id}`;
  fake.otherwise(good);
  fake.requests.length = 0;
  return job.id;
}

describe('B 4.2 rule 1: a key that belongs to a job returns that job in its current state', () => {
  test('while it is pending, without waiting for it', async () => {
    const { held, reached, letGo } = heldReply();
    fake.otherwise(held);
    const first = mine.submit(request, keyed('k'));
    await reached;
    const second = await mine.submit(request, keyed('k'));
    expect([second.status, second.body.status, replayed(second)]).toEqual([200, 'pending', 'true']);
    expect(second.body.final_translation).toBeNull();
    letGo();
    const { body } = await first;
    expect(body).toMatchObject({ id: second.body.id, status: 'published' });
    expect(await mine.usage()).toHaveLength(1);
  });

  test('in any final state: held, rejected, published by a reviewer', async () => {
    const sensitive = { ...request, metadata: { sensitive: true } };
    const { body: job } = await mine.submit(sensitive, keyed('k'));
    const resend = async () => {
      const answer = await mine.submit(sensitive, keyed('k'));
      expect([answer.status, answer.body.id, replayed(answer)]).toEqual([200, job.id, 'true']);
      return answer.body.status;
    };
    expect(await resend()).toBe('awaiting_review');
    await mine.review(job.id, { action: 'modify', final_translation: 'Ganz anders.' });
    expect(await resend()).toBe('human_edited');

    const { body: other } = await mine.submit(sensitive, keyed('r'));
    await mine.review(other.id, { action: 'reject' });
    const rejected = await mine.submit(sensitive, keyed('r'));
    expect([rejected.body.id, rejected.body.status]).toEqual([other.id, 'rejected']);
    expect(await mine.usage()).toHaveLength(2);
  });

  test('B 4.1: a malformed request is refused before the key is looked up (gate 2 before 3)', async () => {
    await mine.submit(request, keyed('k'));
    expect((await mine.submit({ ...request, source_text: ' ' }, keyed('k'))).status).toBe(400);
    expect((await mine.submit({ ...request, target_lang: 'xx' }, keyed('k'))).status).toBe(422);
    expect((await mine.submit({ ...request, source_text: 'x'.repeat(50_001) }, keyed('k'))).status).toBe(413);
  });

  test('a key is per tenant: the session and the API key of one tenant share it, another tenant does not', async () => {
    const { body: job } = await mine.submit(request, keyed('k'));
    const bySession = await app.json('POST', PATH, {
      headers: { ...mine.admin, ...keyed('k') },
      body: request,
    });
    expect([bySession.body.id, replayed(bySession)]).toEqual([job.id, 'true']);
    const other = await openWorkspace(app);
    const theirs = await other.submit(request, keyed('k'));
    expect(theirs.body.id).not.toBe(job.id);
    expect(replayed(theirs)).toBeNull();
  });
});

describe('B 4.2 rule 2: a failed job is run again under the same id', () => {
  test('an upstream failure first, then the translation, billed once', async () => {
    fake.otherwise(failure(500));
    const failed = await mine.submit(request, keyed('k'));
    expect([failed.status, failed.body.error_code]).toEqual([503, 'transient_error']);
    const [job] = await mine.list();
    expect(job).toMatchObject({ status: 'failed', agent_run: { error: failed.body.detail } });
    fake.otherwise(good);
    const again = await mine.submit(request, keyed('k'));
    expect(replayed(again)).toBeNull();
    expect(again.body).toMatchObject({ id: job.id, status: 'published', final_translation: german[cat] });
    expect(again.body.agent_run.error).toBeNull();
    expect(await mine.usage()).toMatchObject([{ job_id: job.id }]);
    expect(replayed(await mine.submit(request, keyed('k')))).toBe('true');
  });

  test('20 at the same time run it once and bill it once', async () => {
    fake.otherwise(failure(500));
    await mine.submit(request, keyed('k'));
    const [job] = await mine.list();
    fake.otherwise(good);
    fake.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => mine.submit(request, keyed('k'))));
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual(Array(20).fill([200, job.id]));
    expect(answers.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    expect(askedRoles(fake).translation).toBe(1);
    expect(await mine.usage()).toHaveLength(1);
  });
});

describe('B 4.2 rule 2, B 8: a job left pending for STALE_PENDING_SECONDS is run again', () => {
  test('by default that is 600 seconds', async () => {
    const id = await abandon(mine, app, 'k', 590);
    expect((await mine.submit(request, keyed('k'))).body).toMatchObject({ id, status: 'pending' });
    await openSuperuser(app.superuserUrl)`
      update translation_jobs set updated_at = now() - interval '601 seconds' where job_id = ${id}`;
    expect((await mine.submit(request, keyed('k'))).body).toMatchObject({ id, status: 'published' });
  });
});

describe('B 7 retry rule 8: a client that loses its connection gets its job back', () => {
  test('the run continues without it, and the resend returns its job', async () => {
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
    expect(replayed(back)).toBe('true');
    expect(back.body).toMatchObject({ id: job.id, final_translation: german[cat] });
    expect(askedRoles(fake).translation).toBe(1);
    expect(await mine.usage()).toHaveLength(1);
  });
});
