import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { base, bearer, customer, type Fields } from './customers.ts';
import { paid } from './payments.ts';

const { TRIAL_GRANTS_PER_ADDRESS: _usual, ...env } = paid();
const app = useTestApp({ env: { ...env, TRUST_PROXY: '1', TRIAL_CHARS: '200' } });
const single = useTestApp({ env: { ...env, TRUST_PROXY: '1', TRIAL_GRANTS_PER_ADDRESS: '1' } });
const none = useTestApp({ env: { ...env, TRIAL_GRANTS_PER_ADDRESS: '0' } });

/** Numbers client addresses that are unused in this file. */
let hosts = 0;
const address = () => `198.51.100.${++hosts}`;

const signUp = (from: string, fields: Fields = {}, at = app) =>
  at.json('POST', '/api/auth/signup/email', {
    headers: { 'x-forwarded-for': from },
    body: {
      tenant_name: 'A workspace',
      email: `${randomUUID()}@example.org`,
      password: 'a long enough passphrase',
      ...fields,
    },
  });

/** The number of characters that a signup was granted. */
async function granted(from: string, at = app): Promise<number | undefined> {
  const { status, body } = await signUp(from, {}, at);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.account.metadata.trial_chars_granted;
}

describe('three trial grants per address in 24 hours (A 8)', () => {
  test('a signup beyond it works without a grant', async () => {
    const from = address();
    expect([await granted(from), await granted(from), await granted(from)]).toEqual([200, 200, 200]);
    expect(await granted(from)).toBeUndefined();
    expect(await granted(from)).toBeUndefined();
    expect(await granted(address())).toBe(200);
  });

  test('a /48 of IPv6 is one address, whatever the /64 is; an IPv4 address is the same when it is mapped', async () => {
    for (const network of [1, 2, 3]) expect(await granted(`2001:db8:a:${network}::1`)).toBe(200);
    expect(await granted('2001:db8:a:ffff::1')).toBeUndefined();
    expect(await granted('2001:db8:b:1::1')).toBe(200);
    const from = address();
    expect([await granted(from, single), await granted(`::ffff:${from}`, single)]).toEqual([
      150_000,
      undefined,
    ]);
  });

  test('the number is TRIAL_GRANTS_PER_ADDRESS', async () => {
    const from = address();
    expect([await granted(from, single), await granted(from, single)]).toEqual([150_000, undefined]);
    expect(await granted(address(), none)).toBeUndefined();
  });

  test('of eight concurrent signups three get one', async () => {
    const from = address();
    const grants = await Promise.all(Array.from({ length: 8 }, () => granted(from)));
    expect(grants.filter((chars) => chars === 200)).toHaveLength(3);
    expect(grants.filter((chars) => chars === undefined)).toHaveLength(5);
  });

  test('a rejected signup uses none', async () => {
    const from = address();
    const email = `${randomUUID()}@example.org`;
    const invalid: Fields[] = [
      { email: 'no address' },
      { password: 'short' },
      { invite_token: 'nobody.nothing' },
    ];
    for (const fields of invalid)
      expect([400, 422]).toContain((await signUp(from, { email, ...fields })).status);
    expect([await granted(from), await granted(from), await granted(from)]).toEqual([200, 200, 200]);
    expect(await granted(from)).toBeUndefined();
  });

  test('a join by invite gets none, and uses none', async () => {
    const from = address();
    const founder = (await signUp(address())).body;
    for (let at = 0; at < 4; at++) {
      const { body } = await app.json('POST', '/api/tenants/invites', {
        headers: bearer(founder.token.access_token),
        body: {},
      });
      const joined = await signUp(from, { invite_token: body.invite_token });
      expect([joined.status, joined.body.account.id]).toEqual([200, founder.account.id]);
    }
    const account = await customer(app, founder.account.id, {}).account();
    expect(account.metadata.trial_chars_granted).toBe(200);
    expect([await granted(from), await granted(from), await granted(from)]).toEqual([200, 200, 200]);
  });

  test('a tenant of the operator gets none, and uses none', async () => {
    const from = address();
    for (let at = 0; at < 4; at++) {
      const { body } = await app.json('POST', '/api/tenants', {
        headers: { 'x-api-key': base.OPERATOR_API_KEY, 'x-forwarded-for': from },
        body: { name: 'Provisioned' },
      });
      expect(body.metadata).toEqual({});
    }
    expect([await granted(from), await granted(from), await granted(from)]).toEqual([200, 200, 200]);
  });
});
