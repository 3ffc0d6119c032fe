import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '#db/migrate.ts';
import { describeForLog } from '#server/errors.ts';
import { describeDatabase, explainUnreachable, joinDatabase } from '#server/platform/database-home.ts';
import { redirectOutput, warnOfWaiting, writeFatalLine, writeLogLine } from '#server/platform/log.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import { readSettings, type Settings } from '#server/settings.ts';
import { RestoredStorage } from './backup/restored-storage.ts';

// Handle signals: a signal ends the wait for the lock, but a running migration is completed. A process that has
// joined the embedded database must also leave it.
const { stop } = listenForStop();
redirectOutput();

try {
  const settings = readSettings();
  const isNew = await willBeMade(settings);
  const home = await joinDatabase(settings, stop);
  try {
    await migrate(home.ownerUrl, { stop, service: home.service, onWait: warnOfWaiting }).catch(
      (error: unknown) => {
        throw explainUnreachable(error, settings, 'owner');
      },
    );
  } finally {
    await home.stop();
  }
  // Ignore an error: storage is not needed for a migration, so unreachable storage must not prevent an upgrade.
  await new RestoredStorage(settings).completeOwn().catch((error: unknown) => {
    const fields = { error: describeForLog(error) };
    writeLogLine(
      process.stderr,
      'warn',
      'could not check the storage for the object that marks an unfinished restore',
      fields,
    );
  });
  const which = `${describeDatabase(settings)}${isNew ? ', which was just created and is empty' : ''}`;
  writeLogLine(process.stdout, 'info', `The schema is up to date in ${which}`);
} catch (error) {
  writeFatalLine(stop.aborted && error === stop.reason ? 'stopped before the schema was up to date' : error);
  process.exitCode = 1;
}

/**
 * Whether the command would create a new database. With a wrong DATA_DIR, an upgrade would otherwise continue with an
 * empty database.
 */
async function willBeMade({ DATABASE_URL, DATA_DIR }: Settings): Promise<boolean> {
  if (DATABASE_URL !== undefined) return false;
  return access(join(DATA_DIR, 'postgres')).then(
    () => false,
    () => true,
  );
}
