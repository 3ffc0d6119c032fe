import type { ChildProcess } from 'node:child_process';
import { expect } from 'vitest';
import { launch } from '#test/setup/launch.ts';

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
  /** What it prints to stderr. */
  error: string;
}

/** A command that runs. */
export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts a command as its own process. */
export function start(name: CommandName, env: Record<string, string>, args: string[]): Running {
  const { child, ended } = launch(['--max-semi-space-size=8', scripts[name], ...args], env);
  return {
    child,
    ended: ended.then(({ code, stdout, stderr }) => {
      // On a busy machine it prints that a server takes its time to start.
      const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('Waiting for'));
      return { code, lines, error: stderr };
    }),
  };
}

/** Runs a command to its end. */
export const run = (name: CommandName, env: Record<string, string>, args: string[]): Promise<Ended> =>
  start(name, env, args).ended;

/** Runs a command that must succeed: its lines. */
export async function succeed(
  name: CommandName,
  env: Record<string, string>,
  args: string[],
): Promise<string[]> {
  const { code, error, lines } = await run(name, env, args);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return lines;
}

/** Runs a command that must fail: its one sentence. */
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
