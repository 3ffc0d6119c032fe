import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import postgres from 'postgres';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { launch, testFolder } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';

const secretsKey = Buffer.alloc(32, 7).toString('base64');
const text = { source_text: 'Hello', target_lang: 'fr' };

const running = new Set<RunningService>();
afterEach(async () => {
  await Promise.all([...running].map((service) => service.stop('SIGKILL')));
  running.clear();
});

async function start(env: Record<string, string>, script?: string, args?: string[]) {
  const service = await startService({ LOG_LEVEL: 'silent', ...env }, script, args);
  running.add(service);
  return service;
}

async function sharedDatabase(): Promise<TestDatabase & { env: Record<string, string> }> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, DATA_DIR: await testFolder() };
  return { ...database, env };
}

describe('several processes', () => {
  test('one key sent to two processes at once makes one job and one bill', async () => {
    const { env, superuserUrl } = await sharedDatabase();
    const services = await Promise.all([start(env), start(env)]);
    const { headers } = await connect(services[0].address).signUp();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        connect((services[i % 2] as RunningService).address).json('POST', '/api/translations', {
          headers: { ...headers, 'idempotency-key': 'once' },
          body: text,
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
    const sql = openSuperuser(superuserUrl);
    expect(await sql`select count(*)::int as jobs from translation_jobs`).toEqual([{ jobs: 1 }]);
    expect(await sql`select count(*)::int as records from usage_records`).toEqual([{ records: 1 }]);
  });
});

describe('SIGTERM', () => {
  test('a running request gets its response, and the process ends with 0', async () => {
    const { env } = await sharedDatabase();
    const arrived: (() => void)[] = [];
    const model = createServer((_request, response) => {
      arrived.push(() => response.writeHead(500).end('{}'));
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void model.closeAllConnections());
    const service = await start({
      ...env,
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}`,
      OPENAI_MAX_RETRIES: '0',
    });
    const app = connect(service.address);
    const { headers } = await app.signUp();
    const answer = app.json('POST', '/api/translations', { headers, body: text });
    await poll(async () => arrived.length > 0);
    const ended = service.stop('SIGTERM');
    await poll(async () => !(await fetch(`${service.address}/healthz`).catch(() => undefined)));
    for (const answerModel of arrived) answerModel();
    expect(await answer).toMatchObject({ status: 503, body: { error_code: 'transient_error' } });
    expect(await ended).toBe(0);
  });
});

test('SIGTERM: a run whose client has hung up is finished before the process ends', async () => {
  const { env, superuserUrl } = await sharedDatabase();
  await using model = await startFakeOpenAi();
  const waiting = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  model.enqueue(async (response, request) => {
    waiting.resolve();
    await goOn.promise;
    await translatingReply()(response, request);
  });
  model.otherwise(translatingReply());
  const live = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.baseUrl };
  const service = await start({ ...env, ...live }, 'server/main.ts', ['--api-only']);
  const { headers } = await connect(service.address).signUp();

  const client = new AbortController();
  const call = fetch(`${service.address}/api/translations`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(text),
    signal: client.signal,
  }).catch(() => {});
  await waiting.promise;
  client.abort();
  await call;
  const ended = service.stop('SIGTERM');
  goOn.resolve();
  expect(await ended).toBe(0);

  const sql = openSuperuser(superuserUrl);
  const jobs = await sql`select status, final_translation is not null as translated from translation_jobs`;
  expect(jobs.map((job) => ({ ...job }))).toEqual([
    { status: expect.stringMatching(/^(published|awaiting_review)$/), translated: true },
  ]);
});

test('npm run migrate prints which database has the schema, and whether it was just created', async () => {
  const migrate = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await launch(['server/commands/migrate.ts'], env).ended;
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout).msg;
  };
  const DATA_DIR = await testFolder();
  const here = `The schema is up to date in the database of ${DATA_DIR}`;
  expect(await migrate({ DATA_DIR })).toBe(`${here}, which was just created and is empty`);
  expect(await migrate({ DATA_DIR })).toBe(here);
  const { env, url } = await sharedDatabase();
  const { host, pathname } = new URL(url);
  expect(await migrate(env)).toBe(
    `The schema is up to date in the database "${pathname.slice(1)}" at ${host}`,
  );
});

test.each(['server/main.ts', 'workers/main.ts'])(
  'SIGTERM ends the start of %s that waits while another process migrates',
  async (script) => {
    const { env, ownerUrl, superuserUrl } = await sharedDatabase();
    const sql = openSuperuser(superuserUrl);
    const other = postgres(ownerUrl, { max: 1 });
    onTestFinished(() => other.end());
    await other`select pg_advisory_lock(4715001)`;
    const { child, ended } = launch([script], { ...env, DATABASE_MIGRATION_URL: ownerUrl });
    onTestFinished(() => void child.kill('SIGKILL'));
    await poll(async () => {
      const rows = await sql`select from pg_stat_activity
        where application_name = 'lingualoop migrate' and query like '%pg_try_advisory_lock%'
          and datname = current_database()`;
      return rows.length > 0;
    });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  },
);
