import { createBenchTenant } from './bench-service.ts';
import { translate } from './documents/whole-jobs.ts';
import { textWorkbook } from './documents/workbook-file.ts';
import { measureLatency, requirePremise } from './load.ts';
import { withService } from './with-service.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 30);
const sizes = [500, 50_000] as const;

const flagged = 'those to be reviewed';
const nowhere = 'a text that does not occur';

/** What a reviewer's screen asks of a document, by the size of the document: the procedure, and its input besides the id. */
const requests: [what: string, procedure: string, inputOf: (segments: number) => object][] = [
  ['first page of 100', 'search', () => ({})],
  ['500 from the middle of the list', 'search', (segments) => ({ limit: 500, offset: segments / 2 })],
  [flagged, 'search', () => ({ flagged: true })],
  ['those of a sheet', 'search', () => ({ page: 1 })],
  [
    'those not corrected, from the middle',
    'search',
    (segments) => ({ corrected: false, offset: segments / 2 }),
  ],
  [nowhere, 'search', () => ({ text: 'Nowhere to be found' })],
  ['a text that occurs in all', 'search', () => ({ text: 'A', text_in: 'source' })],
  ['outline', 'outline', () => ({})],
  ['boxes of a sheet', 'boxes', () => ({ page: 1 })],
];

/** Medians of requests over one connection, of a document of 500 segments and of one of 50,000, alternating. */
export async function benchSegments(print: (line: string) => void): Promise<void> {
  await withService(async ({ service }) => {
    const tenant = await createBenchTenant(service.address);
    const documents: { id: string; segments: number }[] = [];
    for (const segments of sizes)
      documents.push({
        id: await translate(service.address, tenant, `${segments}.xlsx`, textWorkbook(segments)),
        segments,
      });
    const ask = async (procedure: string, input: object) => {
      const query = encodeURIComponent(JSON.stringify({ json: input }));
      const response = await fetch(`${service.address}/trpc/documents.${procedure}?input=${query}`, {
        headers: { 'x-api-key': tenant.apiKey },
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`);
      return text;
    };
    for (const [what, procedure, inputOf] of requests) {
      for (const { id, segments } of documents) {
        const text = await ask(procedure, { document_id: id, ...inputOf(segments) });
        if (procedure === 'search' && what !== flagged)
          requirePremise(
            text.includes('"segments":[{') === (what !== nowhere),
            `«${what}» finds ${what === nowhere ? 'nothing' : 'segments'} among ${segments}: ${text.slice(0, 200)}`,
          );
      }
      const [small, large] = await measureLatency(documents, rounds, ({ id, segments }) =>
        ask(procedure, { document_id: id, ...inputOf(segments) }),
      );
      print(
        `${what.padEnd(40)} ${small?.p50.toFixed(1)} ms, ${large?.p50.toFixed(1)} ms   (target below 150)`,
      );
    }
    const ids = documents.map(({ id }) => id);
    const [progress] = await measureLatency([ids], rounds, (document_ids) =>
      ask('progress', { document_ids }),
    );
    print(`${'progress of both'.padEnd(40)} ${progress?.p50.toFixed(1)} ms`);
  });
}
