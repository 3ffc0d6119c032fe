import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { messageFor, readMessage } from './message.ts';

/** A message that a language lacks, or whose English has changed since it was translated. */
export interface Wanted {
  /** `review.title`: its area and its key. */
  id: string;
  locale: string;
  english: string;
  /** The text to send: the English with the plural forms of the language. */
  sent: string;
}

/**
 * A hash of the English and of the translation, by message ID, in `lock/<locale>.json`. If both differ, someone changed the
 * English and the translation together, so the message is not translated again.
 */
type Lock = Record<string, string>;

/** The messages of a language, by area and key. */
type Areas = Map<string, Record<string, string>>;

/** A catalog is invalid; the message names the file. */
export class CatalogError extends Error {
  override name = 'CatalogError';
}

/** The catalogs of the interface, in a directory with one subdirectory for each language. */
export interface Catalogs {
  /** The messages to translate, in the order of languages, areas and keys. */
  wanted(locales: readonly string[]): Wanted[];
  /**
   * Records the English of existing translations that are not wanted, because they were written or changed by hand.
   * @param all also those whose English has changed since: the change needs no new translation
   */
  adopt(locales: readonly string[], all: boolean): Promise<void>;
  /** Stores a translation: when this returns, it is in its file completely. */
  store(message: Wanted, translation: string): Promise<void>;
  /** The file of a message, for messages to the user. */
  fileOf(message: Pick<Wanted, 'id' | 'locale'>): string;
}

/** @throws CatalogError */
export async function openCatalogs(folder: string, locales: readonly string[]): Promise<Catalogs> {
  const english = await readAreas(folder, 'en');
  requireMessages(folder, english);
  const translated = new Map<string, Areas>();
  const locks = new Map<string, Lock>();
  for (const locale of locales) {
    translated.set(locale, await readAreas(folder, locale));
    locks.set(locale, await readJson(lockOf(locale), true));
  }
  const part = join(folder, 'lock', 'writing.part');
  /** One after the other: concurrent writers of one file would lose each other's additions. */
  let writing: Promise<unknown> = Promise.resolve();

  function lockOf(locale: string): string {
    return join(folder, 'lock', `${locale}.json`);
  }
  const textOf = (locale: string, area: string, key: string) => translated.get(locale)?.get(area)?.[key];
  const messages = () =>
    [...english].flatMap(([area, texts]) =>
      Object.entries(texts).map(([key, text]) => ({ id: `${area}.${key}`, area, key, text })),
    );
  /** The lock of a language, without removed messages. */
  const writeLock = (locale: string) => {
    const lock = locks.get(locale) ?? {};
    const entries = messages().flatMap(({ id }) => (lock[id] ? [[id, lock[id]]] : []));
    return writeJson(lockOf(locale), part, Object.fromEntries(entries));
  };

  /** Whether the English of a translation has changed, but the translation has not. */
  const isOutdated = (locale: string, id: string, text: string, translation: string) => {
    const [of, as] = locks.get(locale)?.[id]?.split(' ') ?? [];
    return of !== undefined && of !== hashOf(text) && as === hashOf(translation);
  };

  return {
    wanted(of) {
      return of.flatMap((locale) =>
        messages().flatMap(({ id, area, key, text }) => {
          const translation = textOf(locale, area, key);
          if (translation !== undefined && !isOutdated(locale, id, text, translation)) return [];
          return [{ id, locale, english: text, sent: messageFor(text, locale) }];
        }),
      );
    },
    async adopt(of, all) {
      for (const locale of of) {
        const lock = { ...locks.get(locale) };
        for (const { id, area, key, text } of messages()) {
          const translation = textOf(locale, area, key);
          if (translation === undefined) delete lock[id];
          else if (all || !isOutdated(locale, id, text, translation))
            lock[id] = `${hashOf(text)} ${hashOf(translation)}`;
        }
        locks.set(locale, lock);
        await writeLock(locale);
      }
    },
    store({ id, locale, english: text }, translation) {
      const [area, key] = splitId(id);
      const write = async () => {
        const texts = { ...translated.get(locale)?.get(area), [key]: translation };
        translated.get(locale)?.set(area, texts);
        // In the order of the English file; removed keys stay at the end, to be deleted by hand.
        const order = Object.keys({ ...english.get(area), ...texts }).filter((name) => name in texts);
        await writeJson(
          join(folder, locale, `${area}.json`),
          part,
          Object.fromEntries(order.map((name) => [name, texts[name]])),
        );
        // Written after the file: after a crash between the two, the translation counts as written by hand.
        locks.set(locale, { ...locks.get(locale), [id]: `${hashOf(text)} ${hashOf(translation)}` });
        await writeLock(locale);
      };
      const written = writing.then(write);
      writing = written.catch(() => {});
      return written;
    },
    fileOf: ({ id, locale }) => relative(process.cwd(), join(folder, locale, `${splitId(id)[0]}.json`)),
  };
}

/** An area's name has no dot. */
function splitId(id: string): [area: string, key: string] {
  const at = id.indexOf('.');
  return [id.slice(0, at), id.slice(at + 1)];
}

function requireMessages(folder: string, english: Areas): void {
  for (const [area, texts] of english)
    for (const [key, text] of Object.entries(texts))
      try {
        readMessage(text);
      } catch (error) {
        const [why] = (error as Error).message.split('\n');
        throw new CatalogError(`${join(folder, 'en', `${area}.json`)}: ${key} is no ICU message: ${why}`);
      }
}

async function readAreas(folder: string, locale: string): Promise<Areas> {
  const names = await readdir(join(folder, locale)).catch(() => [] as string[]);
  if (locale === 'en' && names.length === 0) throw new CatalogError(`${join(folder, locale)} has no catalog`);
  const areas: Areas = new Map();
  for (const name of names.filter((one) => one.endsWith('.json')).sort())
    areas.set(basename(name, '.json'), await readJson(join(folder, locale, name), false));
  return areas;
}

/** Reads a file with texts by key. */
async function readJson(path: string, mayLack: boolean): Promise<Record<string, string>> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    const isTexts =
      typeof content === 'object' &&
      content !== null &&
      Object.values(content).every((text) => typeof text === 'string');
    if (!isTexts) throw new Error('it must be an object of texts');
    return content as Record<string, string>;
  } catch (error) {
    if (mayLack && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CatalogError(`${path}: ${(error as Error).message}`);
  }
}

/**
 * Writes a file atomically.
 * @param part the temporary file: in another directory, because the build would use it as a catalog
 */
async function writeJson(path: string, part: string, content: Record<string, unknown>): Promise<void> {
  for (const file of [path, part]) await mkdir(dirname(file), { recursive: true });
  await writeFile(part, `${JSON.stringify(content, null, 2)}\n`);
  await rename(part, path);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
