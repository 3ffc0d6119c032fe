import type { Sql } from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { after, agreeable, startFakeOpenAi } from '#test/fakes/openai.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { launch, testFolder } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

interface Options {
  args?: string[];
  env?: Record<string, string>;
  /** Prepares the database. The function that it returns runs while the process starts. */
  launching?: (superuserUrl: string) => Promise<(operator: string) => Promise<unknown>>;
}

/** Starts a process that has a port for operators. */
async function start(script: string, { args = [], env: given = {}, launching }: Options = {}) {
  const database = await createTestDatabase();
  const launched = await launching?.(database.superuserUrl);
  const port = await freePort();
  const operator = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: database.url,
    DATABASE_MIGRATION_URL: database.ownerUrl,
    DATA_DIR: '/nowhere/data',
    PLATFORM_STORAGE_URL: `file://${await testFolder()}`,
    SECRETS_KEY,
    METRICS: JSON.stringify({ port }),
    ...given,
  };
  const { child, ended, says, printed, address } = launch([script, ...args], env);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await database.drop();
  });
  await launched?.(operator);
  await says('"msg":"LinguaLoop ');
  return {
    operator,
    address: address(),
    superuserUrl: database.superuserUrl,
    databaseName: new URL(database.url).pathname.slice(1),
    printed,
    says,
    readiness: async () => {
      const response = await fetch(`${operator}/readyz`);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    /** Runs `npm run probe` with the environment of the process. */
    probe: () => launch(['server/commands/probe.ts'], env).ended,
    async stop() {
      child.kill('SIGTERM');
      return (await ended).code;
    },
  };
}

test('a worker responds on the port for operators, and the probe reports whether it is ready', async () => {
  const worker = await start('workers/main.ts');
  expect(await worker.readiness()).toEqual({
    status: 200,
    body: { status: 'ready', checks: { database: 'ok', schema: 'ok', storage: 'ok', workers: 'ok' } },
  });
  expect((await fetch(`${worker.operator}/healthz`)).status).toBe(200);
  expect((await fetch(`${worker.operator}/api/translations`)).status).toBe(404);
  expect((await fetch(`${worker.operator}/metrics`, { method: 'POST' })).status).toBe(405);
  expect(await worker.probe()).toMatchObject({ code: 0, stdout: expect.stringContaining('"ready"') });

  const sql = openSuperuser(worker.superuserUrl);
  await sql.unsafe(`alter table drizzle.__drizzle_migrations rename to mislaid`);
  await poll(async () => (await worker.probe()).code === 1);
  expect(await worker.stop()).toBe(0);
  expect(await worker.probe()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('does not respond'),
  });
});

test('every line that a process prints is a JSON object, without content of a caller; an outage of the database is logged', async () => {
  const service = await start('server/main.ts');
  const app = connect(service.address);
  const { headers, tenantId, accessToken } = await app.signUp();
  await app.json('POST', '/api/translations', { headers, body: { source_text: 'Hello', target_lang: 'fr' } });
  const bearer = { authorization: `Bearer ${accessToken}` };
  await app.json('POST', '/trpc/translations.create', {
    headers: bearer,
    body: { json: { source_text: 'Never logged', target_lang: 'never-logged' } },
  });
  await app.json('POST', '/trpc/nothing.like.it', { headers: bearer, body: { json: {} } });
  await app.json('GET', '/api/translations', { headers: { 'x-api-key': 'nobody' } });

  const sql = openSuperuser(service.superuserUrl.replace(/\/[^/]*$/, '/postgres'));
  await sql.unsafe(`alter database "${service.databaseName}" allow_connections false`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${service.databaseName}`;
  await service.says('"msg":"the database does not respond"');
  expect((await fetch(`${service.address}/readyz`)).status).toBe(503);
  await sql.unsafe(`alter database "${service.databaseName}" allow_connections true`);
  await service.says('"msg":"the database responds again"');
  expect(await service.stop()).toBe(0);

  const lines = service
    .printed()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines)
    expect(line).toMatchObject({
      level: expect.any(Number),
      time: expect.any(Number),
      pid: expect.any(Number),
      hostname: expect.any(String),
      msg: expect.any(String),
    });
  const requests = lines.filter(({ msg }) => msg === 'request');
  const common = { client: '127.0.0.1', request_id: expect.any(String) };
  expect(requests).toContainEqual(
    expect.objectContaining({
      ...common,
      route: '/api/translations',
      procedure: 'translations.create',
      tenant_id: tenantId,
      status: 200,
    }),
  );
  expect(requests).toContainEqual(
    expect.objectContaining({
      ...common,
      route: '/trpc/:path',
      procedure: 'translations.create',
      status: 422,
      error_code: 'unprocessable',
      error: expect.stringMatching(/^unsupported target_lang …; supported languages: /),
    }),
  );
  expect(requests).toContainEqual(
    expect.objectContaining({ procedure: 'unknown', status: 404, error_code: 'route_not_found' }),
  );
  expect(requests).toContainEqual(
    expect.objectContaining({ tenant_id: null, status: 401, error_code: 'unauthenticated' }),
  );
  for (const { procedure, route } of requests)
    if (route === '/trpc/:path') expect(procedure).toEqual(expect.any(String));
  expect(service.printed()).not.toMatch(/never.logged|nobody|nothing\.like\.it/i);
});

test('a process that starts is not ready, although all that it needs responds', async () => {
  const worker = await start('workers/main.ts', {
    async launching(superuserUrl) {
      const [one, other, watch] = Array.from({ length: 3 }, () => openSuperuser(superuserUrl)) as [
        Sql,
        Sql,
        Sql,
      ];
      const lock = async (sql: Sql) => {
        await sql`begin; lock table graphile_worker.migrations in access exclusive mode`.simple();
      };
      const waits = (application: string) =>
        poll(async () => {
          const [row] = await watch`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
              and application_name = ${application}`;
          return row;
        }, 30);
      await lock(one);
      return async (operator) => {
        // The migration runs first, and then the workers wait.
        await waits('lingualoop migrate');
        const locked = lock(other);
        await waits('postgres.js');
        await one`commit`;
        await locked;
        await waits('lingualoop queue');
        const response = await fetch(`${operator}/readyz`);
        expect({ status: response.status, body: await response.json() }).toEqual({
          status: 503,
          body: { status: 'unavailable', checks: { database: 'ok', schema: 'ok', storage: 'ok' } },
        });
        await other`commit`;
      };
    },
  });
  expect((await worker.readiness()).status).toBe(200);
});

test('a draining process reports it to its operator until it ends, even if only a run is left whose client has disconnected', async () => {
  await using model = await startFakeOpenAi();
  const held = Promise.withResolvers<void>();
  model.otherwise(async (response) => {
    await held.promise;
    response.writeHead(400).end();
  });
  const service = await start('server/main.ts', {
    args: ['--api-only'],
    env: { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: model.baseUrl },
  });
  const { headers } = await connect(service.address).signUp();
  const client = new AbortController();
  const call = fetch(`${service.address}/api/translations`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ source_text: 'Hello', target_lang: 'fr' }),
    signal: client.signal,
  }).catch(() => undefined);
  await poll(async () => model.requests.length > 0);
  client.abort();
  await call;
  const ended = service.stop();
  await poll(async () =>
    fetch(`${service.address}/healthz`).then(
      () => false,
      () => true,
    ),
  );
  expect(await service.readiness()).toMatchObject({ status: 503, body: { status: 'draining' } });
  expect((await fetch(`${service.operator}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${service.operator}/metrics`)).text()).toContain('lingualoop_db_up 1\n');
  held.resolve();
  expect(await ended).toBe(0);
});

/** The series of a metric without their values. */
const seriesOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test('metrics count requests, jobs, engine calls, transactions, files, sweeps and the queue, without anything of a caller', async () => {
  const service = await start('server/main.ts');
  const app = connect(service.address);
  const { headers, tenantId } = await app.signUp();
  const submit = (body: object) => app.json('POST', '/api/translations', { headers, body });
  for (const source_text of ['One', 'Two', 'Three'])
    expect((await submit({ source_text, target_lang: 'fr' })).status).toBe(200);
  // Names that a caller invents do not create series.
  for (let n = 0; n < 50; n++) {
    await app.json('GET', `/api/translations/job-${n}`, { headers });
    await app.json('GET', `/invented/${n}`);
    await app.json('POST', `/trpc/invented.${n}`, { body: { json: {} } });
  }
  const sql = openSuperuser(service.superuserUrl);
  await sql`select graphile_worker.add_job('import_memory', '{"tenantId":"x","importId":"y"}'::json, run_at => now() + interval '1 hour')`;
  // A backlog of one task must not hide those of other tasks.
  await sql`
    insert into graphile_worker._private_jobs (task_id, run_at)
    select task_id, run_at from graphile_worker._private_jobs, generate_series(1, 10499)
    where payload ->> 'importId' = 'y'`;
  await sql`select graphile_worker.add_job('nobodys', '{}'::json, run_at => now() - interval '1 hour')`;

  const response = await fetch(`${service.operator}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const created = 'method="POST",route="/api/translations",procedure="translations.create"';
  expect(text).toContain(`lingualoop_http_requests_total{${created},status="200"} 3\n`);
  expect(text).toContain(`lingualoop_http_request_duration_seconds_count{${created}} 3\n`);
  expect(text).toContain('lingualoop_jobs_total{kind="text",state="published"} 3\n');
  expect(text).toContain('lingualoop_engine_duration_seconds_count{call="translate",outcome="ok"} 3\n');
  expect(text).toMatch(/lingualoop_storage_duration_seconds_count\{operation="put",outcome="ok"\} [3-9]/);
  expect(text).toMatch(/lingualoop_transaction_duration_seconds_count\{pool="api",outcome="ok"\} \d+/);
  expect(text).toContain('lingualoop_queue_jobs{task="import_memory",state="waiting"} 10500\n');
  expect(text).toContain('lingualoop_queue_oldest_seconds{task="import_memory"} 0\n');
  expect(text).toContain('lingualoop_queue_jobs{task="nobodys",state="waiting"} 1\n');
  expect(text).toMatch(/lingualoop_queue_oldest_seconds\{task="nobodys"\} 36\d\d/);
  expect(text).toContain('lingualoop_unfinished_jobs{kind="document",state="queued"} 0\n');
  expect(text).toContain('lingualoop_engine_slots{state="in_use"} 0\n');
  expect(text).toContain('lingualoop_db_up 1\n');
  expect(text).toMatch(/lingualoop_sandbox_processes \d/);
  for (const pool of ['api', 'workers', 'probe'])
    expect(text).toMatch(new RegExp(`lingualoop_db_pool_size\\{pool="${pool}"\\} \\d`));

  expect(text).not.toMatch(/invented|job-\d/);
  expect(text).not.toContain(tenantId);
  expect(text).toContain('procedure="unknown",status="404"} 50\n');
  expect(text).toContain('route="unmatched",procedure="",status="404"} 50\n');
  expect(seriesOf(text, 'lingualoop_http_requests_total').length).toBeLessThan(10);
});

test('the duration of a text without its model calls is measured, with several calls at the same time', async () => {
  await using model = await startFakeOpenAi();
  model.otherwise(after(1500, agreeable));
  const service = await start('server/main.ts', {
    args: ['--api-only'],
    env: { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: model.baseUrl, OPENAI_EMBEDDING_MODEL: 'none' },
  });
  const app = connect(service.address);
  const { headers } = await app.signUp();
  const begun = performance.now();
  const { status } = await app.json('POST', '/api/translations', {
    headers,
    body: { source_text: 'Hello', target_lang: 'fr' },
  });
  expect(status).toBe(200);
  expect(performance.now() - begun).toBeGreaterThan(1500);
  const text = await (await fetch(`${service.operator}/metrics`)).text();
  const own = /^lingualoop_text_own_duration_seconds_sum\{procedure="translations.create"\} (.+)$/m.exec(
    text,
  );
  expect(Number(own?.[1])).toBeGreaterThan(0.001);
  expect(Number(own?.[1])).toBeLessThan(1.4);
});
