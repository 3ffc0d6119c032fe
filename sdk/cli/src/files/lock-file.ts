import { createHash } from 'node:crypto';
import { type FileHandle, lstat, open, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentTexts } from '../../../src/index.ts';
import { Failed } from '../command.ts';
import { printable } from '../io.ts';

/** A translation that was written. */
export interface Written {
  /** SHA-256 of the source file, and of the options that affect its translation. */
  source: string;
  /** The path of the translation. */
  output: string;
  /** SHA-256 of the translation, to detect changes by hand. */
  target: string;
  /** The document job. Of a changed source, only the texts are billed that this document does not have. */
  document?: string;
  /** Hash of the options that affect the translation. */
  options?: string;
  /** Hashes of the texts of source and translation, by key. Absent for a format that is translated as a whole. */
  texts?: DocumentTexts;
  /** The text jobs of a text file, by paragraph. */
  jobs?: string[];
  /** Set if the translation was edited as a whole, so that a changed source does not replace it. */
  edited?: true;
  /** Set if texts were edited by hand and their sources have changed since, until a person confirms the translation. */
  stale?: true;
}

/**
 * The file that remembers which sources are translated. It belongs into version control, so that CI translates only what
 * has changed. Its keys are sorted, and it has no times, so that branches can be merged.
 */
export interface LockFile {
  /** Whether the folder has a lock file. */
  exists: boolean;
  of(source: string, lang: string): Written | undefined;
  /** Returns the entry with a translation, perhaps that of a source that was renamed since. */
  withOutput(output: string, lang: string): Written | undefined;
  /** Returns the translations that were made of this source and options, perhaps at a path that no longer exists. */
  ofContent(sourceKey: string, lang: string): { source: string; written: Written }[];
  /** Whether a run, perhaps another one, has written this content to this path. Reads the file again. */
  hasWritten(output: string, target: string): Promise<boolean>;
  /** The paths of all translations that were written. */
  outputs(): Set<string>;
  /** Sources in the file that are not in the list. */
  others(sources: readonly string[]): string[];
  /** Stores a translation. The file is written at once, so that the next run continues after an interruption. */
  set(source: string, lang: string, written: Written): Promise<void>;
  /** Removes a translation of a source. */
  remove(source: string, lang: string): Promise<void>;
  /** Returns the translations of a source, by language. */
  languagesOf(source: string): [lang: string, written: Written][];
}

export const lockName = 'lingualoop.lock.json';

/** A change: a translation that was stored, or undefined for one that was removed. */
type Entry = readonly [source: string, lang: string, written: Written | undefined];
type Content = Record<string, Record<string, Written>>;

/** @throws Failed if the file is damaged */
export async function openLockFile(folder: string): Promise<LockFile> {
  const path = join(folder, lockName);
  const found = await readContent(path);
  const content = found ?? {};
  const own: Entry[] = [];
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    const next = `${path}.tmp`;
    const file = await claim(next);
    try {
      // Another run in the folder may have written since.
      const current = (await readContent(path)) ?? {};
      enter(current, own);
      const sorted = Object.fromEntries(
        Object.entries(current)
          .sort(byKey)
          .map(([source, langs]) => [source, Object.fromEntries(Object.entries(langs).sort(byKey))]),
      );
      await file.writeFile(`${JSON.stringify({ version: 1, files: sorted }, null, 2)}\n`);
      await file.close();
      await rename(next, path);
    } catch (error) {
      await file.close();
      await rm(next, { force: true });
      throw error;
    }
  };
  const change = (entry: Entry) => {
    enter(content, [entry]);
    own.push(entry);
    // Files end at the same time; one write after another, so that the last one has everything.
    writing = writing.then(write, write);
    return writing;
  };
  return {
    exists: found !== undefined,
    of: (source, lang) => content[source]?.[lang],
    withOutput: (output, lang) =>
      Object.values(content)
        .map((langs) => langs[lang])
        .find((written) => written?.output === output),
    outputs: () =>
      new Set(Object.values(content).flatMap((langs) => Object.values(langs).map(({ output }) => output))),
    others: (sources) => Object.keys(content).filter((source) => !sources.includes(source)),
    ofContent: (sourceKey, lang) =>
      Object.entries(content).flatMap(([source, { [lang]: written }]) =>
        written?.source === sourceKey ? [{ source, written }] : [],
      ),
    hasWritten: async (output, target) =>
      Object.values((await readContent(path)) ?? {}).some((langs) =>
        Object.values(langs).some((one) => one.output === output && one.target === target),
      ),
    languagesOf: (source) => Object.entries(content[source] ?? {}),
    set: (source, lang, written) => change([source, lang, written]),
    remove: (source, lang) => change([source, lang, undefined]),
  };
}

/** Milliseconds after which the temporary file of a run is that of a killed one. A run needs it for a few milliseconds. */
export const abandoned = 10_000;

/** The time that other runs have to end, in milliseconds. */
const patience = 60_000;

/** Creates the temporary file. While it exists, other runs write nothing. @throws Failed if it stays */
async function claim(path: string): Promise<FileHandle> {
  const end = Date.now() + patience;
  for (;;)
    try {
      return await open(path, 'wx');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Not `stat`: a link of the repository may lead anywhere.
      const file = await lstat(path).catch(() => undefined);
      if (!file) continue;
      const isOurs = file.isFile() && Date.now() - file.mtimeMs <= abandoned;
      if (file.isDirectory() || Date.now() > end)
        throw new Failed(`${lockName}.tmp prevents writing ${lockName}; if no other run uses it, remove it`);
      if (isOurs) await delay(10);
      else await unlink(path).catch(() => {});
    }
}

/** Makes changes in their order. Entries of sources that were renamed go. */
function enter(content: Content, changes: readonly Entry[]): void {
  const outputs = new Map(
    changes.flatMap(([source, lang, written]) => (written ? [[written.output, { source, lang }]] : [])),
  );
  for (const [source, lang, written] of changes)
    if (written) content[source] = { ...content[source], [lang]: written };
    else delete content[source]?.[lang];
  for (const [source, langs] of Object.entries(content)) {
    for (const [lang, { output }] of Object.entries(langs)) {
      const owner = outputs.get(output);
      if (owner && (owner.source !== source || owner.lang !== lang)) delete langs[lang];
    }
    if (Object.keys(langs).length === 0) delete content[source];
  }
}

/** Returns undefined without a lock file. @throws Failed that names the damaged entry */
async function readContent(path: string): Promise<Content | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged('');
  }
  if (!isObject(value) || value['version'] !== 1 || !isObject(value['files'])) throw damaged('');
  // Without a prototype, a source may have any name.
  const content: Content = Object.assign(Object.create(null), value['files']);
  for (const [source, langs] of Object.entries(content)) {
    if (!isObject(langs)) throw damaged(source);
    for (const [lang, written] of Object.entries(langs))
      if (!isWritten(written)) throw damaged(`${source} → ${lang}`);
  }
  return content;
}

function damaged(entry: string): Failed {
  const place = entry === '' ? '' : ` at ${printable(entry).slice(0, 200)}`;
  const what = entry === '' ? 'delete it' : 'remove this entry';
  return new Failed(
    `${lockName} is damaged${place}, for example by a merge; restore it, or ${what}: then all texts of its translations count as edited and stay, until --force translates them again`,
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown) => typeof value === 'string';
const isTextIfGiven = (value: unknown) => value === undefined || isText(value);
const hashes = /^[0-9a-f]{16} [0-9a-f]{16}(?: edited)?$/;

function isWritten(value: unknown): value is Written {
  if (!isObject(value)) return false;
  const { source, output, target, document, options, texts = [], jobs = [], edited, stale } = value;
  return (
    [source, output, target].every(isText) &&
    [document, options].every(isTextIfGiven) &&
    typeof texts === 'object' &&
    texts !== null &&
    Object.values(texts).every((one) => typeof one === 'string' && hashes.test(one)) &&
    Array.isArray(jobs) &&
    jobs.every(isText) &&
    [edited, stale].every((one) => one === undefined || one === true)
  );
}

const byKey = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

export function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
