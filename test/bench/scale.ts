import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { hasProxy, startProxy } from '#test/setup/proxy.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { createBenchTenant } from './bench-service.ts';
import { measureRate, median, requirePremise } from './load.ts';
import { processFigures } from './process-figures.ts';

const concurrency = 32;
const tenantCount = 50;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);

/** Under full load, a health check may take longer than 200 ms. The proxy must not remove the process then. */
const busy = { fall: 50 };

/**
 * Measures POST /api/translations with the stub engine over 32 connections, through a proxy to one API process and to
 * two, which alternate. Also measures the processor time of a job by component; this shows what limits the rate of two
 * processes.
 */
export async function benchScale(print: (line: string) => void): Promise<void> {
  if (!hasProxy()) return print('skipped: haproxy is not installed');
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = {
    DATABASE_URL: server.url,
    DATABASE_MIGRATION_URL: server.ownerUrl,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    TRUST_PROXY: '1',
  };
  const apis: RunningService[] = [];
  for (let n = 0; n < 2; n++) apis.push(await startService(env, 'server/main.ts', ['--api-only']));
  const [first] = apis as [RunningService, RunningService];
  const sides = [
    { apis: [first], proxy: await startProxy([first.address], busy) },
    {
      apis,
      proxy: await startProxy(
        apis.map(({ address }) => address),
        busy,
      ),
    },
  ].map((side) => ({
    ...side,
    pool: new Pool(side.proxy.address, { connections: concurrency, pipelining: 1 }),
    rates: [] as number[],
    costs: [] as Costs[],
  }));
  const keys: string[] = [];
  for (let n = 0; n < tenantCount; n++) keys.push((await createBenchTenant(first.address)).apiKey);
  let turn = 0;
  const submit = async (pool: Pool) => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/api/translations',
      headers: { 'content-type': 'application/json', 'x-api-key': keys[turn++ % keys.length] },
      body: JSON.stringify({
        source_text: 'The quick brown fox jumps over the lazy dog.',
        target_lang: 'fr',
      }),
    });
    const job = (await body.json()) as { status: string };
    if (statusCode !== 200 || job.status !== 'published') throw new Error(`answered ${statusCode}`);
  };
  try {
    for (const { pool } of sides) await measureRate(concurrency, 2, () => submit(pool));
    for (let round = 0; round < rounds; round++)
      for (const side of sides) {
        const before = await spent(apis);
        const second = apis[1] as RunningService;
        const idle = processFigures(second.pid)?.cpuMs ?? 0;
        const { perSecond, calls } = await measureRate(concurrency, seconds, () => submit(side.pool));
        const after = await spent(apis);
        const share = ((processFigures(second.pid)?.cpuMs ?? 0) - idle) / (after.api - before.api);
        requirePremise(
          side.apis.length === 2 ? share > 0.3 && share < 0.7 : share < 0.1,
          `the proxy shares requests among ${side.apis.length} API processes; the second did ${share.toFixed(2)} of the work`,
        );
        side.rates.push(perSecond);
        side.costs.push({
          api: (after.api - before.api) / calls,
          load: (after.load - before.load) / calls,
          rest: (after.rest - before.rest) / calls,
        });
      }
    for (const { apis, rates, costs } of sides) {
      const cost = (part: keyof Costs) => median(costs.map((one) => one[part])).toFixed(2);
      print(
        `${apis.length} API  ${Math.round(median(rates))} jobs/s   (rounds ${rates.map(Math.round).join(' ')}); processor time of a job: API ${cost('api')} ms, load generator ${cost('load')} ms, PostgreSQL and the rest ${cost('rest')} ms`,
      );
    }
    const [one, two] = sides.map(({ rates }) => median(rates)) as [number, number];
    print(
      `two / one  ${(two / one).toFixed(2)}   (target 1.5, where two cores are free of the load generator and the database; this machine has ${availableParallelism()} in all)`,
    );
  } finally {
    for (const { pool, proxy } of sides) {
      await pool.close();
      await proxy.stop();
    }
    for (const api of apis) await api.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Milliseconds of processor time: in total so far, or for each job. */
interface Costs {
  api: number;
  load: number;
  /** Everything else on the machine, mainly PostgreSQL. */
  rest: number;
}

async function spent(apis: RunningService[]): Promise<Costs> {
  const api = apis.reduce((sum, { pid }) => sum + (processFigures(pid)?.cpuMs ?? 0), 0);
  const { user, system } = process.cpuUsage();
  const load = (user + system) / 1000;
  // The first line has the ticks of 10 ms of all cores: user, nice, system, idle, waiting, interrupts.
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const [busy, nice, kernel, , , ...interrupts] = line.split(/\s+/).slice(1, 8).map(Number) as number[];
  const all = [busy, nice, kernel, ...interrupts].reduce<number>((sum, ticks) => sum + (ticks ?? 0) * 10, 0);
  return { api, load, rest: all - api - load };
}
