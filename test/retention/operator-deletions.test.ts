import { describe, expect, test } from 'vitest';
import { enrol } from '#test/auth/mfa.ts';
import { viaRpc } from '#test/contract/call.ts';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
} from '#test/factories/operators.ts';
import { type Fields, found, type Headers, operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';

const app = useTestApp({ env: operatorEnv });
const sql = () => openSuperuser(app.superuserUrl);

const call = async (name: string, type: 'mutation' | 'query', input: Fields, headers: Headers) => {
  const { status, body } = await viaRpc(app, { path: `retention.${name}`, type }, { input, headers });
  return { status, body };
};
const schedule = (input: Fields, headers: Headers) => call('scheduleDeletion', 'mutation', input, headers);
const scheduled = async () => (await sql()`select from tenant_deletions`).length;

describe('the deletion of a workspace by a session of an operator', () => {
  test('needs the name and a verification code, and not the own workspace', async () => {
    const { tenantId } = await found(app);
    const [{ name }] = (await sql()`select name from tenants where tenant_id = ${tenantId}`) as [
      { name: string },
    ];
    await openOperators(app);
    const person = await addAdministrator(app, 'first@ops.example', { enrolled: false });
    const { secret } = await enrol(app, person);
    const asked = { tenant_id: tenantId, name, after_days: 1 };
    expect((await schedule(asked, person.bearer)).status).toBe(403);
    expect((await schedule({ ...asked, mfa_code: '000000' }, person.bearer)).status).toBe(403);
    const code = { mfa_code: totpCode(secret, 1) };
    expect((await schedule({ ...asked, ...code, name: 'Another' }, person.bearer)).status).toBe(422);
    const own = { ...asked, ...code, tenant_id: operatorWorkspace, name: 'Operators' };
    expect((await schedule(own, person.bearer)).status).toBe(409);
    expect((await schedule({ ...asked, ...code, tenant_id: '*' }, person.bearer)).status).toBe(404);
    expect(await scheduled()).toBe(0);
    expect((await schedule({ ...asked, ...code }, person.bearer)).status).toBe(200);
    expect(await scheduled()).toBe(1);
    const { body } = await call('listDeletions', 'query', {}, person.bearer);
    expect(body.deletions).toMatchObject([{ id: tenantId, name, state: 'scheduled', rows: {} }]);
    expect((await call('cancelDeletion', 'mutation', { tenant_id: tenantId }, person.bearer)).body).toEqual({
      active: true,
    });
    expect(await scheduled()).toBe(0);
  });
});

test('the operator key needs the name only', async () => {
  const { tenantId } = await found(app);
  const [{ name }] = (await sql()`select name from tenants where tenant_id = ${tenantId}`) as [
    { name: string },
  ];
  const { body: counted } = await call('previewDeletion', 'query', { tenant_id: tenantId }, operator);
  expect(counted).toMatchObject({ tenant_id: tenantId, name, rows: { users: 1 }, files: 0 });
  expect((await schedule({ tenant_id: tenantId, name: '' }, operator)).status).toBe(422);
  const elsewhere = { ...operator, 'x-tenant-id': 'another' };
  expect((await schedule({ tenant_id: tenantId, name }, elsewhere)).status).toBe(404);
  expect(await scheduled()).toBe(0);
  expect((await schedule({ tenant_id: tenantId, name }, operator)).status).toBe(200);
  expect(await scheduled()).toBe(1);
});
