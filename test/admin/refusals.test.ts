import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Refusal } from '#server/commands/admin/command.ts';
import { commands, readCommandLine } from '#server/commands/admin/command-line.ts';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';
import { beside, env, operateHere, runCommand } from './command.ts';

const app = useTestApp({ env });

/** An environment without a reachable database. */
const alone = (args: string[]) => runCommand({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, args);

describe('a wrong command line is one line that names the fault, before a database is looked for', () => {
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
  ])('%s', (_what, args, named) => {
    expect(() => readCommandLine(args)).toThrow(Refusal);
    expect(() => readCommandLine(args)).toThrow(named);
    expect(() => readCommandLine(args)).not.toThrow('\n');
  });

  test('it goes to stderr, with exit code 1 and nothing on stdout', async () => {
    for (const args of [['audit', '--limit', '-5'], ['set-allowance', 't', '0'], ['no\nsuch\u001b[A']]) {
      const { code, stdout, stderr } = await alone(args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^lingualoop: [ -~]+\n$/);
    }
  });
});

describe('a wrong environment is one line, too', () => {
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
    expect(stderr).toMatch(/^lingualoop: DATABASE_URL: cannot connect to the database "none" .*\n$/);
    expect(stderr).not.toContain('hunter2');
  });

  test('a role to which no row-level policy applies', async () => {
    const { code, stderr } = await runCommand({ DATABASE_URL: app.superuserUrl }, ['tenants']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^lingualoop: DATABASE_URL: .*superuser.*\n$/)]);
  });
});

describe('an unknown tenant, and the service key’s tenant', () => {
  const onTenant: string[][] = [
    ['rotate-key'],
    ['revoke-key'],
    ['restore-admin', 'ada@example.org'],
    ['invite'],
    ['deactivate-tenant'],
    ['reactivate-tenant'],
    ['set-allowance', '5'],
    ['set-storage-cap', '5'],
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
    for (const [name, ...rest] of onTenant as [string, ...string[]][]) {
      await expect(operateHere(app, [name, 'nobody', ...rest])).rejects.toThrow('unknown tenant: nobody');
      if (name === 'set-allowance' || name === 'set-storage-cap') continue;
      await expect(operateHere(app, [name, 'default', ...rest])).rejects.toThrow(
        /^default .*SERVICE_API_KEY$/,
      );
    }
    expect(await contentsOf(app)).toBe(before);
  });

  test('it is one line on stderr, and exit code 1', async () => {
    expect(await beside(app, ['set-allowance', 'nobody', '5'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'lingualoop: unknown tenant: nobody\n',
    });
  });

  test('the audit log of an unknown tenant is refused; of a tenant without entries it is empty', async () => {
    const { tenantId } = await found(app);
    const since = ['--since', '9999-01-01'];
    await expect(operateHere(app, ['audit', '--tenant', 'nobody', ...since])).rejects.toThrow(
      'unknown tenant: nobody',
    );
    expect(await operateHere(app, ['audit', '--tenant', tenantId, ...since])).toEqual(['No event.']);
    expect(await operateHere(app, ['audit', '--tenant', tenantId, '--json', ...since])).toEqual([]);
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

  test('--help of a command lists its arguments and options, and does nothing', async () => {
    const { code, stdout } = await alone(['restore-admin', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('restore-admin <tenant_id> <email> [--reset-mfa]');
  });
});
