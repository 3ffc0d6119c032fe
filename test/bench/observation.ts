import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { freePort } from '#db/embedded/secrets.ts';
import { observe } from '#server/telemetry.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { createBenchTenant } from './bench-service.ts';
import { measureRate, median } from './load.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const concurrency = 32;
const tracer = join(import.meta.dirname, '../fakes/tracer.ts');

/** Text jobs through services that are observed in different ways, one after the other in each round. */
export async function benchObservation(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = { DATA_DIR: dataDir, AUTH_RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'warn' };
  const metricsPort = String(await freePort());
  const sides: { name: string; service: RunningService; rates: number[] }[] = [];
  const add = async (name: string, more: Record<string, string>) =>
    sides.push({
      name,
      service: await startService({ ...env, ...more }, 'server/main.ts', ['--api-only']),
      rates: [],
    });
  try {
    await add('not observed', {});
    await add('METRICS_PORT', { METRICS_PORT: metricsPort });
    // An SDK that makes spans, and exports none of them.
    await add('traces', { NODE_OPTIONS: `--import=${tracer}` });
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
      const { perSecond } = await measureRate(concurrency, forSeconds, submit);
      await pool.close();
      return perSecond;
    };
    for (const side of sides) await measure(side, 3);
    for (let round = 0; round < rounds; round++)
      // In turn from another side each round: a machine that gets slower would favour the first.
      for (let n = 0; n < sides.length; n++) {
        const side = sides[(n + round) % sides.length] as (typeof sides)[number];
        side.rates.push(await measure(side, seconds));
      }
    const plain = sides[0]?.rates as number[];
    for (const { name, rates } of sides) {
      const share = median(rates.map((rate, i) => rate / (plain[i] as number)));
      print(`${name.padEnd(14)} ${Math.round(median(rates))} jobs/s, ${share.toFixed(2)} of not observed`);
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
