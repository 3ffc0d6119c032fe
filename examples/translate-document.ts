/**
 * Translates a DOCX, XLSX or PDF file keeping its layout, with a progress bar:
 *
 *   node examples/translate-document.ts Menu.xlsx --to fr --out translated
 *
 * Without a file, the program uses the small workbook in examples/translate-document. While a document is in progress,
 * a state file next to the output identifies it. If the program is interrupted and started again, it continues with the
 * same document, so nothing is translated or billed twice. If the file or a language has changed, it begins with a new
 * document. LINGUALOOP_URL and LINGUALOOP_API_KEY set the service and the credential.
 *
 * Exit codes: 0 done, 1 the service rejected a request or the translation failed, 2 the program could not begin, 130
 * interrupted.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
// In your own project: from '@lingualoop/sdk'.
import {
  DocumentFailedError,
  type DocumentHandle,
  type DocumentOptions,
  type DocumentPoller,
  LinguaLoop,
  LinguaLoopError,
  type NamedContent,
  NotFoundError,
  type TenantDocumentJob,
} from '#sdk/index.ts';

const usage = 'usage: translate-document.ts [file.docx|xlsx|pdf] [--from en] [--to fr] [--out .]';

interface Options {
  file: NamedContent;
  from: string;
  to: string;
  /** Identifies the work. It is the same for the same content and languages. */
  work: string;
  /** The directory in which to save the translation. */
  out: string;
  /** The path of the state file, which identifies the document while its translation is in progress. */
  state: string;
  baseUrl: string;
  apiKey: string;
}

/** The contents of the state file. */
interface Saved {
  /** The `work` in the options of the run that saved the file. */
  work: string;
  /** The idempotency key that is sent with the file. If the response is lost, the same key finds the document. */
  key: string;
  document?: DocumentHandle;
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
      console.error('\nInterrupted. The service continues: start this again to follow it.');
      return 130;
    }
    if (!(error instanceof LinguaLoopError)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function run(client: LinguaLoop, options: Options, signal: AbortSignal): Promise<void> {
  const { out, state } = options;
  const progress = progressBar();
  let job: TenantDocumentJob;
  try {
    const poller = await begin(client, options, { onProgress: progress.show, signal });
    job = await poller.pollUntilDone();
  } catch (error) {
    progress.end();
    // After this error, the next run starts again from the beginning. After any other error, the next run continues.
    if (error instanceof DocumentFailedError) await rm(state, { force: true });
    throw error;
  }
  progress.end();

  const translated = await client.documents.download(job.id, { signal });
  // A name such as menu.fr.xlsx. A file with this name overwrites neither the source nor a translation into another
  // language.
  const output = join(out, translated.fileName);
  // Write to a temporary name first, so that an incomplete file never has the final name.
  await writeFile(`${output}.part`, translated);
  await rename(`${output}.part`, output);
  await rm(state, { force: true });

  const { translated_units = 0, total_units = 0, findings = [] } = job.quality_report ?? {};
  console.log(`${output}: ${translated_units} of ${total_units} texts, ${job.billable_chars} characters`);
  for (const { severity, message } of findings) console.log(`  ${severity}: ${message}`);
  for await (const segment of client.documents.segments(job.id, { flagged: true }, { signal }))
    console.log(`  to review: ${segment.place} "${segment.source_text}" → "${segment.target_text}"`);
}

/** Returns the document that an earlier run has started, or starts a new one. */
async function begin(
  client: LinguaLoop,
  { file, from, to, work, state }: Options,
  options: DocumentOptions,
): Promise<DocumentPoller> {
  const saved = await readSaved(state, work);
  if (saved?.document) {
    try {
      return await client.documents.resume(saved.document, options);
    } catch (error) {
      // The document has been deleted in the meantime, so start a new one.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
  // Save the key before sending the file. If the process ends now, the next run sends the same key.
  const key = (saved?.document ? undefined : saved?.key) ?? randomUUID();
  await writeSaved(state, { work, key });
  const request = { source_lang: from, target_lang: to };
  const poller = await client.documents.translate(file, request, { ...options, idempotencyKey: key });
  await writeSaved(state, { work, key, document: poller.toJSON() });
  return poller;
}

/** Shows the progress: on a terminal as a line that is redrawn, otherwise as a line for each tenth. */
function progressBar() {
  const width = 30;
  const { stderr } = process;
  let shown = '';
  const draw = (line: string) => {
    if (line === shown) return;
    shown = line;
    stderr.write(stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  };
  return {
    show({ status, progress }: TenantDocumentJob) {
      const { stage = status, translated_segments: done = 0, total_segments: total = 0 } = progress ?? {};
      const share = status === 'translated' ? 1 : total === 0 ? 0 : done / total;
      const step = stderr.isTTY ? share : Math.floor(share * 10) / 10;
      const filled = Math.round(step * width);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
      draw(
        `${bar} ${String(Math.floor(step * 100)).padStart(3)} % ${status === 'translated' ? status : stage}`,
      );
    },
    end() {
      if (stderr.isTTY && shown !== '') stderr.write('\n');
    },
  };
}

/**
 * Reads the state file. Undefined if it does not exist, or if it belongs to other work, because the file has been
 * changed since then.
 */
async function readSaved(path: string, work: string): Promise<Saved | undefined> {
  try {
    const saved = JSON.parse(await readFile(path, 'utf8')) as Saved;
    return saved.work === work ? saved : undefined;
  } catch {
    return undefined;
  }
}

async function writeSaved(path: string, saved: Saved): Promise<void> {
  await writeFile(`${path}.part`, JSON.stringify(saved));
  await rename(`${path}.part`, path);
}

async function readOptions(): Promise<Options> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      from: { type: 'string', default: 'en' },
      to: { type: 'string', default: 'fr' },
      out: { type: 'string', default: '.' },
    },
  });
  const [path = join(import.meta.dirname, 'translate-document/menu.xlsx'), ...others] = positionals;
  if (others.length > 0) throw new Error('expected one file');
  const { LINGUALOOP_URL: baseUrl, LINGUALOOP_API_KEY: apiKey } = process.env;
  if (!baseUrl || !apiKey) throw new Error('LINGUALOOP_URL and LINGUALOOP_API_KEY must be set');
  const { from, to, out } = values;
  const name = basename(path);
  const extension = extname(name);
  const data = await readFile(path);
  const hash = createHash('sha256').update(data).digest('hex');
  await mkdir(out, { recursive: true });
  const state = join(out, `${basename(name, extension)}.${to}${extension}.job`);
  return { file: { name, data }, from, to, work: `${from} ${to} ${hash}`, out, state, baseUrl, apiKey };
}
