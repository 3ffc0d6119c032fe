import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { createBenchTenant } from '../bench-service.ts';
import { requirePremise } from '../load.ts';
import { watchMemory } from '../process-figures.ts';
import { withService } from '../with-service.ts';

const isOffice = (name: string) => /\.(docx|xlsx)$/.test(name);

/** The paths of the hostile and broken Office files in the corpus. */
export const badOfficeFiles: readonly string[] = ['bad', 'xlsx-bad'].flatMap((folder) =>
  corpusNames(folder)
    .filter(isOffice)
    .map((name) => `${folder}/${name}`),
);

/**
 * Sends each hostile or broken Office file of the corpus with `wait`. Measures the time until the file is rejected, and
 * the additional memory.
 */
export async function benchRefusals(print: (line: string) => void): Promise<void> {
  await withService(async ({ service }) => {
    const headers = { 'x-api-key': (await createBenchTenant(service.address)).apiKey };
    print(
      'hostile and broken files: the response, its time, the growth of the memory of the service with its child processes since the first',
    );
    const send = async (path: string) => {
      const form = new FormData();
      form.set('target_lang', 'fr');
      form.set('wait', 'true');
      form.set(
        'source_document',
        new File([new Uint8Array(corpusFile(path))], path.slice(path.indexOf('/') + 1)),
      );
      const begun = performance.now();
      const response = await fetch(`${service.address}/api/documents/translate`, {
        method: 'POST',
        headers,
        body: form,
      });
      await response.arrayBuffer();
      return { status: response.status, ms: performance.now() - begun };
    };
    // The first requests make the service load its modules, and start one child process for small files and one for
    // large files.
    await send('docx/math.docx');
    await send('xlsx/made-large-24000-strings.xlsx');
    let before: number | undefined;
    for (const path of badOfficeFiles) {
      const memory = await watchMemory(service.pid, 10);
      before ??= memory.first;
      const { status, ms } = await send(path);
      const grown = Math.round((await memory.stop()) - before);
      // Some have only no text, and are translated.
      requirePremise(status < 500, `the service handles ${path}, not ${status}`);
      print(`    ${path.padEnd(52)} ${status}  ${(ms / 1000).toFixed(2)} s  ${String(grown).padStart(4)} MB`);
    }
    print('    (targets: within 2 s; less than 100 MB)');
  });
}
