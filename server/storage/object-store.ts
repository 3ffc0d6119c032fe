import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, SettingsError } from '#server/settings.ts';
import { openFolder } from './folder.ts';

/**
 * Where published records and files rest. Paths are relative, with `/` between their parts: what is a tenant's
 * begins with its id.
 */
export interface ObjectStore {
  /** Writes a whole object, or nothing of it; replaces what stood there. */
  put(path: string, bytes: Uint8Array | string): Promise<void>;
  /** Adds a line to a text object, and makes the object if it is not there. */
  appendLine(path: string, line: string): Promise<void>;
  /** Reads up to `most` bytes of an object, from the byte `from` on; null where there is no such object. */
  read(path: string, from: number, most: number): Promise<Uint8Array | null>;
  /** The names of the objects in a folder, without those in folders below it. */
  list(folder: string): Promise<string[]>;
  /** Answers whether there was anything to remove. */
  remove(path: string): Promise<boolean>;
  /**
   * Since when objects that were put may be missing or damaged, because the system under the store ended without a word (a power cut);
   * null where every object is as it was put.
   */
  doubtfulSince(): Promise<Date | null>;
  /** Says that what was doubtful has been looked through, and put again where it had to be. */
  settleDoubt(): Promise<void>;
  /** Removes what broken-off writes have left. */
  tidy(): Promise<void>;
}

/**
 * The platform's own store: the folder of PLATFORM_STORAGE_URL, or `storage` under DATA_DIR.
 * @throws SettingsError for an address that is no folder
 */
export function openObjectStore({ PLATFORM_STORAGE_URL: url, DATA_DIR }: Settings): ObjectStore {
  if (url === undefined) return openFolder(join(DATA_DIR, 'storage'));
  if (new URL(url).protocol !== 'file:')
    throw new SettingsError('PLATFORM_STORAGE_URL: only file: addresses are supported so far');
  return openFolder(fileURLToPath(url));
}
