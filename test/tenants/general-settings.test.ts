import { beforeEach, expect, test } from 'vitest';
import { me } from '#test/auth/sign-in.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const read = async ({ bearer } = admin) =>
  viaRpc(app, { path: 'tenants.general', type: 'query' }, { input: {}, headers: bearer });
const save = (input: Fields, { bearer } = admin) =>
  viaRpc(app, { path: 'tenants.saveGeneral', type: 'mutation' }, { input, headers: bearer });

const german = { name: 'Acme', default_source_lang: 'en', default_target_langs: ['de', 'fr'] };

test('name and default languages are saved, each member gets them, and other metadata stays', async () => {
  await openSuperuser(app.superuserUrl)`
    update tenants set metadata = '{"own": 1, "default_target_langs": "no list"}' where tenant_id = ${admin.tenantId}`;
  const { body: before } = await read();
  expect(before).toMatchObject({ default_source_lang: null, default_target_langs: [] });
  const asked = {
    ...german,
    name: ' Acme ',
    default_target_langs: ['DE', 'fr', 'de'],
    version: before.version,
  };
  const { body: saved } = await save(asked);
  expect(saved).toEqual({ ...german, version: expect.any(String) });
  const { name: _, ...languages } = german;
  const { tenant } = (await me(app, (await join(app, admin)).bearer)).body;
  expect([tenant.name, tenant.metadata]).toEqual(['Acme', { own: 1, ...languages }]);
  // Sent again after a lost response.
  expect((await save(asked)).body).toEqual(saved);
  expect(await eventsOf(app, admin.tenantId, 'general_settings_changed')).toEqual([
    expect.objectContaining({
      actor: ['member', admin.userId],
      details: { ...german, default_target_langs: 'de, fr' },
    }),
  ]);
});

test('of two administrators who change the same version, the second gets a conflict', async () => {
  const { version } = (await read()).body;
  const results = await Promise.all(['One', 'Two'].map((name) => save({ ...german, name, version })));
  expect(results.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const won = results.find(({ status }) => status === 200)!;
  expect(results.find(({ status }) => status === 409)!.body.error_code).toBe('state_conflict');
  expect((await read()).body).toEqual(won.body);
});

test('other values are refused with their field, and other callers as well', async () => {
  const { body: before } = await read();
  for (const [change, detail] of [
    [{ name: '  ' }, /name/],
    [{ default_source_lang: 'auto' }, /unsupported default_source_lang/],
    [{ default_target_langs: ['de', 'xx'] }, /unsupported default_target_langs/],
    [{ default_target_langs: Array(300).fill('de') }, /default_target_langs/],
  ] as const) {
    const { status, body } = await save({ ...german, ...change });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringMatching(detail)]);
  }
  expect((await read()).body).toEqual(before);
});
