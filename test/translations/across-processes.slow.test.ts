import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { askedRoles, cat, german, good, models } from './live.ts';
import { keyed, PATH } from './workspace.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-processes-'));
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const running = new Set<RunningService>();
beforeEach(() => {
  fake.requests.length = 0;
  fake.otherwise(good);
});
afterEach(async () => {
  await Promise.all([...running].map((service) => service.stop('SIGKILL')));
  running.clear();
});

async function start(env: Record<string, string> = {}) {
  const service = await startService(
    {
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: fake.baseUrl,
      OPENAI_MODEL: models.translator,
      OPENAI_REFINER_MODEL: models.refiner,
      OPENAI_MAX_RETRIES: '0',
      AUTH_RATE_LIMIT_ENABLED: 'false',
      ...env,
    },
    'server/main.ts',
    ['--api-only'],
  );
  running.add(service);
  return { ...connect(service.address), service };
}

const usageOf = async (tenantId: string) =>
  openSuperuser(database.superuserUrl)`select job_id from usage_records where tenant_id = ${tenantId}`;

test('a process that dies between the model’s response and the commit: run again elsewhere, billed once', async () => {
  const doomed = await start({ STALE_PENDING_SECONDS: '1' });
  const other = await start({ STALE_PENDING_SECONDS: '1' });
  const { headers, tenantId } = await doomed.signUp();
  const submit = (at: typeof other) =>
    at.json('POST', PATH, {
      headers: { ...headers, ...keyed('k') },
      body: { source_text: cat, target_lang: 'de' },
    });

  // The row is locked as soon as it is there, so that the response cannot be stored.
  const locker = openSuperuser(database.superuserUrl);
  const held = await locker.reserve();
  const lost = submit(doomed).catch(() => 'lost');
  const id = await poll(async () => {
    await held`begin`;
    const [row] = await held`select job_id from translation_jobs where tenant_id = ${tenantId} for update`;
    if (!row) await held`rollback`;
    return row?.['job_id'] as string | undefined;
  });
  onTestFinished(() => held.release());
  await poll(async () => askedRoles(fake).verification === 1);
  await doomed.service.stop('SIGKILL');
  expect(await lost).toBe('lost');
  await held`rollback`;
  expect(await usageOf(tenantId)).toEqual([]);

  const again = await poll(async () => {
    const answer = await submit(other);
    expect([answer.status, answer.body.id]).toEqual([200, id]);
    return answer.body.status !== 'pending' && answer;
  });
  expect(again.body).toMatchObject({ id, status: 'published', final_translation: german[cat] });
  expect(askedRoles(fake).translation).toBe(2);
  expect(await usageOf(tenantId)).toHaveLength(1);
});
