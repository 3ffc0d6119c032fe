import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { Pool } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { startService } from '#test/setup/service.ts';
import { type BenchTenant, foundTenant } from './bench-service.ts';
import { measureRate, median } from './load.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const body = JSON.stringify({
  source_text: 'The quick brown fox jumps over the lazy dog, and nobody minds.',
  target_lang: 'fr',
});

const loads = [
  { name: '32 connections over 100 tenants', connections: 32, tenants: 100 },
  { name: '32 connections on one tenant', connections: 32, tenants: 1 },
  { name: '1 connection', connections: 1, tenants: 1 },
];

const variants = {
  /** As the service was before it counted: no turns, no bounds, no running totals. */
  without: {
    NODE_OPTIONS: `--import ${new URL('./without-admission/register.ts', import.meta.url).href}`,
  },
  with: {},
  billing: { BILLING_ENABLED: 'true', STRIPE_SECRET_KEY: 'sk_test_bench' },
} satisfies Record<string, Record<string, string>>;

type Variant = keyof typeof variants;

/**
 * What admission adds to the latency of a text job: the service beside itself with the counting taken out, and with billing
 * on, over one database, in turns in one run.
 */
export async function benchAdmission(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const names = Object.keys(variants) as Variant[];
  const services = await Promise.all(
    names.map((name) =>
      startService(
        {
          DATA_DIR: dataDir,
          AUTH_RATE_LIMIT_ENABLED: 'false',
          MONTHLY_CHAR_CEILING: '2000000000',
          ...variants[name],
        },
        'server/main.ts',
        ['--api-only'],
      ),
    ),
  );
  const pools = services.map(({ address }) => new Pool(address, { connections: 32, pipelining: 1 }));
  try {
    const tenants: BenchTenant[] = [];
    for (let i = 0; i < 100; i++)
      tenants.push(await foundTenant((services[0] as { address: string }).address));
    await subscribeAll(server.superuserUrl, server.url);
    let turn = 0;
    const submit = async (pool: Pool, among: number) => {
      const tenant = tenants[turn++ % among] as BenchTenant;
      const answer = await pool.request({
        method: 'POST',
        path: '/api/translations',
        headers: { 'content-type': 'application/json', 'x-api-key': tenant.apiKey },
        body,
      });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
    };
    for (const pool of pools) await measureRate(32, 2, () => submit(pool, 100));

    for (const load of loads) {
      const medians: Record<Variant, number[]> = { without: [], with: [], billing: [] };
      for (let round = 0; round < rounds; round++)
        // Each round begins with another of them.
        for (let at = 0; at < names.length; at++) {
          const place = (at + round) % names.length;
          const pool = pools[place] as Pool;
          const { p50 } = await measureRate(load.connections, seconds, () => submit(pool, load.tenants));
          medians[names[place] as Variant].push(p50);
        }
      const ratio = (variant: Variant) =>
        median(medians[variant].map((value, round) => value / (medians.without[round] as number))).toFixed(2);
      const ms = (variant: Variant) => median(medians[variant]).toFixed(1);
      print(
        `${load.name}: p50 ${ms('without')} ms without, ${ms('with')} ms with (${ratio('with')} of it; target at most 1.20), ` +
          `${ms('billing')} ms with billing on (${ratio('billing')})`,
      );
    }
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
    await Promise.all(services.map((service) => service.stop()));
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Every tenant as a subscriber with room, and with prepaid characters that it has not come to. */
async function subscribeAll(superuserUrl: string, url: string): Promise<void> {
  const own = new URL(superuserUrl);
  own.pathname = new URL(url).pathname;
  const sql = postgres(own.href, { max: 1, onnotice: () => {} });
  await sql`update tenants set monthly_char_limit = 1000000000, metadata = metadata
    || '{"pay_subscription_status": "active", "topup_chars_purchased": 1000000}'`;
  await sql.end();
}
