import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import type { Settings } from '#server/settings.ts';
import { identityPath } from '#server/storage/store-identity.ts';
import { Refusal } from '../refusal.ts';

/**
 * The path of an object that exists during a restore and after an interrupted one. Its content identifies the
 * database.
 */
const marker = 'golden/restore.unfinished';

/**
 * Platform storage during a restore. It must be empty, except for what an interrupted restore into the same database
 * has left.
 */
export class RestoredStorage {
  readonly #storage: PlatformStore;
  /** Identifies the database, without secrets. */
  readonly #home: string;
  /** The name of the setting for the storage, for messages. */
  readonly #setting: string;

  /** @param folder the folder that contains the storage, unless PLATFORM_STORAGE_URL is set */
  constructor(settings: Settings, folder = settings.DATA_DIR) {
    const { DATABASE_URL, DATA_DIR, PLATFORM_STORAGE_URL } = settings;
    const { host, pathname } = new URL(DATABASE_URL ?? pathToFileURL(resolve(DATA_DIR)));
    this.#storage = openPlatformStore({ ...settings, DATA_DIR: folder });
    this.#home = `${host}${pathname}`;
    this.#setting = PLATFORM_STORAGE_URL === undefined ? 'DATA_DIR' : 'PLATFORM_STORAGE_URL';
  }

  /** @throws Refusal if the storage has objects that are not from a restore into the same database */
  async refuseUsed(): Promise<void> {
    const used = await this.#firstPath();
    if (used === undefined || (await this.#interruptedHome()) === this.#home) return;
    throw new Refusal(`${this.#setting}: the storage is not empty (it has ${used}) and would be overwritten`);
  }

  /**
   * Marks the storage as being restored. Call it when it is certain that the database is empty and that no one else
   * uses it.
   */
  async begin(): Promise<void> {
    await this.refuseUsed();
    await this.removeAll();
    await this.#storage.put(marker, this.#home);
  }

  put(path: string, content: Uint8Array): Promise<void> {
    return this.#storage.put(path, content);
  }

  /** Ends the restore: from now on, the objects belong to a service. */
  async complete(): Promise<void> {
    await this.#storage.remove(marker);
  }

  /**
   * Ends an earlier restore into this database that was interrupted before `complete`. Call it when a service uses
   * the database.
   */
  async completeOwn(): Promise<void> {
    if ((await this.#interruptedHome()) === this.#home) await this.complete();
  }

  /** Removes all objects. The marker is removed last, so that the removal can be repeated if it is interrupted. */
  async removeAll(): Promise<void> {
    for (const top of await this.#storage.listFolders())
      for await (const path of this.#storage.walk(top)) if (path !== marker) await this.#storage.remove(path);
    await this.#storage.remove(marker);
  }

  /**
   * Returns the path of any object; undefined if the storage has no object. Folders without objects do not count, nor does
   * the ID that an earlier start has left.
   */
  async #firstPath(): Promise<string | undefined> {
    for (const top of await this.#storage.listFolders())
      for await (const path of this.#storage.walk(top)) if (path !== identityPath) return path;
    return undefined;
  }

  async #interruptedHome(): Promise<string | undefined> {
    const content = await this.#storage.read(marker, 0, 1000);
    return content ? Buffer.from(content).toString('utf8') : undefined;
  }
}
