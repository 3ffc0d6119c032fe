import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { LinguaLoop } from '../../../src/index.ts';
import { type Call, type Command, exitCodes, Failed, numberOf, UsageError } from '../command.ts';
import { type LockFile, lockName, openLockFile, sha256 } from '../files/lock-file.ts';
import {
  configName,
  defaultOutput,
  findSources,
  type Group,
  readConfig,
  requireDistinctOutputs,
  requireInside,
} from '../files/project.ts';
import { isGeneral, messageOf, type Result, translateAll } from '../files/run-tasks.ts';
import { readIfThere, type Task, tasksOf } from '../files/task.ts';
import { eachOf, estimateFile } from '../files/translate-file.ts';
import { counted, grouped, printable, say, sayTable, tell } from '../io.ts';

export const translate: Command = {
  summary: 'translate files, only those that have changed since the last run',
  args: '[FILE|FOLDER|PATTERN]...',
  options: {
    to: { summary: 'target languages, such as de,fr', value: 'LANGS', short: 't' },
    from: { summary: 'source language, or auto (default: en)', value: 'LANG', short: 'f' },
    output: { summary: `path of a translation (default: ${defaultOutput})`, value: 'PATTERN', short: 'o' },
    exclude: { summary: 'files to leave out; may be repeated', value: 'PATTERN', multiple: true },
    domain: { summary: 'subject of the texts, for the model', value: 'TEXT' },
    tone: { summary: 'register, such as formal', value: 'TEXT' },
    include: {
      summary: 'texts of Word files and workbooks that stay by default, such as text_boxes; none for none',
      value: 'KINDS',
    },
    'exclude-columns': {
      summary: 'columns of XLSX and ODS files that stay, such as A or Labels!A',
      value: 'COLUMNS',
    },
    force: { summary: 'translate all texts again, also those that were edited by hand' },
    check: { summary: 'translate nothing; exit with 1 if there is something to translate or to confirm' },
    confirm: { summary: 'translate nothing; accept edited translations whose source has changed' },
    prune: { summary: 'delete translations whose source no longer exists' },
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
    'from, to, output, codes, domain, tone, include and exclude_columns, and groups with these fields, for a folder in which the command runs without arguments.',
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
  const reads = values.has('check') || values.has('dry-run') || values.has('confirm');
  const how = { force: values.has('force'), writes: !reads };
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
    : stale.filter(
        ({ state, file, known }) =>
          state !== 'renamed' &&
          ((state !== 'edited' && state !== 'outdated') ||
            (file.existing && !(state === 'outdated' && known?.stale))),
      );

  const followed = new Set(tasks.flatMap(({ state, former }) => (state === 'renamed' ? [former] : [])));
  for (const gone of lock.others(groups.flatMap(({ sources }) => sources)))
    if (!followed.has(gone) && (await isMissing(join(io.cwd, gone)))) await leave(call, lock, gone, tasks);
  tellUnknown(io, lock, sent);
  tellProposed(io, sent);
  const orFailed = (code: number) => (broken > 0 ? exitCodes.failed : code);
  if (values.has('confirm')) return orFailed(await confirm(call, lock, tasks));
  if (values.has('check')) return orFailed(check(call, stale));
  if (values.has('dry-run')) return orFailed(await estimate(call, sent));

  const most = numberOf(values, 'max-characters');
  const client = await call.client();
  const unknown =
    most === undefined ? new Map<Task, string>() : await requireWithin(call, client, sent, most);
  const jobs = numberOf(values, 'jobs') ?? 4;
  const affordable = sent.filter((task) => !unknown.has(task));
  const results = await translateAll(call, client, lock, tasks, affordable, jobs, unknown);
  return orFailed(report(call, tasks, results));
}

/** Says that the source of translations is gone. With --prune, deletes those that were not changed by hand. */
async function leave(
  { io, values }: Call,
  lock: LockFile,
  source: string,
  tasks: readonly Task[],
): Promise<void> {
  if (!values.has('prune') || values.has('check') || values.has('dry-run') || values.has('confirm')) {
    const hint = values.has('prune') ? '' : '; --prune deletes them';
    return tell(io, printable(`${source} no longer exists; its translations are kept${hint}`));
  }
  for (const [lang, { output, target }] of lock.languagesOf(source)) {
    const path = join(io.cwd, output);
    // The lock file of a repository can name any path.
    await requireInside(io.cwd, output);
    const content = await readIfThere(path);
    if (content && sha256(content) !== target && !values.has('force')) {
      tell(io, printable(`${output} was changed by hand and is kept; --force --prune deletes it`));
      continue;
    }
    const isUsed = tasks.some((task) => task.source === output || task.output === output);
    if (content && !isUsed) await unlink(path);
    await lock.remove(source, lang);
    tell(io, printable(`${output} deleted, because ${source} no longer exists`));
  }
}

/** Accepts edited translations whose source has changed: they are current until their source changes again. */
async function confirm({ io }: Call, lock: LockFile, tasks: readonly Task[]): Promise<number> {
  const outdated = tasks.filter(({ state }) => state === 'outdated');
  for (const { source, lang, output, sourceKey, options, existing, known } of outdated) {
    const { stale: _, ...entry } = known!;
    // Texts of the new source were translated when `stale` was set. A whole translation belongs to its source from now on.
    const whole = { source: sourceKey, output, target: sha256(existing!), options, edited: true as const };
    await lock.set(source, lang, known!.stale ? entry : whole);
    say(io, printable(`${source} → ${lang}: confirmed`));
  }
  tell(io, `${counted(outdated.length, 'translation')} confirmed.`);
  return exitCodes.done;
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

/** Says which texts are translated because the files have them. */
function tellProposed(io: Call['io'], sent: readonly Task[]): void {
  const proposed = new Map(
    sent.flatMap(({ source, file }) => (file.isProposed ? [[source, file.include]] : [])),
  );
  for (const [source, include] of proposed)
    tell(
      io,
      printable(
        `${source} has ${include.join(', ').replaceAll('_', ' ')}, which are translated, too; --include none leaves them out`,
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
    const include = listOf(values.text('include')) ?? group.include;
    const columns = listOf(values.text('exclude-columns')) ?? group.exclude_columns;
    return {
      files,
      exclude: [...(group.exclude ?? []), ...values.list('exclude')],
      from: values.text('from') ?? group.from ?? 'en',
      to: [...new Set(to)],
      output: output ?? group.output ?? defaultOutput,
      codes: group.codes ?? {},
      ...(domain !== undefined && { domain }),
      ...(tone !== undefined && { tone }),
      ...(include && { include: include.filter((one) => one !== 'none') }),
      ...(columns && { exclude_columns: columns }),
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
  const outdated = wanted.filter(({ state }) => state === 'outdated').length;
  const toMake = wanted.length - outdated;
  if (toMake > 0) tell(io, `${counted(toMake, 'translation')} to make.`);
  if (outdated > 0)
    tell(io, `${counted(outdated, 'translation')} to correct by hand, or to accept with --confirm.`);
  if (wanted.length === 0) tell(io, 'All translations are current.');
  return wanted.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** The figures of an estimate: characters, except the words. */
const columns = ['words', 'characters', 'exact', 'sentences', 'typography', 'fuzzy', 'repeated'] as const;

/** Files that are estimated at the same time. */
const estimatesInFlight = 4;

async function estimate(call: Call, wanted: readonly Task[]): Promise<number> {
  const { io, values } = call;
  const client = await call.client();
  const { estimates, failures } = await estimateAll(client, wanted, io.signal);
  const listed = wanted.flatMap((task) => {
    const of = estimates.get(task);
    return of ? [{ task, of }] : [];
  });
  for (const [{ source, lang }, message] of failures)
    tell(io, printable(`✗ ${source} → ${lang}: ${message}`));
  const code = failures.size > 0 ? exitCodes.failed : exitCodes.done;
  if (values.has('json')) {
    say(
      io,
      JSON.stringify(
        listed.map(({ task: { source, lang }, of }) => ({ source, lang, ...of })),
        null,
        2,
      ),
    );
    return code;
  }
  const total = listed.reduce((sum, { of }) => sum + of.billable_characters, 0);
  if (listed.length > 0)
    sayTable(
      io,
      ['file', 'language', ...columns, 'billed'],
      listed.map(({ task: { source, lang }, of }) => [
        source,
        lang,
        ...columns.map((name) => of[name]),
        of.billable_characters,
      ]),
    );
  const refusal = listed.find(({ of }) => of.refusal)?.of.refusal;
  if (refusal) tell(io, printable(`The service would reject a request now: ${refusal.detail}`));
  for (const { task, of } of listed)
    for (const warning of of.warnings) tell(io, printable(`${task.source} → ${task.lang}: ${warning}`));
  tell(io, `${grouped(total)} characters would be billed for ${counted(listed.length, 'translation')}.`);
  return code;
}

/** Estimates translations. A file that cannot be estimated does not prevent the others. */
async function estimateAll(client: LinguaLoop, wanted: readonly Task[], signal: AbortSignal) {
  const estimates = new Map<Task, Awaited<ReturnType<typeof estimateFile>>>();
  const failures = new Map<Task, string>();
  await eachOf(wanted, estimatesInFlight, async (task) => {
    try {
      estimates.set(task, await estimateFile(client, task.file, signal));
    } catch (error) {
      if (signal.aborted || isGeneral(error)) throw error;
      failures.set(task, messageOf(task, error));
    }
  });
  return { estimates, failures };
}

/**
 * Returns the failures of the files that cannot be estimated, which must not be sent.
 * @throws Failed if the translations would cost more
 */
async function requireWithin(
  { io }: Call,
  client: LinguaLoop,
  wanted: readonly Task[],
  most: number,
): Promise<Map<Task, string>> {
  const { estimates, failures } = await estimateAll(client, wanted, io.signal);
  const total = [...estimates.values()].reduce(
    (sum, { billable_characters }) => sum + billable_characters,
    0,
  );
  if (total > most)
    throw new Failed(
      `${grouped(total)} characters would be billed, and --max-characters is ${grouped(most)}; nothing was translated`,
    );
  return failures;
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
  for (const { task, result } of entries)
    if ('isStale' in result && result.isStale)
      tell(
        io,
        printable(
          `${task.output} has texts that were edited by hand before their sources changed; correct them, or accept them with --confirm`,
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
