import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { locateBinaries } from './binaries.ts';
import { openDataFolder } from './folder.ts';
import { joinServer } from './join.ts';
import { failure } from './log.ts';
import { type EmbeddedPostgres, keepMembership } from './member.ts';
import { stopPostmaster } from './postmaster.ts';

export { isAlive, unfinishedRestore } from './folder.ts';
export type { EmbeddedPostgres } from './member.ts';

interface JoinEmbeddedPostgresOptions {
  /** Receives one-sentence notices for operators: a long recovery, a lost server, clients that keep it running. */
  readonly onNotice?: (message: string) => void;
  /** Called each time that this thread is idle, because another process is at work. Not called if the server is ready. */
  readonly onIdle?: () => void;
  /**
   * Once aborted, no server is started, but a running one is still joined. Without a running one, the promise rejects
   * with the signal's reason.
   */
  readonly signal?: AbortSignal;
}

/**
 * Joins the PostgreSQL of this data folder, or creates and starts it. All processes that have joined share this
 * server. It survives Ctrl-C and the end of any single process, and its members restart it if it dies.
 *
 * @param dataDir any folder, created if missing; holds `postgres/` (the database), `postgres.json` (its passwords)
 * and `postgres.log`.
 * @throws an Error with the cause and a fix, if there is no PostgreSQL for this platform, the folder cannot be used
 * or contains a database of another version, or the server was not ready within 15 s
 */
export async function joinEmbeddedPostgres(
  dataDir: string,
  options: JoinEmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const onNotice = options.onNotice ?? (() => {});
  const folder = await openDataFolder(dataDir);
  const binaries = await locateBinaries();
  try {
    const joined = await joinServer(folder, binaries, {
      create: true,
      onNotice,
      ...(options.onIdle && { onIdle: options.onIdle }),
      ...(options.signal && { signal: options.signal }),
    });
    return keepMembership(joined, folder, binaries, onNotice);
  } catch (error) {
    if (options.signal?.aborted && error === options.signal.reason) throw error;
    // Messages of system errors, such as a full disk or a file without permission, lack the context. Add it.
    if (!('code' in (error as Error))) throw error;
    throw failure(`PostgreSQL in ${folder.root} could not be started: ${(error as Error).message}.`, folder);
  }
}

/**
 * Stops the server of this data folder if it was left running by a killed process and no other process uses it. Does
 * nothing if no server is running.
 */
export async function stopAbandonedPostgres(dataDir: string): Promise<void> {
  const cluster = await stat(join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster) await stopPostmaster(await openDataFolder(dataDir), await locateBinaries());
}
