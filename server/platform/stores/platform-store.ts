import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, SettingsError } from '#server/settings.ts';
import type { PlatformStore } from './blob-store.ts';
import { openDataLake } from './data-lake.ts';
import { parsePlatformLake } from './data-lake-address.ts';
import { openFolder } from './folder-store.ts';

/** The providers, by the protocols of PLATFORM_STORAGE_URL. */
const providers = {
  'file:': (url) => openFolder(fileURLToPath(url)),
  'https:': openPlatformLake,
} satisfies Record<'file:' | 'https:', (url: string, settings: Settings) => PlatformStore>;

/**
 * Opens the platform's store: the folder or Data Lake filesystem of PLATFORM_STORAGE_URL, or `storage` under
 * DATA_DIR.
 *
 * @throws {SettingsError} for any other URL
 */
export function openPlatformStore(settings: Settings): PlatformStore {
  const { PLATFORM_STORAGE_URL: url, DATA_DIR } = settings;
  if (url === undefined) return openFolder(join(DATA_DIR, 'storage'));
  return providers[new URL(url).protocol as keyof typeof providers](url, settings);
}

/**
 * A lake keeps every accepted write, so nothing is doubtful after a power cut, and no write leaves remains under
 * other names.
 */
function openPlatformLake(
  url: string,
  { STORAGE_ENDPOINT_OVERRIDE, STORAGE_PRINCIPAL_CLIENT_ID }: Settings,
): PlatformStore {
  const lake = parsePlatformLake(url);
  if ('problem' in lake) throw new SettingsError(`PLATFORM_STORAGE_URL: ${lake.problem}`);
  const store = openDataLake(lake.address, lake.credential, {
    folder: lake.folder,
    endpointOverride: STORAGE_ENDPOINT_OVERRIDE,
    principalClientId: STORAGE_PRINCIPAL_CLIENT_ID,
  });
  return {
    ...store,
    async put(path, content, announced) {
      if (announced) await store.appendLine(announced.path, announced.line);
      await store.put(path, content);
    },
    doubtfulSince: async () => null,
    settleDoubt: async () => {},
    tidy: async () => {},
    // One request, which needs the account, the filesystem and the permission to read.
    check: async () => void (await store.version('lingualoop-readiness')),
  };
}
