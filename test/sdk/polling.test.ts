import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  ConnectionError,
  DocumentFailedError,
  type DocumentOptions,
  ImportFailedError,
  LinguaLoop,
  type LinguaLoopOptions,
  TimeoutError,
  TranslationFailedError,
  TranslationPendingError,
} from '#sdk/index.ts';
import { delayBeforePoll } from '#sdk/polling.ts';
import { failure, result, type Step, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const id = 'a'.repeat(32);
const quickly = { pollEvery: { firstMs: 1, maxMs: 1 } };
const transient = failure(503, 'try again', { error_code: 'transient_error' });
/** Temporary failures. They are more than the maximum number of retries of other calls. */
const outage: Step[] = [
  transient,
  'cut off',
  'cut off within the answer',
  { status: 502, body: '<h1>502</h1>' },
];

function client(options: Partial<LinguaLoopOptions> = {}) {
  return new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

function useFakeTime() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

describe('a document', () => {
  const queued = { id, status: 'queued', source_format: 'xlsx', progress: null, failure: null };
  const at = (translated_segments: number, total_segments: number) => ({
    ...queued,
    status: 'extracted',
    progress: { stage: 'map_translate', translated_segments, total_segments },
  });
  const translated = { ...queued, status: 'translated' };
  const message = 'no characters are left';
  const failed = {
    ...queued,
    status: 'failed',
    failure: { code: 'quota_exceeded', stage: 'admit', message },
  };

  /**
   * Resumes a poller for a document. It polls every millisecond, and the first step of the script is the document's
   * first state.
   */
  const resume = (options: DocumentOptions = {}) => client().documents.resume(id, { ...quickly, ...options });

  async function statesOf(states: AsyncIterable<unknown>) {
    const seen: unknown[] = [];
    try {
      for await (const job of states) seen.push(job);
      return { seen, error: undefined };
    } catch (error) {
      return { seen, error };
    }
  }

  test('is polled until it is translated; each new state is reported once, with a share that never falls', async () => {
    const states = [queued, at(5, 10), at(5, 10), at(5, 20), at(20, 20), translated];
    server.script(...states.map((state) => result(state)));
    const told: unknown[] = [];
    const poller = await resume({ onProgress: (_, progress) => told.push([progress, poller.isDone]) });
    expect(await poller.pollUntilDone()).toEqual(translated);
    expect(await poller.pollUntilDone()).toEqual(translated);
    expect(told).toEqual([0, 0.5, 0.5, 0.99, 1].map((progress) => [progress, progress === 1]));
    expect(server.received.map(({ path }) => path)).toEqual(Array(6).fill(`/api/documents/${id}`));
  });

  test('that failed is the last state of a loop, and a DocumentFailedError with its code', async () => {
    server.script(result(at(5, 10)), result(failed));
    const poller = await resume();
    const { seen, error } = await statesOf(poller);
    expect(seen).toEqual([at(5, 10), failed]);
    expect(error).toBeInstanceOf(DocumentFailedError);
    expect(error).toMatchObject({ status: null, code: 'quota_exceeded', job: failed });
    expect((error as Error).message).toBe(`document ${id} failed: no characters are left`);
    expect([poller.isDone, poller.progress]).toEqual([true, 0.5]);
  });

  test('is waited for across an unknown status and a long outage', async () => {
    server.script(result({ ...queued, status: 'typesetting' }), ...outage, result(translated));
    expect(await (await resume()).pollUntilDone()).toEqual(translated);
  });

  test('is waited for again after an error that does not pass', async () => {
    server.script(result(queued), failure(404, 'document job not found'), result(translated));
    const poller = await resume();
    await expect(poller.pollUntilDone()).rejects.toMatchObject({ name: 'NotFoundError' });
    expect(await poller.pollUntilDone()).toEqual(translated);
  });

  test('is given up after an outage of five minutes', async () => {
    useFakeTime();
    let looks = 0;
    const fetch = async () => {
      looks += 1;
      if (looks > 1) throw new TypeError('fetch failed', { cause: new Error('no route') });
      return Response.json(queued);
    };
    const every = { pollEvery: { firstMs: 1_000, maxMs: 5_000 } };
    const poller = await client({ fetch }).documents.resume(id, every);
    const begun = Date.now();
    const ended = poller.pollUntilDone().catch((error) => ({ error, after: Date.now() - begun }));
    await vi.advanceTimersByTimeAsync(310_000);
    const { error, after } = (await ended) as { error: unknown; after: number };
    expect(error).toBeInstanceOf(ConnectionError);
    expect(after).toBeGreaterThanOrEqual(300_000);
    expect(looks).toBeLessThan(300_000 / 2_500);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is resumed by another process, by its JSON or its text', async () => {
    server.script({ status: 202, body: queued }, result(at(5, 10)), result(translated));
    const book = { name: 'Book.xlsx', data: new TextEncoder().encode('PK') };
    const accepted = await client().documents.translate(book, { target_lang: 'fr' });
    const saved = JSON.stringify(accepted);
    expect(JSON.parse(saved)).toEqual({ document_id: id });
    expect((await client().documents.resume(JSON.parse(saved))).job).toEqual(at(5, 10));
    expect((await client().documents.resume(`${accepted}`)).job).toEqual(translated);
  });

  test('is polled once for all who wait, and only while somebody waits', async () => {
    server.script(result(queued), result(at(5, 10)), result(translated));
    const poller = await resume();
    const [one, other, states] = await Promise.all([
      poller.pollUntilDone(),
      poller.pollUntilDone(),
      statesOf(poller),
    ]);
    expect([one, other, states.seen]).toEqual([translated, translated, [queued, at(5, 10), translated]]);
    expect(server.received).toHaveLength(3);

    useFakeTime();
    const left = await client({ fetch: async () => Response.json(queued) }).documents.resume(id);
    for await (const job of left) if (job.id === id) break;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not ended by a signal: that of one wait ends this wait, the last one ends the poll', async () => {
    server.script(result(queued), 'silence', result(translated));
    const poller = await resume();
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [first, second].map(({ signal }) => poller.pollUntilDone({ signal }));
    await server.arrived(2);
    first.abort('the first');
    await expect(waits[0]).rejects.toBe('the first');
    second.abort('the second');
    await expect(waits[1]).rejects.toBe('the second');
    expect(getEventListeners(first.signal, 'abort')).toHaveLength(0);
    await expect(poller.pollUntilDone({ signal: AbortSignal.abort('too late') })).rejects.toBe('too late');
    expect(await poller.pollUntilDone()).toEqual(translated);
    expect(server.received).toHaveLength(3);
  });

  test('is waited for until the signal of its poller', async () => {
    server.script(result(queued), 'silence');
    const controller = new AbortController();
    const waiting = (await resume({ signal: controller.signal })).pollUntilDone();
    await server.arrived(2);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  test('rejects the wait with an error of onProgress', async () => {
    server.script(result(queued), result(translated));
    const poller = await resume({
      onProgress({ status }) {
        if (status === 'queued') throw new Error('no more');
      },
    });
    await expect(poller.pollUntilDone()).rejects.toThrow('no more');
    expect(await poller.pollUntilDone()).toEqual(translated);
  });

  test('is polled after 2 s at first, later up to 10 s apart; a poll without a response is repeated after 30 s', async () => {
    useFakeTime();
    const polls: number[] = [];
    const fetch = () => {
      polls.push(Date.now());
      if (polls.length === 20) return new Promise<never>(() => {});
      return Promise.resolve(Response.json(polls.length > 20 ? translated : queued));
    };
    const done = (await client({ fetch }).documents.resume(id)).pollUntilDone();
    await vi.advanceTimersByTimeAsync(250_000);
    expect(await done).toEqual(translated);
    const waits = polls.slice(1).map((time, index) => time - polls[index]!);
    const last = waits.pop();
    expect(waits[0]).toBeGreaterThanOrEqual(1_500);
    expect(waits[0]).toBeLessThanOrEqual(2_001);
    expect(Math.max(...waits)).toBeGreaterThan(7_500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_001);
    expect(last).toBeGreaterThanOrEqual(30_000);
  });
});

test('waits between polls grow by a quarter, and jitter takes off up to a quarter', () => {
  const every = { firstMs: 1_000, maxMs: 5_000 };
  const delays = (random: number) => [0, 1, 2, 11].map((n) => delayBeforePoll(n, every, () => random));
  expect(delays(1)).toEqual([1_000, 1_250, 1_562.5, 5_000]);
  expect(delays(0)).toEqual(delays(1).map((ms) => ms * 0.75));
});

describe('an import', () => {
  const set = { id: 'b'.repeat(32), name: 'UI', entry_count: 9000, imported: 9000 };
  const running = {
    id,
    status: 'running',
    set_name: 'UI',
    updated_at: '2026-11-02T10:00:00.000Z',
    error: null,
  };
  const completed = { ...running, status: 'completed', result: set };
  const failed = { ...running, status: 'failed', error: 'send the file again' };
  const state = (job: object): Step => result({ poll_url: `/api/tm/imports/${id}`, job });
  const resume = () => client().memory.resumeImport(id, quickly);

  test('is waited for until its set is stored', async () => {
    server.script(state(running), ...outage, state({ ...running, status: 'indexing' }), state(completed));
    const poller = await resume();
    expect([poller.id, poller.job, poller.progress]).toEqual([id, running, 0]);
    expect(await poller.done()).toEqual(set);
    expect([poller.job, poller.progress]).toEqual([completed, 1]);
  });

  test('that failed is an ImportFailedError with the job and its error', async () => {
    server.script(state(running), state(failed));
    const error = await (await resume()).pollUntilDone().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ImportFailedError);
    expect(error).toMatchObject({ name: 'ImportFailedError', status: null, job: failed });
    expect(error.message).toBe(`import ${id} failed: send the file again`);
  });

  test('that is completed without a result is an error, not an endless wait', async () => {
    server.script(state({ ...completed, result: null }));
    await expect((await resume()).pollUntilDone()).rejects.toThrow('is completed but has no result');
  });

  test('whose set was stored at once is resumed by its text, unless the set was deleted', async () => {
    server.script(result([]), result(set), result([{ ...set, id: 'c' }, set]), result([]));
    const file = { name: 'ui.tmx', data: new TextEncoder().encode('<tmx/>') };
    const languages = { source_lang: 'en', target_lang: 'fr' };
    const poller = await client().memory.importTmx(file, { name: 'UI', ...languages });
    expect([poller.id, poller.isDone, poller.progress]).toEqual([null, true, 1]);
    expect(await (await client().memory.resumeImport(`${poller}`)).pollUntilDone()).toEqual(set);
    await expect(client().memory.resumeImport(`${poller}`)).rejects.toMatchObject({ name: 'NotFoundError' });
  });
});

describe('translations.waitFor', () => {
  const job = (status: string) => ({
    id,
    status,
    agent_run: { error: status === 'failed' ? 'no model' : null },
  });

  test.each(['published', 'awaiting_review', 'of a later version'])(
    'waits until the job is %s, across an outage',
    async (status) => {
      server.script(result(job('pending')), ...outage, result(job('approved')), result(job(status)));
      expect(await client().translations.waitFor(id, quickly)).toEqual(job(status));
    },
  );

  test('throws a TranslationFailedError with a job that failed', async () => {
    server.script(result(job('pending')), result(job('failed')));
    const error = await client()
      .translations.waitFor(id, quickly)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TranslationFailedError);
    expect(error).toMatchObject({ message: `translation ${id} failed: no model`, job: job('failed') });
  });

  test('ends with the signal or the timeout, and leaves no timer', async () => {
    useFakeTime();
    const { translations } = client({ fetch: async () => Response.json(job('pending')) });
    const controller = new AbortController();
    const ends = [{ signal: controller.signal }, { timeout: 30_000 }, {}].map((options) =>
      translations.waitFor(id, options).catch((thrown) => thrown),
    );
    await vi.advanceTimersByTimeAsync(20_000);
    controller.abort('enough');
    expect(await ends[0]).toBe('enough');
    await vi.advanceTimersByTimeAsync(580_000);
    const late = await ends[1];
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late.message).toMatch(/^translations\.waitFor: .* within 30000 ms$/);
    expect(await ends[2]).toMatchObject({ timeoutMs: 600_000 });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a text whose first request is still in progress', () => {
  const job = (status: string, n = 1) => ({
    id: `${n}`.repeat(32),
    status,
    agent_run: { error: status === 'failed' ? 'no model' : null },
    warnings: [],
  });
  const cut = { status: 504, body: '<h1>504 Gateway Time-out</h1>' };
  const replayed = { 'idempotency-replayed': 'true' };
  const bytes = new TextEncoder().encode('Hello');
  const calls = {
    create: (timeout?: number) =>
      client().translations.create({ source_text: 'Hello', target_lang: 'fr' }, { timeout }),
    createBatch: (timeout?: number) =>
      client().translations.createBatch(
        { inputs: [{ Text: 'Hello', Language: 'en', Targets: [{ Language: 'fr' }, { Language: 'de' }] }] },
        { timeout },
      ),
    createFromText: (timeout?: number) =>
      client().translations.createFromText(
        { source_text: 'Hello', target_lang: 'fr', metadata: { source_document: {} } },
        { timeout },
      ),
    createFromFile: (timeout?: number) =>
      client().translations.createFromFile(
        { name: 'a.txt', data: bytes },
        { target_lang: 'fr' },
        { timeout },
      ),
  };
  const names = Object.keys(calls) as (keyof typeof calls)[];
  /** The response to a call: one job, or a list of them. */
  const jobsOf = (name: string, ...jobs: object[]) => (name === 'create' ? jobs[0]! : jobs);

  test.each(names)('is polled by %s after the 504 of a gateway', async (name) => {
    server.script(
      cut,
      result(jobsOf(name, job('pending'), job('pending', 2)), replayed),
      result(job('published')),
      ...(name === 'create' ? [] : [result(job('awaiting_review', 2))]),
    );
    expect(await calls[name]()).toEqual(jobsOf(name, job('published'), job('awaiting_review', 2)));
    expect(server.received.map(({ method }) => method).slice(0, 3)).toEqual(['POST', 'POST', 'GET']);
  });

  test.each(names)('that does not end in time is an error of %s with the jobs', async (name) => {
    const made =
      name === 'create' ? [job('pending')] : [job('published'), job('pending', 2), job('pending', 3)];
    server.script(
      result(jobsOf(name, ...made), replayed),
      ...made
        .slice(0, 2)
        .slice(-1)
        .map((one) => result(one)),
    );
    const error = await calls[name](200).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TranslationPendingError);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ call: `translations.${name}`, status: null, timeoutMs: 200 });
    const { job: first, jobs } = error as TranslationPendingError;
    expect([first, jobs.length]).toEqual([made.find(({ status }) => status === 'pending'), made.length]);
  });

  test('that fails is a TranslationFailedError', async () => {
    server.script(result(job('pending'), replayed), result(job('failed')));
    await expect(calls.create()).rejects.toMatchObject({
      name: 'TranslationFailedError',
      job: job('failed'),
    });
  });

  test('is returned by submit immediately', async () => {
    server.script({ status: 202, body: job('pending') });
    const { status } = await client().translations.submit({ source_text: 'Hello', target_lang: 'fr' });
    expect([status, server.received.length]).toEqual(['pending', 1]);
  });

  test('ends with the signal', async () => {
    server.script(result(job('pending'), replayed), 'silence');
    const stop = new AbortController();
    const waiting = client().translations.create(
      { source_text: 'Hello', target_lang: 'fr' },
      { signal: stop.signal },
    );
    await server.arrived(2);
    stop.abort('enough');
    await expect(waiting).rejects.toBe('enough');
  });
});
