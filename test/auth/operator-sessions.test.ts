import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
} from '#test/factories/operators.ts';
import { bearer, inviting, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { enrol, freshCode, verify } from './mfa.ts';
import { passwordGrant, refresh } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env: { ...env, ...operatorEnv } });
const dance = dancing(app, provider);
beforeAll(() => openOperators(app));
beforeEach(() => openSuperuser(app.superuserUrl)`delete from users where tenant_id = ${operatorWorkspace}`);
afterEach(() => {
  provider.faults = {};
});

const listed = 'second@ops.example';

/** Whether the session can see all workspaces, and provision one. Both must agree. */
async function isOperator(accessToken: string): Promise<boolean> {
  const headers = bearer(accessToken);
  const { status } = await app.json('POST', '/api/tenants', { headers, body: { name: 'x' } });
  const { body } = await app.json('GET', '/api/tenants', { headers });
  const sees = body.length > 1;
  expect([status, sees]).toEqual(status === 200 ? [200, true] : [403, false]);
  return sees;
}

describe('a session by password only, of an address on the list of operators', () => {
  let person: Person;
  beforeEach(async () => {
    const { bearer: headers } = await addAdministrator(app, 'first@ops.example');
    // The address is put on the list after the sign-in.
    person = await inviting(app, headers).join({ role: 'global_administrator' });
    await openSuperuser(app.superuserUrl)`
      update users set email = ${listed} where user_id = ${person.userId}`;
    person = { ...person, email: listed };
  });

  test('does not become an operator’s when it enrolls an authenticator, not after a refresh either', async () => {
    const { secret } = await enrol(app, person);
    expect(await isOperator(person.accessToken)).toBe(false);
    const { status, body } = await refresh(app, person.refreshToken);
    expect(status).toBe(200);
    expect(await isOperator(body.access_token)).toBe(false);

    const { body: step } = await passwordGrant(app, person);
    const code = await freshCode(app, person, secret);
    const { body: signedIn } = await verify(app, step.mfa_challenge.challenge_id, code);
    expect(await isOperator(signedIn.access_token)).toBe(true);
    const { body: refreshed } = await refresh(app, signedIn.refresh_token);
    expect(await isOperator(refreshed.access_token)).toBe(true);
    expect(await isOperator(body.access_token)).toBe(false);
  });

  test('ends as an operator’s with a reset of its authenticator, also after enrolling again', async () => {
    const { secret } = await enrol(app, person);
    const { body: step } = await passwordGrant(app, person);
    const code = await freshCode(app, person, secret);
    const { body } = await verify(app, step.mfa_challenge.challenge_id, code);
    const reset = `/api/auth/users/${person.userId}/mfa/reset`;
    expect((await app.json('POST', reset, { headers: operator })).status).toBe(200);
    await enrol(app, { accessToken: body.access_token });
    expect(await isOperator(body.access_token)).toBe(false);
  });
});

describe('single sign-on of an address on the list of operators', () => {
  let sub: string;
  beforeEach(async () => {
    const { bearer: headers } = await addAdministrator(app, 'first@ops.example');
    ({ sub } = account({ email: listed }));
    const { invite_token } = await inviting(app, headers).invite({
      role: 'global_administrator',
      email: listed,
    });
    await dance.signIn(sub, { invite_token });
  });

  test.each([
    ['without amr and acr', {}, false],
    ['by a password', { amr: ['pwd'], acr: '0' }, false],
    ['by a text message', { amr: ['pwd', 'sms'] }, false],
    ['with a text in place of the list', { amr: 'mfa' }, false],
    ['with several factors', { amr: ['pwd', 'mfa'] }, true],
    ['with a one-time password', { amr: ['otp'] }, true],
    ['with a hardware key', { amr: ['hwk', 'user'] }, true],
    ['with a phishing-resistant class', { acr: 'phr' }, true],
  ])('is an operator’s if the provider says that a second factor was passed: %s', async (_, claims, may) => {
    provider.faults = { idToken: claims };
    const { status, body } = await dance.signIn(sub);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(await isOperator(body.access_token)).toBe(may);
    // Enrolling later does not change it.
    if (!may) await enrol(app, { accessToken: body.access_token });
    const { body: refreshed } = await refresh(app, body.refresh_token);
    expect(await isOperator(refreshed.access_token)).toBe(may);
  });

  test('is an operator’s if the person passed the authenticator here', async () => {
    const { body: first } = await dance.signIn(sub);
    const { secret } = await enrol(app, { accessToken: first.access_token });
    const query = `tenant_id=${operatorWorkspace}`;
    const policy = { mfa_required: true, mfa_required_for_sso: true };
    await app.json('PATCH', `/api/tenants/security?${query}`, { headers: operator, body: policy });
    const { body: step } = await dance.signIn(sub);
    const userId = first.user.user_id;
    const code = await freshCode(app, { userId } as Person, secret);
    const { body } = await verify(app, step.mfa_challenge.challenge_id, code);
    expect(await isOperator(body.access_token)).toBe(true);
    await app.json('PATCH', `/api/tenants/security?${query}`, {
      headers: operator,
      body: { mfa_required: false, mfa_required_for_sso: false },
    });
  });
});
