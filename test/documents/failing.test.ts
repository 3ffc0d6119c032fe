import { describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { tasks } from '#workers/tasks.ts';
import { openDocuments, recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });
/** An application whose workers send heartbeats three times a second. */
const patient = useTestApp({
  env: { ...env, DOCUMENT_STAGE_TIMEOUT_SECONDS: '3', STALE_PENDING_SECONDS: '1' },
  engine,
});
const hasty = useTestApp({ env: { ...env, DOCUMENT_STAGE_TIMEOUT_SECONDS: '1' }, engine });

const mine = useDocuments(app, engine);

const texts = (count: number, of = 'Text number') => Array.from({ length: count }, (_, n) => `${of} ${n}`);

describe('a stage that fails (B 8 "Per-stage time budget")', () => {
  test('for a passing reason is tried again, twice', async () => {
    const id = await mine.queue(['Hello']);
    let calls = 0;
    engine.reply = () => {
      if (++calls < 3) throw new AppError(calls === 1 ? 'transient_error' : 'rate_limit', 'busy');
      return ['Bonjour'];
    };
    await mine.run(id);
    expect(calls).toBe(3);
    expect(await mine.read(id)).toMatchObject({ status: 'translated', failure: null });
    expect(await mine.records()).toHaveLength(1);
  });

  test('for a passing reason three times is a transient_error', async () => {
    engine.reply = () => {
      throw new AppError('rate_limit', 'the provider is busy');
    };
    const { status, body } = await mine.send({ wait: 'true', idempotency_key: 'busy' });
    expect([status, body.error_code]).toEqual([503, 'transient_error']);
    expect(engine.asked).toHaveLength(3);
    expect((await mine.send({ idempotency_key: 'busy' })).body).toMatchObject({
      status: 'failed',
      failure: {
        code: 'transient_error',
        stage: 'map_translate',
        retry_attempts: 2,
        transient: true,
        timeout: false,
      },
    });
    expect(await mine.records()).toEqual([]);
  });

  test('for a content filter is not tried again: 422 with wait', async () => {
    engine.reply = () => {
      throw new AppError('content_filtered', 'refused');
    };
    const { status, body } = await mine.send({ wait: 'true', idempotency_key: 'refused' });
    expect([status, body.error_code]).toEqual([422, 'content_filtered']);
    expect(engine.asked).toHaveLength(1);
    expect((await mine.send({ idempotency_key: 'refused' })).body.failure).toMatchObject({
      code: 'unexpected_error',
      stage: 'map_translate',
      retry_attempts: 0,
    });
  });

  test('by a fault reveals nothing of its cause', async () => {
    engine.reply = () => {
      throw new Error('secret detail');
    };
    const { status, body } = await mine.send({ wait: 'true', idempotency_key: 'fault' });
    expect([status, body.error_code]).toEqual([500, 'internal_error']);
    const { body: job } = await mine.send({ idempotency_key: 'fault' });
    expect(job.failure.code).toBe('unexpected_error');
    expect(JSON.stringify([body, job])).not.toContain('secret detail');
  });

  test('at the end of its time is a stage_timeout: 504 with wait', async () => {
    const theirs = await openDocuments(hasty);
    engine.reply = (_task, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    const { status, body } = await theirs.send({ wait: 'true', idempotency_key: 'slow' });
    expect([status, body.error_code]).toEqual([504, 'stage_timeout']);
    const { body: job } = await theirs.send({ idempotency_key: 'slow' });
    expect(job.failure).toMatchObject({
      code: 'stage_timeout',
      stage: 'map_translate',
      timeout: true,
      transient: false,
      retry_attempts: 0,
    });
    expect(engine.asked).toHaveLength(1);
    expect(await theirs.records()).toEqual([]);
  });

  test('counts the time of the workers before', async () => {
    const theirs = await openDocuments(hasty);
    const id = await theirs.queue(['Hello']);
    await openSuperuser(hasty.superuserUrl)`
      update document_jobs set stage_timings = '{"extract": 1000}' where document_id = ${id}`;
    await theirs.run(id);
    expect((await theirs.read(id)).failure).toMatchObject({ code: 'stage_timeout', stage: 'extract' });
  });

  test('counts the time of a worker that was killed in it, and not the time until the next one has it', async () => {
    const theirs = await openDocuments(patient);
    const id = await theirs.queue(['Hello']);
    const timing = async () =>
      ((await theirs.row(id))['stage_timings'] as Record<string, number>)['map_translate'];
    engine.reply = (_task, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    // A killed worker stores nothing after its last heartbeat.
    const killed = theirs.run(id);
    await poll(async () => ((await timing()) ?? 0) > 1000, 10);
    await theirs.change(id, { attempt: 99 });
    await killed;
    const spent = (await timing())!;
    expect(spent).toBeLessThan(3000);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const began = Date.now();
    await theirs.run(id);
    const took = Date.now() - began;
    expect((await theirs.read(id)).failure).toMatchObject({ code: 'stage_timeout', stage: 'map_translate' });
    // A busy machine may take longer. If the pause between the two attempts counted, the second one would take half as
    // long.
    expect(took).toBeGreaterThan(3000 - spent - 750);
  });
});

describe('a worker that dies', () => {
  test('is followed by another, which continues from there', async () => {
    const id = await mine.queue(texts(90));
    engine.reply = ({ segments, targetLang }) => {
      if (segments[0] === 'Text number 80') throw new AppError('content_filtered', 'refused');
      return segments.map((segment) => `${targetLang} of ${segment}`);
    };
    await mine.run(id);
    // The same state as if the worker had been killed.
    await mine.change(id, { status: 'extracted', running: true, failure: null, reserved_chars: 1 });
    engine.reset();
    await mine.run(id);
    expect(engine.texts()).toEqual(texts(90).slice(80));
    expect(await mine.row(id)).toMatchObject({
      status: 'translated',
      attempt: 2,
      translated_segments: 90,
      interruptions: 0,
    });
    expect(await mine.records()).toHaveLength(1);
  });

  test('and was only slow writes nothing once another has the job', async () => {
    const id = await mine.queue(['Hello']);
    engine.reply = async () => {
      if (engine.asked.length > 1) return ['of the second'];
      // While this worker waits for the engine, a second one takes the job.
      await mine.run(id);
      return ['of the first'];
    };
    expect(await mine.run(id)).toBeUndefined();
    expect(await mine.targets(id)).toEqual(['of the second']);
    expect(await mine.row(id)).toMatchObject({ status: 'translated', attempt: 2, translated_segments: 1 });
    expect(await mine.records()).toHaveLength(1);
    expect(await mine.artifacts(id)).toHaveLength(2);
  });

  test('again and again, without progress, ends the job as interrupted', async () => {
    const id = await mine.queue(['Hello']);
    await mine.change(id, { running: true, interruptions: 19 });
    await mine.run(id);
    expect((await mine.read(id)).status).toBe('translated');

    const other = await mine.queue(['Hello'], { idempotency_key: 'deadly' });
    await mine.change(other, { running: true, interruptions: 20 });
    await mine.run(other);
    expect(await mine.read(other)).toMatchObject({
      status: 'failed',
      failure: { code: 'interrupted', stage: 'worker', transient: false },
    });
    expect(await mine.row(other)).toMatchObject({ running: false, reserved_chars: '0' });
  });

  test('is noticed: the sweep queues the job again', async () => {
    const id = await mine.queue(['Hello']);
    const sql = openSuperuser(app.superuserUrl);
    await sql`select graphile_worker.remove_job(${`run_document:${id}`})`;
    await mine.change(id, { running: true, updated_at: new Date(Date.now() - 3_600_000) });
    await tasks.sweep_stale_jobs.run(app.services, {});
    await withWorkers(app, async () => {
      await poll(async () => (await mine.read(id)).status === 'translated');
    });
  });
});
