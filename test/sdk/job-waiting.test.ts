import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LinguaLoop, TimeoutError, TranslationFailedError } from '#sdk/index.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const id = 'a'.repeat(32);
const job = (status: string) => ({
  id,
  status,
  agent_run: { error: status === 'failed' ? 'no model' : null },
});
const pending = result(job('pending'));
const client = () => new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 } });
const quickly = { pollEvery: { firstMs: 1, maxMs: 1 } };

describe('translations.waitFor', () => {
  test.each(['published', 'awaiting_review', 'rejected', 'persistence_failed', 'of a later version'])(
    'waits until the job is %s, across failures of the moment',
    async (status) => {
      const unavailable = failure(503, 'try again', { error_code: 'transient_error' });
      server.script(pending, pending, unavailable, 'cut off', result(job('approved')), result(job(status)));
      expect(await client().translations.waitFor(id, quickly)).toEqual(job(status));
      expect(server.received.map(({ path }) => path)).toEqual(Array(6).fill(`/api/translations/${id}`));
    },
  );

  test('a job that has ended is returned at once; one that failed is an error with it', async () => {
    server.script(result(job('human_edited')), pending, result(job('failed')));
    expect(await client().translations.waitFor(id)).toEqual(job('human_edited'));
    const error = await client()
      .translations.waitFor(id, quickly)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TranslationFailedError);
    expect(error).toMatchObject({ message: `translation ${id} failed: no model`, job: job('failed') });
  });

  test('one that is unknown is a NotFoundError', async () => {
    server.script(failure(404, 'job not found'));
    await expect(client().translations.waitFor(id)).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  test('the signal and the timeout end the wait, and leave no timer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const fetch = async () => Response.json(job('pending'));
    const { translations } = new LinguaLoop({ baseUrl: server.address, fetch });
    const controller = new AbortController();
    const ends = [
      translations.waitFor(id, { signal: controller.signal }).catch((thrown) => thrown),
      translations.waitFor(id, { timeout: 30_000 }).catch((thrown) => thrown),
      translations.waitFor(id).catch((thrown) => thrown),
    ];
    await vi.advanceTimersByTimeAsync(20_000);
    controller.abort('enough');
    expect(await ends[0]).toBe('enough');
    await vi.advanceTimersByTimeAsync(10_000);
    const late = await ends[1];
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late.message).toMatch(/^translations\.waitFor: .* within 30000 ms$/);
    await vi.advanceTimersByTimeAsync(570_000);
    expect(await ends[2]).toMatchObject({ timeoutMs: 600_000 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
