import { migrate } from '#db/migrate.ts';
import { explainUnreachable, joinDatabase } from './database-home.ts';
import { takeOverOutput, writeFatalLine, writeLogLine } from './log.ts';
import { readSettings } from './settings.ts';
import { listenForStop } from './stop-signals.ts';

// A signal ends waiting, but a running migration is finished. The process that started the database must leave it.
const { stop } = listenForStop();
takeOverOutput();

try {
  const settings = readSettings();
  const home = await joinDatabase(settings, stop);
  try {
    await migrate(home.url, stop).catch((error: unknown) => {
      throw explainUnreachable(error, settings);
    });
  } finally {
    await home.stop();
  }
  writeLogLine(process.stdout, 'info', 'The database schema is up to date');
} catch (error) {
  writeFatalLine(stop.aborted && error === stop.reason ? 'stopped before the schema was up to date' : error);
  process.exitCode = 1;
}
