import { beforeAll, beforeEach, expect, test } from 'vitest';
import { LinguaLoop, TranslationPendingError } from '#sdk/index.ts';
import { serveHttp } from '#test/fakes/http-server.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

/** A gateway in front of the service times out before the model has ended, and the client's retry finds the first request. */

let release: () => void = () => {};
let held: Promise<void> = Promise.resolve();
const engine = engineOf(async ({ segments, targetLang }) => {
  await held;
  return answered(segments.map((text) => `[${targetLang}] ${text}`));
});
const app = useTestApp({ engine });
let address = '';
/** The methods of the requests that the gateway has passed on. */
const passed: string[] = [];
/** Called for each request with its number, before the response. */
let onRequest: (count: number) => void = () => {};

beforeAll(async () => {
  const gateway = await serveHttp(async (request, response, body) => {
    const {
      host: _,
      connection: __,
      'content-length': ___,
      'accept-encoding': ____,
      ...headers
    } = request.headers;
    const isFirst = passed.push(request.method ?? '') === 1;
    const answer = fetch(`${app.address}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    if (isFirst) {
      void answer.catch(() => {});
      // The service has begun the job when the gateway times out.
      for (;;) {
        const [row] = await openSuperuser(
          app.superuserUrl,
        )`select count(*)::int as jobs from translation_jobs`;
        if (row!['jobs'] > 0) break;
      }
      response.writeHead(504, { 'content-type': 'text/html' }).end('<h1>504 Gateway Time-out</h1>');
      return;
    }
    const {
      status,
      headers: given,
      text,
    } = await answer.then(async (one) => ({
      status: one.status,
      headers: one.headers,
      text: await one.text(),
    }));
    const sent: Record<string, string> = { 'content-type': given.get('content-type') ?? '' };
    for (const name of ['x-request-id', 'idempotency-replayed'])
      if (given.has(name)) sent[name] = given.get(name) as string;
    response.writeHead(status, sent).end(text);
    onRequest(passed.length);
  });
  address = gateway.url;
  return () => gateway.close();
});

beforeEach(async () => {
  await openSuperuser(app.superuserUrl)`truncate translation_jobs cascade`;
  passed.length = 0;
  held = new Promise((resolve) => {
    release = resolve;
  });
});

const open = async () =>
  new LinguaLoop({
    baseUrl: address,
    apiKey: (await app.signUp()).apiKey,
    backoff: { firstMs: 1, maxMs: 1 },
  });

test('the text is the translation when the first request ends, and there is one job', async () => {
  const client = await open();
  // The retry and a poll have found the job in progress.
  onRequest = (count) => count === 3 && release();
  const job = await client.translations.create({ source_text: 'Good morning', target_lang: 'fr' });
  expect([job.status, job.final_translation]).toEqual(['published', '[fr] Good morning']);
  expect(passed.slice(0, 3)).toEqual(['POST', 'POST', 'GET']);
  expect(await client.translations.list().toArray()).toHaveLength(1);
});

test('a batch is complete when the first request ends', async () => {
  const client = await open();
  onRequest = (count) => count === 3 && release();
  const jobs = await client.translations.createBatch({
    inputs: [{ Text: 'Opening hours', Language: 'en', Targets: [{ Language: 'fr' }, { Language: 'de' }] }],
  });
  expect(jobs.map(({ final_translation }) => final_translation)).toEqual([
    '[fr] Opening hours',
    '[de] Opening hours',
  ]);
});

test('without an end in time, the error has the job, with which waitFor continues', async () => {
  const client = await open();
  onRequest = () => {};
  const request = { source_text: 'Good evening', target_lang: 'fr' };
  const error = await client.translations
    .create(request, { timeout: 1_500 })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TranslationPendingError);
  const { job } = error as TranslationPendingError;
  expect([job.status, job.final_translation]).toEqual(['pending', null]);
  release();
  const ended = await client.translations.waitFor(job.id);
  expect(ended.final_translation).toBe('[fr] Good evening');
});
