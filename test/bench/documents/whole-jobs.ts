import type { Run } from '../bench.ts';
import { rounds, timed } from '../load.ts';
import { type BenchTenant, submitFile, withService } from '../service.ts';
import { wordReport } from './word-file.ts';
import { textWorkbook } from './workbook-file.ts';

/** Measures complete jobs over HTTP with `wait` and the stub engine, and a review, which renders the file again. */
export async function wholeJobs(run: Run): Promise<void> {
  await withService(async ({ tenant }) => {
    for (const [what, name, bytes] of [
      ['DOCX of 300 pages', 'Report.docx', wordReport(300)],
      ['XLSX of 50,000 texts', 'Book.xlsx', textWorkbook(50_000)],
    ] as const) {
      const [jobs, reviews]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        // Each job needs a new tenant: a TM with the texts would serve them.
        const member = await tenant();
        let id = '';
        const took = await timed(async () => {
          id = await submitFile(member, name, bytes);
        });
        jobs.push(took / 1000);
        reviews.push((await review(member, id)) / 1000);
      }
      run.figure(`whole job: ${what}`, jobs, 's');
      run.figure(`correction of a segment: ${what}`, reviews, 's', { most: 3 });
    }
  });
}

/** Corrects a text. Returns the milliseconds until the response, after which the corrected file can be downloaded. */
async function review({ address, apiKey }: BenchTenant, id: string): Promise<number> {
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
