import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { request } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { createBenchTenant } from './bench-service.ts';
import { median } from './load.ts';

const records = Number(process.env['BENCH_RECORDS'] ?? 1_000_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const period = '2026-09';
const operatorKey = 'operator-key-of-the-bench';

/** The columns of an operator's export, which has the most. */
const columns = `job_id, tenant_id, kind, billing_period, source_lang, target_lang, source_chars, billable_chars,
  job_status, fast_path, recorded_at, input_tokens, output_tokens, total_tokens, models`;

/**
 * Compares the export of a tenant's usage records of one month as CSV over HTTP with PostgreSQL's COPY of the same rows
 * and columns through postgres.js. Both alternate in one run, and their output is discarded.
 */
export async function benchUsageExport(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = { DATA_DIR: dataDir, AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };
  const service = await startService(env, 'server/main.ts', ['--api-only']);
  const sql = postgres(server.ownerUrl, { max: 1, onnotice: () => {} });
  try {
    const { tenantId } = await createBenchTenant(service.address);
    await sql`select set_config('lingualoop.tenant_id', ${tenantId}, false)`;
    await fillLedger(sql, tenantId);

    const [exported, copied, ratios]: [number[], number[], number[]] = [[], [], []];
    let growth: number | null = null;
    for (let round = 0; round < rounds; round++) {
      const before = round === 0 ? await forgetPeak(service) : null;
      exported.push(await rateOf(() => exportRecords(service.address, tenantId)));
      const peak = await service.peakMemory();
      if (before !== null && peak !== null) growth = peak - before;
      copied.push(await rateOf(() => copyRecords(sql, tenantId)));
      ratios.push((exported.at(-1) as number) / (copied.at(-1) as number));
    }
    print(`GET …/billing/export   ${Math.round(median(exported))} records/s   (rounds ${show(exported)})`);
    print(`COPY … TO STDOUT       ${Math.round(median(copied))} records/s   (rounds ${show(copied)})`);
    print(`export / COPY          ${median(ratios).toFixed(2)}   (target 0.50 or better)`);
    print(`peak memory of the API grew by ${growth ?? '?'} MB over the first export   (target below 150)`);
  } finally {
    await sql.end();
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Inserts records that are spread evenly over the month, as for a busy tenant. */
async function fillLedger(sql: postgres.Sql, tenantId: string): Promise<void> {
  await sql`
    insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars,
      billable_chars, job_status, input_tokens, output_tokens, total_tokens, models, recorded_at)
    select ${tenantId}, md5(i::text), 'text', ${period}, 'en', (array['fr', 'de', 'ja', 'pt-BR'])[1 + i % 4],
      1 + i % 5000, 1 + i % 5000 * 3, 'published', 900, 300, 1200, '["gpt-6.1-terra", "gpt-6-luna"]',
      ${`${period}-01T00:00:00Z`}::timestamptz + i * interval '30 days' / ${records}::float8
    from generate_series(0, ${records}::int - 1) i`;
  await sql`analyze usage_records`;
}

/**
 * Resets the peak memory that the kernel has recorded for the process. Returns the current value in MB, or null if the
 * system does not support this.
 */
async function forgetPeak(service: RunningService): Promise<number | null> {
  try {
    await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  } catch {
    return null;
  }
  return service.peakMemory();
}

/** @param work returns the number of lines that it has read */
async function rateOf(work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const lines = await work();
  const seconds = (performance.now() - start) / 1000;
  if (lines !== records + 1) throw new Error(`${lines} lines, not ${records} and a header`);
  return records / seconds;
}

async function exportRecords(address: string, tenantId: string): Promise<number> {
  const { statusCode, body } = await request(
    `${address}/api/tenants/${tenantId}/billing/export?format=csv&period=${period}`,
    { headers: { 'x-api-key': operatorKey } },
  );
  if (statusCode !== 200) throw new Error(`the export answered ${statusCode}`);
  return countLines(body);
}

async function copyRecords(sql: postgres.Sql, tenantId: string): Promise<number> {
  const from = `${period}-01T00:00:00Z`;
  return countLines(
    await sql`copy (select ${sql.unsafe(columns)} from usage_records
      where tenant_id = ${sql.unsafe(`'${tenantId}'`)} and recorded_at >= ${sql.unsafe(`'${from}'`)}
        and recorded_at < ${sql.unsafe(`'${from}'`)}::timestamptz + interval '1 month'
      order by recorded_at, job_id) to stdout (format csv, header)`.readable(),
  );
}

const lineEnd = 0x0a;

async function countLines(chunks: AsyncIterable<Buffer>): Promise<number> {
  let lines = 0;
  for await (const chunk of chunks)
    for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines += 1;
  return lines;
}

function show(values: number[]): string {
  return values.map((value) => Math.round(value)).join(', ');
}
