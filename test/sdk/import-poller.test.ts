import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  ConnectionError,
  ImportFailedError,
  type ImportOptions,
  LinguaLoop,
  type LinguaLoopOptions,
  type TranslationMemoryImportJob,
} from '#sdk/index.ts';
import { delayBeforePoll } from '#sdk/polling.ts';
import { failure, result, type Step, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const id = 'a'.repeat(32);
const set = { id: 'b'.repeat(32), name: 'UI', entry_count: 9000, imported: 9000 };
const running = {
  id,
  status: 'running',
  set_name: 'UI',
  updated_at: '2026-11-02T10:00:00.000Z',
  error: null,
};
const later = { ...running, updated_at: '2026-11-02T10:00:05.000Z' };
const completed = { ...later, status: 'completed', result: set };
const failed = { ...later, status: 'failed', error: 'send the file again' };

const state = (job: object): Step => result({ poll_url: `/api/tm/imports/${id}`, job });
const transient = failure(503, 'try again', { error_code: 'transient_error' });

function client(options: Partial<LinguaLoopOptions> = {}) {
  return new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

/** A poller that polls every millisecond, for an import whose first state is the first step. */
function resume(options: ImportOptions = {}) {
  return client().memory.resumeImport(id, { pollEvery: { firstMs: 1, maxMs: 1 }, ...options });
}

describe('waiting for an import', () => {
  test('polls until it is completed, and returns the set', async () => {
    server.script(state(running), state(running), state(later), state(completed));
    const poller = await resume();
    expect(poller.id).toBe(id);
    expect(poller.job).toEqual(running);
    expect(await poller.pollUntilDone()).toEqual(set);
    expect(poller.job).toEqual(completed);
    expect(await poller.pollUntilDone()).toEqual(set);
    expect(server.received.map(({ path }) => path)).toEqual(
      Array.from({ length: 4 }, () => `/api/tm/imports/${id}`),
    );
  });

  test('has the shape of a document’s poller; `done` stays', async () => {
    server.script(state(running), state(later), state(completed), state(completed));
    const told: unknown[] = [];
    const poller = await resume({ onProgress: (_job, progress) => told.push([progress, poller.isDone]) });
    expect(await poller.done()).toEqual(set);
    expect(told).toEqual([
      [0, false],
      [0, false],
      [1, true],
    ]);
    expect(await (await client().memory.resumeImport(`${poller}`)).pollUntilDone()).toEqual(set);
  });

  test('a set that was stored at once is resumed by its text; one that was deleted is a NotFoundError', async () => {
    server.script(result([]), result(set), result([{ ...set, id: 'c' }, set]), result([]));
    const file = { name: 'ui.tmx', data: new TextEncoder().encode('<tmx/>') };
    const languages = { source_lang: 'en', target_lang: 'fr' };
    const poller = await client().memory.importTmx(file, { name: 'UI', ...languages });
    expect([poller.id, poller.isDone, poller.progress]).toEqual([null, true, 1]);
    const resumed = await client().memory.resumeImport(`${poller}`);
    expect(await resumed.pollUntilDone()).toEqual(set);
    await expect(client().memory.resumeImport(`${poller}`)).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  test('each new state is reported, and none twice', async () => {
    server.script(state(running), state(running), state(later), state(later), state(completed));
    const told: unknown[] = [];
    const poller = await resume({ onProgress: (job) => told.push(job) });
    await poller.pollUntilDone();
    await poller.pollUntilDone();
    expect(told).toEqual([running, later, completed]);
  });

  test('a loop yields them too', async () => {
    server.script(state(running), state(running), state(later), state(completed));
    const seen: unknown[] = [];
    for await (const job of await resume()) seen.push(job);
    expect(seen).toEqual([running, later, completed]);
  });

  test('it polls only while a caller waits', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const fetch = async () => Response.json({ poll_url: '', job: running });
    const poller = await client({ fetch }).memory.resumeImport(id);
    expect(vi.getTimerCount()).toBe(0);
    for await (const job of poller) if (job.id === id) break;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('however many wait, one polls', async () => {
    server.script(state(running), state(running), state(completed));
    const told: unknown[] = [];
    const poller = await resume({ onProgress: (job) => told.push(job) });
    const walk = async () => {
      const states: unknown[] = [];
      for await (const { status } of poller) states.push(status);
      return states;
    };
    expect(await Promise.all([poller.pollUntilDone(), poller.pollUntilDone(), walk(), walk()])).toEqual([
      set,
      set,
      ['running', 'completed'],
      ['running', 'completed'],
    ]);
    expect(server.received).toHaveLength(3);
    expect(told).toEqual([running, completed]);
  });

  test('an error thrown by onProgress rejects the wait, which can be resumed', async () => {
    server.script(state(running), state(completed));
    const reason = new Error('mine');
    const poller = await resume({
      onProgress({ status }) {
        if (status === 'running') throw reason;
      },
    });
    await expect(poller.pollUntilDone()).rejects.toBe(reason);
    expect(await poller.pollUntilDone()).toEqual(set);
  });

  test('an unknown status of a later version does not end the wait', async () => {
    server.script(state({ ...running, status: 'queued' }), state({ ...running, status: 'indexing' }));
    server.script(state(completed));
    expect(await (await resume()).pollUntilDone()).toEqual(set);
  });
});

describe('an import that failed', () => {
  test('is an ImportFailedError with the job and what the service says', async () => {
    server.script(state(running), state(failed));
    const poller = await resume();
    const error = await poller.pollUntilDone().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ImportFailedError);
    expect(error).toMatchObject({ name: 'ImportFailedError', status: null, job: failed });
    expect(error.message).toBe(`import ${id} failed: send the file again`);
    await expect(poller.pollUntilDone()).rejects.toBeInstanceOf(ImportFailedError);
    expect(server.received).toHaveLength(2);
  });

  test('a loop shows its last state before', async () => {
    server.script(state(running), state(failed));
    const seen: TranslationMemoryImportJob[] = [];
    const walk = async () => {
      for await (const job of await resume()) seen.push(job);
    };
    await expect(walk()).rejects.toBeInstanceOf(ImportFailedError);
    expect(seen).toEqual([running, failed]);
  });

  test('one that is gone is a NotFoundError: at once, and while it is waited for', async () => {
    server.script(failure(404, 'import job not found'), state(running), failure(404, 'import job not found'));
    await expect(resume()).rejects.toMatchObject({ name: 'NotFoundError' });
    await expect((await resume()).pollUntilDone()).rejects.toMatchObject({ name: 'NotFoundError' });
    expect(server.received).toHaveLength(3);
  });

  test('completed without a result is an error, not an endless wait', async () => {
    server.script(state({ ...completed, result: null }));
    await expect((await resume()).pollUntilDone()).rejects.toThrow('is completed but has no result');
  });
});

describe('a poll that fails', () => {
  test.each<[string, Step]>([
    ['503 transient_error', transient],
    ['the connection breaks', 'cut off'],
    ['the answer breaks off', 'cut off within the answer'],
    ["a proxy's 502", { status: 502, body: '<h1>Bad gateway</h1>' }],
    ['429 with Retry-After', failure(429, 'wait', {}, { 'retry-after': '0' })],
  ])('temporarily is repeated, more often than any other call: %s', async (_, step) => {
    server.script(state(running), step, step, step, step, state(completed));
    expect(await (await resume()).pollUntilDone()).toEqual(set);
    expect(server.received).toHaveLength(6);
  });

  test.each([
    ['401', failure(401, 'missing or invalid tenant credentials'), 'AuthenticationError'],
    ['500, twice', failure(500, 'internal error'), 'InternalServerError'],
  ])('permanently is thrown, and waiting can be resumed: %s', async (_, step, name) => {
    server.script(state(running), step, ...(name === 'InternalServerError' ? [step] : []), state(completed));
    const poller = await resume();
    await expect(poller.pollUntilDone()).rejects.toMatchObject({ name });
    expect(await poller.pollUntilDone()).toEqual(set);
  });

  test('for five minutes is thrown', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    const fetch = async () => {
      looks += 1;
      if (looks > 1) throw new TypeError('fetch failed', { cause: new Error('no route') });
      return Response.json({ poll_url: '', job: running });
    };
    const poller = await client({ fetch }).memory.resumeImport(id);
    const begun = Date.now();
    const ended = poller.pollUntilDone().catch((error) => ({ error, after: Date.now() - begun }));
    await vi.advanceTimersByTimeAsync(310_000);
    const { error, after } = (await ended) as { error: unknown; after: number };
    expect(error).toBeInstanceOf(ConnectionError);
    expect(after).toBeGreaterThanOrEqual(300_000);
    expect(looks).toBeGreaterThan(300_000 / 5_000);
    expect(looks).toBeLessThan(300_000 / 2_500);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('timing', () => {
  test('polls after a second at first, then less often, up to five; jitter takes off up to a quarter', () => {
    const every = { firstMs: 1_000, maxMs: 5_000 };
    const most = Array.from({ length: 12 }, (_, n) => delayBeforePoll(n, every, () => 1));
    const least = Array.from({ length: 12 }, (_, n) => delayBeforePoll(n, every, () => 0));
    expect(most.slice(0, 3)).toEqual([1_000, 1_250, 1_562.5]);
    expect(most.slice(-2)).toEqual([5_000, 5_000]);
    expect(most).toEqual(most.toSorted((a, b) => a - b));
    expect(least).toEqual(most.map((ms) => ms * 0.75));
  });

  test('a poll without a response is aborted after 30 s, and repeated', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    const fetch = () => {
      looks += 1;
      if (looks === 2) return new Promise<never>(() => {});
      const job = looks === 1 ? running : completed;
      return Promise.resolve(Response.json({ poll_url: '', job }));
    };
    const poller = await client({ fetch }).memory.resumeImport(id);
    const done = poller.pollUntilDone();
    await vi.advanceTimersByTimeAsync(33_000);
    expect(await done).toEqual(set);
    expect(looks).toBe(3);
  });

  test('the signal ends the wait, not the import, which can be resumed by its id', async () => {
    server.script(state(running), 'silence', state(running), state(completed));
    const controller = new AbortController();
    const poller = await resume({ signal: controller.signal });
    const waiting = poller.pollUntilDone();
    await server.arrived(2);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    await expect(poller.pollUntilDone()).rejects.toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(
      await (
        await client().memory.resumeImport(poller.id!, { pollEvery: { firstMs: 1, maxMs: 1 } })
      ).pollUntilDone(),
    ).toEqual(set);
    expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
  });
});
