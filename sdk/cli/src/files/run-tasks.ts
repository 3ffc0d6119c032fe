import type { LinguaLoop } from '../../../src/index.ts';
import { type Call, describeFailure, Failed, UsageError } from '../command.ts';
import { counted, openProgress, printable, stylesOf } from '../io.ts';
import { type LockFile, sha256 } from './lock-file.ts';
import { type Task, writeTranslation } from './task.ts';
import { eachOf, type Held, problemOfExisting, readPresent, translateFile } from './translate-file.ts';

/** The result of a translation. */
export type Result =
  | { status: 'written'; held: Held[]; warnings?: string[]; isStale?: boolean }
  | { status: 'current'; held: Held[]; isStale?: boolean }
  | { status: 'held'; held: Held[] }
  | { status: 'edited' }
  | { status: 'failed'; message: string };

/**
 * Translates the files in `wanted`, and brings other translations up to date that reviewers have corrected. Writes each
 * translation and its entry in the lock file when it is complete, so that an interrupted run is continued.
 * @param failures files that must not be sent, with the reason
 * @throws an error that concerns all files; the failure of one file is its result
 */
export async function translateAll(
  { io }: Call,
  client: LinguaLoop,
  lock: LockFile,
  tasks: readonly Task[],
  wanted: readonly Task[],
  lanes: number,
  failures: ReadonlyMap<Task, string>,
): Promise<Map<Task, Result>> {
  const results = new Map<Task, Result>();
  for (const [task, message] of failures) results.set(task, { status: 'failed', message });
  const current = tasks.filter((task) => !wanted.includes(task) && !failures.has(task));
  for (const task of current) if (!isWritten(task)) results.set(task, await keepWhole(lock, task));
  const progress = openProgress(io, wanted.length);
  const style = stylesOf(io, io.stderr);
  for (const [{ source, lang }, message] of failures)
    progress.line(`${style('red', '✗')} ${printable(`${source} → ${lang}: ${message}`)}`);
  try {
    await eachOf(current.filter(isWritten), lanes, async (task) => {
      io.signal.throwIfAborted();
      const result = await bringUpToDate(io, client, lock, task).catch((error: unknown): Result => {
        if (io.signal.aborted || isGeneral(error)) throw error;
        return { status: 'failed', message: describeFailure(error) };
      });
      results.set(task, result);
      if (result.status !== 'current')
        progress.line(
          `${result.status === 'failed' ? style('red', '✗') : style('green', '✓')} ${printable(`${task.source} → ${task.lang}${noteOf(task, result)}`)}`,
        );
    });
    await eachOf(wanted, lanes, async (task) => {
      const name = `${task.source} → ${task.lang}`;
      io.signal.throwIfAborted();
      progress.set(name, 0);
      const result = await translateOne(io, client, lock, task, (share) =>
        progress.set(name, Math.min(share, 0.99)),
      ).catch((error: unknown): Result => {
        if (io.signal.aborted || isGeneral(error)) throw error;
        return { status: 'failed', message: describeFailure(error) };
      });
      results.set(task, result);
      progress.set(name, 1);
      const mark = {
        written: style('green', '✓'),
        current: ' ',
        held: style('yellow', '…'),
        edited: ' ',
        failed: style('red', '✗'),
      }[result.status];
      progress.line(`${mark} ${printable(`${name}${noteOf(task, result)}`)}`);
    });
  } finally {
    progress.end();
  }
  return results;
}

/** Whether an error concerns all files, so that the rest would fail, too. */
export function isGeneral(error: unknown): boolean {
  const { status, code } = error as { status?: number | null; code?: string | null };
  const isRefused = status === 401 || status === 402 || status === 403 || code === 'quota_exceeded';
  return isRefused || error instanceof UsageError;
}

function noteOf({ output }: Task, result: Result): string {
  if (result.status === 'failed') return `: ${result.message}`;
  if (result.status === 'held')
    return `: ${counted(result.held.length, 'text')} await${result.held.length === 1 ? 's' : ''} review`;
  if (result.status === 'written')
    return ` (${output})${[...result.held.map(({ reason }) => reason), ...(result.warnings ?? [])]
      .map((note) => `: ${note}`)
      .join('')}`;
  return '';
}

async function translateOne(
  { cwd, signal }: Call['io'],
  client: LinguaLoop,
  lock: LockFile,
  task: Task,
  onProgress: (share: number) => void,
): Promise<Result> {
  const { source, lang, output, file, sourceKey, options } = task;
  const outcome = await translateFile(client, file, { signal, onProgress }).catch((error: unknown) => {
    throw problemOfExisting(error) === undefined ? error : new Failed(messageOf(task, error));
  });
  if (outcome.kind === 'held') return { status: 'held', held: outcome.held };
  if (outcome.kind === 'whole') return keepWhole(lock, task);
  const { content, document, texts, jobs, stale, warnings, held } = outcome;
  await writeTranslation(cwd, lock, task, content, () =>
    lock.set(source, lang, {
      source: sourceKey,
      output,
      target: sha256(content),
      ...(document !== undefined && { document }),
      options,
      ...(texts && { texts }),
      ...(jobs && { jobs }),
      ...(stale && { stale }),
    }),
  );
  return {
    ...{ status: 'written', held, isStale: stale === true },
    ...(warnings && warnings.length > 0 && { warnings }),
  };
}

/** Whether the translation is as the program has written it, so that only a review can have changed it. */
function isWritten({ state, known }: Task): boolean {
  return state === 'current' || (state === 'outdated' && known?.stale === true);
}

/** Writes a translation that reviewers have corrected since it was written. */
async function bringUpToDate(
  { cwd, signal }: Call['io'],
  client: LinguaLoop,
  lock: LockFile,
  task: Task,
): Promise<Result> {
  const { source, lang, file } = task;
  const known = task.known!;
  const isStale = known.stale === true;
  const outcome = known.edited ? undefined : await readPresent(client, file, known, signal);
  if (!outcome) return { status: 'current', held: [], isStale };
  if (outcome.kind === 'held') return { status: 'held', held: outcome.held };
  const { content, texts, held } = outcome;
  const target = sha256(content);
  if (target === known.target) return { status: 'current', held, isStale };
  await writeTranslation(cwd, lock, task, content, () =>
    lock.set(source, lang, { ...known, target, ...(texts && { texts }) }),
  );
  return { status: 'written', held, isStale };
}

/** Describes the failure of a file. */
export function messageOf({ output }: Task, error: unknown): string {
  const problem = problemOfExisting(error);
  return problem === undefined ? describeFailure(error) : `${output}: ${problem}; --force replaces all texts`;
}

/** Keeps a translation that was edited, in a format without separate texts. It is current if its source has not changed. */
async function keepWhole(
  lock: LockFile,
  { source, lang, output, sourceKey, options, existing, known }: Task,
): Promise<Result> {
  if (existing && (!known || known.source === sourceKey))
    await lock.set(source, lang, {
      source: sourceKey,
      output,
      target: sha256(existing),
      options,
      edited: true,
    });
  return { status: 'edited' };
}
