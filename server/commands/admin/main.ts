import { openDatabase } from '#db/client.ts';
import { migrate } from '#db/migrate.ts';
import { describeForLog, toAppError } from '#server/errors.ts';
import { explainUnreachable, joinDatabase } from '#server/platform/database-home.ts';
import { warnOfWaiting } from '#server/platform/log.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import { readSettings, type Settings, SettingsError } from '#server/settings.ts';
import { Refusal, readCommandLine } from './command-line.ts';
import type { Server } from './commands/command.ts';
import { printable } from './printing.ts';

// A signal must not interrupt a command: the process that has started the embedded database must also stop it.
const { stop } = listenForStop();

/** Opens the database in the settings and migrates it, as every start of the service does. */
async function withServer(settings: Settings, work: (server: Server) => Promise<void>): Promise<void> {
  const home = await joinDatabase(settings, stop);
  try {
    await migrate(home.ownerUrl, { stop, service: home.service, onWait: warnOfWaiting }).catch(
      (error: unknown) => {
        throw explainUnreachable(error, settings, 'owner');
      },
    );
    const database = openDatabase(() => home.url, { size: 1, applicationName: 'lingualoop admin' });
    try {
      await work({ settings, database });
    } catch (error) {
      throw withoutParameters(error);
    } finally {
      await database.close();
    }
  } finally {
    await home.stop();
  }
}

/** Returns an error without SQL and parameters, which the message of a driver's error contains. */
function withoutParameters(error: unknown): Error {
  if (error instanceof Refusal || error instanceof ClosedOutput || error instanceof SettingsError)
    return error;
  const known = toAppError(error);
  if (known.code !== 'internal_error') return known;
  const { name, code, message } = describeForLog(error);
  return new Error(['internal error', name, code, message].filter(Boolean).join(' '));
}

/** Thrown if the reader of the output has closed it, as `head` does. */
class ClosedOutput extends Error {}

async function print(lines: Iterable<string>): Promise<void> {
  for (const line of lines)
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(`${line}\n`, (error) => (error ? reject(new ClosedOutput()) : resolve()));
    });
}

/** Prints one line, and sets the exit code 1. */
function fail(error: unknown): void {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  process.stderr.write(`lingualoop: ${printable(line)}\n`);
  process.exitCode = 1;
}

process.on('unhandledRejection', (reason) => fail(withoutParameters(reason)));
// `print` handles errors of the output. Without this listener, an error would end the process.
process.stdout.on('error', () => {});
try {
  const asked = readCommandLine(process.argv.slice(2));
  if (typeof asked !== 'function') await print(asked);
  else await withServer(readSettings(), async (server) => print(await asked(server)));
} catch (error) {
  if (!(error instanceof ClosedOutput)) fail(error);
}
