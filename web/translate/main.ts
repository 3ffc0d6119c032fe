/**
 * Translates the texts of the web application with a LinguaLoop service:
 *
 * LINGUALOOP_URL=… LINGUALOOP_API_KEY=… npm run web:translate -- --to fr,de
 *
 * The program sends the messages of `web/locales/en/` that a language lacks, or whose English text has changed since
 * they were translated, and writes the published translations. It lists jobs that await review with their URL; the next
 * run fetches their results. It may be interrupted at any time: files are always complete, and nothing is billed twice.
 *
 * `--list` lists the messages to translate, and needs no service. `--adopt` records that all translations match the
 * current English texts, after changes that need no new translation.
 *
 * Exit codes: 0 completed or awaiting review, 1 a failure, 2 the program could not start, 130 interrupted.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LinguaLoop } from '#sdk/client.ts';
import { ConnectionError, LinguaLoopError } from '#sdk/errors.ts';
import type { TranslationJob } from '#sdk/types.ts';
import { locales } from '#web/server/locale.ts';
import { type Catalogs, openCatalogs, type Wanted } from './catalogs.ts';
import { translateMessage } from './translate-message.ts';

const usage = 'usage: npm run web:translate -- [--to fr,de] [--list | --adopt] [--locales web/locales]';

/** Messages that are translated concurrently. */
const concurrency = 4;

/** All languages except the source language. */
const targets: readonly string[] = locales.filter((locale) => locale !== 'en');

interface Result {
  written: number;
  held: { message: Wanted; job: TranslationJob }[];
  failed: { message: Wanted; problem: string }[];
}

process.exitCode = await main();

async function main(): Promise<number> {
  let options: ReturnType<typeof readOptions>;
  let catalogs: Catalogs;
  try {
    options = readOptions();
    catalogs = await openCatalogs(options.folder, options.to);
    if (options.adopt) await catalogs.adopt(options.to, true);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    return 2;
  }
  const wanted = catalogs.wanted(options.to);
  if (options.list || options.adopt || wanted.length === 0) {
    for (const message of wanted) console.log(nameOf(catalogs, message));
    console.log(`${wanted.length} to translate.`);
    return 0;
  }
  const { LINGUALOOP_URL: baseUrl, LINGUALOOP_API_KEY: apiKey } = process.env;
  if (!baseUrl || !apiKey) {
    console.error(`LINGUALOOP_URL and LINGUALOOP_API_KEY must be set\n${usage}`);
    return 2;
  }
  const stop = new AbortController();
  // Only the first Ctrl-C is handled, so that a second one ends the process immediately. Nothing is lost in this case
  // either.
  process.once('SIGINT', () => stop.abort('interrupted'));
  await catalogs.adopt(options.to, false);
  const client = new LinguaLoop({ baseUrl, apiKey, maxRetries: 5 });
  const result = await translateAll(client, catalogs, wanted, stop);
  report(catalogs, wanted.length, result, baseUrl.replace(/\/+$/, ''), stop.signal);
  if (stop.signal.reason === 'interrupted') return 130;
  return result.failed.length > 0 ? 1 : 0;
}

async function translateAll(
  client: LinguaLoop,
  catalogs: Catalogs,
  wanted: readonly Wanted[],
  stop: AbortController,
): Promise<Result> {
  const result: Result = { written: 0, held: [], failed: [] };
  const queue = wanted.values();
  const worker = async () => {
    for (const message of queue) {
      if (stop.signal.aborted) return;
      try {
        const outcome = await translateMessage(client, message, stop.signal);
        if (outcome.kind === 'held') result.held.push({ message, job: outcome.job });
        else if (outcome.kind === 'failed') result.failed.push({ message, problem: outcome.problem });
        else {
          await catalogs.store(message, outcome.translation);
          result.written += 1;
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        result.failed.push({ message, problem: (error as Error).message });
        if (concernsAll(error)) stop.abort('stopped: all further messages would fail the same way');
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const place = new Map(wanted.map((message, index) => [message, index]));
  for (const list of [result.held, result.failed])
    list.sort((a, b) => (place.get(a.message) ?? 0) - (place.get(b.message) ?? 0));
  return result;
}

/**
 * Whether the error would also occur for all other messages: an invalid API key, no remaining allowance, or a service
 * that is disabled or unavailable.
 */
function concernsAll(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.maybeSent;
  return error instanceof LinguaLoopError && [401, 402, 403, 429, 503].includes(error.status ?? 0);
}

function report(
  catalogs: Catalogs,
  total: number,
  { written, held, failed }: Result,
  address: string,
  signal: AbortSignal,
): void {
  const rest = total - written - held.length - failed.length;
  console.log(
    `${written} written, ${held.length} awaiting review, ${failed.length} failed${rest > 0 ? `, ${rest} not translated (${signal.reason})` : ''}.`,
  );
  if (held.length > 0) console.log('\nAwaiting review. Run this command again after the review:');
  for (const { message, job } of held) {
    const reasons = job.agent_run.quality_gate?.reasons.join('; ') ?? '';
    console.log(`  ${nameOf(catalogs, message)}: ${printable(reasons)}`);
    console.log(`    ${address}/app/edit/texts?item=${encodeURIComponent(job.id)}`);
  }
  if (failed.length > 0) console.log('\nFailed:');
  for (const { message, problem } of failed)
    console.log(`  ${nameOf(catalogs, message)}: ${printable(problem)}`);
}

/** The file and the key of a message, for output to the user. */
function nameOf(catalogs: Catalogs, message: Wanted): string {
  return `${catalogs.fileOf(message)}: ${message.id.slice(message.id.indexOf('.') + 1)}`;
}

/** Removes control characters from a text of the service, so that it cannot control the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      to: { type: 'string', default: targets.join(',') },
      list: { type: 'boolean', default: false },
      adopt: { type: 'boolean', default: false },
      locales: { type: 'string', default: join(import.meta.dirname, '../locales') },
    },
  });
  const to = [...new Set(values.to.split(',').map((code) => code.trim()))].filter(Boolean);
  const unknown = to.filter((code) => !targets.includes(code));
  if (to.length === 0 || unknown.length > 0)
    throw new Error(`--to must name languages of the interface: ${targets.join(', ')}`);
  return { to, list: values.list, adopt: values.adopt, folder: values.locales };
}
