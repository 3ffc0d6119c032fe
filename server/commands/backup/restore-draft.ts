import { analyze } from '#db/copy/load.ts';
import { migrate } from '#db/migrate.ts';
import { warnOfWaiting } from '#server/platform/log.ts';
import { type Destination, type Restored, restoreBackup, type VerifiedBackup } from './restore-backup.ts';

/**
 * Restores into an embedded database that is not in use yet. It is put in place later; if that fails, the restored
 * objects are removed, too.
 */
export async function restoreDraft(
  backup: VerifiedBackup,
  destination: Destination,
  stop: AbortSignal,
  isElsewhere: boolean,
): Promise<Restored> {
  const restored = await restoreBackup(backup, destination, stop);
  try {
    await bringUpToDate(destination, stop);
    // Objects in storage outside of DATA_DIR become valid together with the database.
    if (!isElsewhere) await destination.storage.complete();
    return restored;
  } catch (error) {
    await destination.storage.removeAll();
    throw error;
  }
}

/** Collects statistics, and migrates the database, because the backup may be from an earlier version. */
export async function bringUpToDate(
  { url, service }: Pick<Destination, 'service' | 'url'>,
  stop: AbortSignal,
): Promise<void> {
  await analyze(url, stop);
  await migrate(url, { stop, service, onWait: warnOfWaiting });
}
