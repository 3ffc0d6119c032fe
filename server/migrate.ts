import { migrate } from '#db/migrate.ts';
import { joinDatabase } from './process.ts';
import { readSettings } from './settings.ts';
import { listenForStop } from './stop-signals.ts';

// A signal ends waiting, but a running migration is finished. The process that started the database must leave it.
const { stop } = listenForStop();

try {
  const home = await joinDatabase(readSettings(), stop);
  try {
    await migrate(home.url, stop);
  } finally {
    await home.stop();
  }
  process.stdout.write('The database schema is up to date\n');
} catch (error) {
  process.stderr.write(`lingualoop: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
