import type { PlatformStore } from '#server/storage/blob-store.ts';
import { Refusal } from './refusal.ts';

/** It is there while a restore is at work, and where one was interrupted. Its content says into which database. */
const marker = 'golden/restore.unfinished';

/** The platform's storage while a backup is restored into it: empty, but for what an interrupted restore into the same database has left. */
export class RestoredStorage {
  readonly #storage: PlatformStore;
  readonly #home: string;
  readonly #setting: string;

  /**
   * @param home names the database without a secret
   * @param setting the variable that names the storage
   */
  constructor(storage: PlatformStore, home: string, setting: string) {
    this.#storage = storage;
    this.#home = home;
    this.#setting = setting;
  }

  /** @throws Refusal if anybody else has an object in it */
  async refuseUsed(): Promise<void> {
    const used = await this.#firstPath();
    if (used === undefined || (await this.#interruptedHome()) === this.#home) return;
    throw new Refusal(
      `${this.#setting}: the storage is not empty (it has ${used}), and nothing in it is overwritten`,
    );
  }

  /** Call it when the database is known to be empty, and to nobody else's use. */
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

  /** From now on, the objects are those of a service. */
  async complete(): Promise<void> {
    await this.#storage.remove(marker);
  }

  /** The marker goes last, so that this can be repeated. */
  async removeAll(): Promise<void> {
    for (const top of await this.#storage.listTop())
      for await (const path of this.#storage.walk(top)) if (path !== marker) await this.#storage.remove(path);
    await this.#storage.remove(marker);
  }

  /** A folder without objects counts as nothing. */
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
