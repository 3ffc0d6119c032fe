import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sql } from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** Prepares the database of a process, and does the rest while that starts. */
type Launching = (superuserUrl: string) => Promise<(operator: string) => Promise<unknown>>;
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/**
 * A process with a port for operators, and all that it has printed, once it has started.
 */
async function start(
  script: string,
  args: string[] = [],
  { env: given = {}, launching }: { env?: Record<string, string>; launching?: Launching } = {},
) {
  const database = await createTestDatabase();
  const launched = await launching?.(database.superuserUrl);
  const METRICS_PORT = String(await freePort());
  const env = {
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
    DATABASE_URL: database.url,
    DATA_DIR: join('/nowhere', 'data'),
    PLATFORM_STORAGE_URL: `file://${process.env['TMPDIR'] ?? '/tmp'}/lingualoop-operations-${METRICS_PORT}`,
    SECRETS_KEY,
    METRICS_PORT,
    ...given,
  };
  const child = spawn(process.execPath, [join(root, script), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await database.drop();
  });
  await launched?.(`http://127.0.0.1:${METRICS_PORT}`);
  await poll(async () => printed.includes('"msg":"LinguaLoop '), 60);
  return {
    operator: `http://127.0.0.1:${METRICS_PORT}`,
    address: /LinguaLoop listens on ([^\s"]+)/.exec(printed)?.[1] ?? '',
    superuserUrl: database.superuserUrl,
    databaseName: new URL(database.url).pathname.slice(1),
    printed: () => printed,
    lines: () =>
      printed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    /** `npm run probe` with the environment of the process. */
    probe: () =>
      run(process.execPath, [join(root, 'server/commands/probe.ts')], { env }).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      ),
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

test('a worker answers on the port for operators, and the probe tells whether it is ready', async () => {
  const worker = await start('workers/main.ts');
  const ready = await fetch(`${worker.operator}/readyz`);
  expect({ status: ready.status, body: await ready.json() }).toEqual({
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
  await sql.unsafe(`alter table drizzle.mislaid rename to __drizzle_migrations`);
  await poll(async () => (await worker.probe()).code === 0);

  expect(await worker.stop()).toBe(0);
  const { code, stdout } = await worker.probe();
  expect(code).toBe(1);
  expect(stdout).toContain('does not respond');
}, 60_000);

test('every line that a process prints is one JSON object of one shape, and says when the database goes and comes', async () => {
  const service = await start('server/main.ts');
  const app = connect(service.address);
  const { headers, tenantId, accessToken } = await app.signUp();
  await app.json('POST', '/api/translations', { headers, body: { source_text: 'Hello', target_lang: 'fr' } });
  const bearer = { authorization: `Bearer ${accessToken}` };
  await app.json('POST', '/trpc/translations.create', {
    headers: bearer,
    body: { json: { source_text: 'Never logged', target_lang: 'never-logged' } },
  });
  const input = encodeURIComponent(JSON.stringify({ json: { job_id: 'secret-job' } }));
  await app.json('GET', `/trpc/translations.get?input=${input}`, { headers: bearer });
  await app.json('POST', '/trpc/nothing.like.it', { headers: bearer, body: { json: {} } });
  await app.json('GET', '/api/translations', { headers: { 'x-api-key': 'nobody' } });

  const sql = openSuperuser(service.superuserUrl.replace(/\/[^/]*$/, '/postgres'));
  await sql.unsafe(`alter database "${service.databaseName}" allow_connections false`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${service.databaseName}`;
  const says = (words: string) => poll(async () => service.printed().includes(`"msg":"${words}"`), 30);
  await says('the database does not respond');
  expect((await fetch(`${service.address}/readyz`)).status).toBe(503);
  await sql.unsafe(`alter database "${service.databaseName}" allow_connections true`);
  await says('the database responds again');
  expect(await service.stop()).toBe(0);

  const lines = service.lines();
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
    expect.objectContaining({
      procedure: 'translations.get',
      tenant_id: tenantId,
      status: 404,
      error_code: 'not_found',
      error: expect.any(String),
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
  expect(service.printed()).not.toMatch(/never.logged|nobody|nothing\.like\.it|secret-job/i);
}, 60_000);

test('a draining process says so where its operator asks, until it ends', async () => {
  const service = await start('server/main.ts', ['--api-only']);
  // A request whose body does not come keeps the drain waiting.
  const client = new AbortController();
  const call = fetch(`${service.address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'nobody' },
    body: new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) }),
    duplex: 'half',
    signal: client.signal,
  }).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const ended = service.stop();
  const draining = await poll(async () => {
    const response = await fetch(`${service.operator}/readyz`);
    return response.status === 503 && (await response.json());
  });
  expect(draining).toMatchObject({ status: 'draining' });
  expect((await fetch(`${service.operator}/healthz`)).status).toBe(200);
  client.abort();
  expect(await ended).toBe(0);
  await call;
}, 60_000);

test('a process that starts is not ready, although all that it needs responds', async () => {
  const worker = await start('workers/main.ts', [], {
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
        // The start's migration goes first, and then its workers wait.
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
  expect((await fetch(`${worker.operator}/readyz`)).status).toBe(200);
}, 60_000);

test('a drain is watched to its end, even while only a run is left whose client has gone', async () => {
  await using model = await startFakeOpenAi();
  const held = Promise.withResolvers<void>();
  model.otherwise(async (response) => {
    await held.promise;
    response.writeHead(400).end();
  });
  const service = await start('server/main.ts', ['--api-only'], {
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
  const response = await fetch(`${service.operator}/readyz`);
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 503,
    body: { status: 'draining' },
  });
  expect(await (await fetch(`${service.operator}/metrics`)).text()).toContain('lingualoop_db_up 1\n');
  held.resolve();
  expect(await ended).toBe(0);
}, 60_000);

/** The series of a metric, without their values. */
const seriesOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test('metrics count requests, jobs, engine calls, transactions, files, sweeps and the queue, without anything of a caller', async () => {
  const service = await start('server/main.ts');
  const app = connect(service.address);
  const { headers, tenantId } = await app.signUp();
  const submit = (body: object) => app.json('POST', '/api/translations', { headers, body });
  for (const source_text of ['One', 'Two', 'Three'])
    expect((await submit({ source_text, target_lang: 'fr' })).status).toBe(200);
  // Whatever a caller invents makes no series.
  for (let n = 0; n < 50; n++) {
    await app.json('GET', `/api/translations/job-${n}`, { headers });
    await app.json('GET', `/invented/${n}`);
    await app.json('POST', `/trpc/invented.${n}`, { body: { json: {} } });
  }
  const sql = openSuperuser(service.superuserUrl);
  await sql`select graphile_worker.add_job('import_memory', '{"tenantId":"x","importId":"y"}'::json, run_at => now() + interval '1 hour')`;
  // A backlog of one task hides no other.
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
}, 60_000);
