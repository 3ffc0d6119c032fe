import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { openDatabase } from '#db/client.ts';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { applyRetention } from '#server/retention/apply-retention.ts';
import { readSettings } from '#server/settings.ts';
import { startService } from '#test/setup/service.ts';
import { createBenchTenant } from './bench-service.ts';
import { latencyOf, measureRate, median, requirePremise } from './load.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
/** Old jobs of one workspace; more than the benchmark deletes. */
const oldJobs = Number(process.env['BENCH_OLD_JOBS'] ?? 250_000);
/** Requests at a time, and the pause after each of them: about a quarter of what the machine can do. */
const concurrency = 4;
const pauseMs = 40;

/**
 * Measures the latency of text jobs, alternately with and without another process that deletes old jobs with their
 * golden records.
 */
export async function benchRetention(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = {
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    RETENTION_DAYS: '{"jobs":30}',
    DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
  };
  const service = await startService(env, 'server/main.ts', ['--api-only']);
  const sql = postgres(server.ownerUrl, { max: 1, onnotice: () => {} });
  const database = openDatabase(server.url, { size: 2 });
  const nothing = () => {};
  const settings = readSettings({ ...env, SECRETS_KEY: Buffer.alloc(32).toString('base64') });
  const services = {
    settings,
    database,
    storage: openPlatformStore(settings),
    accountStores: { open: () => undefined },
    log: { debug: nothing, info: nothing, warn: console.error, error: console.error },
  };
  try {
    const { apiKey } = await createBenchTenant(service.address);
    const submit = async () => {
      const response = await fetch(`${service.address}/api/translations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify({ source_text: 'The quick brown fox jumps.', target_lang: 'fr' }),
      });
      await response.arrayBuffer();
      requirePremise(response.status === 200, 'every request is served');
    };
    await submit();
    await fillOldJobs(sql, join(dataDir, 'storage'));
    const measure = async () => {
      const latencies: number[] = [];
      await measureRate(concurrency, seconds, async () => {
        const begun = performance.now();
        await submit();
        latencies.push(performance.now() - begun);
        await delay(pauseMs);
      });
      return { ...latencyOf(latencies), calls: latencies.length };
    };
    await measure();
    const [alone, beside]: [Awaited<ReturnType<typeof measure>>[], Awaited<ReturnType<typeof measure>>[]] = [
      [],
      [],
    ];
    let deleted = 0;
    for (let round = 0; round < rounds; round++) {
      alone.push(await measure());
      const before = await countOld(sql);
      let ends = false;
      const deleting = (async () => {
        while (!ends) await applyRetention(services, {});
      })();
      beside.push(await measure());
      deleted += before - (await countOld(sql));
      ends = true;
      await deleting;
      requirePremise((await countOld(sql)) > 0, 'old jobs are left at the end of each round');
    }
    const ratio = (of: 'p50' | 'p99') =>
      median(beside.map((one, round) => one[of] / (alone[round]?.[of] as number))).toFixed(2);
    const ms = (side: typeof alone, of: 'p50' | 'p99') => median(side.map((one) => one[of])).toFixed(1);
    print(
      `text jobs alone: p50 ${ms(alone, 'p50')}, p99 ${ms(alone, 'p99')} ms (${Math.round(alone[0]!.calls / seconds)} a second)`,
    );
    print(
      `while ${Math.round(deleted / rounds / seconds)} old jobs a second (${deleted} in all) are deleted with their records: p50 ${ms(beside, 'p50')}, p99 ${ms(beside, 'p99')} ms; ratio ${ratio('p50')}, ${ratio('p99')}   (target at most 1.10)`,
    );
  } finally {
    await database.close();
    await sql.end();
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Copies the only job to old ones of another workspace, each with a golden record. */
async function fillOldJobs(sql: postgres.Sql, storage: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('lingualoop.tenant_id', '*', true)`;
    await tx`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit) values ('old', 'Old', '', 1000)`;
    await tx`insert into translation_jobs (tenant_id, job_id, status, request, baseline_translation, final_translation,
        quality_assessment, agent_run, golden_uri, created_at, updated_at)
      select 'old', 'abcdef' || lpad(to_hex(n), 26, '0'), 'published', request, baseline_translation,
        final_translation, quality_assessment, agent_run,
        'golden/abcdef/abcdef' || lpad(to_hex(n), 26, '0') || '.json', now() - interval '40 days', now() - interval '40 days'
      from (select * from translation_jobs limit 1) job, generate_series(1, ${oldJobs}::int) n`;
  });
  await sql`analyze translation_jobs`;
  const folder = join(storage, 'old/golden/abcdef');
  await mkdir(folder, { recursive: true });
  for (let n = 1; n <= oldJobs; n++)
    await writeFile(join(folder, `abcdef${n.toString(16).padStart(26, '0')}.json`), '{}');
}

async function countOld(sql: postgres.Sql): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select set_config('lingualoop.tenant_id', 'old', true)`;
    const [row] = await tx`select count(*)::int as rows from translation_jobs where tenant_id = 'old'`;
    return row!['rows'];
  });
}
