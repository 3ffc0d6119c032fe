import { beforeEach, describe, expect, test } from 'vitest';
import { createOpenAiEngine } from '#server/platform/engines/openai/openai-engine.ts';
import { readSettings } from '#server/settings.ts';
import { openDocuments } from '#test/documents/workspace.ts';
import { env } from '#test/factories.ts';
import { askedOf, failure, hang, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';

const model = await useFakeOpenAi();
const modelEnv = {
  ...env,
  OPENAI_API_KEY: 'sk-test',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_EMBEDDING_MODEL: 'none',
  OPENAI_MAX_RETRIES: '1',
  OPENAI_TIMEOUT_SECONDS: '10',
  REQUEST_DEADLINE_SECONDS: '2.5',
};
const app = useTestApp({
  env: modelEnv,
  engine: createOpenAiEngine({ ...readSettings(modelEnv), OPENAI_API_KEY: 'sk-test' }),
});

/** Sends no response to requests that contain these words. */
const hangAt = (words: string) => {
  let hung = 0;
  const answer = translatingReply();
  model.otherwise((response, request) => {
    if (!JSON.stringify(askedOf(request).data).includes(words)) return answer(response, request);
    hung += 1;
    // The service must close the connections of aborted calls.
    response.once('close', () => {
      hung -= 1;
    });
    return hang(response, request);
  });
  return () => hung;
};

let headers: Record<string, string>;
beforeEach(async () => {
  model.otherwise(translatingReply());
  ({ headers } = await app.signUp());
});
const send = (body: object, key: string) =>
  app.json('POST', '/api/translations', { headers: { ...headers, 'idempotency-key': key }, body });

describe('the deadline of a request', () => {
  test('ends a text whose model hangs: 503 with Retry-After, its calls aborted, and a resend runs it again', async () => {
    const hung = hangAt('Hello');
    const first = await send({ source_text: 'Hello', target_lang: 'fr' }, 'text');
    expect([first.status, first.body.error_code]).toEqual([503, 'transient_error']);
    expect(first.body.detail).toContain('2.5 s');
    expect(first.headers.get('retry-after')).toBe('5');
    await poll(async () => hung() === 0);
    const [job] = (await app.json('GET', '/api/translations', { headers })).body;
    expect(job.status).toBe('failed');

    model.otherwise(translatingReply());
    const again = await send({ source_text: 'Hello', target_lang: 'fr' }, 'text');
    expect([again.status, again.body.id]).toEqual([200, job.id]);
    const records = await openSuperuser(app.superuserUrl)`select from usage_records where job_id = ${job.id}`;
    expect(records).toHaveLength(1);
  });

  test('is one for a whole batch: earlier items stay, later ones never run', async () => {
    hangAt('Second');
    const inputs = ['First', 'Second', 'Third'].map((Text) => ({ Text, Targets: [{ Language: 'fr' }] }));
    const body = { inputs };
    const { status } = await send(body, 'batch');
    expect(status).toBe(503);
    const { body: jobs } = await app.json('GET', '/api/translations', { headers });
    expect(jobs.map((job: { status: string }) => job.status).toSorted()).toHaveLength(2);
    expect(jobs.filter((job: { status: string }) => job.status === 'failed')).toHaveLength(1);
    model.otherwise(translatingReply());
    const again = await send(body, 'batch');
    expect([again.status, again.body.length]).toEqual([200, 3]);
  });

  test('hands a document with wait=true to the workers: 202 with the job in progress, billed once', async () => {
    hangAt('Hello');
    // The first file waits for the start of the sandbox, which may take as long as the deadline.
    await (await openDocuments(app, { tenant_name: 'Another' })).queue(['Text']);
    const mine = await openDocuments(app);
    const { status, body } = await mine.send({ wait: 'true', idempotency_key: 'later' });
    expect([status, body.detail, body.failure]).toEqual([202, undefined, null]);
    expect(['queued', 'extracted']).toContain(body.status);
    // A repeated request has the same maximum wait.
    expect((await mine.send({ wait: 'true', idempotency_key: 'later' })).status).toBe(202);
    model.otherwise(translatingReply());
    await withWorkers(app, async () => {
      await poll(async () => (await mine.read(body.id)).status === 'translated');
    });
    expect(await mine.records()).toHaveLength(1);
  });
});

test.each([
  ['an outage', failure(503), 503, '5'],
  ['an outage that says when it ends', failure(503, {}, { 'retry-after': '70' }), 503, '70'],
  ['a rejected key', failure(401), 503, '60'],
] as const)('a refusal because of the model carries Retry-After: %s', async (_, reply, status, seconds) => {
  model.otherwise(reply);
  const refused = await send({ source_text: 'Hello', target_lang: 'fr' }, 'refused');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, seconds]);
});
