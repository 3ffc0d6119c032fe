import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { Pool } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { LinguaLoop } from '#sdk/index.ts';
import { startPgbouncer, withoutPgbouncer } from '#test/setup/pgbouncer.ts';
import { startService } from '#test/setup/service.ts';
import { type BareTenant, openBareScript } from './bare-job.ts';
import { createBenchTenant } from './bench-service.ts';
import { measureRate, median, requirePremise } from './load.ts';

const concurrency = 32;
const tenantCount = 100;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const sourceText = 'The quick brown fox jumps over the lazy dog, and nobody minds.';

/**
 * Measures POST /api/translations with the stub engine, over 32 connections and for 100 tenants: through REST, through
 * /trpc with the SDK, as a bare script that only sends the same statements, and through REST of a second process, whose
 * pools connect through PgBouncer in transaction mode. All alternate in one run.
 */
export async function benchTextJobs(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const service = await startService(
    { DATA_DIR: dataDir, AUTH_RATE_LIMIT_ENABLED: 'false' },
    'server/main.ts',
    ['--api-only'],
  );
  const through = withoutPgbouncer ? undefined : await startThroughPgbouncer(dataDir, server.url);
  const superuser = postgres(withDatabase(server.superuserUrl, server.url), { max: 1, onnotice: () => {} });
  const pool = new Pool(service.address, { connections: concurrency, pipelining: 1 });
  const tenants = await foundTenants(service.address);
  const bare = await openBareScript(server.url, concurrency, sourceText);
  const clients = tenants.map(({ apiKey }) => new LinguaLoop({ baseUrl: service.address, apiKey }));
  let turn = 0;
  const next = <T>(list: T[]): T => list[turn++ % list.length] as T;

  const viaRest = async (_loop: number, at: Pool = pool) => {
    const { statusCode, body } = await at.request({
      method: 'POST',
      path: '/api/translations',
      headers: { 'content-type': 'application/json', 'x-api-key': next(tenants).apiKey },
      body: JSON.stringify({ source_text: sourceText, target_lang: 'fr' }),
    });
    const job = (await body.json()) as { status: string };
    if (statusCode !== 200 || job.status !== 'published') throw new Error(`REST answered ${statusCode}`);
  };
  const viaSdk = async () => {
    const job = await next(clients).translations.create({ source_text: sourceText, target_lang: 'fr' });
    if (job.status !== 'published') throw new Error(`the SDK's job is ${job.status}`);
  };

  try {
    const rates = {
      bare: [] as number[],
      rest: [] as number[],
      sdk: [] as number[],
      through: [] as number[],
    };
    const latencies: number[] = [];
    // A warm-up, in which code is compiled and each connection prepares its statements.
    await measureRate(concurrency, 2, (loop) => bare.job(loop, next(tenants)));
    await measureRate(concurrency, 2, viaRest);
    await measureRate(concurrency, 2, viaSdk);
    if (through) await measureRate(concurrency, 2, (loop) => viaRest(loop, through.pool));
    let counted: { transactions: number; statements: number } | undefined;
    for (let round = 0; round < rounds; round++) {
      await superuser`select pg_stat_statements_reset()`;
      const script = await measureRate(concurrency, seconds, (loop) => bare.job(loop, next(tenants)));
      const scripted = await countStatements(superuser, script.calls);
      rates.bare.push(script.perSecond);
      await superuser`select pg_stat_statements_reset()`;
      const rest = await measureRate(concurrency, seconds, viaRest);
      counted = await countStatements(superuser, rest.calls);
      requirePremise(
        Math.abs(counted.statements - scripted.statements) < 1,
        `the script sends a job's statements: ${scripted.statements.toFixed(1)}, the service ${counted.statements.toFixed(1)}`,
      );
      rates.rest.push(rest.perSecond);
      if (through) {
        const pooled = await measureRate(concurrency, seconds, (loop) => viaRest(loop, through.pool));
        rates.through.push(pooled.perSecond);
      }
      latencies.push(rest.p50);
      rates.sdk.push((await measureRate(concurrency, seconds, viaSdk)).perSecond);
    }
    const [served] =
      await superuser`select count(*)::int as jobs from usage_records where fast_path is not null`;
    requirePremise(served?.['jobs'] === 0, 'no job is served from the TM');
    const rest = median(rates.rest);
    print(`bare script           ${Math.round(median(rates.bare))} jobs/s   (rounds ${show(rates.bare)})`);
    print(
      `POST /api/translations ${Math.round(rest)} jobs/s   (rounds ${show(rates.rest)}), p50 ${median(latencies).toFixed(1)} ms`,
    );
    print(`/trpc with the SDK    ${Math.round(median(rates.sdk))} jobs/s   (rounds ${show(rates.sdk)})`);
    print(`REST / bare           ${ratio(rates.rest, rates.bare)}   (target 0.55 or better)`);
    print(`SDK / REST            ${ratio(rates.sdk, rates.rest)}   (target 0.70 or better)`);
    print(
      through
        ? `REST / through PgBouncer ${ratio(rates.rest, rates.through)}   (rounds ${show(rates.through)}; target at most 1.10)`
        : `not measured through PgBouncer: ${withoutPgbouncer}`,
    );
    print(`transactions a job    ${counted?.transactions.toFixed(2)}   (target at most 2)`);
    print(`statements a job      ${counted?.statements.toFixed(2)}   (target at most 12)`);
    print(`peak memory of the API ${await service.peakMemory()} MB   (target below 300)`);
  } finally {
    await pool.close();
    await bare.close();
    await superuser.end();
    await through?.stop();
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Starts a second API on the same data, whose pools share eight connections of PgBouncer. */
async function startThroughPgbouncer(dataDir: string, url: string) {
  const pgbouncer = await startPgbouncer(url, 'transaction', { default_pool_size: 8 });
  const service = await startService(
    {
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      DATABASE_POOLS: JSON.stringify({ pooler: pgbouncer.address }),
      SECRETS_KEY: (await readFile(join(dataDir, 'secrets.key'), 'utf8')).trim(),
      AUTH_RATE_LIMIT_ENABLED: 'false',
    },
    'server/main.ts',
    ['--api-only'],
  );
  const pool = new Pool(service.address, { connections: concurrency, pipelining: 1 });
  return {
    pool,
    async stop() {
      await pool.close();
      await service.stop();
      await pgbouncer.remove();
    },
  };
}

async function foundTenants(address: string): Promise<BareTenant[]> {
  const tenants: BareTenant[] = [];
  for (let i = 0; i < tenantCount; i++) tenants.push(await createBenchTenant(address));
  return tenants;
}

/** The number of executed statements per job, from pg_stat_statements. BEGIN is the number of transactions. */
async function countStatements(superuser: postgres.Sql, jobs: number) {
  const [row] = await superuser<{ statements: number; transactions: number }[]>`
    select sum(calls)::float8 as statements,
      coalesce(sum(calls) filter (where lower(query) = 'begin'), 0)::float8 as transactions
    from pg_stat_statements s join pg_roles r on r.oid = s.userid
    where toplevel and not rolsuper`;
  return { statements: (row?.statements ?? 0) / jobs, transactions: (row?.transactions ?? 0) / jobs };
}

/** The median of the ratios of all rounds. In each round, the two sides ran directly after each other. */
function ratio(above: number[], below: number[]): string {
  return median(above.map((value, i) => value / (below[i] as number))).toFixed(2);
}

function show(values: number[]): string {
  return values.map((value) => Math.round(value)).join(', ');
}

function withDatabase(url: string, like: string): string {
  const changed = new URL(url);
  changed.pathname = new URL(like).pathname;
  return changed.href;
}
