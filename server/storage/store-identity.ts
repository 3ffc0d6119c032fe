import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { storeIdentity } from '#db/schema/storage.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { type Settings, SettingsError } from '#server/settings.ts';

/*
 * Platform storage and the database have the same random ID (decision 128). So a process notices that it was started with
 * another storage than the other processes of its database, before it writes there.
 */

/** The path of the object that contains the ID. */
export const identityPath = 'golden/store-id';

/** The key of the advisory lock under which the ID is agreed on; any constant works. */
const identityLock = 4_715_038;

/** Whether the storage and the database have the same ID. `new`: neither has one yet. */
type StoreMatch = 'same' | 'new' | 'foreign';

type Storage = Pick<PlatformStore, 'read' | 'listFolders' | 'lastWritten' | 'put'>;
type StoreSettings = Pick<Settings, 'DATA_DIR' | 'PLATFORM_STORAGE_URL'>;

/**
 * Compares the IDs, and changes nothing.
 * @throws the error of the store or the database
 */
export async function matchStore(database: Database, storage: Storage): Promise<StoreMatch> {
  // One after the other: an open query would keep the pool from closing if the storage fails.
  const known = await database.inPlatform(selectId);
  const stored = await readId(storage);
  if (known !== undefined) return known === stored ? 'same' : 'foreign';
  return (await belongs(database, storage, stored)) ? 'new' : 'foreign';
}

/**
 * Whether the storage lacks the ID that the database has. A backup asks only this: before the first start of this version
 * there is no ID, and a damaged storage must be backed up, too.
 */
export async function isOtherStore(database: Database, storage: Storage): Promise<boolean> {
  // One after the other: an open query would keep the pool from closing if the storage fails.
  const known = await database.inPlatform(selectId);
  const stored = await readId(storage);
  return known !== undefined && known !== stored;
}

/**
 * Rejects a storage that belongs to another database. If neither has an ID yet, both get one.
 * @throws SettingsError that names the setting; the error of the store or the database
 */
export async function claimStore(
  database: Database,
  storage: Storage,
  settings: StoreSettings,
): Promise<void> {
  let match = await matchStore(database, storage);
  if (match === 'new') {
    await agree(database, storage);
    match = await matchStore(database, storage);
  }
  if (match !== 'same') throw foreignStore(settings);
}

/** Makes the storage the one of the database, whatever it contains: if the former one is lost or was moved without its ID. */
export async function adoptStore(database: Database, storage: Storage): Promise<void> {
  await database.inPlatform(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${identityLock})`);
    const known = await selectId(tx);
    const storeId = known ?? randomUUID();
    if (known === undefined) await tx.insert(storeIdentity).values({ storeId });
    await storage.put(identityPath, storeId);
  });
}

/** Returns the error for a storage that is not the one of the database. */
export function foreignStore({ DATA_DIR, PLATFORM_STORAGE_URL: url }: StoreSettings): SettingsError {
  const place = url === undefined ? `${DATA_DIR}/storage` : url.replace(/\?.*$/s, '');
  return new SettingsError(
    `${url === undefined ? 'DATA_DIR' : 'PLATFORM_STORAGE_URL'}: the storage at ${place} does not belong to this database; set PLATFORM_STORAGE_URL, or DATA_DIR on one host, to the storage that all processes of the database share (if it is lost, or was moved without its ID: npm run admin -- adopt-storage)`,
  );
}

/** The storage of a running process. */
interface GuardedStore {
  store: PlatformStore;
  /** @throws like `claimStore` */
  claim(): Promise<void>;
}

/**
 * Makes a storage accept objects only while it is known to belong to the database. Until its ID was read for the first
 * time, each write reads it. Afterwards `check` does: an unmounted network share leaves an empty folder in
 * its place.
 */
export function guardStore(
  database: Database,
  storage: PlatformStore,
  settings: StoreSettings,
): GuardedStore {
  let claimed: string | undefined;
  const claim = async () => {
    claimed = undefined;
    await claimStore(database, storage, settings);
    claimed = await readId(storage);
  };
  const whenClaimed =
    <A extends unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (claimed === undefined) await claim();
      return write(...given);
    };
  const store: PlatformStore = {
    ...storage,
    put: whenClaimed(storage.put),
    addLine: whenClaimed(storage.addLine),
    remove: whenClaimed(storage.remove),
    removeFolder: whenClaimed(storage.removeFolder),
    async check() {
      await storage.check();
      if (claimed === undefined || (await readId(storage)) !== claimed) await claim();
    },
  };
  return { store, claim };
}

/**
 * Gives database and storage the same ID. A storage that has one keeps it: a process may have died after it had written
 * the ID. The lock is held while the small object is written, so that of two processes with different storages one is
 * rejected.
 */
function agree(database: Database, storage: Storage): Promise<void> {
  return database.inPlatform(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${identityLock})`);
    if ((await selectId(tx)) !== undefined) return;
    const stored = await readId(storage);
    const storeId = stored ?? randomUUID();
    if (stored === undefined) await storage.put(identityPath, storeId);
    await tx.insert(storeIdentity).values({ storeId });
  });
}

async function selectId(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.select({ storeId: storeIdentity.storeId }).from(storeIdentity);
  return row?.storeId;
}

async function readId(storage: Storage): Promise<string | undefined> {
  const bytes = await storage.read(identityPath, 0, 100);
  return bytes ? Buffer.from(bytes).toString('utf8').trim() : undefined;
}

/**
 * Whether a storage plausibly belongs to a database without an ID, which is new, restored or from an earlier version: it
 * has some of the objects to which rows refer. If no row refers to one, the storage may have no ID of another database,
 * unless nothing but this ID is in it, which a start that was interrupted leaves.
 */
async function belongs(database: Database, storage: Storage, stored: string | undefined): Promise<boolean> {
  const paths = await database.inPlatform(selectSomeObjects);
  for (const path of paths) if (await storage.lastWritten(path)) return true;
  if (paths.length > 0) return false;
  return stored === undefined || (await storage.listFolders()).every((name) => name === 'golden');
}

/** Returns the paths of some objects: of each kind, the first and the last of some tenants. */
async function selectSomeObjects(tx: Tx): Promise<string[]> {
  const record = (order: string) => `select golden_uri as path from translation_jobs j
    where j.tenant_id = t.tenant_id and golden_uri not like 'https://%' order by job_id ${order} limit 1`;
  const file = (order: string) => `select coalesce(address, 'documents/' || document_id || '.' || artifact_id)
    from document_artifacts d where d.tenant_id = t.tenant_id and coalesce(address, '') not like 'https://%'
    order by document_id ${order}, artifact_id ${order} limit 1`;
  const kinds = [record, file].flatMap((kind) => [kind('asc'), kind('desc')]);
  const rows = await tx.execute<{ path: string }>(
    sql.raw(`select t.tenant_id || '/' || found.path as path from tenants t,
      lateral (${kinds.map((kind) => `(${kind})`).join(' union all ')}) found limit 40`),
  );
  return rows.map(({ path }) => path);
}
