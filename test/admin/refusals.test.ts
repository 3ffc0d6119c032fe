import { describe, expect, test } from 'vitest';
import { commandsByName, Refusal, readCommandLine } from '#server/commands/admin/command-line.ts';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';
import { env, operateHere } from './command.ts';

const app = useTestApp({ env });

describe('a wrong command line is one line that names the fault, before a database is looked for', () => {
  test.each([
    ['an unknown command', ['rotate'], /rotate/],
    ['a missing tenant', ['rotate-key'], /<tenant_id>/],
    ['one argument too many', ['deactivate-tenant', 't', 'u'], /2 arguments/],
    ["another command's option", ['tenants', '--limit', '5'], /--limit/],
    ['a value where none is taken', ['audit', '--json=yes'], /--json/],
    ["the platform's own scope for a tenant", ['rotate-key', '*'], /<tenant_id>/],
    ['an address that is none', ['restore-admin', 't', 'ada'], /<email>/],
    ['an address with another letter', ['restore-admin', 't', 'mi\u212ae@corp.example'], /<email>/],
    ['half a day', ['delete-tenant', 't', '--after-days', '0.5'], /--after-days/],
    ['a role that is none', ['invite', 't', '--role', 'operator'], /--role/],
    ['a retry of nothing', ['retry'], /--id or --task/],
    ['a retry of a job and a task', ['retry', '--id', '1', '--task', 'run_document'], /--id/],
    ['a job ID that is none', ['retry', '--id', '01'], /--id/],
    ['an allowance of nothing', ['set-allowance', 't', '0'], /<characters>.* 1$/],
    ['an allowance past what is stored', ['set-allowance', 't', '2147483648'], /<characters>.* 2147483647$/],
    ['an action that is none', ['audit', '--action', 'api_key_stolen'], /--action/],
    ['a moment without its zone', ['audit', '--since', '2026-07-31T09:00:00'], /--since/],
    ['a day that is none', ['audit', '--until', '2026-02-30'], /--until/],
  ])('%s', (_what, args, named) => {
    expect(() => readCommandLine(args)).toThrow(Refusal);
    expect(() => readCommandLine(args)).toThrow(named);
    expect(() => readCommandLine(args)).not.toThrow('\n');
  });
});

describe('an unknown tenant, and the service key’s tenant', () => {
  const onTenant: string[][] = [
    ['tenant'],
    ['api-keys'],
    ['rotate-key'],
    ['revoke-key'],
    ['restore-admin', 'ada@example.org'],
    ['invite'],
    ['anonymize-member', 'ada@example.org'],
    ['end-sessions'],
    ['deactivate-tenant'],
    ['reactivate-tenant'],
    ['delete-tenant'],
    ['cancel-deletion'],
    ['export-tenant'],
    ['exports'],
    ['save-export', 'unknown', 'export.zip'],
    ['set-allowance', '5'],
    ['set-retention'],
    ['set-storage-cap', '5'],
  ];

  test('every command that takes a tenant is on this list', () => {
    const taking = [...commandsByName].filter(([, { parameters }]) => parameters.includes('tenant_id'));
    expect(taking.map(([name]) => name).sort()).toEqual(onTenant.map(([name]) => name).sort());
  });

  test('nothing is changed, and the line names it', async () => {
    await found(app);
    await openSuperuser(app.superuserUrl)`
      insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit) values ('default', 'default', '', 5)`;
    const before = await contentsOf(app);
    for (const [name, ...rest] of onTenant as [string, ...string[]][]) {
      await expect(operateHere(app, [name, 'nobody', ...rest])).rejects.toThrow('unknown tenant: nobody');
      if (['tenant', 'set-allowance', 'set-storage-cap'].includes(name)) continue;
      await expect(operateHere(app, [name, 'default', ...rest])).rejects.toThrow(
        /^default is reserved for SERVICE_API_KEY and has no account$/,
      );
    }
    expect(await contentsOf(app)).toBe(before);
  });

  test('the audit log of an unknown tenant is refused; of a tenant without entries it is empty', async () => {
    const { tenantId } = await found(app);
    const since = ['--since', '9999-01-01'];
    await expect(operateHere(app, ['audit', '--tenant', 'nobody', ...since])).rejects.toThrow(
      'unknown tenant: nobody',
    );
    expect(await operateHere(app, ['audit', '--tenant', tenantId, ...since])).toEqual(['Nothing found.']);
    expect(await operateHere(app, ['audit', '--tenant', tenantId, '--json', ...since])).toEqual([]);
  });
});
