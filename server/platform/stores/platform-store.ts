import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Settings, SettingsError } from '#server/settings.ts';
import type { BlobStore, PlatformStore } from './blob-store.ts';
import { openDataLake } from './data-lake.ts';
import { parsePlatformLake } from './data-lake-address.ts';
import { decodeRecord, encodeRemoved, type PackedRecord, parseRecordPath } from './folder/pack-format.ts';
import { openFolder } from './folder-store.ts';

/** The functions that open a store, by the protocol of PLATFORM_STORAGE_URL. */
const providers = {
  'file:': (url) => openFolder(fileURLToPath(url)),
  'https:': openPlatformLake,
} satisfies Record<'file:' | 'https:', (url: string, settings: Settings) => PlatformStore>;

/**
 * Opens platform storage: the folder or the Data Lake filesystem in PLATFORM_STORAGE_URL or, without one, the folder
 * `storage` in DATA_DIR.
 * @throws {SettingsError} for any other URL
 */
export function openPlatformStore(settings: Settings): PlatformStore {
  const { PLATFORM_STORAGE_URL: url, DATA_DIR } = settings;
  if (url === undefined) return openFolder(join(DATA_DIR, 'storage'));
  return providers[new URL(url).protocol as keyof typeof providers](url, settings);
}

/**
 * Opens a Data Lake for the platform. A Data Lake keeps every accepted write, so no object is doubtful after a power
 * failure, and interrupted writes leave nothing under other names.
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
    ...withPacks(store),
    // A Data Lake does not limit the entries of a folder, so each record is a separate object.
    async putRecord({ folder, name, content, announced }) {
      const path = `${name.slice(0, 6)}/${name}`;
      await store.appendLine(announced.path, announced.line.replace('{record}', path));
      await store.put(`${folder}/${path}`, content);
      return path;
    },
    walkFiles: store.walk,
    doubtfulSince: async () => null,
    settleDoubt: async () => {},
    tidy: async () => {},
    // A single request that succeeds only if account, filesystem and the permission to read exist.
    check: async () => void (await store.version('lingualoop-readiness')),
    space: async () => null,
  };
}

/**
 * Makes the records in packs accessible that a backup of a folder has brought to another store. Each removal writes the
 * whole pack again.
 */
function withPacks(store: BlobStore): Pick<BlobStore, 'read' | 'remove' | 'stream'> {
  const memberOf = async ({ pack, offset, length, name }: PackedRecord) => {
    const bytes = await store.read(pack, offset, length);
    return bytes && decodeRecord(Buffer.from(bytes), name);
  };
  return {
    async read(path, from, max) {
      const record = parseRecordPath(path);
      if (!record) return store.read(path, from, max);
      return (await memberOf(record))?.subarray(from, from + max) ?? null;
    },
    async stream(path, version) {
      const record = parseRecordPath(path);
      if (!record) return store.stream(path, version);
      const content = await memberOf(record);
      return content && Readable.from([content]);
    },
    async remove(path) {
      const record = parseRecordPath(path);
      if (!record) return store.remove(path);
      if (!(await memberOf(record))) return false;
      const pieces: Uint8Array[] = [];
      for await (const piece of (await store.stream(record.pack)) ?? []) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      encodeRemoved(record.length).copy(bytes, record.offset);
      await store.put(record.pack, bytes);
      return true;
    },
  };
}
