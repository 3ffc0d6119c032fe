import type { ChildProcess } from 'node:child_process';
import { expect } from 'vitest';
import { launch } from '#test/setup/launch.ts';

/** The programs of the scripts in package.json, by the names of the scripts. */
const scripts = {
  backup: 'server/commands/backup/backup.ts',
  'verify-backup': 'server/commands/backup/verify-backup.ts',
  restore: 'server/commands/backup/restore.ts',
  migrate: 'server/commands/migrate.ts',
  admin: 'server/commands/admin/main.ts',
} as const;

type CommandName = keyof typeof scripts;

export interface Ended {
  code: number | null;
  lines: string[];
  /** The output on stderr. */
  error: string;
}

/** A running command. */
export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts a command as a separate process. */
export function start(name: CommandName, env: Record<string, string>, args: string[]): Running {
  const { child, ended } = launch(['--max-semi-space-size=8', scripts[name], ...args], env);
  return {
    child,
    ended: ended.then(({ code, stdout, stderr }) => {
      // On a busy machine, the command also prints what takes some time. These lines are ignored.
      const lines = stdout.split('\n').filter((line) => !/^($|Waiting for|Progress: )/.test(line));
      return { code, lines, error: stderr };
    }),
  };
}

/** Runs a command until it ends. */
export const run = (name: CommandName, env: Record<string, string>, args: string[]): Promise<Ended> =>
  start(name, env, args).ended;

/** Runs a command that must succeed, and returns the lines of its output. */
export async function succeed(
  name: CommandName,
  env: Record<string, string>,
  args: string[],
): Promise<string[]> {
  const { code, error, lines } = await run(name, env, args);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return lines;
}

/** Runs a command that must fail, and returns its message, which is one sentence. */
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
