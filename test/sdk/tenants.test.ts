import { describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';

const operatorKey = 'operator-key-of-the-tests';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

const operator = () => new sdk.LinguaLoop({ baseUrl: app.address, apiKey: operatorKey });

async function founded() {
  const { tenantId, apiKey, accessToken } = await app.signUp();
  const admin = new sdk.LinguaLoop({ baseUrl: app.address, accessToken });
  return { tenantId, apiKey, admin };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('A 4.4: create', () => {
  test('an operator provisions a tenant, whose key works at once', async () => {
    const { api_key, ...account } = await operator().tenants.create({
      name: 'Provisioned',
      monthly_char_limit: 2_000_000,
      metadata: { contract: 7 },
    });
    expect(account).toMatchObject({
      name: 'Provisioned',
      monthly_char_limit: 2_000_000,
      api_key_prefix: api_key.slice(0, 8),
      metadata: { contract: 7 },
    });
    const client = new sdk.LinguaLoop({ baseUrl: app.address, apiKey: api_key, tenantId: account.id });
    expect((await client.translations.listPage()).items).toEqual([]);
  });

  test('an administrator cannot, nor can a tenant’s key', async () => {
    const { admin, apiKey } = await founded();
    const refused = await admin.tenants.create({ name: 'Mine' }).catch((thrown) => thrown);
    expect(refused).toBeInstanceOf(sdk.PermissionDeniedError);
    expect(refused.detail).toBe('tenant provisioning is operator-only');
    const keyed = new sdk.LinguaLoop({ baseUrl: app.address, apiKey });
    await expect(keyed.tenants.create({ name: 'Mine' })).rejects.toBeInstanceOf(sdk.AuthenticationError);
  });
});

describe('A 4.4: list', () => {
  test('an operator sees all, newest first and over several pages; an administrator only its own', async () => {
    const mine: string[] = [];
    const { tenantId, admin } = await founded();
    mine.push(tenantId, (await founded()).tenantId, (await founded()).tenantId);
    const listed = await all(operator().tenants.list({ limit: 2 }));
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(listed.slice(0, 3).map(({ id }) => id)).toEqual(mine.toReversed());
    const page = await operator().tenants.listPage({ limit: 2 });
    expect(page).toEqual({ items: listed.slice(0, 2), nextCursor: expect.any(String) });
    expect((await all(admin.tenants.list())).map(({ id }) => id)).toEqual([tenantId]);
    expect(await admin.tenants.listPage({})).toMatchObject({ nextCursor: null });
  });
});

describe('A 4.4: setSecurityPolicy', () => {
  test('sets what is given and leaves the other', async () => {
    const { admin } = await founded();
    expect((await admin.tenants.setSecurityPolicy({ mfa_required_for_sso: true })).metadata).toMatchObject({
      mfa_required_for_sso: true,
    });
    expect((await admin.tenants.setSecurityPolicy({ mfa_required_for_sso: false })).metadata).toEqual({
      mfa_required_for_sso: false,
    });
  });

  test('an operator names the tenant; an administrator can name only its own', async () => {
    const { tenantId } = await founded();
    const { admin: other } = await founded();
    const policy = { mfa_required: true };
    const account = await operator().tenants.setSecurityPolicy(policy, { tenantId });
    expect([account.id, account.metadata['mfa_required']]).toEqual([tenantId, true]);
    await expect(operator().tenants.setSecurityPolicy(policy)).rejects.toMatchObject({
      status: 400,
      detail: 'tenant_id query parameter is required for operators',
    });
    await expect(other.tenants.setSecurityPolicy(policy, { tenantId })).rejects.toBeInstanceOf(
      sdk.NotFoundError,
    );
    await expect(other.tenants.setSecurityPolicy({})).rejects.toBeInstanceOf(sdk.UnprocessableContentError);
  });
});

describe('A 4.4: invites', () => {
  test('one is created, listed, redeemed', async () => {
    const { admin, tenantId } = await founded();
    const { invite_token, ...invite } = await admin.tenants.invites.create({
      email: 'Ada@example.org',
      role: 'global_administrator',
      expires_in_days: 3,
    });
    expect(invite).toMatchObject({
      email: 'ada@example.org',
      role: 'global_administrator',
      status: 'pending',
    });
    expect(await admin.tenants.invites.listPage()).toEqual({ items: [invite], nextCursor: null });
    const joined = await new sdk.LinguaLoop({ baseUrl: app.address }).auth.signUp({
      email: 'ada@example.org',
      password: 'a long enough passphrase',
      invite_token,
    });
    expect(joined.account.id).toBe(tenantId);
    expect(await all(admin.tenants.invites.list())).toMatchObject([
      { invite_id: invite.invite_id, status: 'redeemed', redeemed_by: joined.token?.user.user_id },
    ]);
  });

  test('one is withdrawn, once', async () => {
    const { admin, tenantId } = await founded();
    const { invite_id } = await admin.tenants.invites.create();
    expect(await admin.tenants.invites.withdraw(invite_id)).toBeUndefined();
    expect((await admin.tenants.invites.listPage()).items).toMatchObject([{ status: 'withdrawn' }]);
    await expect(admin.tenants.invites.withdraw(invite_id)).rejects.toBeInstanceOf(sdk.NotFoundError);
    expect(await eventsOf(app, tenantId, 'invite_withdrawn')).toHaveLength(1);
  });

  test('20 may be pending; the list goes through its pages, newest first', async () => {
    const { admin } = await founded();
    const created: string[] = [];
    for (let i = 0; i < 20; i++) created.unshift((await admin.tenants.invites.create({})).invite_id);
    const error = await admin.tenants.invites.create({}).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(sdk.ConflictError);
    expect(error).toMatchObject({
      detail: 'a workspace holds at most 20 pending invites; withdraw one first',
    });
    const listed = await all(admin.tenants.invites.list({ limit: 7 }));
    expect(listed.map(({ invite_id }) => invite_id)).toEqual(created);
  });

  test('an operator names the tenant, in each of them, on each page', async () => {
    const { tenantId } = await founded();
    const { invites } = operator().tenants;
    const there = { tenantId };
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await invites.create({}, there)).invite_id);
    expect((await all(invites.list({ limit: 1 }, there))).map((invite) => invite.invite_id)).toEqual(ids);
    await invites.withdraw(ids[0]!, there);
    expect((await invites.listPage({ limit: 1 }, there)).items).toMatchObject([{ status: 'withdrawn' }]);
    const nameless = { status: 400, detail: 'tenant_id query parameter is required with API-key access' };
    await expect(invites.create({})).rejects.toMatchObject(nameless);
    await expect(invites.listPage()).rejects.toMatchObject(nameless);
    await expect(invites.withdraw(ids[1]!)).rejects.toMatchObject(nameless);
    const { admin } = await founded();
    await expect(admin.tenants.invites.listPage({}, there)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });
});

describe('after a lost response', () => {
  const server = useScriptedServer();
  const client = () => new sdk.LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 } });
  const transient = failure(503, 'try again', { error_code: 'transient_error' });

  test.each<[string, (tenants: sdk.Tenants) => Promise<unknown>]>([
    ['create: there would be two tenants', (tenants) => tenants.create({ name: 'X' })],
    ['invites.create: there would be two invites', (tenants) => tenants.invites.create({})],
    ['invites.withdraw: the second would be a 404', (tenants) => tenants.invites.withdraw('i')],
  ])('not sent again: %s', async (_, call) => {
    server.script('cut off');
    await expect(call(client().tenants)).rejects.toBeInstanceOf(sdk.ConnectionError);
    server.script(transient);
    await expect(call(client().tenants)).rejects.toBeInstanceOf(sdk.ServiceUnavailableError);
    expect(server.received).toHaveLength(2);
  });

  test('sent again: reads, and a policy, which is the same one', async () => {
    const { tenants } = client();
    server.script('cut off', result([]), 'cut off', result([]), 'cut off', transient, result({ id: 't' }));
    await tenants.listPage();
    await tenants.invites.listPage({}, { tenantId: 't' });
    expect(await tenants.setSecurityPolicy({ mfa_required: true }, { tenantId: 't' })).toEqual({ id: 't' });
    expect(server.received.slice(4).map(({ input, query }) => [input, query.get('tenant_id')])).toEqual(
      Array(3).fill([{ mfa_required: true }, 't']),
    );
  });
});
