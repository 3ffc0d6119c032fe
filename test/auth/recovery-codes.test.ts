import { beforeEach, describe, expect, test } from 'vitest';
import { lockMember } from '#server/identity/access/sessions.ts';
import { redeemRecoveryCode } from '#server/identity/auth/mfa/recovery-codes.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import { bearer, cookie, type Enrolled, env, found, foundEnrolled } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { challengeFor, freshCode, regenerate, verify } from './mfa.ts';
import { expectRefused, expectTokens, sessionStatus } from './sign-in.ts';

const app = useTestApp({ env });

let ada: Enrolled;
beforeEach(async () => {
  ada = await foundEnrolled(app);
});

const challenge = () => challengeFor(app.database, ada);
const send = async (code = '') => verify(app, await challenge(), code);

describe('recovery codes (A 5.3 rule 5)', () => {
  test('each signs in once, however it is typed; the authenticator stays as it is', async () => {
    const code = await freshCode(app, ada, ada.secret);
    const [first = '', second = '', third = ''] = ada.recoveryCodes;
    for (const typed of [first, second.toUpperCase(), ` ${third.replace('-', '')} `])
      expectTokens(await send(typed), ada);
    for (const used of [first, second, third]) expectRefused(await send(used), 401, 'invalid MFA code');
    expectTokens(await send(code), ada);
    const used = await eventsOf(app, ada.tenantId, 'recovery_code_used');
    expect(used.map(({ details }) => details.left)).toEqual([9, 8, 7]);
  });

  test('are stored with a hash that depends on SECRETS_KEY', async () => {
    const { tenantId, userId, recoveryCodes } = ada;
    const redeem = (secretsKeys: SecretsKeys) =>
      app.database.inTenant(tenantId, async (tx) => {
        const user = await lockMember(tx, tenantId, userId);
        return user && redeemRecoveryCode(tx, secretsKeys, user, recoveryCodes[0] as string);
      });
    expect(await redeem({ current: Buffer.alloc(32, 1), previous: null })).toBeUndefined();
    expect(await redeem(app.services.secretsKeys)).toBe(9);
  });
});

describe('new recovery codes', () => {
  test('are ten, and the old ones stop working; the session continues', async () => {
    expectTokens(await send(ada.recoveryCodes[9]), ada);
    const { status, body } = await regenerate(app, ada.cookie);
    expect([status, Object.keys(body)]).toEqual([200, ['recovery_codes']]);
    expect(new Set([...body.recovery_codes, ...ada.recoveryCodes]).size).toBe(20);
    expectRefused(await send(ada.recoveryCodes[0]), 401);
    expectTokens(await send(body.recovery_codes[0]), ada);
    expect(await eventsOf(app, ada.tenantId, 'recovery_codes_regenerated')).toHaveLength(1);
    expect(await sessionStatus(app, ada)).toBe(200);
  });

  test('need a session, not a pending challenge that has passed only one factor, and an authenticator', async () => {
    const id = await challenge();
    const path = '/api/auth/mfa/recovery/regenerate';
    const ways: [unknown, Record<string, string>][] = [
      [{ challenge_id: id }, {}],
      [undefined, bearer(id)],
      [undefined, cookie(id)],
    ];
    for (const [body, headers] of ways)
      expectRefused(await app.json('POST', path, { body, headers }), 401, 'authentication required');
    expectTokens(await verify(app, id, ada.recoveryCodes[0] ?? ''), ada);
    const { status, body } = await regenerate(app, (await found(app)).cookie);
    expect([status, body]).toEqual([409, refusalOf('no authenticator is enrolled')]);
  });
});
