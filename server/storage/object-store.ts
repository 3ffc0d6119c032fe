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
  /** Answers whether there was anything to remove. */
  remove(path: string): Promise<boolean>;
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
