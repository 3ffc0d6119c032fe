import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type DataFolder, isAlive } from './folder.ts';

const staleAfterMs = 10_000;

/**
 * Claims the work of creating and starting the cluster, so that many who come at once do not all do it.
 * It only saves work: what decides is the rename of the finished cluster and postmaster.pid, so a claim
 * of a dead or slow process may be taken over without care. Resolves to false while somebody else has it.
 */
export async function claimStart(folder: DataFolder): Promise<boolean> {
  try {
    await writeFile(folder.claim, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (await isStale(folder)) await rm(folder.claim, { force: true });
  return false;
}

/** Gives the claim back. */
export async function releaseClaim(folder: DataFolder): Promise<void> {
  const holder = await readFile(folder.claim, 'utf8').catch(() => '');
  if (holder === String(process.pid)) await rm(folder.claim, { force: true });
}

async function isStale(folder: DataFolder): Promise<boolean> {
  const written = await stat(folder.claim).catch(() => undefined);
  if (!written) return false;
  if (Date.now() - written.mtimeMs > staleAfterMs) return true;
  const holder = Number(await readFile(folder.claim, 'utf8').catch(() => ''));
  // Empty in the moment between creating and writing it.
  return holder > 0 && !isAlive(holder);
}
