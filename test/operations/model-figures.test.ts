import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { pruneModelRequests, storeModelRequests, viewModels } from '#server/operations/models.ts';
import { openEngine } from '#server/platform/engines/select.ts';
import { ownName } from '#server/platform/engines/tenant-engine.ts';
import { addModelRequests, recordModelRequest, takeModelRequests } from '#server/platform/model-requests.ts';
import { ModelTime, measureModelCall, withModelTime } from '#server/platform/telemetry.ts';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { plainTask } from '#test/setup/engine.ts';
import { operateHere } from '../admin/command.ts';

const app = useTestApp();
const live = () => ({
  ...app.services.settings,
  OPENAI_API_KEY: 'a key',
  OPENAI_MODEL: 'large',
  MODEL_PRICES: { large: { input: 2, output: 10 } },
  OPENAI_REFINER_MODEL: 'small',
  OPENAI_EMBEDDING_MODEL: 'none',
});

/** Writes the counts of this process as at its end. */
async function write(database = app.database, failed = (error: unknown): void => expect(error).toBeNull()) {
  await storeModelRequests(database, live(), failed).stop();
}

test('requests of all processes are added up by model; those of models without a setting are "other"', async () => {
  takeModelRequests();
  onTestFinished(() => void takeModelRequests());
  const ask = (model: string) =>
    recordModelRequest({ model, mode: 'json_schema' }, async (count) =>
      count({ inputTokens: 100, outputTokens: 10 }),
    );
  await ask('large');
  await write();
  // As if by another process, in the same hour.
  await ask('large');
  await ask('of a caller');
  const failure = Object.assign(new Error('x'), { kind: 'outage' });
  await expect(
    recordModelRequest({ model: 'large', mode: 'instructions' }, () => Promise.reject(failure)),
  ).rejects.toBe(failure);
  await write();
  const { mode, models } = await viewModels({ database: app.database, settings: live() });
  expect(mode).toBe('live');
  expect(models).toEqual([
    {
      model: 'large',
      roles: ['translation'],
      modes: ['instructions', 'json_schema'],
      requests: 3,
      failed: 1,
      errors: [{ kind: 'outage', requests: 1 }],
      p50_seconds: expect.closeTo(0.05),
      p95_seconds: expect.closeTo(0.095),
      input_tokens: 200,
      output_tokens: 20,
      cost: (200 * 2 + 20 * 10) / 1_000_000,
    },
    expect.objectContaining({ model: 'small', roles: ['judge'], requests: 0, p50_seconds: null }),
    expect.objectContaining({ model: 'other', roles: [], requests: 1 }),
  ]);
  const lines = await operateHere(
    { services: { ...app.services, settings: live() } as typeof app.services },
    ['models'],
  );
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^large +translation +instructions, json_schema +3 +1 +outage 1 +0\.05 s +0\.1 s +200 +20 +/,
    ),
  );
  expect(await operateHere(app, ['models'])).toContainEqual(expect.stringMatching(/^mode +stub$/));
});

test('requests with the keys of workspaces are counted apart from those of the deployment, with the stub too', async () => {
  takeModelRequests();
  onTestFinished(() => void takeModelRequests());
  await using fake = await startFakeOpenAi();
  fake.otherwise(translatingReply({ translate: () => 'Hallo' }));
  const { settings } = app.services;
  const of = { kind: 'openai', api_key: 'a key', url: fake.baseUrl, model: settings.OPENAI_MODEL } as const;
  const own = await openEngine('own', of, settings, { countedAs: ownName('openai') });
  await own.translate(plainTask, { tenantId: 'mine' });
  await storeModelRequests(app.database, settings, (error) => expect(error).toBeNull()).stop();
  const view = await viewModels({ database: app.database, settings });
  expect(view.mode).toBe('stub');
  expect(view.models.filter(({ model }) => model === settings.OPENAI_MODEL)).toEqual([]);
  expect(view.models).toContainEqual(
    expect.objectContaining({ model: 'own-openai', roles: ['workspace_key'], requests: 1, cost: null }),
  );
});

test('counts that could not be stored are stored later, and old ones are deleted', async () => {
  takeModelRequests();
  const one = { model: 'small', mode: 'json_schema', outcome: 'ok', duration: 3, requests: 2 };
  addModelRequests([{ ...one, inputTokens: 5, outputTokens: 1 }]);
  const errors: unknown[] = [];
  const down = { ...app.database, inPlatform: () => Promise.reject(new Error('the database is down')) };
  await write(down, (error) => errors.push(error));
  expect(errors).toHaveLength(1);
  await write();
  const sql = openSuperuser(app.superuserUrl);
  expect(await sql`select requests::int from model_requests where model = 'small'`).toMatchObject([
    { requests: 2 },
  ]);
  await sql`update model_requests set hour = hour - interval '8 days' where model = 'small'`;
  expect(await app.database.inPlatform(pruneModelRequests)).toBe(1);
});

test('model calls at the same time count once, and pauses between them do not count', async () => {
  const time = new ModelTime();
  await withModelTime(time, async () => {
    await Promise.all([measureModelCall(() => delay(200)), measureModelCall(() => delay(100))]);
    await delay(200);
    await measureModelCall(async () => {
      await delay(100);
      throw new Error('no model');
    }).catch(() => {});
  });
  expect(time.seconds()).toBeGreaterThan(0.28);
  expect(time.seconds()).toBeLessThan(0.45);
});

test('a call outside of a request runs unmeasured', async () => {
  const time = new ModelTime();
  await measureModelCall(() => delay(10));
  expect(time.seconds()).toBe(0);
});
