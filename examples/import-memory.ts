/**
 * Imports a translation memory and a glossary, and shows the origin of a translation:
 *
 *   node examples/import-memory.ts legacy.tmx --name Legacy --from en --to fr --glossary terms.csv
 *
 * Without a file, the program uses the small files in examples/import-memory. If the program ends during a large
 * import, the service continues the import: start the program again to follow it. If there are approved translations of
 * this language pair, they are written to `--out`. LINGUALOOP_URL and LINGUALOOP_API_KEY set the service and the
 * credential.
 *
 * Exit codes: 0 done, 1 the service rejected a request or the import failed, 2 the program could not begin, 130
 * interrupted.
 */
import { openAsBlob } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
// In your own project: from '@lingualoop/sdk'.
import {
  ConflictError,
  type ImportOptions,
  type ImportPoller,
  LinguaLoop,
  LinguaLoopError,
  type MemoryExport,
  type NamedContent,
  NotFoundError,
  type TranslationJob,
} from '#sdk/index.ts';

const usage =
  'usage: import-memory.ts [memory.tmx] [--name Canteen] [--from en] [--to fr] [--glossary terms.csv] [--text "A sentence"] [--out .]';

const canteen = join(import.meta.dirname, 'import-memory/canteen');

interface Options {
  memory: NamedContent;
  glossary: NamedContent | undefined;
  name: string;
  from: string;
  to: string;
  /** The text to translate, which shows a TM match. */
  text: string;
  out: string;
  baseUrl: string;
  apiKey: string;
}

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = await readOptions();
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    return 2;
  }
  const { baseUrl, apiKey } = options;
  const stop = new AbortController();
  // Only once: a second Ctrl-C ends the process immediately. No completed work is lost.
  process.once('SIGINT', () => stop.abort('interrupted'));
  try {
    await run(new LinguaLoop({ baseUrl, apiKey }), options, stop.signal);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) {
      console.error(
        'Interrupted. Accepted imports continue at the service: start this again to follow them.',
      );
      return 130;
    }
    if (!(error instanceof LinguaLoopError)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function run(client: LinguaLoop, options: Options, signal: AbortSignal): Promise<void> {
  const { name, from, to, glossary, text } = options;
  const poller = await begin(client, options, signal).catch((error) => {
    // Another run has started an import between this run's check and its upload. Check again.
    if (error instanceof ConflictError) return begin(client, options, signal);
    throw error;
  });
  const set = await poller.pollUntilDone();
  console.log(
    `Memory "${set.name}": ${set.imported} segments from ${set.total_units} units (${set.skipped_units} without both languages, ${set.duplicates_dropped} duplicates).`,
  );

  if (glossary) {
    const languages = { source_lang: from, target_lang: to };
    const terms = await client.terminology.upload(glossary, { name, ...languages }, { signal });
    console.log(`Glossary "${terms.name}": ${terms.entry_count} terms.`);
  }

  if (text !== '') {
    const request = { source_text: text, source_lang: from, target_lang: to };
    showHit(await client.translations.create(request, { signal }));
  }

  try {
    const query = { source_lang: from, target_lang: to };
    const path = await save(await client.memory.exportGolden(query, { signal }), options.out);
    console.log(`Approved translations: ${path}`);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    console.log(`Approved translations from ${from} to ${to}: none yet.`);
  }
}

/** Returns the running import with this name. Without a running one, starts a new import. */
async function begin(
  client: LinguaLoop,
  { memory, name, from, to }: Options,
  signal: AbortSignal,
): Promise<ImportPoller> {
  let shown = '';
  const onProgress: ImportOptions['onProgress'] = ({ id, status, deduped_units }) => {
    const line = `Import ${id}: ${status}, ${deduped_units} segments`;
    // Print the line only if it has changed: some states differ only in their time.
    if (line !== shown) console.error(line);
    shown = line;
  };
  const imports = await client.memory.imports({ signal });
  const running = imports.find(({ status, set_name }) => status === 'running' && set_name === name);
  if (!running) {
    const request = { name, source_lang: from, target_lang: to };
    return client.memory.importTmx(memory, request, { onProgress, signal });
  }
  console.error(`Import ${running.id} into this memory is already running, since ${running.created_at}.`);
  return client.memory.resumeImport(running.id, { onProgress, signal });
}

/** Prints a translation and its origin. */
function showHit({ request, status, final_translation, agent_run }: TranslationJob): void {
  console.log(`${request.source_text}\n  ${final_translation ?? status}`);
  const { fast_path = 'translated anew' } = (request.metadata['provenance'] ?? {}) as { fast_path?: string };
  const [origin] = agent_run.steps
    .flatMap(({ decisions }) => decisions)
    .flatMap(({ provenance }) => provenance ?? []);
  const parts = [
    fast_path,
    origin && `"${origin.set_name}"`,
    origin?.tuid && `unit ${origin.tuid}`,
    origin?.changedate && `changed ${origin.changedate}`,
  ];
  console.log(`  (${parts.filter(Boolean).join(', ')})`);
}

/** Saves a download while it arrives. The file gets its final name only when it is complete. */
async function save(file: MemoryExport, out: string): Promise<string> {
  await mkdir(out, { recursive: true });
  const path = join(out, file.fileName);
  await writeFile(`${path}.part`, file);
  await rename(`${path}.part`, path);
  return path;
}

async function readOptions(): Promise<Options> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      from: { type: 'string', default: 'en' },
      to: { type: 'string', default: 'fr' },
      glossary: { type: 'string' },
      text: { type: 'string' },
      out: { type: 'string', default: '.' },
    },
  });
  const [path, ...others] = positionals;
  if (others.length > 0) throw new Error('expected one file');
  const { LINGUALOOP_URL: baseUrl, LINGUALOOP_API_KEY: apiKey } = process.env;
  if (!baseUrl || !apiKey) throw new Error('LINGUALOOP_URL and LINGUALOOP_API_KEY must be set');
  const ownText = path === undefined ? "The kitchen closes at nine o'clock." : '';
  const glossary = values.glossary ?? (path === undefined ? `${canteen}.csv` : undefined);
  const { from, to, out } = values;
  return {
    memory: await readFileOf(path ?? `${canteen}.tmx`),
    glossary: glossary === undefined ? undefined : await readFileOf(glossary),
    name: (values.name ?? (path === undefined ? 'Canteen' : basename(path, '.tmx'))).trim(),
    from,
    to,
    text: values.text ?? ownText,
    out,
    baseUrl,
    apiKey,
  };
}

/** Returns the file for an upload. Its content is read when it is sent. */
async function readFileOf(path: string): Promise<NamedContent> {
  return { name: basename(path), data: await openAsBlob(path) };
}
