import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentTexts } from '../../../src/index.ts';
import { Failed } from '../command.ts';

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
  /** Set if the translation was edited as a whole, so that a changed source does not replace it. */
  edited?: true;
}

/**
 * The file that remembers which sources are translated. It belongs into version control, so that CI translates only what
 * has changed. Its keys are sorted, and it has no times, so that branches can be merged.
 */
export interface LockFile {
  of(source: string, lang: string): Written | undefined;
  /** The paths of all translations that were written. */
  outputs(): Set<string>;
  /** Sources in the file that are not in the list. */
  others(sources: readonly string[]): string[];
  /** Stores a translation. The file is written at once, so that the next run continues after an interruption. */
  set(source: string, lang: string, written: Written): Promise<void>;
}

export const lockName = 'lingualoop.lock.json';

type Content = Record<string, Record<string, Written>>;

/** @throws Failed if the file is damaged */
export async function openLockFile(folder: string): Promise<LockFile> {
  const path = join(folder, lockName);
  const content = await readContent(path);
  const own: [source: string, lang: string, written: Written][] = [];
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    const next = `${path}.tmp`;
    const file = await claim(next);
    try {
      // Another run in the folder may have written since.
      const current = await readContent(path);
      for (const [source, lang, written] of own) current[source] = { ...current[source], [lang]: written };
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
  return {
    of: (source, lang) => content[source]?.[lang],
    outputs: () =>
      new Set(Object.values(content).flatMap((langs) => Object.values(langs).map(({ output }) => output))),
    others: (sources) => Object.keys(content).filter((source) => !sources.includes(source)),
    set(source, lang, written) {
      content[source] = { ...content[source], [lang]: written };
      own.push([source, lang, written]);
      // Files end at the same time; one write after another, so that the last one has everything.
      writing = writing.then(write, write);
      return writing;
    },
  };
}

/** Milliseconds after which the temporary file of a run is that of a killed one. A run needs it for a few milliseconds. */
const abandoned = 10_000;

/** Creates the temporary file. While it exists, other runs write nothing. */
async function claim(path: string): Promise<FileHandle> {
  for (;;)
    try {
      return await open(path, 'wx');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const { mtimeMs = Date.now() } = (await stat(path).catch(() => undefined)) ?? {};
      if (Date.now() - mtimeMs > abandoned) await rm(path, { force: true });
      else await delay(10);
    }
}

async function readContent(path: string): Promise<Content> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    const { version, files } = JSON.parse(text) as { version: unknown; files: Content };
    if (version === 1 && typeof files === 'object' && files !== null) return files;
  } catch {}
  throw new Failed(`${lockName} is damaged, for example by a merge; restore or delete it`);
}

const byKey = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

export function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
