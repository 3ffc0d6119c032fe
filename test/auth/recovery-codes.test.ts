import { beforeEach, describe, expect, test } from 'vitest';
import { apiKey, bearer, cookie, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf, everyRow } from '#test/setup/stored-rows.ts';
import { type Authenticator, challengeFor, enrol, freshCode, mfaGrant, regenerate, verify } from './mfa.ts';
import { expectRefused, expectTokens, introspect } from './sign-in.ts';

const PATH = '/api/auth/mfa/recovery/regenerate';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let ada: Person;
let hers: Authenticator;
let session: { cookie: string };
beforeEach(async () => {
  ada = await found(app);
  hers = await enrol(app, ada);
  session = cookie(ada.accessToken);
});

const challenge = (of: Person = ada) => challengeFor(app.database, of);

describe('A 5.3 rule 5: recovery codes', () => {
  test('are ten different ones, of shape xxxxx-xxxxx', () => {
    expect(new Set(hers.recoveryCodes).size).toBe(10);
    for (const code of hers.recoveryCodes) expect(code).toMatch(/^[2-9a-hjkmnp-z]{5}-[2-9a-hjkmnp-z]{5}$/);
  });

  test('each of them signs in once', async () => {
    for (const [i, code] of hers.recoveryCodes.entries()) {
      const send = i % 2 === 0 ? verify : mfaGrant;
      expectTokens(await send(app, await challenge(), code), ada);
    }
    const id = await challenge();
    for (const code of hers.recoveryCodes.slice(0, 5)) expectRefused(await verify(app, id, code), 401);
  });

  test('are accepted however they are typed, and leave the authenticator as it is', async () => {
    const code = await freshCode(app, ada, hers.secret);
    const [first, second, third] = hers.recoveryCodes as [string, string, string];
    for (const typed of [first, second.toUpperCase(), ` ${third.replace('-', '')} `])
      expectTokens(await verify(app, await challenge(), typed), ada);
    for (const typed of [first, second, third])
      expectRefused(await verify(app, await challenge(), typed), 401);
    expectTokens(await verify(app, await challenge(), code), ada);
    const used = await eventsOf(app, ada.tenantId, 'recovery_code_used');
    expect(used.map(({ details }) => details.left)).toEqual([9, 8, 7]);
  });

  test('of 8 concurrent uses of one, each by its own challenge, exactly one signs in', async () => {
    const ids = [];
    for (let i = 0; i < 8; i += 1) ids.push(await challenge());
    const answers = await Promise.all(ids.map((id) => verify(app, id, hers.recoveryCodes[0] ?? '')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('belong to one person', async () => {
    const ben = await join(app, ada);
    await enrol(app, ben);
    expectRefused(await verify(app, await challenge(ben), hers.recoveryCodes[0] ?? ''), 401);
  });

  test('are stored hashed', async () => {
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    for (const code of hers.recoveryCodes)
      for (const form of [code, code.replace('-', ''), Buffer.from(code).toString('hex')])
        expect(rows.filter(({ row }) => row.toLowerCase().includes(form.toLowerCase()))).toEqual([]);
  });
});

describe('A 4.1: regenerate', () => {
  test('by the cookie: ten new ones, and the old ones stop working', async () => {
    const { status, body } = await regenerate(app, session);
    expect(status).toBe(200);
    expect(Object.keys(body)).toContain('recovery_codes');
    for (const values of Object.values(body))
      expect(values).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(body.recovery_codes).toHaveLength(10);
    for (const code of body.recovery_codes) expect(code).toMatch(/^[0-9a-zA-Z]{5}-[0-9a-zA-Z]{5}$/);
    expect(new Set([...body.recovery_codes, ...hers.recoveryCodes]).size).toBe(20);
    expectRefused(await verify(app, await challenge(), hers.recoveryCodes[0] ?? ''), 401);
    expectTokens(await verify(app, await challenge(), body.recovery_codes[0]), ada);
    expect(await eventsOf(app, ada.tenantId, 'recovery_codes_regenerated')).toHaveLength(1);
  });

  test('replaces used ones', async () => {
    expectTokens(await verify(app, await challenge(), hers.recoveryCodes[0] ?? ''), ada);
    expect((await regenerate(app, session)).body.recovery_codes).toHaveLength(10);
  });

  test('refuses a pending challenge: it has passed only one factor', async () => {
    const id = await challenge();
    const ways: [unknown, Record<string, string>][] = [
      [{ challenge_id: id }, {}],
      [undefined, bearer(id)],
      [undefined, cookie(id)],
    ];
    for (const [body, headers] of ways)
      expectRefused(await app.json('POST', PATH, { body, headers }), 401, 'authentication required');
    expectTokens(await verify(app, id, hers.recoveryCodes[0] ?? ''), ada);
  });

  test('accepts only the cookie: 401 authentication required', async () => {
    const none = [
      {},
      bearer(ada.accessToken),
      apiKey(ada.apiKey),
      cookie('nonsense'),
      cookie(ada.refreshToken),
    ];
    for (const headers of none) expectRefused(await regenerate(app, headers), 401, 'authentication required');
    expectTokens(await verify(app, await challenge(), hers.recoveryCodes[0] ?? ''), ada);
  });

  test('without an authenticator: 409', async () => {
    const ben = await found(app);
    const answer = await regenerate(app, cookie(ben.accessToken));
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({ detail: expect.any(String) });
  });

  test('keeps the session alive', async () => {
    await regenerate(app, session);
    expect((await introspect(app, 'nobody', session)).status).toBe(200);
  });

  test('of five at once, the codes of one response work, and no others', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => regenerate(app, session)));
    const [row] = await openSuperuser(app.superuserUrl)`
      select count(*)::int as codes from recovery_codes where user_id = ${ada.userId}`;
    expect(row?.['codes']).toBe(10);
    const sets = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => body.recovery_codes as string[]);
    const good = [];
    for (const [code = ''] of sets) {
      const { status } = await verify(app, await challenge(), code);
      if (status === 200) good.push(code);
    }
    expect(good).toHaveLength(1);
  });
});
