import postgres from 'postgres';
import { type BenchTenant, createBenchTenant } from '../bench-service.ts';
import { median, requirePremise } from '../load.ts';
import { withService } from '../with-service.ts';
import { wordReport } from './word-file.ts';
import { textWorkbook } from './workbook-file.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);

/**
 * Whole jobs over HTTP with `wait`, on the stub engine: the time of each stage, and then a review, which renders the file again.
 */
export async function benchWholeJobs(print: (line: string) => void): Promise<void> {
  await withService(async ({ service, url }) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      for (const [what, name, bytes] of [
        ['DOCX of 300 pages', 'Report.docx', wordReport(300)],
        ['XLSX of 24,000 texts', 'Book.xlsx', textWorkbook(24_000)],
        ['XLSX of 50,000 texts', 'Book.xlsx', textWorkbook(50_000)],
      ] as const) {
        const jobs: { all: number; stages: Record<string, number>; review: number }[] = [];
        for (let round = 0; round < rounds; round++) {
          // A memory that has learned the texts would serve them.
          const tenant = await createBenchTenant(service.address);
          await sql`select set_config('lingualoop.tenant_id', ${tenant.tenantId}, false)`;
          const begun = performance.now();
          const id = await translate(service.address, tenant, name, bytes);
          const all = performance.now() - begun;
          const [row] = await sql<{ stage_timings: Record<string, number> }[]>`
            select stage_timings from document_jobs where document_id = ${id}`;
          requirePremise(
            Object.keys(row?.stage_timings ?? {}).length > 0,
            'the job has the times of its stages',
          );
          jobs.push({
            all,
            stages: row?.stage_timings ?? {},
            review: await review(service.address, tenant, id),
          });
        }
        const of = (times: number[]) => (median(times) / 1000).toFixed(2);
        const stages = Object.keys(jobs[0]!.stages).map(
          (stage) => `${stage} ${of(jobs.map((job) => job.stages[stage] ?? 0))}`,
        );
        print(
          `${what}, job: ${of(jobs.map(({ all }) => all))} s, of them ${stages.join(', ')}; a correction ${of(jobs.map((job) => job.review))} s   (target below 3)`,
        );
      }
    } finally {
      await sql.end();
    }
  });
}

/** Translates a file with `wait`. @returns the id of its document */
export async function translate(
  address: string,
  { apiKey }: BenchTenant,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const form = new FormData();
  form.set('target_lang', 'fr');
  form.set('wait', 'true');
  form.set('source_document', new File([bytes], name));
  const response = await fetch(`${address}/api/documents/translate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body: form,
  });
  const job = (await response.json()) as { id: string; status: string };
  if (job.status !== 'translated') throw new Error(`answered ${response.status}: ${JSON.stringify(job)}`);
  return job.id;
}

/** Corrects a text. Returns the milliseconds until the response, when the corrected file can be downloaded. */
async function review(address: string, { apiKey }: BenchTenant, id: string): Promise<number> {
  const document = `${address}/api/documents/${id}`;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const page = await fetch(`${document}/segments?limit=1`, { headers });
  const { segments } = (await page.json()) as { segments: { region_id: string; cell_id: string | null }[] };
  const { region_id, cell_id } = segments[0]!;
  const body = JSON.stringify({ corrections: [{ region_id, cell_id, target_text: 'Corrected' }] });
  const begun = performance.now();
  const response = await fetch(`${document}/review`, { method: 'POST', headers, body });
  const took = performance.now() - begun;
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${await response.text()}`);
  return took;
}
