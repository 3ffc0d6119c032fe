import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsByName } from '#server/commands/admin/command-line.ts';
import { useTestApp } from '#test/setup/app.ts';
import { env, runCommand } from './command.ts';

const app = useTestApp({ env });

/** Runs a command without a reachable database. */
const alone = (args: string[]) => runCommand({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, args);

test('a wrong command line goes to stderr, with exit code 1 and nothing on stdout', async () => {
  for (const args of [['audit', '--limit', '-5'], ['set-allowance', 't', '0'], ['no\nsuch\u001b[A']]) {
    const { code, stdout, stderr } = await alone(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^lingualoop: [ -~]+\n$/);
  }
});

describe('a wrong environment is one line, too', () => {
  test('a database that is not there, without its password', async () => {
    const DATABASE_URL = 'postgres://nobody:hunter2@127.0.0.1:1/none';
    const { code, stdout, stderr } = await runCommand({ DATABASE_URL }, ['tenants']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^lingualoop: DATABASE_URL: cannot connect to the database "none" .*\n$/);
    expect(stderr).not.toContain('hunter2');
  });

  test('a role to which no row-level policy applies', async () => {
    const { code, stderr } = await runCommand({ DATABASE_URL: app.superuserUrl }, ['tenants']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^lingualoop: DATABASE_URL: .*superuser.*\n$/)]);
  });
});

describe('help', () => {
  test('npm run admin alone lists every command', () => {
    const { stdout, status } = spawnSync('npm', ['run', '--silent', 'admin'], {
      cwd: join(import.meta.dirname, '../..'),
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    for (const [name, { summary }] of commandsByName) {
      expect(stdout).toContain(`  ${name}`);
      expect(stdout).toContain(summary);
    }
  });
});
