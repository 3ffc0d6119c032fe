import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { Pool } from 'undici';
import { setScope, setScopeByCredential } from '#db/client.ts';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { newId } from '#server/platform/ids.ts';
import { partitionTables } from '#test/setup/partitions.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { type BareTenant, fill, openBareScript, recordJob } from './bare-job.ts';
import { createBenchTenant } from './bench-service.ts';
import { measureLatency, measureRate, median, requirePremise } from './load.ts';
import type { Statement } from './recorded-statements.ts';

const jobs = Number(process.env['BENCH_JOBS'] ?? 10_000);
const workspaces = Number(process.env['BENCH_WORKSPACES'] ?? 1000);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
/** Parallel requests. */
const concurrency = 8;
/** Requests for which latency is measured, one at a time. */
const singles = 400;
/** The workspaces that send requests; the others only have jobs. */
const callers = 40;
const sourceText = 'The quick brown fox jumps over the lazy dog, and nobody minds.';

/** How PostgreSQL plans prepared statements: the default, and a setting for all statements of the connection. */
const modes = ['auto', 'force_custom_plan', 'force_generic_plan'] as const;
type Mode = (typeof modes)[number];
const withMode = (url: string, mode: Mode) => `${url}?plan_cache_mode=${mode}`;

interface Side {
  name: string;
  url: string;
  service: RunningService | undefined;
}

/**
 * Compares the database of text jobs with plain tables to the same database with the big tables split into 16 and 32
 * partitions. All three have `BENCH_JOBS` jobs in `BENCH_WORKSPACES` workspaces. Counts locks, plans and memory of a
 * connection; then measures the bare script and requests, which alternate among the three.
 */
export async function benchPartitions(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const superuser = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  const role = new URL(server.ownerUrl).username;
  await superuser.unsafe(`grant pg_read_all_stats to "${role}"`);
  // The benchmark determines when statistics are collected.
  await superuser.unsafe('alter system set autovacuum = off');
  await superuser.unsafe('alter system set pg_stat_statements.track_planning = on');
  await superuser`select pg_reload_conf()`;
  const sides: Side[] = [0, 16, 32].map((partitions) => ({
    name: partitions === 0 ? 'plain' : `${partitions} partitions`,
    url: named(server.ownerUrl, `bench_${partitions}`),
    service: undefined,
  }));
  const start = (side: Side) =>
    startService(
      {
        DATABASE_URL: side.url,
        DATA_DIR: join(dataDir, 'service'),
        SECRETS_KEY: Buffer.alloc(32).toString('base64'),
        AUTH_RATE_LIMIT_ENABLED: 'false',
        LOG_LEVEL: 'error',
        DEFAULT_MONTHLY_CHAR_LIMIT: '2000000000',
        MONTHLY_CHAR_CEILING: '1000000000000',
      },
      'server/main.ts',
      ['--api-only'],
    );
  try {
    const [plain, ...split] = sides as [Side, ...Side[]];
    await superuser.unsafe(`create database bench_0 owner "${role}"`);
    await migrate(plain.url);
    plain.service = await start(plain);
    const tenants: BareTenant[] = [];
    for (let i = 0; i < callers; i++) tenants.push(await createBenchTenant(plain.service.address));
    await translate(plain.service.address, (tenants[0] as BareTenant).apiKey);
    await plain.service.stop();
    await fillJobs(named(server.superuserUrl, 'bench_0'), print);
    for (const side of split) {
      const count = Number.parseInt(side.name, 10);
      await superuser.unsafe(
        `create database bench_${count} template bench_0 strategy file_copy owner "${role}"`,
      );
      const begun = performance.now();
      await partitionTables(side.url, count);
      print(`${side.name}: split in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    }
    for (const { url } of sides) {
      const database = postgres(named(server.superuserUrl, new URL(url).pathname.slice(1)), { max: 1 });
      await database`vacuum (analyze)`;
      await database.end();
    }

    print(`\n${''.padEnd(44)}${sides.map(({ name }) => name.padStart(16)).join('')}`);
    for (const mode of modes) await countPlans(superuser, sides, tenants, mode, print);
    await measureBare(sides, tenants, print);
    for (const side of sides) side.service = await start(side);
    await measureService(sides, tenants, print);
  } finally {
    for (const { service } of sides) await service?.stop();
    await superuser.end();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function translate(address: string, apiKey: string): Promise<void> {
  const response = await fetch(`${address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ source_text: sourceText, target_lang: 'fr' }),
  });
  await response.arrayBuffer();
  requirePremise(response.status === 200, 'the first job is served');
}

/** Copies the only job, with its usage record, to all workspaces. */
async function fillJobs(superuserUrl: string, print: (line: string) => void): Promise<void> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  const begun = performance.now();
  await sql`
    insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'tenant-' || n, 'Tenant ' || n, 'prefix', 2000000000 from generate_series(1, ${workspaces - callers}::int) n`;
  for (let from = 1; from <= jobs; from += 100_000)
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      const until = Math.min(from + 99_999, jobs);
      await tx`
        insert into translation_jobs (tenant_id, job_id, status, request, baseline_translation, final_translation,
          quality_assessment, refinement, verification, agent_run, golden_uri, created_at, updated_at)
        select t.tenant_id, md5('job ' || n), j.status, j.request, j.baseline_translation, j.final_translation,
          j.quality_assessment, j.refinement, j.verification, j.agent_run, j.golden_uri, at, at
        from generate_series(${from}::int, ${until}::int) n,
          lateral (select now() - n * interval '700 days' / ${jobs}::float8 as at) times,
          (select * from translation_jobs limit 1) j,
          lateral (select (array(select tenant_id from tenants order by tenant_id))[1 + n % ${workspaces}] as tenant_id
            where n > 0) t`;
      await tx`
        insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars,
          billable_chars, job_status, recorded_at)
        select tenant_id, job_id, 'text', to_char(updated_at, 'YYYY-MM'), 'en', 'fr', 62, 62, status, updated_at
        from translation_jobs j where not exists (
          select from usage_records u where u.tenant_id = j.tenant_id and u.job_id = j.job_id)`;
    });
  const [row] = await sql`
    select count(*)::int as jobs, count(distinct tenant_id)::int as tenants from translation_jobs`;
  requirePremise(row?.['jobs'] === jobs + 1 && row['tenants'] === workspaces, `all workspaces have jobs`);
  print(
    `${jobs} jobs in ${workspaces} workspaces, filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  );
  await sql.end();
}

interface Counts {
  /** Locked relations (tables and indexes) at the end of a transaction, and those outside the fast path. */
  relations: number;
  slowLocks: number;
  /** The statements of the connection that PostgreSQL plans for each execution, and those that it does not. */
  custom: number;
  generic: number;
  memoryKb: number;
}

/** What PostgreSQL did for one job. */
interface Work {
  planMs: number;
  executionMs: number;
  blocks: number;
}

/** Sends the statements of text jobs over one connection, and counts what PostgreSQL does for them. */
async function countPlans(
  superuser: postgres.Sql,
  sides: Side[],
  tenants: BareTenant[],
  mode: Mode,
  print: (line: string) => void,
): Promise<void> {
  const counts: Awaited<ReturnType<typeof countOf>>[] = [];
  for (const side of sides) counts.push(await countOf(superuser, withMode(side.url, mode), tenants));
  const row = (title: string, of: (side: (typeof counts)[number]) => string) =>
    print(`${title.padEnd(44)}${counts.map((side) => of(side).padStart(16)).join('')}`);
  print(`One connection, plan_cache_mode = ${mode}`);
  row('  relations locked: admit, complete', (c) => `${c.admit.relations}, ${c.complete.relations}`);
  row('  of these outside the fast path', (c) => `${c.admit.slowLocks}, ${c.complete.slowLocks}`);
  row('  executions with a custom, a generic plan', (c) => `${c.complete.custom}, ${c.complete.generic}`);
  row('  planning per job, ms', ({ work }) => work.planMs.toFixed(2));
  row('  execution per job, ms', ({ work }) => work.executionMs.toFixed(2));
  row('  blocks per job', ({ work }) => work.blocks.toFixed(0));
  row('  memory of the connection, KB', (c) => String(c.complete.memoryKb));
}

async function countOf(
  superuser: postgres.Sql,
  url: string,
  tenants: BareTenant[],
): Promise<{ admit: Counts; complete: Counts; work: Work }> {
  const { admit, complete } = await recordJob(sourceText);
  const sql = postgres(url, { max: 1, max_lifetime: null, fetch_types: false, onnotice: () => {} });
  for (const oid of [114, 3802]) sql.options.serializers[oid] = (value: unknown) => value;
  const send = (text: string, values: unknown[] = []) =>
    sql.unsafe(text, values as never[], { prepare: true });
  const counts = {} as { admit: Counts; complete: Counts };
  const warmUp = 40;
  const counted = 200;
  for (let time = 0; time < warmUp + counted + 1; time++) {
    const isLast = time === warmUp + counted;
    const tenant = tenants[time % tenants.length] as BareTenant;
    const jobId = newId();
    const run = async (part: 'admit' | 'complete', scope: [string, unknown[]], statements: Statement[]) => {
      await send('begin');
      await send(...scope);
      for (const { text, parameters } of statements)
        await send(
          text,
          parameters.map((value) => fill(value, tenant.tenantId, jobId)),
        );
      if (isLast) counts[part] = await countHeld(sql);
      await send('commit');
    };
    if (time === warmUp) await superuser`select pg_stat_statements_reset()`;
    await run('admit', [setScopeByCredential, [null, hashSecret(tenant.apiKey)]], admit);
    await run('complete', [setScope, [tenant.tenantId]], complete);
  }
  await sql.end();
  const [row] = await superuser`
    select sum(total_plan_time) as plan, sum(total_exec_time) as execution,
      sum(shared_blks_hit + shared_blks_read) as blocks
    from pg_stat_statements s join pg_database d on d.oid = s.dbid
    where toplevel and datname = ${new URL(url).pathname.slice(1)} and query !~ 'pg_locks|pg_prepared|pg_backend_memory'`;
  const perJob = (value: unknown) => Number(value) / (counted + 1);
  return {
    ...counts,
    work: {
      planMs: perJob(row?.['plan']),
      executionMs: perJob(row?.['execution']),
      blocks: perJob(row?.['blocks']),
    },
  };
}

/** Counts what the connection holds. These queries lock none of the service's relations. */
async function countHeld(sql: postgres.Sql): Promise<Counts> {
  const [locks] = await sql.unsafe(`
    select count(*)::int as relations, count(*) filter (where not fastpath)::int as slow
    from pg_locks l join pg_class c on c.oid = l.relation
    where pid = pg_backend_pid() and c.relnamespace = 'public'::regnamespace`);
  const [plans] = await sql.unsafe(
    'select sum(custom_plans)::int as custom, sum(generic_plans)::int as generic from pg_prepared_statements',
  );
  const [memory] = await sql.unsafe(
    'select (sum(total_bytes) / 1024)::int as kb from pg_backend_memory_contexts',
  );
  return {
    relations: locks?.['relations'],
    slowLocks: locks?.['slow'],
    custom: plans?.['custom'],
    generic: plans?.['generic'],
    memoryKb: memory?.['kb'],
  };
}

async function measureBare(
  sides: Side[],
  tenants: BareTenant[],
  print: (line: string) => void,
): Promise<void> {
  for (const mode of ['auto', 'force_generic_plan'] as const) {
    const scripts = await Promise.all(
      sides.map(({ url }) => openBareScript(withMode(url, mode), concurrency, sourceText)),
    );
    const rates = sides.map((): number[] => []);
    let turn = 0;
    for (let round = -1; round < rounds; round++)
      for (const [index, script] of scripts.entries()) {
        const { perSecond } = await measureRate(concurrency, round < 0 ? 2 : seconds, (loop) =>
          script.job(loop, tenants[turn++ % tenants.length] as BareTenant),
        );
        if (round >= 0) rates[index]?.push(perSecond);
      }
    printRatios(`bare script, ${mode}, jobs/s`, rates, print);
    for (const script of scripts) await script.close();
  }
}

async function measureService(
  sides: Side[],
  tenants: BareTenant[],
  print: (line: string) => void,
): Promise<void> {
  const pools = sides.map(
    ({ service }) => new Pool(service?.address as string, { connections: concurrency, pipelining: 1 }),
  );
  let turn = 0;
  const submit = async (pool: Pool) => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/api/translations',
      headers: {
        'content-type': 'application/json',
        'x-api-key': (tenants[turn++ % tenants.length] as BareTenant).apiKey,
      },
      body: JSON.stringify({ source_text: sourceText, target_lang: 'fr' }),
    });
    await body.dump();
    requirePremise(statusCode === 200, 'every request is served');
  };
  const rates = sides.map((): number[] => []);
  for (let round = -1; round < rounds; round++)
    for (const [index, pool] of pools.entries()) {
      const { perSecond } = await measureRate(concurrency, round < 0 ? 2 : seconds, () => submit(pool));
      if (round >= 0) rates[index]?.push(perSecond);
    }
  printRatios('POST /api/translations, jobs/s', rates, print);
  const latencies = await measureLatency(pools, singles, submit);
  print(
    `${'one at a time, p50 ms'.padEnd(44)}${latencies.map(({ p50 }) => p50.toFixed(2).padStart(16)).join('')}`,
  );
  for (const pool of pools) await pool.close();
}

/** Prints the median of each side, and the median of its ratios to the first side in the same round. */
function printRatios(title: string, rates: number[][], print: (line: string) => void): void {
  const cells = rates.map((side) => {
    const ratios = side.map((rate, round) => rate / (rates[0]?.[round] as number));
    return `${Math.round(median(side))} (${median(ratios).toFixed(2)})`.padStart(16);
  });
  print(`${title.padEnd(44)}${cells.join('')}`);
}

function named(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
