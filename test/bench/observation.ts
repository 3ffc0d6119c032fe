import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Pool } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { freePort } from '#db/embedded/secrets.ts';
import { observe } from '#server/platform/telemetry.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { createBenchTenant } from './bench-service.ts';
import { measureRate, median, requirePremise } from './load.ts';
import { processFigures } from './process-figures.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const concurrency = 32;
const root = join(import.meta.dirname, '../..');
const tracer = join(root, 'test/fakes/tracer.ts');

/**
 * Measures text jobs of services with different observation (logs, metrics, traces). The services run one after the
 * other in each round. In addition to the rate, the CPU time of the service for each job is measured, because other
 * load of the machine changes it less. `BENCH_BASE` can name a checkout of another version that is measured, too.
 */
export async function benchObservation(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = { DATA_DIR: dataDir, AUTH_RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'warn' };
  const metricsPort = String(await freePort());
  const sides: { name: string; service: RunningService; rates: number[]; cpu: number[] }[] = [];
  const add = async (name: string, more: Record<string, string>, script = 'server/main.ts') => {
    const service = await startService({ ...env, ...more }, script, ['--api-only']);
    sides.push({ name, service, rates: [], cpu: [] });
  };
  const base = process.env['BENCH_BASE'];
  try {
    await add('not observed', {});
    await add('METRICS', { METRICS: `{"port":${metricsPort}}` });
    // An SDK that creates spans and does not export them.
    await add('traces', { NODE_OPTIONS: `--import=${tracer}` });
    if (base) await add('BENCH_BASE', {}, relative(root, join(base, 'server/main.ts')));
    const tenants = await Promise.all(
      Array.from({ length: 20 }, () => createBenchTenant(sides[0]?.service.address as string)),
    );
    let turn = 0;
    const measure = async ({ service }: (typeof sides)[number], forSeconds: number) => {
      const pool = new Pool(service.address, { connections: concurrency, pipelining: 1 });
      const submit = async () => {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: '/api/translations',
          headers: {
            'content-type': 'application/json',
            'x-api-key': tenants[turn++ % tenants.length]?.apiKey as string,
          },
          body: JSON.stringify({ source_text: 'The quick brown fox jumps.', target_lang: 'fr' }),
        });
        await body.dump();
        if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
      };
      const before = processFigures(service.pid)?.cpuMs ?? 0;
      const { perSecond, calls } = await measureRate(concurrency, forSeconds, submit);
      const cpu = ((processFigures(service.pid)?.cpuMs ?? 0) - before) / calls;
      await pool.close();
      return { perSecond, cpu };
    };
    for (const side of sides) await measure(side, 3);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    requirePremise(/^lingualoop_jobs_total\{.*\} [1-9]/m.test(metrics), 'the metrics count the jobs');
    for (let round = 0; round < rounds; round++)
      // Each round starts with another side, because a machine that becomes slower would otherwise favor the first
      // side.
      for (let n = 0; n < sides.length; n++) {
        const side = sides[(n + round) % sides.length] as (typeof sides)[number];
        const { perSecond, cpu } = await measure(side, seconds);
        side.rates.push(perSecond);
        side.cpu.push(cpu);
      }
    const [plain] = sides;
    for (const { name, rates, cpu } of sides) {
      const share = (of: 'rates' | 'cpu', values: number[]) =>
        median(values.map((value, i) => value / (plain?.[of][i] as number))).toFixed(2);
      print(
        `${name.padEnd(14)} ${Math.round(median(rates))} jobs/s (${share('rates', rates)}), ${median(cpu).toFixed(2)} ms of CPU a job (${share('cpu', cpu)})`,
      );
    }
    const scrapes = await measureRate(1, 2, () =>
      fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((response) => response.text()),
    );
    print(`/metrics       ${scrapes.p50.toFixed(1)} ms`);
    print(
      `observe(), not observed: ${(await costOfObserving()).toFixed(0)} ns a call more than the work itself`,
    );
  } finally {
    for (const { service } of sides) await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Nanoseconds. */
async function costOfObserving(): Promise<number> {
  const calls = 2_000_000;
  const done = Promise.resolve();
  const work = () => done;
  const timed = (each: () => unknown) => {
    const begun = performance.now();
    for (let n = 0; n < calls; n++) each();
    return ((performance.now() - begun) * 1e6) / calls;
  };
  const differences = Array.from({ length: 7 }, () => {
    const bare = timed(() => work());
    return timed(() => observe('step', 'bench', work)) - bare;
  });
  return median(differences);
}
