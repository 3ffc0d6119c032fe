import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resumeDocuments } from '#server/translation/documents/queue.ts';
import { workbook } from '#test/factories/workbook.ts';
import { askedOf, type FakeOpenAi, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { german, models, sentences } from '#test/translations/live.ts';
import { answerOf } from '#test/translations/workspace.ts';
import { reportAndTakeOver } from '#workers/heartbeat.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', TRIAL_CHARS: '1000000', DEFAULT_MONTHLY_CHAR_LIMIT: '10000000' },
});

/** The number of workers that are killed during one job. */
const kills = Number(process.env['DOCUMENT_KILLS'] ?? 2);

/** The texts of the workbook, and their translations by the model. */
const translations = new Map(
  Array.from({ length: 630 }, (_, n) => {
    const sentence = sentences[n % sentences.length] as string;
    return [`${sentence} (${n})`, `${german[sentence]} (${n})`];
  }),
);
const texts = [...translations.keys()];
const characters = texts.reduce((sum, text) => sum + text.length, 0);

const inGerman = (latencyMs: number) =>
  translatingReply({ translate: (text) => translations.get(text) ?? '', latencyMs });

let model: FakeOpenAi;
beforeAll(async () => {
  model = await startFakeOpenAi();
});
afterAll(() => model?.close());
beforeEach(() => {
  model.requests.length = 0;
  model.otherwise(inGerman(100));
});

/** How often each text was sent for translation. */
function sent(): Map<string, number> {
  const times = new Map<string, number>();
  for (const request of model.requests) {
    const { role, data } = askedOf(request);
    if (role === 'translation')
      for (const { text } of data.segments) times.set(text, (times.get(text) ?? 0) + 1);
  }
  return times;
}

const running = new Set<RunningService>();
afterEach(async () => {
  await Promise.all([...running].map((service) => service.stop('SIGKILL')));
  running.clear();
});

function start(script: string, args: string[] = []): Promise<RunningService> {
  return startService(
    {
      LOG_LEVEL: 'silent',
      AUTH_RATE_LIMIT_ENABLED: 'false',
      DATABASE_URL: app.databaseUrl,
      DATA_DIR: app.services.settings.DATA_DIR,
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_MODEL: models.translator,
      OPENAI_REFINER_MODEL: models.refiner,
    },
    script,
    args,
  ).then((service) => {
    running.add(service);
    return service;
  });
}

const startWorker = () => start('workers/main.ts');

function form(fields: Record<string, string> = {}): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries({ target_lang: 'de', ...fields })) parts.append(name, value);
  parts.append('source_document', new File([workbook(...texts, ...texts.slice(0, 30))], 'Book.xlsx'));
  return parts;
}

const path = '/api/documents/translate';

/** Creates a workspace, and queues a document in it. */
async function submitted() {
  const { headers, tenantId } = await app.signUp();
  const { status, body } = await answerOf(app.request(path, { method: 'POST', headers, body: form() }));
  expect([status, body.status]).toEqual([202, 'queued']);
  return documentOf({ headers, tenantId }, body.id);
}

/** Functions for a document whose workers are killed. */
function documentOf({ headers, tenantId }: Pick<Signup, 'headers' | 'tenantId'>, id: string) {
  const superuser = openSuperuser(app.superuserUrl);
  /** For each text, the number of workers that died after sending the text and before storing its translation. */
  const lost = new Map<string, number>();
  /** The texts whose translations are stored. */
  const storedTexts = async () => {
    const rows = await superuser<{ source_text: string }[]>`
      select source_text from document_segments where document_id = ${id} and target is not null`;
    return new Set(rows.map(({ source_text }) => source_text));
  };
  return {
    stored: storedTexts,
    /** Kills a worker, and releases its jobs immediately instead of after 30 seconds. */
    async kill(worker: RunningService, release = async () => {}) {
      await worker.stop('SIGKILL');
      running.delete(worker);
      // Waits until the requests that the worker has sent have arrived.
      await delay(100);
      const done = await storedTexts();
      for (const text of sent().keys()) if (!done.has(text)) lost.set(text, (lost.get(text) ?? 0) + 1);
      await release();
      await poll(async () => {
        await reportAndTakeOver(app.database, [], 0);
        return (await superuser`select 1 from graphile_worker.jobs where locked_by is not null`).length === 0;
      });
      return done.size;
    },
    stage: async () =>
      (await superuser<{ stage: string }[]>`select stage from document_jobs where document_id = ${id}`)[0]
        ?.stage,
    /** Lets a worker complete the job, and checks that nothing was lost or done twice. */
    async finish() {
      await startWorker();
      const job = await poll(async () => {
        const { body: seen } = await app.json('GET', `/api/documents/${id}`, { headers });
        return ['translated', 'failed'].includes(seen.status) && seen;
      }, 60);
      expect(job).toMatchObject({ status: 'translated', failure: null, billable_chars: expect.any(Number) });
      expect(job.artifacts.map(({ kind, revision }: Record<string, unknown>) => [kind, revision])).toEqual([
        ['source', 1],
        ['translated', 1],
      ]);
      expect(job.quality_report).toMatchObject({
        translated_units: texts.length + 30,
        total_units: texts.length + 30,
      });
      const usage = await superuser<{ chars: number }[]>`
        select source_chars::int as chars from usage_records where tenant_id = ${tenantId}`;
      expect([...usage]).toEqual([
        { chars: characters + texts.slice(0, 30).reduce((sum, text) => sum + text.length, 0) },
      ]);
      const rows = await superuser<{ source_text: string; target_text: string }[]>`
        select source_text, target_text from document_segments where document_id = ${id}`;
      expect(rows.filter((row) => translations.get(row.source_text) !== row.target_text)).toEqual([]);
      const download = await app.request(`/api/documents/${id}/download`, { headers });
      expect(download.status).toBe(200);
      const tooOften = [...sent()].filter(([text, times]) => times > 1 + (lost.get(text) ?? 0));
      expect(tooOften).toEqual([]);
      expect(sent().size).toBe(texts.length);
    },
  };
}

const lockId = 4711;

/** Stops each worker that is about to store the end of a stage, until the test releases it. */
async function holdAtEndOf(stage: string) {
  const sql = openSuperuser(app.superuserUrl);
  await sql.unsafe(`
    create or replace function hold_stage() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(${lockId}); return new; end';
    create or replace trigger hold_stage before update on document_jobs for each row
      when (old.stage = '${stage}' and (new.stage <> old.stage or new.status = 'translated'))
      execute function hold_stage()`);
  return {
    hold: () => sql`select pg_advisory_lock(${lockId})`,
    reached: () =>
      poll(async () => {
        const waiting = await sql`
          select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
          where not granted and locktype = 'advisory' and datname = current_database()`;
        return waiting.length > 0;
      }, 30),
    release: async () => void (await sql`select pg_advisory_unlock(${lockId})`),
  };
}

describe('the job of a killed worker is continued by another one, and billed once', () => {
  test.each(['ingest', 'extract', 'admit', 'map_translate', 'reconstruct'])(
    'killed at the end of %s',
    { timeout: 60_000 + 20_000 * kills },
    async (stage) => {
      const job = await submitted();
      const { hold, reached, release } = await holdAtEndOf(stage);
      for (let kill = 0; kill < Math.ceil(kills / 2); kill++) {
        await hold();
        const worker = await startWorker();
        await reached();
        expect(await job.stage()).toBe(stage);
        await job.kill(worker, release);
      }
      await job.finish();
    },
  );

  test('killed at any moment', { timeout: 60_000 + 20_000 * kills }, async () => {
    const job = await submitted();
    for (let kill = 0; kill < kills; kill++) {
      const worker = await startWorker();
      await delay((1500 * kill) / kills);
      await job.kill(worker);
    }
    await job.finish();
  });

  test('killed while a client waits for the response: the sweep finds it', { timeout: 60_000 }, async () => {
    const person = await app.signUp();
    const { headers } = person;
    const api = await start('server/main.ts', ['--api-only']);
    const waiting = fetch(`${api.address}${path}`, { method: 'POST', headers, body: form({ wait: 'true' }) });
    const lost = waiting.then(
      () => 'answered',
      () => 'lost',
    );
    await poll(async () => model.requests.length > 8);
    const [{ id }] = (await app.json('GET', '/api/documents', { headers })).body;
    const job = documentOf(person, id);
    expect(await job.kill(api)).toBeGreaterThanOrEqual(0);
    expect(await lost).toBe('lost');
    await resumeDocuments(app.services, 600);
    expect(await job.stage()).toBe('map_translate');
    await resumeDocuments(app.services, 0);
    await job.finish();
  });
});
