import type { Snapshot } from '#db/copy/snapshot.ts';
import { readParts } from '#server/commands/backup/archive-reader.ts';
import { ArchiveWriter } from '#server/commands/backup/archive-writer.ts';
import { openChain, readFormer } from '#server/commands/backup/chain.ts';
import { ObjectReader } from '#server/commands/backup/object-list.ts';
import { refuseForged, verifyBackup } from '#server/commands/backup/restore-backup.ts';
import { type Taken, writeBackup } from '#server/commands/backup/take.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';

/*
 * Backups of a storage without a database: rows are only paths. A test of the rules for objects needs no server.
 */

export const keys = { current: Buffer.alloc(32, 1), previous: null };
export const never = new AbortController().signal;

/** A snapshot whose rows refer to these objects. */
function snapshotOf(paths: readonly string[], field: (at: number) => string): Snapshot {
  return {
    version: { migration: 1, jobQueue: 1 },
    tables: [{ schema: 'public', name: 'translation_jobs', columns: ['path', 'field'] }],
    takenAt: new Date(),
    async *copyOut() {
      for (const [at, path] of paths.entries()) yield Buffer.from(`${path}\t${field(at)}\n`);
    },
    sequences: async () => [],
    async *pages<Row>(query: string) {
      if (query.includes('golden_uri')) yield paths.toSorted().map((path) => ({ path })) as Row[];
    },
  } as Snapshot;
}

/**
 * Writes a backup of these objects.
 * @param field the second field of the row of each object; the first is the path
 */
export async function backUp(
  file: string,
  storage: PlatformStore,
  paths: readonly string[],
  since?: string,
  field: (at: number) => string = String,
): Promise<Taken> {
  const source = {
    ...{ url: '', storage, keys, keyFile: undefined, service: '1' },
    since: since === undefined ? undefined : await readFormer(since, keys),
  };
  const archive = await ArchiveWriter.open(file);
  try {
    return await writeBackup(archive, source, snapshotOf(paths, field), never);
  } catch (error) {
    await archive.discard();
    throw error;
  }
}

/** Verifies a chain, and returns the objects that a restore writes. */
export async function restoredFrom(files: readonly string[]): Promise<Record<string, string>> {
  const backup = await verifyBackup(await openChain(files), never);
  refuseForged(backup, keys);
  const objects: Record<string, string> = {};
  for (const [at, file] of files.entries()) {
    const reader = new ObjectReader(backup.file, at, file);
    const use = async ({ path, content }: { path: string; content: Buffer }) => {
      if (path in objects) throw new Error(`${path} was restored twice`);
      objects[path] = content.toString('latin1');
    };
    for await (const part of readParts(file)) await reader.add(part, use);
    await reader.end(use);
  }
  return objects;
}
