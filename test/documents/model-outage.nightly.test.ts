import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { createOpenAiEngine } from '#server/platform/engines/openai/openai-engine.ts';
import { readSettings } from '#server/settings.ts';
import { env } from '#test/factories.ts';
import { askedOf, failure, reset, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { type Documents, openDocuments } from './workspace.ts';

/**
 * Seconds for which the model is unavailable. For a long outage: `MODEL_OUTAGE_SECONDS=60 npm run test:all --
 * test/documents/model-outage.nightly.test.ts`.
 */
const outageSeconds = Number(process.env['MODEL_OUTAGE_SECONDS'] ?? 8);

const model = await useFakeOpenAi();
const modelEnv = {
  ...env,
  OPENAI_API_KEY: 'sk-test',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_EMBEDDING_MODEL: 'none',
  OPENAI_MAX_RETRIES: '0',
  OPENAI_TIMEOUT_SECONDS: '2',
};
const liveEngine = () => {
  const settings = readSettings(modelEnv);
  return createOpenAiEngine({ ...settings, OPENAI_API_KEY: 'sk-test' });
};
const app = useTestApp({ env: modelEnv, engine: liveEngine() });
/** An application whose documents wait for at most 4 s in total. */
const hasty = useTestApp({ env: { ...modelEnv, OUTAGE_HOURS: '0.001' }, engine: liveEngine() });

/** The kinds of failures during an outage, in turn: rejected, connection dropped, at capacity. */
const outage = () => {
  const replies = [failure(503), reset, failure(429), failure(500)];
  let count = 0;
  model.otherwise((response, request) => replies[count++ % replies.length]!(response, request));
};
const healthy = () => model.otherwise(translatingReply({ latencyMs: 50 }));
const texts = (count: number, of: string) => Array.from({ length: count }, (_, n) => `${of} text ${n}`);

let mine: Documents;
beforeEach(async () => {
  healthy();
  mine = await openDocuments(app);
});

/** Runs the document until it waits because of the outage. */
async function untilItWaits(documents: Documents, id: string) {
  outage();
  await documents.run(id);
  const job = await documents.read(id);
  expect(job.waiting).not.toBeNull();
  return job;
}

describe('an outage of the model', () => {
  test('in the middle of 20 documents fails none, and bills each once', {
    timeout: (outageSeconds + 120) * 1000,
  }, async () => {
    const theirs = [mine, await openDocuments(app)];
    const documents: { of: Documents; id: string }[] = [];
    for (let n = 0; n < 20; n++) {
      const of = theirs[n % 2]!;
      documents.push({ of, id: await of.queue(texts(90, `Document ${n}`)) });
    }
    const statuses = () => Promise.all(documents.map(({ of, id }) => of.read(id)));
    const count = (jobs: { status: string }[], status: string) =>
      jobs.filter((job) => job.status === status).length;
    let worst = 0;
    await withWorkers(app, async () => {
      await poll(async () => count(await statuses(), 'translated') >= 3);
      outage();
      const until = Date.now() + outageSeconds * 1000;
      while (Date.now() < until) {
        worst = Math.max(worst, (await statuses()).filter(({ waiting }) => waiting !== null).length);
        await delay(250);
      }
      healthy();
      await poll(async () => (await statuses()).every(({ status }) => status === 'translated'), 100);
    });
    expect(worst).toBeGreaterThan(0);
    for (const of of theirs) expect(await of.records()).toHaveLength(10);
    expect((await statuses()).every(({ waiting, failure }) => waiting === null && failure === null)).toBe(
      true,
    );
    // Translations that were stored before the outage were not requested again.
    const stored = new Map<string, number>();
    for (const request of model.requests) {
      const { role, data } = askedOf(request);
      if (role === 'segment_assessment')
        for (const { source } of data.segments) stored.set(source, (stored.get(source) ?? 0) + 1);
    }
    expect(stored.size).toBe(20 * 90);
  });

  test('leaves a document waiting with its reservation, visible as such, until its next try', async () => {
    const id = await mine.queue(texts(3, 'Waiting'));
    const job = await untilItWaits(mine, id);
    expect(job).toMatchObject({ status: 'extracted', failure: null, progress: { stage: 'map_translate' } });
    expect(job.waiting).toEqual({
      since: expect.any(String),
      reason: expect.stringMatching(/^(transient_error|rate_limit)$/),
      attempts: 3,
      next_attempt_at: expect.any(String),
    });
    const pause = Date.parse(job.waiting.next_attempt_at) - Date.parse(job.waiting.since);
    expect(pause).toBeGreaterThan(2000);
    expect(pause).toBeLessThan(15_000);
    expect(await mine.row(id)).toMatchObject({
      running: false,
      stage_timings: expect.not.objectContaining({ map_translate: expect.any(Number) }),
    });
    expect(Number((await mine.row(id))['reserved_chars'])).toBeGreaterThan(0);
    const { body: listed } = await mine.listDocuments('?status=extracted');
    expect(listed[0].waiting).toEqual(job.waiting);
    expect((await mine.query('progress', { document_ids: [id] })).body.documents[0].waiting).toEqual(
      job.waiting,
    );

    // The next worker makes one attempt, and the pause becomes longer.
    await mine.run(id);
    const later = (await mine.read(id)).waiting;
    expect(later).toMatchObject({ since: job.waiting.since, attempts: 4 });

    healthy();
    await mine.run(id);
    expect(await mine.read(id)).toMatchObject({ status: 'translated', waiting: null });
    expect(await mine.records()).toHaveLength(1);
  });

  test('that outlasts OUTAGE_HOURS fails the document with all tries counted', async () => {
    const theirs = await openDocuments(hasty);
    const id = await theirs.queue(['Hello']);
    await untilItWaits(theirs, id);
    await theirs.change(id, { waiting_since: new Date(Date.now() - 5000) });
    await theirs.run(id);
    expect(await theirs.read(id)).toMatchObject({
      status: 'failed',
      waiting: null,
      failure: { code: 'transient_error', transient: true, retry_attempts: 3 },
    });
    expect(await theirs.records()).toEqual([]);
    expect(await theirs.row(id)).toMatchObject({ reserved_chars: '0', waiting_since: null });
  });

  test('ends for all waiting documents when the model answers one of them', async () => {
    const ids = await Promise.all([1, 2, 3].map((n) => mine.queue(texts(2, `Woken ${n}`))));
    for (const id of ids) {
      model.otherwise(failure(503));
      await mine.run(id);
      // Puts the document into the state near the end of a long pause.
      await openSuperuser(
        app.superuserUrl,
      )`update document_jobs set next_attempt_at = now() + interval '200 s',
        updated_at = now() - interval '60 s' where document_id = ${id}`;
      await openSuperuser(
        app.superuserUrl,
      )`select graphile_worker.reschedule_jobs(array[id], run_at => now() + interval '200 s')
        from graphile_worker.jobs where key = ${`run_document:${id}`}`;
    }
    healthy();
    await withWorkers(app, async () => {
      const fresh = await mine.queue(['A document that was sent later']);
      const all = [...ids, fresh];
      await poll(async () =>
        (await Promise.all(all.map((id) => mine.read(id)))).every(({ status }) => status === 'translated'),
      );
    });
  });
});
