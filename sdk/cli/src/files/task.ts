import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DocumentTexts, findLeftOutTexts, type LeftOutText } from '../../../src/index.ts';
import { Failed } from '../command.ts';
import { abandoned, type LockFile, sha256, type Written } from './lock-file.ts';
import { type Group, outputOf, requireInside } from './project.ts';
import { type FileTask, isText, optionsKey } from './translate-file.ts';

/** A translation to make or to keep. */
export interface Task {
  source: string;
  lang: string;
  output: string;
  file: FileTask;
  /** The values of the lock file for an unchanged source and unchanged options. */
  sourceKey: string;
  options: string;
  /** The translation as it was when the run started; undefined if it is missing. */
  existing: Uint8Array | undefined;
  known: Written | undefined;
  /** The former path of the source; undefined if it was not renamed. */
  former: string | undefined;
  /**
   * `edited`: the translation was not written by this program, or was changed since. `outdated`: it was edited as a whole
   * or in texts whose sources have changed since, and no one has confirmed it. `renamed`: it is at the path for the
   * former name of the source.
   */
  state: 'current' | 'new' | 'missing' | 'changed' | 'edited' | 'outdated' | 'renamed';
}

/**
 * Returns the translations of a source into all languages of its group.
 * @param writes whether the run may finish what a killed run has left
 * @throws Failed
 */
export async function tasksOf(
  cwd: string,
  lock: LockFile,
  group: Group,
  source: string,
  { force, writes }: { force: boolean; writes: boolean },
): Promise<Task[]> {
  await requireInside(cwd, source);
  const content = await readFile(join(cwd, source));
  const isOffice = /\.(?:docx|xlsx)$/i.test(source);
  const found = isOffice && !group.include ? await findLeftOutTexts(content) : [];
  const include = isOffice ? ((group.include as LeftOutText[] | undefined) ?? found) : [];
  const columns = /\.(?:xlsx|ods)$/i.test(source) ? (group.exclude_columns ?? []) : [];
  return Promise.all(
    group.to.map(async (lang) => {
      const { from, domain, tone } = group;
      const wanted = { from, to: lang, domain, tone, include, columns };
      const output = outputOf(group, source, lang);
      await requireInside(cwd, output);
      const listed = lock.of(source, lang);
      let known = listed?.output === output ? listed : lock.withOutput(output, lang);
      if (writes) await finishWriting(join(cwd, output), known);
      let existing = await readIfThere(join(cwd, output));
      const options = sha256(optionsKey(wanted)).slice(0, 16);
      const sourceKey = sha256(`${optionsKey(wanted)} ${sha256(content)}`);
      const former =
        known || existing || force ? undefined : await findFormer(cwd, lock, { sourceKey, lang, output });
      if (former && writes) {
        known = await follow(cwd, lock, former, { source, lang, output });
        existing = await readIfThere(join(cwd, output));
      }
      const file: FileTask = {
        ...{ path: source, content, ...wanted, isProposed: found.length > 0 },
        earlier: known?.document,
        written: !force && !existing && known?.source === sourceKey ? known.document : undefined,
        existing: force ? undefined : existingOf(source, known, existing, { options, sourceKey }),
      };
      const state = former && !writes ? 'renamed' : stateOf(known, sourceKey, existing);
      return {
        source,
        lang,
        output,
        file,
        sourceKey,
        options,
        existing,
        known,
        former: former?.source,
        state,
      };
    }),
  );
}

type Former = ReturnType<LockFile['ofContent']>[number];

/** Finds the translation of a source that was renamed: another path had the same content, and no longer exists. */
async function findFormer(
  cwd: string,
  lock: LockFile,
  { sourceKey, lang, output }: { sourceKey: string; lang: string; output: string },
): Promise<Former | undefined> {
  for (const former of lock.ofContent(sourceKey, lang)) {
    if (former.written.output === output || (await readIfThere(join(cwd, former.source)))) continue;
    await requireInside(cwd, former.written.output);
    if (await readIfThere(join(cwd, former.written.output))) return former;
  }
  return undefined;
}

/** Moves the translation of a source that was renamed to its new path, with the edits in it. */
async function follow(
  cwd: string,
  lock: LockFile,
  former: Former,
  { source, lang, output }: Pick<Task, 'lang' | 'output' | 'source'>,
): Promise<Written> {
  const written = { ...former.written, output };
  await mkdir(dirname(join(cwd, output)), { recursive: true });
  await requireInside(cwd, output);
  await rename(join(cwd, former.written.output), join(cwd, output));
  await lock.remove(former.source, lang);
  await lock.set(source, lang, written);
  return written;
}

function stateOf(
  known: Written | undefined,
  sourceKey: string,
  existing: Uint8Array | undefined,
): Task['state'] {
  if (!existing) return known ? 'missing' : 'new';
  if (known?.target !== sha256(existing)) return 'edited';
  if (known.source === sourceKey) return known.stale ? 'outdated' : 'current';
  return known.edited ? 'outdated' : 'changed';
}

/** Returns what is sent of a translation so that its texts stay; undefined if it is translated or kept as a whole. */
function existingOf(
  source: string,
  known: Written | undefined,
  existing: Uint8Array | undefined,
  { options, sourceKey }: Pick<Task, 'options' | 'sourceKey'>,
): FileTask['existing'] {
  if (!existing || isText(source)) return undefined;
  if (!known) return { content: existing, texts: null };
  if (!known.texts) {
    // An earlier version has written it. Of an unchanged source, all texts can stay.
    const isEdited = known.target !== sha256(existing) && !known.edited;
    return isEdited && known.source === sourceKey ? { content: existing, texts: null } : undefined;
  }
  return {
    content: existing,
    texts: known.options === options ? known.texts : outdated(known.texts),
  };
}

/** Returns hashes with which all texts are translated again, except those that were edited. */
function outdated(texts: DocumentTexts): DocumentTexts {
  const change = (hashes: string) => `${hashes} outdated`;
  return Array.isArray(texts)
    ? texts.map(change)
    : Object.fromEntries(Object.entries(texts).map(([name, hashes]) => [name, change(hashes)]));
}

export async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

const suffix = '.lingualoop.tmp';
const unfinishedName = /^(new|[0-9a-f]{12})(?:\.[0-9a-f]{8})?$/;
const nameOf = (content: Uint8Array | undefined) => (content ? sha256(content).slice(0, 12) : 'new');

/**
 * Writes a translation in three steps: under another name, into the lock file, and under its name. If the program is
 * killed in between, the next run finishes it: a translation that is not in the lock file would count as edited. The other
 * name has the hash of the replaced translation, so that an edit in the meantime is detected.
 * @throws Failed if the translation was edited during the run
 */
export async function writeTranslation(
  cwd: string,
  lock: LockFile,
  { output, existing }: Pick<Task, 'existing' | 'output'>,
  content: Uint8Array,
  enter: () => Promise<void>,
): Promise<void> {
  const path = join(cwd, output);
  await mkdir(dirname(path), { recursive: true });
  await requireInside(cwd, output);
  const current = await readIfThere(path);
  // Nobody can know this name before, and so put a link there.
  const unfinished = `${path}.${nameOf(current)}.${randomBytes(4).toString('hex')}${suffix}`;
  // Another run at the same time may have written the translation.
  const isOurs = async () => current !== undefined && (await lock.hasWritten(output, sha256(current)));
  if (nameOf(current) !== nameOf(existing) && !(await isOurs()))
    throw new Failed(`${output} was changed during the run, and is kept; run the command again`);
  try {
    await writeFile(unfinished, content, { flag: 'wx' });
    await enter();
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  // If this fails, the next run does it: the lock file has the translation.
  await rename(unfinished, path);
}

/**
 * Finishes or removes what a killed run has left. Files of a run that still lives stay. If it has already written the lock
 * file, it needs a moment.
 * @throws Failed if the translation was edited since
 */
async function finishWriting(path: string, known: Written | undefined): Promise<void> {
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const isOwn = name.startsWith(`${basename(path)}.`) && name.endsWith(suffix);
    const [, replaced] =
      (isOwn && unfinishedName.exec(name.slice(basename(path).length + 1, -suffix.length))) || [];
    if (replaced === undefined) continue;
    const unfinished = join(dirname(path), name);
    const file = await lstat(unfinished).catch(() => undefined);
    if (!file || file.isDirectory()) continue;
    if (!file.isFile()) {
      await unlink(unfinished);
      continue;
    }
    const content = await readIfThere(unfinished);
    if (!content) continue;
    const isEntered = sha256(content) === known?.target;
    const age = Date.now() - file.mtimeMs;
    if (age < abandoned) {
      if (!isEntered) continue;
      await delay(abandoned - Math.max(age, 0));
      if (!(await readIfThere(unfinished))) continue;
    }
    if (!isEntered) await rm(unfinished, { force: true });
    else if (replaced === nameOf(await readIfThere(path))) await rename(unfinished, path);
    else
      throw new Failed(
        `${known!.output} was changed after an interrupted run, whose result is ${name}; take over what you need, and delete that file`,
      );
  }
}
