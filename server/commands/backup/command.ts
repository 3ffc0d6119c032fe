import { parseArgs } from 'node:util';
import { describeForLog } from '#server/errors.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import { SettingsError } from '#server/settings.ts';
import { IncompleteError, Refusal } from '../refusal.ts';

/**
 * Runs a command to its end. A signal ends it between two steps, and it removes unfinished files. Exit codes: 0, or 1
 * after one line on stderr.
 */
export async function runCommand(
  usage: string,
  work: (stop: AbortSignal, print: (line: string) => void) => Promise<void>,
): Promise<void> {
  const { stop } = listenForStop();
  try {
    if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h'))
      process.stdout.write(`${usage}\n`);
    else await work(stop, (line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    const isStopped = stop.aborted && !(error instanceof IncompleteError);
    const reason = isStopped ? 'stopped before the end; nothing was kept' : describe(error);
    process.stderr.write(`lingualoop: ${reason.split('\n')[0]}\n`);
    process.exitCode = 1;
  }
}

/** @throws Refusal unless there is exactly one argument */
export function fileArgument(): string {
  const { positionals } = parseArgs({ allowPositionals: true, strict: false });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new Refusal('expected one file: npm run <command> -- FILE');
  return file;
}

const ownErrors = [Refusal, IncompleteError, SettingsError];

/** A driver's error has SQL and parameters in its message, and an unknown one may quote a row. */
function describe(error: unknown): string {
  if (ownErrors.some((type) => error instanceof type)) return (error as Error).message;
  const { code, message } = error as NodeJS.ErrnoException;
  // System errors: a full disk, a forbidden folder. Our own errors are plain errors without a code.
  if (error instanceof Error && (code === undefined ? error.constructor === Error : /^E[A-Z]+$/.test(code)))
    return message;
  const told = describeForLog(error);
  return [told.name, told.code, told.message].filter(Boolean).join(' ');
}
