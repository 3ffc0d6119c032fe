import type { Table } from '#db/copy/contents.ts';
import { type Snapshot, withSnapshot } from '#db/copy/snapshot.ts';
import { afterStall } from '#db/progress.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { authenticate, idsOf } from './authentication.ts';
import { type BackupEnd, chainAfter } from './chain.ts';
import { formatVersion, type Header, names, tableName, tablePart } from './format.ts';
import { countLines, inWholeLines, ListCursor, readList } from './object-list.ts';
import { type Added, addObjects } from './stored-objects.ts';

/** The database, storage and key from which a backup is made. */
export interface Source {
  url: string;
  storage: PlatformStore;
  keys: SecretsKeys;
  /** The content of the key file in DATA_DIR; undefined if SECRETS_KEY is set. */
  keyFile: string | undefined;
  /** The version of the service that makes the backup. */
  service: string;
  /** The former backup of an incremental one. */
  since?: BackupEnd | undefined;
}

/** The numbers of rows and objects in a backup. */
export interface Taken extends Added {
  rows: number;
  tables: number;
  accounts: Header['accounts'];
  bytes: number;
}

/**
 * Writes a backup during normal operation: the rows in one consistent snapshot, then their objects in the platform's
 * storage. The service writes an object before its row, so all objects of the snapshot's rows exist unless they have
 * been removed since.
 * @param stop ends the backup; the file is then removed, unless it was already complete
 */
export async function takeBackup(source: Source, file: string, stop: AbortSignal): Promise<Taken> {
  const archive = await ArchiveWriter.open(file);
  let writing: Promise<Taken> | undefined;
  const write = (snapshot: Snapshot) => {
    writing = writeBackup(archive, source, snapshot, stop);
    return writing;
  };
  try {
    return await withSnapshot(source.url, 'lingualoop backup', write, stop);
  } catch (error) {
    // After a stop, do not wait for the current write. Only if the file is about to get its final name, wait: the
    // backup is then complete.
    return await afterStall(error, async () => {
      const taken = await writing?.catch(() => undefined);
      if (taken) return taken;
      await archive.discard();
      throw error;
    });
  }
}

/** Writes all parts of a backup, and gives the file its final name. */
export async function writeBackup(
  archive: ArchiveWriter,
  source: Source,
  snapshot: Snapshot,
  stop: AbortSignal,
): Promise<Taken> {
  const accounts = await listAccounts(snapshot);
  await archive.add(names.header, JSON.stringify(headerOf(source, snapshot, accounts)));
  if (source.keyFile !== undefined) await archive.add(names.key, source.keyFile);
  const rows: Record<string, number> = {};
  for (const table of snapshot.tables)
    rows[tableName(table)] = await addTable(archive, snapshot, table, stop);
  await archive.add(names.sequences, JSON.stringify(await snapshot.sequences()));
  const added = await addStored(archive, source, snapshot, stop);
  stop.throwIfAborted();
  const { objects, missingCount: missing } = added;
  const bytes = await archive.finish((indexes) =>
    authenticate(source.keys, { indexes: [...indexes], rows, objects, missing }),
  );
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return { ...added, rows: total, tables: snapshot.tables.length, accounts, bytes };
}

async function addStored(
  archive: ArchiveWriter,
  { storage, since }: Source,
  snapshot: Snapshot,
  stop: AbortSignal,
): Promise<Added> {
  if (!since) return addObjects(archive, snapshot, storage, stop, { former: undefined, position: 0 });
  const former = new ListCursor(readList(since.file));
  try {
    const added = await addObjects(archive, snapshot, storage, stop, {
      former,
      position: chainAfter(since).length,
    });
    // Read the list to its end, because only then all its digests are compared.
    await former.rest(() => {});
    return added;
  } finally {
    await former.close();
  }
}

function headerOf(
  { keys, keyFile, service, since }: Source,
  snapshot: Snapshot,
  accounts: Header['accounts'],
): Header {
  return {
    format: formatVersion,
    service,
    taken_at: snapshot.takenAt.toISOString(),
    schema: snapshot.version,
    tables: snapshot.tables,
    secrets_key: { ids: idsOf(keys), included: keyFile !== undefined },
    accounts,
    chain: since ? chainAfter(since) : [],
  };
}

/**
 * Adds the rows of a table.
 * @returns the number of rows
 */
async function addTable(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  table: Table,
  stop: AbortSignal,
): Promise<number> {
  let rows = 0;
  let parts = 0;
  for await (const lines of inWholeLines(snapshot.copyOut(table))) {
    stop.throwIfAborted();
    parts += 1;
    await archive.add(tablePart(table, parts), lines);
    rows += countLines(lines);
  }
  return rows;
}

/** Lists the accounts that tenants have connected. The accounts' secrets are in the rows, encrypted. */
async function listAccounts(snapshot: Snapshot): Promise<Header['accounts']> {
  const accounts: Header['accounts'] = [];
  if (!snapshot.tables.some(({ name }) => name === 'storage_bindings')) return accounts;
  const query = `select tenant_id, account_url || '/' || filesystem as address from storage_bindings order by tenant_id`;
  for await (const page of snapshot.pages<Header['accounts'][number]>(query, 1000))
    accounts.push(...page.map(({ tenant_id, address }) => ({ tenant_id, address })));
  return accounts;
}
