import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import type { Settings } from '#server/settings.ts';
import { Refusal } from '../refusal.ts';

/** This object exists during a restore, and after an interrupted one. Its content names the database. */
const marker = 'golden/restore.unfinished';

/**
 * The platform's storage during a restore: empty, except for the remains of an interrupted restore into the same
 * database.
 */
export class RestoredStorage {
  readonly #storage: PlatformStore;
  /** The database's name, without a secret. */
  readonly #home: string;
  /** The variable that names the storage. */
  readonly #setting: string;

  /** @param folder holds the storage, unless it is elsewhere */
  constructor(settings: Settings, folder = settings.DATA_DIR) {
    const { DATABASE_URL, DATA_DIR, PLATFORM_STORAGE_URL } = settings;
    const { host, pathname } = new URL(DATABASE_URL ?? pathToFileURL(resolve(DATA_DIR)));
    this.#storage = openPlatformStore({ ...settings, DATA_DIR: folder });
    this.#home = `${host}${pathname}`;
    this.#setting = PLATFORM_STORAGE_URL === undefined ? 'DATA_DIR' : 'PLATFORM_STORAGE_URL';
  }

  /** @throws Refusal if the storage has other objects */
  async refuseUsed(): Promise<void> {
    const used = await this.#firstPath();
    if (used === undefined || (await this.#interruptedHome()) === this.#home) return;
    throw new Refusal(`${this.#setting}: the storage is not empty (it has ${used}) and would be overwritten`);
  }

  /** Call it when the database is known to be empty, and used by no one else. */
  async begin(): Promise<void> {
    await this.refuseUsed();
    await this.removeAll();
    await this.#storage.put(marker, this.#home);
  }

  put(path: string, content: Uint8Array): Promise<void> {
    return this.#storage.put(path, content);
  }

  appendLine(path: string, line: string): Promise<void> {
    return this.#storage.appendLine(path, line);
  }

  /** From now on, the objects belong to a service. */
  async complete(): Promise<void> {
    await this.#storage.remove(marker);
  }

  /** The same for a restore into this database that ended before it. Call it when a service uses the database. */
  async completeOwn(): Promise<void> {
    if ((await this.#interruptedHome()) === this.#home) await this.complete();
  }

  /** Removes the marker last, so that this can be repeated. */
  async removeAll(): Promise<void> {
    for (const top of await this.#storage.listTop())
      for await (const path of this.#storage.walk(top)) if (path !== marker) await this.#storage.remove(path);
    await this.#storage.remove(marker);
  }

  /** A folder without objects counts as empty. */
  async #firstPath(): Promise<string | undefined> {
    for (const top of await this.#storage.listTop())
      for await (const path of this.#storage.walk(top)) return path;
    return undefined;
  }

  async #interruptedHome(): Promise<string | undefined> {
    const content = await this.#storage.read(marker, 0, 1000);
    return content ? Buffer.from(content).toString('utf8') : undefined;
  }
}
