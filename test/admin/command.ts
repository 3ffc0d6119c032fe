import { expect } from 'vitest';
import { readCommandLine } from '#server/commands/admin/command-line.ts';
import { readSettings } from '#server/settings.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { launch } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';

/** The environment of the applications on whose databases the commands run. */
export const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };

/** Starts an operator's command as a separate process, without a SECRETS_KEY. */
export const startCommand = (env: Record<string, string>, args: string[]) =>
  launch(['--max-semi-space-size=8', 'server/commands/admin/main.ts', ...args], env);

/** Runs an operator's command as a separate process, until it ends. */
export async function runCommand(env: Record<string, string>, args: string[]) {
  const { code, stdout, stderr } = await startCommand(env, args).ended;
  return { code, stdout, stderr };
}

/** Runs a command on the database of the application. */
export const inOwnProcess = (app: TestApp, args: string[], env: Record<string, string> = {}) =>
  runCommand({ DATABASE_URL: app.databaseUrl, ...env }, args);

/** Runs a command that must succeed, and returns the lines of its output. */
export async function operate(
  app: TestApp,
  args: string[],
  env: Record<string, string> = {},
): Promise<string[]> {
  const { code, stdout, stderr } = await inOwnProcess(app, args, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

/**
 * Runs a command in this process, for tests that are not about the process, with the application's settings and those in
 * `env`. Returns the lines of its output.
 */
export async function operateHere(
  { services }: Pick<TestApp, 'services'>,
  args: string[],
  env: Record<string, string> = {},
): Promise<string[]> {
  const work = readCommandLine(args);
  const settings = Object.keys(env).length === 0 ? services.settings : readSettings(env);
  return typeof work === 'function' ? [...(await work({ ...services, settings }))] : work;
}

/** Runs a command in this process, and returns its output: a list of what each line has. */
export async function outputOf(app: Pick<TestApp, 'services'>, args: string[]) {
  return (await operateHere(app, [...args, '--json'])).map((line) => JSON.parse(line));
}

/** Resolves when `count` transactions of the database wait for a lock. */
export async function waitingForLocks(app: TestApp, count: number): Promise<void> {
  const sql = openSuperuser(app.superuserUrl);
  await poll(async () => {
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length === count;
  });
}

/** An event that a command on the server has logged, in the form of `eventsOf`. */
export const byTheServer = (target: string, details: object) => ({
  actor: 'server',
  target,
  details,
  address: null,
  requestId: null,
});
