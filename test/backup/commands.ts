import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The scripts of package.json, by their names there. */
const scripts = {
  backup: 'server/commands/backup/backup.ts',
  restore: 'server/commands/backup/restore.ts',
  migrate: 'server/commands/migrate.ts',
  'upgrade-database': 'server/commands/backup/upgrade-database.ts',
} as const;

type CommandName = keyof typeof scripts;

export interface Ended {
  code: number | null;
  lines: string[];
  /** What it says on stderr. */
  error: string;
}

/** A command that runs. */
export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts a command as its own process. */
export function start(name: CommandName, env: Record<string, string>, args: string[]): Running {
  const child = spawn(process.execPath, ['--max-semi-space-size=8', join(root, scripts[name]), ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    error += chunk;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      // On a busy machine it says that a server takes its time to start.
      const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('Waiting for'));
      resolve({ code, lines, error });
    });
  });
  return { child, ended };
}

/** Runs a command to its end. */
export const run = (name: CommandName, env: Record<string, string>, args: string[]): Promise<Ended> =>
  start(name, env, args).ended;

/** Runs a command that must succeed; its lines. */
export async function succeed(
  name: CommandName,
  env: Record<string, string>,
  args: string[],
): Promise<string[]> {
  const { code, error, lines } = await run(name, env, args);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return lines;
}

/** Runs a command that must refuse; its one sentence. */
export async function refusal(
  name: CommandName,
  env: Record<string, string>,
  args: string[],
): Promise<string> {
  const { code, error, lines } = await run(name, env, args);
  expect({ code, lines }).toEqual({ code: 1, lines: [] });
  expect(error).toMatch(/^lingualoop: [^\n]+\n$/);
  return error.slice('lingualoop: '.length, -1);
}

const runFile = promisify(execFile);

/** Whether Debian's tar can read zstd; says on the console that it cannot. */
export async function canReadWithTar(): Promise<boolean> {
  const missing = await Promise.all([runFile('tar', ['--version']), runFile('zstd', ['--version'])]).catch(
    (error: Error) => error,
  );
  if (!(missing instanceof Error)) return true;
  process.stderr.write(`skipped, as tar and zstd are not there: ${missing.message}\n`);
  return false;
}

/** A part of a backup, as Debian's tar reads it. */
export async function readWithTar(file: string, part: string): Promise<string> {
  const { stdout } = await runFile('tar', ['--zstd', '-xOf', file, part], { maxBuffer: 100_000_000 });
  return stdout;
}
