/**
 * Exports jobs awaiting review for a CAT tool, and imports the result:
 *
 *   node examples/xliff-round-trip.ts export waiting.xlf --from en --to fr
 *   node examples/xliff-round-trip.ts import waiting.xlf
 *
 * An export contains at most 200 jobs of one language pair, the last changed first. An import approves segments whose
 * state is `reviewed` or `final`, and saves other changed segments as drafts. If someone else has changed a job since
 * the export, the job is skipped and its id is printed. LINGUALOOP_URL and LINGUALOOP_API_KEY set the service and the
 * credential.
 *
 * Exit codes: 0 done, 1 the service rejected the document or some of its jobs, 2 the program could not begin.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
// In your own project: from '@lingualoop/sdk'.
import { LinguaLoop, LinguaLoopError } from '#sdk/index.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string' }, to: { type: 'string' } },
  });
  const [task, file] = positionals;
  const { LINGUALOOP_URL: baseUrl, LINGUALOOP_API_KEY: apiKey } = process.env;
  if (!file || (task !== 'export' && task !== 'import') || !baseUrl || !apiKey) {
    console.error('expected export or import, and a file; LINGUALOOP_URL and LINGUALOOP_API_KEY must be set');
    return 2;
  }
  const client = new LinguaLoop({ baseUrl, apiKey });
  try {
    return task === 'export' ? await exportTo(client, file, values) : await importFrom(client, file);
  } catch (error) {
    if (!(error instanceof LinguaLoopError)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function exportTo(
  client: LinguaLoop,
  file: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<number> {
  const query = { source_lang: from, target_lang: to, limit: 200 };
  const { text, nextCursor } = await client.translations.exportXliff(query);
  await writeFile(file, text);
  console.log(`${jobsIn(text).length} jobs in ${file}${nextCursor ? '; there are more' : ''}`);
  return 0;
}

async function importFrom(client: LinguaLoop, file: string): Promise<number> {
  const text = await readFile(file, 'utf8');
  let refused = 0;
  for (const id of jobsIn(text)) {
    try {
      const { status } = await client.translations.reviewXliff(id, text);
      console.log(`${id} ${status}`);
    } catch (error) {
      if (!(error instanceof LinguaLoopError)) throw error;
      // There is a conflict, or the tool has damaged a unit. The message contains the name of the unit and its line.
      console.error(`${id} ${error.message}`);
      refused += 1;
    }
  }
  return refused === 0 ? 0 : 1;
}

/** Returns the ids of the jobs in an XLIFF document, which has a `file` element for each job. */
function jobsIn(xliff: string): string[] {
  return [...xliff.matchAll(/<(?:\w+:)?file\s(?:[^>]*\s)?id="([0-9a-f]{32})"/g)].map(
    ([, id]) => id as string,
  );
}
