import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, SettingsError } from '#server/settings.ts';
import type { PlatformStore } from './blob-store.ts';
import { openFolder } from './folder-store.ts';

/**
 * Opens the platform's store: the folder of PLATFORM_STORAGE_URL, or `storage` under DATA_DIR.
 *
 * @throws {SettingsError} for an address that is not a folder
 */
export function openPlatformStore({ PLATFORM_STORAGE_URL: url, DATA_DIR }: Settings): PlatformStore {
  if (url === undefined) return openFolder(join(DATA_DIR, 'storage'));
  if (new URL(url).protocol !== 'file:')
    throw new SettingsError('PLATFORM_STORAGE_URL: only file: addresses are supported so far');
  return openFolder(fileURLToPath(url));
}
