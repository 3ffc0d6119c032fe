import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { messageFor, readMessage } from './message.ts';

/** A message to translate: the language lacks it, or its English text has changed since it was translated. */
export interface Wanted {
  /** The ID of the message: its area and key, such as `review.title`. */
  id: string;
  locale: string;
  english: string;
  /** The text that is sent to the service: the English text, with the plural forms of the target language. */
  sent: string;
}

/**
 * For each message ID, a hash of the English text and a hash of its translation, stored in `lock/<locale>.json`. If
 * both texts have changed since, a person has updated the translation, so the message is not translated again.
 */
type Lock = Record<string, string>;

/** The messages of a language, by area and then by key. */
type Areas = Map<string, Record<string, string>>;

/** Thrown if a catalog is invalid. The message names the file. */
export class CatalogError extends Error {
  override name = 'CatalogError';
}

/** The catalogs of the interface, in a directory with a subdirectory for each language. */
export interface Catalogs {
  /** The messages to translate, ordered by language, area and key. */
  wanted(locales: readonly string[]): Wanted[];
  /**
   * Records in the lock that existing translations match the current English text. Used for translations that a person
   * has written or changed.
   * @param all also records translations whose English text has changed, if that change needs no new translation
   */
  adopt(locales: readonly string[], all: boolean): Promise<void>;
  /** Stores a translation. When the promise resolves, the file is written completely. */
  store(message: Wanted, translation: string): Promise<void>;
  /** The path of the file that contains a message, for output to the user. */
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
  /** Writes run one after the other: concurrent writes to the same file would lose messages. */
  let writing: Promise<unknown> = Promise.resolve();

  function lockOf(locale: string): string {
    return join(folder, 'lock', `${locale}.json`);
  }
  const textOf = (locale: string, area: string, key: string) => translated.get(locale)?.get(area)?.[key];
  const messages = () =>
    [...english].flatMap(([area, texts]) =>
      Object.entries(texts).map(([key, text]) => ({ id: `${area}.${key}`, area, key, text })),
    );
  /** Writes the lock of a language. Messages that no longer exist are removed. */
  const writeLock = (locale: string) => {
    const lock = locks.get(locale) ?? {};
    const entries = messages().flatMap(({ id }) => (lock[id] ? [[id, lock[id]]] : []));
    return writeJson(lockOf(locale), part, Object.fromEntries(entries));
  };

  /** Whether the English text has changed since the translation, and the translation itself has not. */
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
        // In the order of the English file. Messages that were removed there stay at the end, to be deleted by hand.
        const order = Object.keys({ ...english.get(area), ...texts }).filter((name) => name in texts);
        await writeJson(
          join(folder, locale, `${area}.json`),
          part,
          Object.fromEntries(order.map((name) => [name, texts[name]])),
        );
        // The lock is written after the file. After a crash between the two, the translation counts as written by a
        // person.
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

/** Splits at the first dot, because the name of an area contains no dot. */
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
        throw new CatalogError(
          `${join(folder, 'en', `${area}.json`)}: ${key} is not a valid ICU message: ${why}`,
        );
      }
}

async function readAreas(folder: string, locale: string): Promise<Areas> {
  const names = await readdir(join(folder, locale)).catch(() => [] as string[]);
  if (locale === 'en' && names.length === 0)
    throw new CatalogError(`${join(folder, locale)} has no catalog files`);
  const areas: Areas = new Map();
  for (const name of names.filter((one) => one.endsWith('.json')).sort())
    areas.set(basename(name, '.json'), await readJson(join(folder, locale, name), false));
  return areas;
}

/** Reads a JSON file with texts by key. */
async function readJson(path: string, mayLack: boolean): Promise<Record<string, string>> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    const isTexts =
      typeof content === 'object' &&
      content !== null &&
      Object.values(content).every((text) => typeof text === 'string');
    if (!isTexts) throw new Error('it must be a JSON object whose values are strings');
    return content as Record<string, string>;
  } catch (error) {
    if (mayLack && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CatalogError(`${path}: ${(error as Error).message}`);
  }
}

/**
 * Writes a file atomically, through a temporary file.
 * @param part the temporary file, which must be in another directory, because the build would use it as a catalog
 */
async function writeJson(path: string, part: string, content: Record<string, unknown>): Promise<void> {
  for (const file of [path, part]) await mkdir(dirname(file), { recursive: true });
  await writeFile(part, `${JSON.stringify(content, null, 2)}\n`);
  await rename(part, path);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
