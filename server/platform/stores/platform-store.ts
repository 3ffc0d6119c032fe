import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, SettingsError } from '#server/settings.ts';
import type { PlatformStore } from './blob-store.ts';
import { linesInParts } from './blob-store.ts';
import { openDataLake } from './data-lake.ts';
import { parsePlatformLake } from './data-lake-address.ts';
import { openFolder } from './folder-store.ts';
import { openS3, parseS3Url } from './s3-store.ts';

/** The functions that open a store, by the protocol of PLATFORM_STORAGE_URL. */
const providers = {
  'file:': (url) => openFolder(fileURLToPath(url)),
  'https:': openPlatformLake,
  's3:': openPlatformS3,
} satisfies Record<'file:' | 'https:' | 's3:', (url: string, settings: Settings) => PlatformStore>;

/**
 * Opens platform storage: the folder, the bucket or the Data Lake filesystem in PLATFORM_STORAGE_URL or, without one, the
 * folder `storage` in DATA_DIR.
 * @throws {SettingsError} for any other URL
 */
export function openPlatformStore(settings: Settings): PlatformStore {
  const { PLATFORM_STORAGE_URL: url, DATA_DIR } = settings;
  if (url === undefined) return openFolder(join(DATA_DIR, 'storage'));
  return providers[new URL(url).protocol as keyof typeof providers](url, settings);
}

function openPlatformS3(url: string): PlatformStore {
  const bucket = parseS3Url(url);
  if ('problem' in bucket) throw new SettingsError(`PLATFORM_STORAGE_URL: ${bucket.problem}`);
  return openS3(bucket);
}

/**
 * Opens a Data Lake for the platform. A Data Lake keeps every accepted write, and interrupted writes leave nothing under
 * other names.
 */
function openPlatformLake(
  url: string,
  { STORAGE_ENDPOINT_OVERRIDE, STORAGE_PRINCIPAL_CLIENT_ID }: Settings,
): PlatformStore {
  const lake = parsePlatformLake(url);
  if ('problem' in lake) throw new SettingsError(`PLATFORM_STORAGE_URL: ${lake.problem}`);
  const { appendLine: _, ...store } = openDataLake(lake.address, lake.credential, {
    folder: lake.folder,
    endpointOverride: STORAGE_ENDPOINT_OVERRIDE,
    principalClientId: STORAGE_PRINCIPAL_CLIENT_ID,
  });
  return {
    ...store,
    addLine: linesInParts(store.put),
    tidy: async () => {},
    // A single request that succeeds only if account, filesystem and the permission to read exist.
    check: async () => void (await store.version('lingualoop-readiness')),
    space: async () => null,
  };
}
