import { resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { printProgress, StalledError } from '#db/progress.ts';
import { describeForLog } from '#server/errors.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import { SettingsError } from '#server/settings.ts';
import { IncompleteError, Refusal } from '../refusal.ts';

/**
 * Runs a command until it ends, and prints every ten seconds what it copies. A signal ends the command between two
 * steps; unfinished files are then removed. The exit code is 0, or 1 after one line on stderr.
 */
export async function runCommand(
  usage: string,
  work: (stop: AbortSignal, print: (line: string) => void) => Promise<void>,
): Promise<void> {
  const { stop } = listenForStop();
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const endProgress = printProgress(print);
  try {
    if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h'))
      process.stdout.write(`${usage}\n`);
    else await work(stop, print);
  } catch (error) {
    const isStopped = stop.aborted && !(error instanceof IncompleteError);
    const reason = isStopped ? 'stopped before the end; nothing was kept' : describe(error);
    process.stderr.write(`lingualoop: ${reason.split('\n')[0]}\n`);
    process.exitCode = 1;
    // A write or a read that never ends would keep the process alive.
    if (error instanceof StalledError) process.exit();
  } finally {
    endProgress();
  }
}

/**
 * Returns the files and options in the command line.
 * @throws Refusal for unknown options
 */
export function readArguments<T extends NonNullable<ParseArgsConfig['options']>>(options: T) {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, strict: true, options });
    return { files: positionals.map((file) => resolve(file)), values };
  } catch (error) {
    throw new Refusal((error as Error).message.replace(/\. To specify.*/s, ''));
  }
}

const ownErrors = [Refusal, IncompleteError, SettingsError, StalledError];

/**
 * Describes an error in one line. The message of a driver's error contains SQL and parameters, and an unknown error
 * may quote a row, so these are not printed.
 */
function describe(error: unknown): string {
  if (ownErrors.some((type) => error instanceof type)) return (error as Error).message;
  const { code, message } = error as NodeJS.ErrnoException;
  // Messages of system errors, such as a full disk, and of the service's own errors are safe to print. The latter are
  // of the class Error and have no code.
  if (error instanceof Error && (code === undefined ? error.constructor === Error : /^E[A-Z]+$/.test(code)))
    return message;
  const told = describeForLog(error);
  return [told.name, told.code, told.message].filter(Boolean).join(' ');
}
