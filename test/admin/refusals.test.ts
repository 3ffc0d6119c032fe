import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '#server/admin/commands.ts';
import { env, found } from '#test/members/people.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { beside, contentsOf, runCommand } from './command.ts';

const app = useTestApp({ env });

/** With no database in reach: what is refused like this was refused before one was looked for. */
const alone = (args: string[]) => runCommand({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, args);

describe('what is wrong with a command line is one line that names it, and nothing is done', () => {
  test.each([
    ['an unknown command', ['rotate'], /rotate/],
    ['a name that every object has', ['constructor'], /constructor/],
    ['a missing tenant', ['rotate-key'], /<tenant_id>/],
    ['a missing address', ['restore-admin', 't'], /<email>/],
    ['a missing number', ['set-allowance', 't'], /<characters>/],
    ['one argument too many', ['deactivate-tenant', 't', 'u'], /2 arguments/],
    ['an unknown option', ['revoke-key', 't', '--force'], /--force/],
    ["another command's option", ['tenants', '--limit', '5'], /--limit/],
    ['an option without its value', ['audit', '--tenant'], /--tenant/],
    ['a value where none is taken', ['audit', '--json=yes'], /--json/],
    ["the platform's own scope for a tenant", ['rotate-key', '*'], /<tenant_id>/],
    ['an empty tenant', ['deactivate-tenant', ''], /<tenant_id>/],
    ['an address that is none', ['restore-admin', 't', 'ada'], /<email>/],
    ['a role that is none', ['invite', 't', '--role', 'operator'], /--role/],
    ['an allowance of nothing', ['set-allowance', 't', '0'], /<characters>.* 1$/],
    ['an allowance below nothing', ['set-allowance', 't', '--', '-5'], /<characters>/],
    ['an allowance past what is stored', ['set-allowance', 't', '2147483648'], /<characters>.* 2147483647$/],
    ['a fraction of a character', ['set-allowance', 't', '1.5'], /<characters>/],
    ['no event at all', ['audit', '--limit', '0'], /--limit/],
    ['an action that is none', ['audit', '--action', 'api_key_stolen'], /--action/],
    ['a moment without its zone', ['audit', '--since', '2026-07-31T09:00:00'], /--since/],
    ['a day that is none', ['audit', '--until', '2026-02-30'], /--until/],
  ])('%s', async (_what, args, named) => {
    const { code, stdout, stderr } = await alone(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^lingualoop: .*\n$/);
    expect(stderr.trimEnd()).toMatch(named);
  });

  test('C 1: a bad setting', async () => {
    expect(await beside(app, ['tenants'], { MFA_REQUIRED: 'yes' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'lingualoop: MFA_REQUIRED: must be true, false, 1 or 0\n',
    });
  });

  test('a database that is not there, without its password', async () => {
    const DATABASE_URL = 'postgres://nobody:hunter2@127.0.0.1:1/none';
    const { code, stdout, stderr } = await runCommand({ DATABASE_URL }, ['tenants']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^lingualoop: .*\n$/);
    expect(stderr).not.toContain('hunter2');
  });

  test('a role that no policy binds', async () => {
    const { code, stderr } = await runCommand({ DATABASE_URL: app.superuserUrl }, ['tenants']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^lingualoop: DATABASE_URL: .*superuser.*\n$/)]);
  });
});

describe('of an unknown tenant, and of the one that is nobody’s account', () => {
  const onTenant: string[][] = [
    ['rotate-key'],
    ['revoke-key'],
    ['restore-admin', 'ada@example.org'],
    ['invite'],
    ['deactivate-tenant'],
    ['reactivate-tenant'],
    ['set-allowance', '5'],
  ];

  test('every command that takes a tenant is on this list', () => {
    const taking = Object.entries(commands).filter(([, { parameters }]) => parameters.includes('tenant_id'));
    expect(taking.map(([name]) => name)).toEqual(onTenant.map(([name]) => name));
  });

  test('nothing is changed, and the line names it', async () => {
    await found(app);
    await openSuperuser(app.superuserUrl)`
      insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit) values ('default', 'default', '', 5)`;
    const before = await contentsOf(app);
    for (const [name, ...rest] of onTenant as [string, ...string[]][])
      expect(await beside(app, [name, 'nobody-of-this-name', ...rest])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'lingualoop: unknown tenant: nobody-of-this-name\n',
      });
    for (const [name, ...rest] of onTenant as [string, ...string[]][]) {
      if (name === 'set-allowance') continue;
      const { code, stderr } = await beside(app, [name, 'default', ...rest]);
      expect({ name, code, stderr }).toEqual({
        name,
        code: 1,
        stderr: expect.stringMatching(/^lingualoop: default .*SERVICE_API_KEY\n$/),
      });
    }
    expect(await contentsOf(app)).toBe(before);
  }, 90_000);

  test('the audit log of an unknown tenant is refused; of one in which nothing happened it is empty', async () => {
    const refused = await beside(app, ['audit', '--tenant', 'nobody-of-this-name']);
    expect([refused.code, refused.stderr]).toEqual([1, 'lingualoop: unknown tenant: nobody-of-this-name\n']);
    const quiet = await beside(app, ['audit', '--since', '9999-01-01']);
    expect(quiet).toEqual({ code: 0, stdout: 'No event.\n', stderr: '' });
  });
});

describe('help', () => {
  test('npm run admin alone lists every command', () => {
    const { stdout, status } = spawnSync('npm', ['run', '--silent', 'admin'], {
      cwd: join(import.meta.dirname, '../..'),
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    for (const [name, { summary }] of Object.entries(commands)) {
      expect(stdout).toContain(`  ${name}`);
      expect(stdout).toContain(summary);
    }
  });

  test('--help of a command tells its arguments and options, and does nothing', async () => {
    const { code, stdout } = await alone(['restore-admin', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('restore-admin <tenant_id> <email> [--reset-mfa]');
  });
});
