import postgres from 'postgres';
import { Pool } from 'undici';
import { LinguaLoop } from '#sdk/index.ts';
import { openBareScript } from './bare-job.ts';
import { alternate, type Bench, type Run } from './bench.ts';
import { measureRate, requirePremise, rounds, seconds } from './load.ts';
import { cpuTimeWithChildren } from './process-figures.ts';
import { type BenchTenant, submitText, withService } from './service.ts';

const concurrency = 32;
const tenantCount = 100;
const source_text = 'The quick brown fox jumps over the lazy dog, and nobody minds.';

export const text: Bench = {
  title: 'Text jobs on the stub engine, compared with a script that sends the same SQL',
  parts: { jobs, batch },
};

/**
 * Measures POST /api/translations over 32 connections and for 100 tenants: through REST, through /trpc with the SDK, and
 * as a bare script that only sends the same statements.
 */
async function jobs(run: Run): Promise<void> {
  await withService(
    async ({ service, address, serviceUrl, superuserUrl, postmaster, tenant }) => {
      const superuser = postgres(superuserUrl, { max: 1, onnotice: () => {} });
      const pool = new Pool(address, { connections: concurrency, pipelining: 1 });
      const tenants: BenchTenant[] = [];
      for (let i = 0; i < tenantCount; i++) tenants.push(await tenant());
      const bare = await openBareScript(serviceUrl, concurrency, source_text);
      const clients = tenants.map(({ apiKey }) => new LinguaLoop({ baseUrl: address, apiKey }));
      let turn = 0;
      const next = <T>(list: T[]): T => list[turn++ % list.length] as T;
      const viaRest = async () => {
        const { status } = await submitText(next(tenants), { source_text }, pool);
        if (status !== 'published') throw new Error(`the job is ${status}`);
      };
      const viaSdk = async () => {
        const job = await next(clients).translations.create({ source_text, target_lang: 'fr' });
        if (job.status !== 'published') throw new Error(`the SDK's job is ${job.status}`);
      };
      const sides = { bare: (loop: number) => bare.job(loop, next(tenants)), rest: viaRest, sdk: viaSdk };
      const measure = async (side: keyof typeof sides, length = seconds) => {
        await superuser`select pg_stat_statements_reset()`;
        const cpu = [service.pid, postmaster].map(cpuTimeWithChildren);
        const { calls, perSecond, p50 } = await measureRate(concurrency, length, sides[side]);
        const [api, database] = [service.pid, postmaster].map(
          (pid, at) => (cpuTimeWithChildren(pid) - cpu[at]!) / calls,
        );
        return {
          perSecond,
          p50,
          api: api!,
          database: database!,
          ...(await countStatements(superuser, calls)),
        };
      };
      try {
        // In a warm-up, code is compiled and each connection prepares its statements.
        for (const side of ['bare', 'rest', 'sdk'] as const) await measure(side, 2);
        const { bare, rest, sdk } = await alternate({
          bare: () => measure('bare'),
          rest: () => measure('rest'),
          sdk: () => measure('sdk'),
        });
        for (const [round, { statements }] of rest.entries())
          requirePremise(
            Math.abs(statements - bare[round]!.statements) < 1,
            `the script sends a job's statements: ${bare[round]!.statements}, the service ${statements}`,
          );
        const [served] =
          await superuser`select count(*)::int as jobs from usage_records where fast_path is not null`;
        requirePremise(served?.['jobs'] === 0, 'no job is served from the TM');
        const of = (side: typeof rest, figure: keyof (typeof rest)[0]) => side.map((one) => one[figure]);
        const rates = [bare, rest, sdk].map((side) => of(side, 'perSecond')) as [
          number[],
          number[],
          number[],
        ];
        run.figure('bare script', rates[0], 'jobs/s');
        run.figure('REST', rates[1], 'jobs/s');
        run.figure('REST, p50', of(rest, 'p50'), 'ms');
        run.figure('/trpc with the SDK', rates[2], 'jobs/s');
        run.ratio('REST / bare script', rates[1], rates[0], { least: 0.55 });
        run.ratio('SDK / REST', rates[2], rates[1], { least: 0.7 });
        run.figure('transactions per job', of(rest, 'transactions'), '', { most: 2 });
        run.figure('statements per job', of(rest, 'statements'), '', { most: 12 });
        run.figure('CPU of the API per job', of(rest, 'api'), 'ms', { most: 1.8 });
        run.figure('CPU of PostgreSQL per job', of(rest, 'database'), 'ms', { most: 1.5 });
        run.figure('peak memory of the API', (await service.peakMemory()) ?? Number.NaN, 'MB', { most: 300 });
      } finally {
        await pool.close();
        await bare.close();
        await superuser.end();
      }
    },
    {},
    ['--api-only'],
  );
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

const items = 50;
const repeats = 6;
const texts = Array.from({ length: items }, (_, i) => `Sentence number ${i}, which nobody has read before.`);

/** Compares 50 texts in one batch with 50 single requests. Both use one connection. */
async function batch(run: Run): Promise<void> {
  await withService(
    async ({ address, tenant }) => {
      const pool = new Pool(address, { connections: 1, pipelining: 1 });
      const member = await tenant();
      const post = async (json: Parameters<typeof submitText>[1]) => {
        const { text } = await submitText(member, json, pool);
        requirePremise(!text.includes('tm_exact'), 'no text is served from the TM');
        return JSON.parse(text) as unknown;
      };
      const singles = async () => {
        for (const source_text of texts) await post({ source_text });
      };
      const whole = async () => {
        const jobs = await post({ inputs: texts.map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })) });
        if (!Array.isArray(jobs) || jobs.length !== items) throw new Error('the batch is not whole');
      };
      const rate = async (work: () => Promise<void>) => {
        const start = performance.now();
        for (let i = 0; i < repeats; i++) await work();
        return (repeats * items) / ((performance.now() - start) / 1000);
      };
      try {
        const sides = { singles: () => rate(singles), whole: () => rate(whole) };
        await alternate(sides, 1);
        const rates = await alternate(sides, rounds);
        run.figure('50 single requests', rates.singles, 'jobs/s');
        run.figure('one batch of 50', rates.whole, 'jobs/s');
        run.ratio('50 texts as one batch / 50 requests', rates.whole, rates.singles, { least: 3 });
      } finally {
        await pool.close();
      }
    },
    {},
    ['--api-only'],
  );
}
