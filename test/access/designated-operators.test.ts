import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isDesignatedOperator } from '#server/identity/access/principal.ts';
import { addMember } from '#server/identity/members/members.ts';
import { newId } from '#server/platform/ids.ts';
import { readSettings } from '#server/settings.ts';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
  type WorkspaceMember,
} from '#test/factories/operators.ts';
import { cookie, found, type Headers, operator } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: operatorEnv });
beforeAll(() => openOperators(app));

let first: WorkspaceMember;
let second: WorkspaceMember;
/** An administrator of the operators' workspace who is not on the list of operators. */
let ordinary: WorkspaceMember;
beforeEach(async () => {
  await openSuperuser(app.superuserUrl)`delete from users where tenant_id = ${operatorWorkspace}`;
  first = await addAdministrator(app, 'first@ops.example');
  second = await addAdministrator(app, 'second@ops.example');
  ordinary = await addAdministrator(app, 'ordinary@ops.example');
});

const removeAuthenticator = ({ userId }: { userId: string }) =>
  openSuperuser(app.superuserUrl)`update users set totp_secret = null where user_id = ${userId}`;

/** The status and message of a request that requires an operator, and the number of workspaces that the caller sees. */
async function provision(headers: Headers) {
  const { status, body } = await app.json('POST', '/api/tenants', { headers, body: { name: 'x' } });
  return [status, body.detail];
}
const seen = async (headers: Headers): Promise<string[]> => {
  const { body } = await app.json('GET', '/api/tenants', { headers });
  return body.map(({ id }: { id: string }) => id);
};
const operatorOnly = [403, 'tenant provisioning is operator-only'];

describe('who is a designated operator (A 5.1 rule 8)', () => {
  const both = { OPERATOR_TENANT_ID: 'operators', OPERATOR_EMAILS: 'Ann@ops.example, ben@ops.example' };
  const { OPERATOR_TENANT_ID, OPERATOR_EMAILS } = both;

  test.each([
    ['listed, in any letter case', both, 'operators', 'ann@ops.example', true],
    [
      'listed only after another letter has become `k`',
      { ...both, OPERATOR_EMAILS: 'mi\u212ae@ops.example' },
      'operators',
      'mike@ops.example',
      false,
    ],
    ['unlisted', both, 'operators', 'cy@ops.example', false],
    ['listed, in another workspace', both, 'elsewhere', 'ann@ops.example', false],
    ['on a list without its workspace', { OPERATOR_EMAILS }, 'operators', 'ann@ops.example', false],
    ['in a workspace without a list', { OPERATOR_TENANT_ID }, 'operators', 'ann@ops.example', false],
  ])('%s', (_, env, tenantId, email, designated) => {
    expect(isDesignatedOperator(tenantId, email, readSettings(env))).toBe(designated);
  });
});

describe('the session of a designated operator', () => {
  test('provisions, and sees all workspaces; of an ordinary administrator it does neither', async () => {
    const { tenantId } = await found(app);
    for (const headers of [first.bearer, cookie(first.accessToken)]) {
      expect(await provision(headers)).toEqual([200, undefined]);
      expect(await seen(headers)).toEqual(expect.arrayContaining([operatorWorkspace, tenantId]));
    }
    // A wrong operator key in addition to the session has no effect.
    expect(await provision({ ...first.bearer, 'x-api-key': 'wrong' })).toEqual([200, undefined]);
    expect(await provision({ ...ordinary.bearer, 'x-api-key': 'wrong' })).toEqual(operatorOnly);
    expect(await seen(ordinary.bearer)).toEqual([operatorWorkspace]);
  });

  test('loses operator access with the authenticator, and all access with the membership', async () => {
    await removeAuthenticator(first);
    expect(await provision(first.bearer)).toEqual(operatorOnly);
    expect(await seen(first.bearer)).toEqual([operatorWorkspace]);
    await app.json('DELETE', `/api/auth/users/${second.userId}`, { headers: operator });
    expect((await provision(second.bearer))[0]).toBe(401);
  });
});

const mfaReset = 'mfa/reset';
const resetLink = 'password-reset-link';
const act = ({ userId }: { userId: string }, what: string, headers: Headers) =>
  app.json('POST', `/api/auth/users/${userId}/${what}`, { headers });

describe.each([mfaReset, resetLink])('resetting an operator’s sign-in (%s)', (what) => {
  test('is denied to every other administrator of the workspace, operators too', async () => {
    for (const { bearer } of [ordinary, second]) {
      const { status, body } = await act(first, what, bearer);
      expect([status, body]).toEqual([
        403,
        refusalOf("resetting an operator's sign-in requires the operator key"),
      ]);
    }
    const [row] = await openSuperuser(app.superuserUrl)`
      select totp_secret is not null as enrolled, (select count(*)::int from reset_links) as links
      from users where user_id = ${first.userId}`;
    expect(row).toEqual({ enrolled: true, links: 0 });
    // A designated operator without an authenticator is protected, too.
    await removeAuthenticator(first);
    expect((await act(first, what, ordinary.bearer)).status).toBe(403);
  });

  test('is allowed to the operator itself, and to the operator key, alone or with a session', async () => {
    for (const headers of [first.bearer, operator, { ...ordinary.bearer, ...operator }])
      expect((await act(first, what, headers)).status).toBe(200);
  });

  test('is denied to a session of the operator that passed no second factor', async () => {
    await openSuperuser(app.superuserUrl)`update tokens set factor_at_sign_in = false`;
    expect((await act(first, what, first.bearer)).status).toBe(403);
  });

  test('a member who is no operator can be reset by any administrator; the address alone makes none', async () => {
    expect((await act(ordinary, what, second.bearer)).status).toBe(200);
    const { tenantId, bearer } = await found(app);
    const userId = newId();
    const member = { tenantId, userId, email: first.email, provider: 'email', passwordHash: 'x' };
    await app.database.inTenant(tenantId, (tx) => addMember(tx, { ...member, role: 'agent_id_developer' }));
    expect((await act({ userId }, what, bearer)).status).toBe(200);
  });
});

describe('the workspace of a designated operator’s session', () => {
  const roster = (query = '') => app.json('GET', `/api/auth/users${query}`, { headers: first.bearer });

  test('is its own for the roster, unless it names another', async () => {
    const founder = await found(app);
    expect((await roster()).body).toHaveLength(3);
    const { body } = await roster(`?tenant_id=${founder.tenantId}`);
    expect(body).toEqual([expect.objectContaining({ user_id: founder.userId })]);
    expect((await roster('?tenant_id=nobody')).status).toBe(404);
    // Without an authenticator, the person is not an operator, so the other workspace is ignored.
    await removeAuthenticator(first);
    expect((await roster(`?tenant_id=${founder.tenantId}`)).body).toHaveLength(3);
  });

  test('a foreign member is 404: only the operator key reaches any workspace', async () => {
    const founder = await found(app);
    for (const what of [mfaReset, resetLink, 'restore'])
      expect((await act(founder, what, first.bearer)).status).toBe(404);
    const path = `/api/auth/users/${founder.userId}`;
    expect((await app.json('DELETE', path, { headers: first.bearer })).status).toBe(404);
    expect((await act(founder, mfaReset, { ...first.bearer, ...operator })).status).toBe(200);
  });
});
