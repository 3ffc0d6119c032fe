import { beforeEach, describe, expect, test } from 'vitest';
import { waitingForLocks } from '#test/admin/command.ts';
import { freshCode } from '#test/auth/mfa.ts';
import { sessionStatus } from '#test/auth/sign-in.ts';
import { viaRpc } from '#test/contract/call.ts';
import {
  type Enrolled,
  env,
  type Fields,
  found,
  foundEnrolled,
  type Headers,
  type Person,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';

const app = useTestApp({ env });

const ask = (input: Fields, headers: Headers) =>
  viaRpc(app, { path: 'tenants.rotateKey', type: 'mutation' }, { input, headers });

/** The status of a simple request with a key. */
const knock = async (key: string) =>
  (await app.json('GET', '/api/translations', { headers: { 'x-api-key': key } })).status;

/** Rotates the key, which must succeed, and returns the new key. */
async function rotate(admin: Person, input: Fields): Promise<string> {
  const { status, body } = await ask(input, admin.bearer);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.api_key;
}

/** Expects that a rotation is rejected, and that the old key is still valid. */
async function expectRefused(
  admin: Person,
  input: Fields,
  status: number,
  detail: string,
  headers = admin.bearer,
) {
  expect(await ask(input, headers)).toMatchObject({ status, body: { detail } });
  expect(await knock(admin.apiKey)).toBe(200);
  expect(await eventsOf(app, admin.tenantId, 'api_key_rotated')).toEqual([]);
}

describe('rotating the key of a workspace with the password', () => {
  let admin: Person;
  let input: Fields;
  beforeEach(async () => {
    admin = await found(app, { password: 'a long enough passphrasé' });
    // The password is accepted in any normalization form.
    input = { password: admin.password.normalize('NFD') };
  });

  test('the new key is accepted and the old one rejected at the next request; sessions continue', async () => {
    const neighbor = await found(app);
    const { status, body, headers } = await ask(input, admin.bearer);
    expect([status, headers['cacheControl']]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      api_key: expect.stringMatching(/^[\w-]{43}$/),
      api_key_prefix: body.api_key.slice(0, 8),
    });
    expect([await knock(body.api_key), await knock(admin.apiKey)]).toEqual([200, 401]);
    expect(await sessionStatus(app, admin)).toBe(200);
    expect(await knock(neighbor.apiKey)).toBe(200);
  });

  test('the log has both prefixes and who it was; nothing stored has the key or the password', async () => {
    const key = await rotate(admin, input);
    const details = { from: admin.apiKey.slice(0, 8), to: key.slice(0, 8) };
    expect(await eventsOf(app, admin.tenantId, 'api_key_rotated')).toMatchObject([
      { actor: ['member', admin.userId], target: admin.tenantId, details },
    ]);
    const { body } = await app.json('GET', '/api/tenants', { headers: admin.bearer });
    expect(body[0].api_key_prefix).toBe(details.to);
    const stored = await contentsOf(app);
    for (const secret of [key, admin.password]) expect(stored).not.toContain(secret);
  });

  test('a wrong one is 403, so that no client renews its session and tries again; it is recorded', async () => {
    for (const password of ['a wrong passphrase', '', 'x'.repeat(4096)])
      await expectRefused(admin, { password }, 403, 'wrong password');
    expect(await eventsOf(app, admin.tenantId, 'password_proof_refused')).toMatchObject(
      Array(3).fill({ actor: ['member', admin.userId], target: admin.userId, details: {} }),
    );
  });

  test.each([
    ['neither', {}],
    ['both', { password: 'x', mfa_code: '123456' }],
    ['something else too', { password: 'x', tenant_id: 'f'.repeat(32) }],
  ])('%s: 422', async (_, wrong) => {
    expect((await ask(wrong, admin.bearer)).status).toBe(422);
    expect(await knock(admin.apiKey)).toBe(200);
  });

  test('two concurrent rotations both succeed, one after the other, and leave one key', async () => {
    const release = await holdTenant(admin);
    const rotations = Promise.all([rotate(admin, input), rotate(admin, input)]);
    await waitingForLocks(app, 2);
    await release();
    const statuses = await Promise.all([admin.apiKey, ...(await rotations)].map(knock));
    expect(statuses.toSorted()).toEqual([200, 401, 401]);
    const [first, second] = await eventsOf(app, admin.tenantId, 'api_key_rotated');
    expect([first?.details.from, second?.details.from]).toEqual([
      admin.apiKey.slice(0, 8),
      first?.details.to,
    ]);
  });

  test.each([
    ['revoked', 'active = false', 401],
    ['demoted', "role = 'agent_id_developer'", 403],
  ])('an administrator who is %s in between is denied', async (_, change, status) => {
    const release = await holdTenant(admin);
    const rotation = ask(input, admin.bearer);
    await waitingForLocks(app, 1);
    await openSuperuser(app.superuserUrl).unsafe(
      `update users set ${change} where user_id = '${admin.userId}'`,
    );
    await release();
    expect((await rotation).status).toBe(status);
    expect(await knock(admin.apiKey)).toBe(200);
  });
});

/** Locks the row of a tenant like a rotation. Returns a function that releases the lock. */
async function holdTenant({ tenantId }: Person): Promise<() => Promise<void>> {
  const locker = await openSuperuser(app.superuserUrl).reserve();
  await locker`begin`;
  await locker`select from tenants where tenant_id = ${tenantId} for no key update`;
  return async () => {
    await locker`rollback`;
    locker.release();
  };
}

describe('rotating the key of a workspace with a code', () => {
  let admin: Enrolled;
  beforeEach(async () => {
    admin = await foundEnrolled(app);
  });

  test('of the authenticator, which is then used up', async () => {
    const mfa_code = await freshCode(app, admin, admin.secret);
    const key = await rotate(admin, { mfa_code });
    expect([await knock(key), await knock(admin.apiKey)]).toEqual([200, 401]);
    expect(await ask({ mfa_code }, admin.bearer)).toMatchObject({
      status: 403,
      body: { detail: 'invalid MFA code' },
    });
    expect(await knock(key)).toBe(200);
  });

  test('a wrong one is 403 and counts like every other: after ten it is 429, right or wrong', async () => {
    for (let sent = 0; sent < 10; sent += 1)
      await expectRefused(admin, { mfa_code: wrongTotpCode(admin.secret) }, 403, 'invalid MFA code');
    expect(await eventsOf(app, admin.tenantId, 'mfa_code_refused')).toHaveLength(10);
    await expectRefused(admin, { mfa_code: totpCode(admin.secret, 1) }, 429, 'too many MFA attempts');
    await expectRefused(admin, { mfa_code: admin.recoveryCodes[0] }, 429, 'too many MFA attempts');
    // Attempts with the password are counted separately.
    await rotate(admin, { password: admin.password });
  });
});
