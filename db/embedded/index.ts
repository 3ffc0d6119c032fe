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

export interface JoinEmbeddedPostgresOptions {
  /** Receives one-sentence notices for operators: a long recovery, a lost server, clients that keep it running. */
  readonly onNotice?: (message: string) => void;
  /** Once aborted, a running server is still joined but none is started: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Joins the PostgreSQL of this data folder, or creates and starts it. All processes that joined share it and none
 * owns it: it keeps running after Ctrl-C and the end of any one process, and its members restart it when it dies.
 *
 * @param dataDir any folder, created if missing; holds `postgres/` (the database), `postgres.json` (its passwords)
 * and `postgres.log`.
 * @throws an Error with the cause and a fix, if there is no PostgreSQL for this platform, the folder cannot be used
 * or has another version's database, or the server was not ready within 15 s.
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
      ...(options.signal && { signal: options.signal }),
    });
    return keepMembership(joined, folder, binaries, onNotice);
  } catch (error) {
    if (options.signal?.aborted && error === options.signal.reason) throw error;
    // System errors (a full disk, a forbidden file) lack the context, so add it.
    if (!('code' in (error as Error))) throw error;
    throw failure(`PostgreSQL in ${folder.root} could not be started: ${(error as Error).message}.`, folder);
  }
}

/**
 * Stops a server that a killed process left running in this data folder without other users. Does nothing if there is
 * none.
 */
export async function stopAbandonedPostgres(dataDir: string): Promise<void> {
  const cluster = await stat(join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster) await stopPostmaster(await openDataFolder(dataDir), await locateBinaries());
}
