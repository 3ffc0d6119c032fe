/**
 * Translates a directory of files with a running service, several at a time:
 *
 *   node examples/batch-translate.ts examples/files --to fr,de --out translations
 *
 * Each translation is saved as `<file>.<language>.txt` (or .docx, .pdf) in the out directory. The program may be
 * interrupted at any time and started again: it skips completed files. If it sends a file again, the translation is not
 * billed again, because the idempotency key depends only on the file, its content and the language. LINGUALOOP_URL and
 * LINGUALOOP_API_KEY set the service and the credential.
 *
 * Exit codes: 0 all files done or awaiting review, 1 a file failed, 2 the program could not begin, 130 interrupted.
 */
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
// In your own project: from '@lingualoop/sdk'.
import { ConnectionError, type GoldenFormat, LinguaLoop, LinguaLoopError } from '#sdk/index.ts';
import { type Journal, openJournal } from './batch-translate/journal.ts';
import { Progress, printable } from './batch-translate/progress.ts';
import { findFiles, keyOf, outputsOf, type Task } from './batch-translate/tasks.ts';
import { type HeldPage, translate } from './batch-translate/translate.ts';

const usage =
  'usage: batch-translate.ts <folder> --to fr,de [--from en] [--out translations] [--format txt|docx|pdf] [--concurrency 4] [--domain legal]';

interface Options {
  folder: string;
  to: string[];
  from: string;
  out: string;
  format: GoldenFormat;
  concurrency: number;
  domain: string;
  baseUrl: string;
  apiKey: string;
}

interface Result {
  written: number;
  skipped: number;
  held: { task: Task; page: HeldPage }[];
  failed: { task: Task; message: string }[];
}

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  let files: string[];
  try {
    options = readOptions();
    files = await findFiles(options.folder, options.out);
    if (files.length === 0) throw new Error(`${options.folder} has no files that can be translated`);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    return 2;
  }
  const tasks = files.flatMap((file) => options.to.map((to): Task => ({ file, to })));

  const stop = new AbortController();
  // Only once: a second Ctrl-C ends the process immediately. No completed work is lost.
  process.once('SIGINT', () => stop.abort('interrupted'));
  const result = await translateAll(options, tasks, stop);
  report(tasks.length, result, stop.signal);
  if (stop.signal.reason === 'interrupted') return 130;
  return result.failed.length > 0 ? 1 : 0;
}

async function translateAll(options: Options, tasks: Task[], stop: AbortController): Promise<Result> {
  const client = new LinguaLoop({ baseUrl: options.baseUrl, apiKey: options.apiKey, maxRetries: 5 });
  await mkdir(options.out, { recursive: true });
  const journal = await openJournal(options.out);
  const progress = new Progress(process.stderr, tasks.length);
  const result: Result = { written: 0, skipped: 0, held: [], failed: [] };
  const queue = tasks.values();
  const worker = async () => {
    for (const task of queue) {
      if (stop.signal.aborted) return;
      try {
        const said = await runTask(client, options, journal, task, stop.signal, result);
        progress.step(`${nameOf(task)}: ${said}`);
      } catch (error) {
        if (stop.signal.aborted && (error === stop.signal.reason || isAbort(error))) return;
        const message = error instanceof Error ? error.message : String(error);
        result.failed.push({ task, message });
        progress.step(`${nameOf(task)}: ${message}`);
        if (concernsAll(error)) stop.abort('stopped: the other files would fail in the same way');
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  progress.end();
  result.held.sort((a, b) => compare(a.task, b.task) || a.page.page - b.page.page);
  result.failed.sort((a, b) => compare(a.task, b.task));
  return result;
}

/** Does one task, adds its result to the summary, and returns a line about it. */
async function runTask(
  client: LinguaLoop,
  { folder, out, from, domain, format }: Options,
  journal: Journal,
  task: Task,
  signal: AbortSignal,
  result: Result,
): Promise<string> {
  const content = await readFile(join(folder, task.file));
  const idempotencyKey = keyOf(task, content, { from, domain });
  const before = journal.outputsOf(idempotencyKey, format);
  if (before && (await areThere(out, before))) {
    result.skipped += 1;
    return 'done before';
  }
  const name = basename(task.file);
  const source = { name, content, from, to: task.to, domain, idempotencyKey };
  const outcome = await translate(client, source, format, signal);
  if (outcome.kind === 'held') {
    for (const page of outcome.held) result.held.push({ task, page });
    return 'awaits review';
  }
  if (outcome.kind === 'failed') {
    result.failed.push({ task, message: outcome.message });
    return outcome.message;
  }
  const files = format === 'txt' ? [outcome.pages.join('\n\n')] : outcome.pages;
  const outputs = outputsOf(task, format, files.length);
  for (const [index, output] of outputs.entries()) await writeWhole(join(out, output), files[index] ?? '');
  await journal.finished(idempotencyKey, format, outputs);
  result.written += 1;
  return 'done';
}

/** Writes a file atomically: a crash leaves all of the new file or none of it. */
async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}

async function areThere(out: string, files: string[]): Promise<boolean> {
  const found = await Promise.all(
    files.map((file) =>
      access(join(out, file)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.every(Boolean);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/**
 * Whether all other files would fail with the same error: a wrong API key, no remaining allowance, or a service that
 * is disabled or unreachable.
 */
function concernsAll(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.maybeSent;
  return error instanceof LinguaLoopError && [401, 402, 403, 429, 503].includes(error.status ?? 0);
}

function report(total: number, { written, skipped, held, failed }: Result, signal: AbortSignal): void {
  const heldTasks = new Set(held.map(({ task }) => task)).size;
  const rest = total - written - skipped - heldTasks - failed.length;
  console.log(
    `${written} translated, ${skipped} done before, ${heldTasks} awaiting review, ${failed.length} failed${rest > 0 ? `, ${rest} not done (${signal.reason})` : ''}.`,
  );
  if (held.length > 0) console.log('\nAwaiting review. Run this command again after the review:');
  for (const { task, page } of held)
    console.log(`  ${page.id}  ${nameOf(task)}, page ${page.page}: ${printable(page.reasons.join('; '))}`);
  if (failed.length > 0) console.log('\nFailed:');
  for (const { task, message } of failed) console.log(`  ${nameOf(task)}: ${printable(message)}`);
}

function compare(a: Task, b: Task): number {
  return a.file.localeCompare(b.file) || a.to.localeCompare(b.to);
}

function nameOf({ file, to }: Task): string {
  return `${printable(file)} to ${to}`;
}

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      to: { type: 'string' },
      from: { type: 'string', default: 'en' },
      out: { type: 'string', default: 'translations' },
      format: { type: 'string', default: 'txt' },
      concurrency: { type: 'string', default: '4' },
      domain: { type: 'string', default: '' },
    },
  });
  const [folder, ...others] = positionals;
  const to = [...new Set(values.to?.split(',').map((code) => code.trim()) ?? [])].filter(Boolean);
  const concurrency = Number(values.concurrency);
  const { LINGUALOOP_URL: baseUrl, LINGUALOOP_API_KEY: apiKey } = process.env;
  const { from, out, format, domain } = values;
  if (!folder || others.length > 0) throw new Error('one folder is needed');
  if (to.length === 0) throw new Error('--to is needed');
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 64))
    throw new Error('--concurrency must be a number from 1 to 64');
  if (format !== 'txt' && format !== 'docx' && format !== 'pdf')
    throw new Error('--format must be txt, docx or pdf');
  if (!baseUrl || !apiKey) throw new Error('LINGUALOOP_URL and LINGUALOOP_API_KEY must be set');
  return { folder, to, from, out, format, concurrency, domain, baseUrl, apiKey };
}
