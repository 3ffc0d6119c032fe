import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { base, bearer, customer, expectPaymentRequired, type Fields, text } from './customers.ts';
import { paid } from './payments.ts';

const { TRIAL_GRANTS_PER_ADDRESS: _usual, ...env } = paid();
const app = useTestApp({ env: { ...env, TRUST_PROXY: '1', TRIAL_CHARS: '200' } });
const direct = useTestApp({ env });
const single = useTestApp({ env: { ...env, TRUST_PROXY: '1', TRIAL_GRANTS_PER_ADDRESS: '1' } });
const none = useTestApp({ env: { ...env, TRIAL_GRANTS_PER_ADDRESS: '0' } });

/** An address that nobody of this file has had. */
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

/** What a signup granted. */
async function granted(from: string, at = app): Promise<number | undefined> {
  const { status, body } = await signUp(from, {}, at);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.account.metadata.trial_chars_granted;
}

describe('A 8: 3 trial grants per network address in 24 hours', () => {
  test('past it, signup still works, but without a grant', async () => {
    const from = address();
    expect([await granted(from), await granted(from), await granted(from)]).toEqual([200, 200, 200]);
    expect(await granted(from)).toBeUndefined();
    expect(await granted(from)).toBeUndefined();
    expect(await granted(address())).toBe(200);
  });

  test('C 3: the session of such a workspace gets 402 subscription required, and so does its key', async () => {
    const from = address();
    for (let at = 0; at < 3; at++) await granted(from);
    const { body } = await signUp(from);
    const tenantId = body.account.id;
    for (const headers of [bearer(body.token.access_token), { 'x-api-key': body.tenant_api_key }])
      expectPaymentRequired(
        await customer(app, tenantId, headers).translate(text(5)),
        'subscription required',
      );
  });

  test('TRIAL_GRANTS_PER_ADDRESS sets the number', async () => {
    const from = address();
    expect([await granted(from, single), await granted(from, single)]).toEqual([150_000, undefined]);
    expect(await granted(address(), none)).toBeUndefined();
  });

  test('of 8 at one time no more than 3 get one', async () => {
    const from = address();
    const grants = await Promise.all(Array.from({ length: 8 }, () => granted(from)));
    expect(grants.filter((chars) => chars === 200)).toHaveLength(3);
    expect(grants.filter((chars) => chars === undefined)).toHaveLength(5);
  });

  test('A 4.2 rule 1: a refused signup uses none', async () => {
    const from = address();
    const email = `${randomUUID()}@example.org`;
    const invalid: Fields[] = [
      { email: 'no address' },
      { password: 'short' },
      { password: 'password1234' },
      { email: 'carolinesmith@example.org', password: 'carolinesmith' },
      { tenant_name: undefined },
      { invite_token: 'nobody.nothing' },
      { monthly_char_limit: 0 },
    ];
    for (const fields of invalid)
      expect([400, 422]).toContain((await signUp(from, { email, ...fields })).status);
    expect([await granted(from), await granted(from), await granted(from)]).toEqual([200, 200, 200]);
    expect(await granted(from)).toBeUndefined();
  });

  test('A 4.2: a join gets none, and uses none', async () => {
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

  test('C 7: a tenant that the operator provisions gets none, and uses none', async () => {
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

  test('C 2: an IPv6 address counts by its /64', async () => {
    const network = `2001:db8:${(++hosts).toString(16)}:7`;
    const of = (host: string) => granted(`${network}:${host}`);
    expect([await of('0:0:0:1'), await of('0:0:0:2'), await of('ffff:1:2:3')]).toEqual([200, 200, 200]);
    expect(await of('aaaa:0:0:9')).toBeUndefined();
    expect(await granted(`2001:db8:${hosts.toString(16)}:8::1`)).toBe(200);
  });

  test('C 1: entries that a caller writes in front of the proxy’s are not its address', async () => {
    const from = address();
    for (let at = 0; at < 3; at++) expect(await granted(`${address()}, ${from}`)).toBe(200);
    expect(await granted(`${address()}, ${from}`)).toBeUndefined();
  });

  test('C 2: the address is the socket’s, whatever header a caller sends, where no proxy is trusted', async () => {
    const grants: (number | undefined)[] = [];
    for (let at = 0; at < 4; at++) grants.push(await granted(address(), direct));
    expect(grants).toEqual([150_000, 150_000, 150_000, undefined]);
  });
});
