import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { Pool } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { type BenchTenant, createBenchTenant } from './bench-service.ts';
import { measureRate, median, requirePremise } from './load.ts';

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
  /** The service without admission: no tenant lock, no limits, no running totals. */
  without: {
    NODE_OPTIONS: `--import ${new URL('./without-admission/register.ts', import.meta.url).href}`,
  },
  with: {},
  billing: {
    BILLING_ENABLED: 'true',
    STRIPE_SECRET_KEY: 'sk_test_bench',
    STRIPE_WEBHOOK_SECRET: 'whsec_bench',
  },
} satisfies Record<string, Record<string, string>>;

type Variant = keyof typeof variants;

/** The services that are measured. On each service, the second half of the tenants has prepaid characters. */
const sides = [
  { name: 'without', service: 'without', prepaid: false },
  { name: 'with', service: 'with', prepaid: false },
  { name: 'a subscriber', service: 'billing', prepaid: false },
  { name: 'one with prepaid characters', service: 'billing', prepaid: true },
] as const;

const tenantCount = 100;

/**
 * Measures how much admission adds to the latency of a text job. Compares the service, the same service without
 * admission, and the service with billing. They share one database and alternate in one run.
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
    const [first] = services as [RunningService];
    for (let i = 0; i < 2 * tenantCount; i++) tenants.push(await createBenchTenant(first.address));
    const prepaid = tenants.slice(tenantCount).map(({ tenantId }) => tenantId);
    await subscribeAll(server.superuserUrl, server.url, prepaid);
    let turn = 0;
    const submit = async (side: (typeof sides)[number], among: number) => {
      const tenant = tenants[(turn++ % among) + (side.prepaid ? tenantCount : 0)] as BenchTenant;
      const answer = await (pools[names.indexOf(side.service)] as Pool).request({
        method: 'POST',
        path: '/api/translations',
        headers: { 'content-type': 'application/json', 'x-api-key': tenant.apiKey },
        body,
      });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
    };
    for (const side of sides) {
      const before = await countedJobs(server.superuserUrl, server.url);
      const { calls } = await measureRate(32, 2, () => submit(side, tenantCount));
      const counted = (await countedJobs(server.superuserUrl, server.url)) - before;
      requirePremise(
        counted === (side.service === 'without' ? 0 : calls),
        `the service «${side.name}» counts ${side.service === 'without' ? 'no' : 'each'} job: ${counted} of ${calls}`,
      );
    }

    for (const load of loads) {
      const medians = sides.map((): number[] => []);
      for (let round = 0; round < rounds; round++)
        // Each round starts with another service.
        for (let at = 0; at < sides.length; at++) {
          const place = (at + round) % sides.length;
          const side = sides[place] as (typeof sides)[number];
          const { p50 } = await measureRate(load.connections, seconds, () => submit(side, load.tenants));
          (medians[place] as number[]).push(p50);
        }
      print(`${load.name}, p50 and how much of it without (target of «with» 1.20 at most)`);
      for (const [place, { name }] of sides.entries()) {
        const own = medians[place] as number[];
        const ratio = median(own.map((value, round) => value / (medians[0]?.[round] as number)));
        print(`  ${name.padEnd(28)}${median(own).toFixed(1).padStart(6)} ms   ${ratio.toFixed(2)}`);
      }
    }
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
    await Promise.all(services.map((service) => service.stop()));
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The jobs in the running totals, which admission reads. */
async function countedJobs(superuserUrl: string, url: string): Promise<number> {
  const own = new URL(superuserUrl);
  own.pathname = new URL(url).pathname;
  const sql = postgres(own.href, { max: 1, onnotice: () => {} });
  const [row] = await sql`select coalesce(sum(jobs), 0)::int as jobs from usage_totals`;
  await sql.end();
  return row?.['jobs'];
}

/** Subscribes all tenants, with allowance left. Some tenants also have unused prepaid characters. */
async function subscribeAll(superuserUrl: string, url: string, prepaid: readonly string[]): Promise<void> {
  const own = new URL(superuserUrl);
  own.pathname = new URL(url).pathname;
  const sql = postgres(own.href, { max: 1, onnotice: () => {} });
  await sql`update tenants set monthly_char_limit = 1000000000, metadata = metadata
    || '{"pay_subscription_status": "active"}'`;
  await sql`update tenants set metadata = metadata || '{"topup_chars_purchased": 1000000}'
    where tenant_id = any(${prepaid as string[]})`;
  await sql.end();
}
