import { join } from 'node:path';
import type { LinguaLoop } from '../../../src/index.ts';
import { type Call, type Command, exitCodes, Failed, numberOf, UsageError } from '../command.ts';
import { describeFailure } from '../failure.ts';
import { type LockFile, lockName, openLockFile, sha256 } from '../files/lock-file.ts';
import {
  configName,
  defaultOutput,
  findSources,
  type Group,
  readConfig,
  requireDistinctOutputs,
} from '../files/project.ts';
import { readIfThere, type Task, tasksOf, writeTranslation } from '../files/task.ts';
import {
  eachOf,
  estimateFile,
  type Held,
  problemOfExisting,
  translateFile,
} from '../files/translate-file.ts';
import { counted, grouped, printable, say, stylesOf, tableOf, tell } from '../io.ts';
import { openProgress } from '../progress.ts';

export const translate: Command = {
  summary: 'translate files, only those that have changed since the last run',
  args: '[FILE|FOLDER|PATTERN]...',
  count: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    to: { summary: 'target languages, such as de,fr', value: 'LANGS', short: 't' },
    from: { summary: 'source language, or auto (default: en)', value: 'LANG', short: 'f' },
    output: { summary: `path of a translation (default: ${defaultOutput})`, value: 'PATTERN', short: 'o' },
    exclude: { summary: 'files to leave out; may be repeated', value: 'PATTERN', multiple: true },
    domain: { summary: 'subject of the texts, for the model', value: 'TEXT' },
    tone: { summary: 'register, such as formal', value: 'TEXT' },
    force: { summary: 'translate all texts again, also those that were edited by hand' },
    check: { summary: 'translate nothing; exit with 1 if there is something to translate' },
    'dry-run': { summary: 'translate nothing; print what would be billed' },
    'max-characters': { summary: 'translate nothing if more characters would be billed', value: 'N' },
    'fail-on-review': { summary: 'exit with 3 if something awaits a review' },
    jobs: { summary: 'files that are translated at the same time (default: 4)', value: 'N', short: 'j' },
    json: { summary: 'print the results as JSON' },
  },
  notes: [
    'Files such as PDF and Word keep their layout. Text files (.txt) are translated by paragraph, and unchanged paragraphs are',
    'not billed again. The service decides which other types it accepts. Texts that were edited in a translation stay: of JSON, YAML, gettext,',
    'Java properties, Apple strings, Markdown and HTML, single texts; otherwise the whole file.',
    '',
    `${lockName} remembers what was translated; keep it in version control. ${configName} may have the fields files, exclude,`,
    'from, to, output, codes, domain and tone, and groups with these fields, for a folder in which the command runs without arguments.',
    '',
    'PATTERN of --output may have {dir}, {name}, {ext}, {path} and {lang}: docs/{lang}/{name}{ext}. In directories of Android, use',
    '{android_code}: res/values-{android_code}/{name}{ext}.',
  ],
  examples: [
    'lingualoop translate handbook.docx --to de,fr',
    "lingualoop translate 'docs/**/*.txt' --to ja --output '{dir}{lang}/{name}{ext}'",
    'lingualoop translate --check',
  ],
  run,
};

type Result =
  | { status: 'written'; held: Held[]; warnings?: string[] }
  | { status: 'current'; held: Held[] }
  | { status: 'held'; held: Held[] }
  | { status: 'edited' }
  | { status: 'failed'; message: string };

async function run(call: Call): Promise<number> {
  const { io, values } = call;
  const config = await groupsOf(call);
  const lock = await openLockFile(io.cwd);
  const outputs = lock.outputs();
  const groups = await Promise.all(
    config.map(async (group) => ({
      ...group,
      sources: (await findSources(io.cwd, group, call.args.length > 0)).filter((path) => !outputs.has(path)),
    })),
  );
  requireDistinctOutputs(groups);
  const tasks: Task[] = [];
  let broken = 0;
  const how = { force: values.has('force'), writes: !values.has('check') && !values.has('dry-run') };
  for (const group of groups)
    for (const source of group.sources)
      try {
        tasks.push(...(await tasksOf(io.cwd, lock, group, source, how)));
      } catch (error) {
        // A link that leads out of the folder does not prevent the other translations.
        if (!(error instanceof Failed)) throw error;
        broken++;
        tell(io, printable(`${source}: ${error.message}`));
      }
  const stale = tasks.filter(({ state }) => state !== 'current');
  const sent = values.has('force')
    ? tasks
    : stale.filter(({ state, file }) => (state !== 'edited' && state !== 'outdated') || file.existing);

  for (const gone of lock.others(groups.flatMap(({ sources }) => sources)))
    if (await isMissing(join(io.cwd, gone)))
      tell(io, printable(`${gone} no longer exists; its translations are kept`));
  tellUnknown(io, lock, sent);
  const orFailed = (code: number) => (broken > 0 ? exitCodes.failed : code);
  if (values.has('check')) return orFailed(check(call, stale));
  if (values.has('dry-run')) return orFailed(await estimate(call, sent));

  const most = numberOf(values, 'max-characters');
  const client = await call.client();
  if (most !== undefined) await requireWithin(client, sent, most, io.signal);
  const jobs = numberOf(values, 'jobs') ?? 4;
  const results = await translateAll(call, client, lock, tasks, sent, jobs);
  return orFailed(report(call, tasks, results));
}

/** Says what follows if existing translations are not in the lock file. */
function tellUnknown(io: Call['io'], lock: LockFile, sent: readonly Task[]): void {
  const unknown = sent.filter(({ known, file }) => !known && file.existing);
  const [first] = unknown;
  if (!first) return;
  const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  const where = lock.exists ? `not in ${lockName}` : `there, and ${lockName} is not`;
  tell(
    io,
    printable(
      `${first.output}${more}: ${where}, so all texts stay, whether their sources have changed or not; --force translates them again`,
    ),
  );
}

async function groupsOf({ io, args, values }: Call): Promise<Group[]> {
  const { groups = [], ...shared } = await readConfig(io.cwd);
  const listed = args.length > 0 || groups.length === 0 ? [{}] : groups;
  const output = values.text('output');
  if (output !== undefined && listed.length > 1)
    throw new UsageError(`--output needs files, because ${configName} has several groups`);
  return listed.map((own) => {
    const group: Partial<Group> = { ...shared, ...own };
    const to = listOf(values.text('to')) ?? group.to ?? [];
    if (to.length === 0)
      throw new UsageError(`the target languages are missing: --to de,fr, or "to" in ${configName}`);
    const files = args.length > 0 ? [...args] : (group.files ?? []);
    if (files.length === 0)
      throw new UsageError(`the files are missing: name them, or list them as "files" in ${configName}`);
    const domain = values.text('domain') ?? group.domain;
    const tone = values.text('tone') ?? group.tone;
    return {
      files,
      exclude: [...(group.exclude ?? []), ...values.list('exclude')],
      from: values.text('from') ?? group.from ?? 'en',
      to: [...new Set(to)],
      output: output ?? group.output ?? defaultOutput,
      codes: group.codes ?? {},
      ...(domain !== undefined && { domain }),
      ...(tone !== undefined && { tone }),
    };
  });
}

function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}

async function isMissing(path: string): Promise<boolean> {
  return (await readIfThere(path).catch(() => null)) === undefined;
}

function check({ io, values }: Call, wanted: readonly Task[]): number {
  if (values.has('json'))
    say(
      io,
      JSON.stringify(
        wanted.map(({ source, lang, output, state }) => ({ source, lang, output, state })),
        null,
        2,
      ),
    );
  else for (const { source, lang, state } of wanted) say(io, printable(`${source} → ${lang}: ${state}`));
  tell(
    io,
    wanted.length === 0
      ? 'All translations are current.'
      : `${counted(wanted.length, 'translation')} to make.`,
  );
  return wanted.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Files that are estimated at the same time. */
const estimatesInFlight = 4;

async function estimate(call: Call, wanted: readonly Task[]): Promise<number> {
  const { io, values } = call;
  const client = await call.client();
  const rows = new Map<Task, Awaited<ReturnType<typeof estimateFile>>>();
  await eachOf(wanted, estimatesInFlight, async (task) => {
    rows.set(
      task,
      await estimateFile(client, task.file, io.signal).catch((error) => {
        throw new Failed(`${task.source} → ${task.lang}: ${describeFailure(error)}`);
      }),
    );
  });
  const listed = wanted.map((task) => ({ task, of: rows.get(task)! }));
  if (values.has('json')) {
    say(
      io,
      JSON.stringify(
        listed.map(({ task: { source, lang }, of }) => ({ source, lang, ...of })),
        null,
        2,
      ),
    );
    return exitCodes.done;
  }
  const titles = ['file', 'language', 'characters', 'exact', 'fuzzy', 'repeated', 'billed'];
  const total = listed.reduce((sum, { of }) => sum + of.billable_characters, 0);
  if (listed.length > 0)
    for (const line of tableOf(
      titles,
      listed.map(({ task, of }) => [
        task.source,
        task.lang,
        of.characters,
        of.exact,
        of.fuzzy,
        of.repeated,
        of.billable_characters,
      ]),
    ))
      say(io, line);
  const refusal = listed.find(({ of }) => of.refusal)?.of.refusal;
  if (refusal) tell(io, printable(`The service would reject a request now: ${refusal.detail}`));
  for (const { task, of } of listed)
    for (const warning of of.warnings) tell(io, printable(`${task.source} → ${task.lang}: ${warning}`));
  tell(io, `${grouped(total)} characters would be billed for ${counted(listed.length, 'translation')}.`);
  return exitCodes.done;
}

/** @throws Failed if the translations would cost more */
async function requireWithin(
  client: LinguaLoop,
  wanted: readonly Task[],
  most: number,
  signal: AbortSignal,
): Promise<void> {
  let total = 0;
  await eachOf(wanted, estimatesInFlight, async ({ file }) => {
    const { billable_characters } = await estimateFile(client, file, signal);
    total += billable_characters;
  });
  if (total > most)
    throw new Failed(
      `${grouped(total)} characters would be billed, and --max-characters is ${grouped(most)}; nothing was translated`,
    );
}

async function translateAll(
  { io }: Call,
  client: LinguaLoop,
  lock: LockFile,
  tasks: readonly Task[],
  wanted: readonly Task[],
  lanes: number,
): Promise<Map<Task, Result>> {
  const results = new Map<Task, Result>();
  for (const task of tasks)
    if (!wanted.includes(task))
      results.set(
        task,
        task.state === 'current' ? { status: 'current', held: [] } : await keepWhole(lock, task),
      );
  const progress = openProgress(io, wanted.length);
  const style = stylesOf(io, io.stderr);
  try {
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
function isGeneral(error: unknown): boolean {
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
    const problem = problemOfExisting(error);
    throw problem === undefined ? error : new Failed(`${output}: ${problem}; --force replaces all texts`);
  });
  if (outcome.kind === 'held') return { status: 'held', held: outcome.held };
  if (outcome.kind === 'whole') return keepWhole(lock, task);
  const { content, document, texts, warnings, held } = outcome;
  await writeTranslation(cwd, task, content, () =>
    lock.set(source, lang, {
      source: sourceKey,
      output,
      target: sha256(content),
      ...(document !== undefined && { document }),
      options,
      ...(texts && { texts }),
    }),
  );
  return { status: 'written', held, ...(warnings && warnings.length > 0 && { warnings }) };
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

/** An edited translation that is not current stays stale for `--check`. */
function hasOtherSource({ known, sourceKey }: Task): string {
  return known && known.source !== sourceKey ? ', but its source has changed since' : '';
}

function report({ io, values }: Call, tasks: readonly Task[], results: ReadonlyMap<Task, Result>): number {
  const entries = tasks.flatMap((task) => {
    const result = results.get(task);
    return result ? [{ task, result }] : [];
  });
  const held = entries.flatMap(({ result }) => ('held' in result ? result.held : []));
  const count = (status: Result['status']) => entries.filter(({ result }) => result.status === status).length;
  if (values.has('json'))
    say(
      io,
      JSON.stringify(
        entries.map(({ task: { source, lang, output }, result }) => ({ source, lang, output, ...result })),
        null,
        2,
      ),
    );
  for (const { task, result } of entries)
    if (result.status === 'edited')
      tell(
        io,
        printable(
          `${task.output} was changed by hand and is kept${hasOtherSource(task)}; --force replaces it`,
        ),
      );
  const parts = [
    `${counted(count('written'), 'translation')} written`,
    `${grouped(count('current'))} current`,
    ...(count('held') > 0 ? [`${grouped(count('held'))} awaiting review`] : []),
    ...(count('edited') > 0 ? [`${grouped(count('edited'))} changed by hand`] : []),
    ...(count('failed') > 0 ? [`${grouped(count('failed'))} failed`] : []),
  ];
  tell(io, `${parts.join(', ')}.`);
  if (held.length > 0)
    tell(io, 'Run "lingualoop review" to see what awaits a review; then run this command again.');
  if (count('failed') > 0) return exitCodes.failed;
  return held.length > 0 && values.has('fail-on-review') ? exitCodes.review : exitCodes.done;
}
