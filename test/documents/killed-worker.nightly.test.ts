import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished } from 'vitest';
import { resumeDocuments } from '#server/documents/queue.ts';
import { workbook } from '#test/factories/workbook.ts';
import { askedOf, type FakeOpenAi, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { type Hold, type Killable, killableBeside, testKills } from '#test/faults/kills.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { german, models, sentences } from '#test/translations/live.ts';
import { answerOf } from '#test/translations/workspace.ts';

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

/** The number of times that each text was sent for translation. */
function sent(): Map<string, number> {
  const times = new Map<string, number>();
  for (const request of model.requests) {
    const { role, data } = askedOf(request);
    if (role === 'translation')
      for (const { text } of data.segments) times.set(text, (times.get(text) ?? 0) + 1);
  }
  return times;
}

/** Processes that use the model. */
function open() {
  const killable = killableBeside(app, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_MODEL: models.translator,
    OPENAI_REFINER_MODEL: models.refiner,
  });
  onTestFinished(killable.end);
  return killable;
}

function form(fields: Record<string, string> = {}): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries({ target_lang: 'de', ...fields })) parts.append(name, value);
  parts.append('source_document', new File([workbook(...texts, ...texts.slice(0, 30))], 'Book.xlsx'));
  return parts;
}

const path = '/api/documents/translate';

/** Creates a workspace, and queues a document in it. */
async function submitted() {
  const killable = open();
  const { headers, tenantId } = await app.signUp();
  const { status, body } = await answerOf(app.request(path, { method: 'POST', headers, body: form() }));
  expect([status, body.status]).toEqual([202, 'queued']);
  return documentOf(killable, { headers, tenantId }, body.id);
}

/** Functions for a document whose workers are killed. */
function documentOf(
  killable: Killable,
  { headers, tenantId }: Pick<Signup, 'headers' | 'tenantId'>,
  id: string,
) {
  const { sql: superuser } = killable;
  /** For each text, the number of workers that died after sending the text and before storing its translation. */
  const lost = new Map<string, number>();
  let hold: Hold | undefined;
  /** The texts whose translations are stored. */
  const storedTexts = async () => {
    const rows = await superuser<{ source_text: string }[]>`
      select source_text from document_segments where document_id = ${id} and target is not null`;
    return new Set(rows.map(({ source_text }) => source_text));
  };
  return {
    stored: storedTexts,
    /** Notes what the killed worker has lost, and releases its jobs immediately instead of after 30 seconds. */
    async afterKill() {
      // Waits until the requests that the worker has sent have arrived.
      await delay(100);
      const done = await storedTexts();
      for (const text of sent().keys()) if (!done.has(text)) lost.set(text, (lost.get(text) ?? 0) + 1);
      await hold?.release();
      hold = undefined;
      await killable.replaceDead();
    },
    startWorker: () => killable.start('worker'),
    /** Stops the worker that is about to store the end of a stage. */
    async holdAtEndOf(stage: string) {
      hold = await killable.holdRows(
        'document_jobs',
        'update',
        `old.stage = '${stage}' and (new.stage <> old.stage or new.status = 'translated')`,
      );
      return hold;
    },
    stage: async () =>
      (await superuser<{ stage: string }[]>`select stage from document_jobs where document_id = ${id}`)[0]
        ?.stage,
    /** Lets a worker complete the job, and checks that nothing was lost or done twice. */
    async finish() {
      await killable.start('worker');
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

type Job = Awaited<ReturnType<typeof submitted>>;

describe('the job of a killed worker is continued by another one, and billed once', () => {
  const shared = {
    timeout: 60_000 + 20_000 * kills,
    open: submitted,
    after: (job: Job) => job.afterKill(),
    holds: (job: Job) => job.finish(),
  };

  for (const stage of ['ingest', 'extract', 'admit', 'map_translate', 'reconstruct'])
    testKills({
      ...shared,
      title: `killed at the end of ${stage}`,
      kills: Math.ceil(kills / 2),
      async reach(job) {
        const hold = await job.holdAtEndOf(stage);
        const worker = await job.startWorker();
        await hold.reached();
        expect(await job.stage()).toBe(stage);
        return worker;
      },
    });

  testKills({
    ...shared,
    title: 'killed at any moment',
    kills,
    async reach(job, kill) {
      const worker = await job.startWorker();
      await delay((1500 * kill) / kills);
      return worker;
    },
  });

  testKills({
    title: 'killed while a client waits for the response: the sweep finds it',
    timeout: 60_000,
    async open() {
      const person = await app.signUp();
      const { headers } = person;
      const killable = open();
      const api = await killable.start('api');
      const body = form({ wait: 'true' });
      const answer = fetch(`${api.address}${path}`, { method: 'POST', headers, body }).then(
        () => 'answered',
        () => 'lost',
      );
      await poll(async () => model.requests.length > 8);
      const [{ id }] = (await app.json('GET', '/api/documents', { headers })).body;
      return { api, answer, job: documentOf(killable, person, id) };
    },
    reach: async ({ api }) => api,
    after: ({ job }) => job.afterKill(),
    async holds({ answer, job }) {
      expect(await answer).toBe('lost');
      await resumeDocuments(app.services, 600);
      expect(await job.stage()).toBe('map_translate');
      await resumeDocuments(app.services, 0);
      await job.finish();
    },
  });
});
