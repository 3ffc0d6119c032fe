import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isAlive,
  joinEmbeddedPostgres,
  stopAbandonedPostgres,
  unfinishedRestore,
} from '#db/embedded/index.ts';
import { Refusal } from '../refusal.ts';

/**
 * The entries that are moved to DATA_DIR at the end, in this order. The restore is complete when the last one has
 * been moved.
 */
const moved = ['storage', 'secrets.key', 'postgres.json', 'postgres'] as const;

/**
 * Entries that a backup does not contain and that a restore leaves in place: the operator's public pages, and a
 * directory of new file systems.
 */
const left: readonly string[] = ['pages', 'lost+found'];

/** An embedded database during a restore. */
export interface Draft {
  /** The URL with the role that owns the tables. */
  url: string;
  /** The role with which the service runs. */
  service: string;
  /** The folder that is used in place of DATA_DIR. */
  folder: string;
}

/**
 * Fills an empty DATA_DIR, or one with only the operator's pages: `fill` works in a folder inside DATA_DIR. At the
 * end, the contents of this folder are moved to DATA_DIR or, after an error, removed. The remains of an interrupted
 * restore are removed first.
 * @throws Refusal if DATA_DIR contains anything else
 */
export async function fillDataDir<T>(
  dataDir: string,
  stop: AbortSignal,
  fill: (draft: Draft) => Promise<T>,
): Promise<T> {
  await refuseUsedFolder(dataDir);
  const draft = join(dataDir, unfinishedRestore);
  await removeInterrupted(dataDir, draft);
  const folder = join(draft, 'data');
  await mkdir(folder, { recursive: true });
  await writeFile(join(draft, 'pid'), String(process.pid));
  try {
    const server = await joinEmbeddedPostgres(folder, { signal: stop });
    let result: T;
    try {
      result = await fill({ url: server.ownerUrl, service: new URL(server.url).username, folder });
    } finally {
      await server.leave();
    }
    for (const name of moved) await rename(join(folder, name), join(dataDir, name)).catch(ignoreMissing);
    return result;
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Ignores that a file is missing: a backup without objects has no storage folder, and a backup of a service with
 * SECRETS_KEY has no key file.
 */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Rejects a DATA_DIR that is in use.
 * @throws Refusal if DATA_DIR contains anything except ignored entries and what an interrupted restore has left
 */
export async function refuseUsedFolder(dataDir: string): Promise<void> {
  const found = await readdir(dataDir).catch((error: NodeJS.ErrnoException): string[] => {
    ignoreMissing(error);
    return [];
  });
  const interrupted = found.includes(unfinishedRestore) && !found.includes('postgres');
  const remains: readonly string[] = interrupted ? [unfinishedRestore, ...moved] : [];
  const used = found.find((name) => !left.includes(name) && !remains.includes(name));
  if (used !== undefined)
    throw new Refusal(
      `DATA_DIR: ${dataDir} is not empty (it has ${used}) and would be overwritten; set DATA_DIR to another folder`,
    );
}

async function removeInterrupted(dataDir: string, draft: string): Promise<void> {
  if (!(await stat(draft).catch(() => undefined))) return;
  const pid = Number(await readFile(join(draft, 'pid'), 'utf8').catch(() => ''));
  if (pid > 0 && pid !== process.pid && isAlive(pid))
    throw new Refusal(`DATA_DIR: another restore into ${dataDir} is running (process ${pid})`);
  await stopAbandonedPostgres(join(draft, 'data'));
  for (const name of [...moved, unfinishedRestore])
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 });
}
