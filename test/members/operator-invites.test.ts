import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
  type WorkspaceMember,
} from '#test/factories/operators.ts';
import { found, freshEmail, operator as operatorHeaders, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: operatorEnv });
beforeAll(() => openOperators(app));

let operator: WorkspaceMember;
let ordinary: WorkspaceMember;
beforeEach(async () => {
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from users where tenant_id = ${operatorWorkspace}`;
  await sql`delete from invites where tenant_id = ${operatorWorkspace}`;
  operator = await addAdministrator(app, 'first@ops.example');
  ordinary = await addAdministrator(app, 'ordinary@ops.example');
});

type Headers = Record<string, string>;

/** On the list, and no member yet. */
const listed = 'second@ops.example';
const role = 'global_administrator';
const theKey: [string, () => Headers] = ['the operator key', () => operatorHeaders];
const anOperator: [string, () => Headers] = ['an operator’s session', () => operator.bearer];
const itself: [string, () => Headers] = ['an ordinary administrator', () => ordinary.bearer];
const besideKey: [string, () => Headers] = [
  'an ordinary administrator who presents the operator key',
  () => ({ ...ordinary.bearer, ...operatorHeaders }),
];

const create = (headers: Headers, fields: object = {}) =>
  app.json('POST', `/api/tenants/invites?tenant_id=${operatorWorkspace}`, {
    headers,
    body: { role, ...fields },
  });

async function invited(headers: Headers, fields: object = {}): Promise<string> {
  const { status, body } = await create(headers, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.invite_token;
}

const signUp = (invite_token: string, email: string) =>
  app.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'ignored', email, password, invite_token },
  });

const otherAddress = [400, { detail: 'this invite was issued for a different email address' }];

const emailsOf = async () => {
  const rows = await openSuperuser(app.superuserUrl)`
    select email from users where tenant_id = ${operatorWorkspace} order by created_at, user_id`;
  return rows.map(({ email }) => email);
};
const both = () => [operator.email, ordinary.email];

/** Expects the refusal for another address, no new member, and a link that still works for somebody else. */
async function expectRefusedAndUsable(token: string): Promise<void> {
  for (const email of [listed, 'Second@OPS.example ']) {
    const { status, body } = await signUp(token, email);
    expect([status, body]).toEqual(otherAddress);
  }
  expect(await emailsOf()).toEqual(both());
  const somebody = freshEmail();
  expect((await signUp(token, somebody)).status).toBe(200);
  expect(await emailsOf()).toEqual([...both(), somebody]);
}

describe('A 5.1 rule 8: an ordinary administrator cannot make an operator', () => {
  test.each([listed, 'SECOND@ops.example', 'first@ops.example'])(
    'it cannot invite a listed address: %s',
    async (email) => {
      const { status, body } = await create(ordinary.bearer, { email });
      expect([status, body]).toEqual([403, { detail: 'inviting an operator requires operator access' }]);
      const { body: invites } = await app.json('GET', '/api/tenants/invites', { headers: ordinary.bearer });
      expect(invites).toEqual([]);
    },
  );

  test('an invite of its own without an address does not admit a listed address', async () => {
    await expectRefusedAndUsable(await invited(ordinary.bearer));
  });

  test('an older invite bound to a listed address, from before such invites were refused, admits nobody', async () => {
    const token = await invited(operatorHeaders, { email: listed });
    await openSuperuser(app.superuserUrl)`
      update invites set by_operator = false, created_by = ${ordinary.email} where tenant_id = ${operatorWorkspace}`;
    const { status, body } = await signUp(token, listed);
    expect([status, body]).toEqual(otherAddress);
    expect(await emailsOf()).toEqual(both());
  });
});

describe('A 5.1 rule 8: an invite of an operator', () => {
  test.each([theKey, anOperator, besideKey])('bound to a listed address admits it: by %s', async (_, by) => {
    const token = await invited(by(), { email: listed });
    const { status, body } = await signUp(token, listed);
    // A designated operator is asked for an authenticator.
    expect([status, body.mfa_required, body.account?.id]).toEqual([200, true, operatorWorkspace]);
    expect(await emailsOf()).toEqual([...both(), listed]);
  });

  test.each([theKey, anOperator, besideKey])(
    'without an address does not admit a listed one, whose ownership it does not prove: by %s',
    async (_, by) => {
      await expectRefusedAndUsable(await invited(by()));
    },
  );

  test('in another workspace a listed address is an ordinary one', async () => {
    const founder = await found(app);
    const { body } = await app.json('POST', '/api/tenants/invites', { headers: founder.bearer, body: {} });
    const joined = await signUp(body.invite_token, listed);
    expect([joined.status, joined.body.account?.id]).toEqual([200, founder.tenantId]);
  });
});

describe('A 5.1 rule 8: restoring a revoked operator', () => {
  const act = (method: string, path: string, headers: Headers) => app.json(method, path, { headers });
  const path = ({ userId }: WorkspaceMember) => `/api/auth/users/${userId}`;
  const isActive = async ({ userId }: WorkspaceMember) => {
    const [row] = await openSuperuser(app.superuserUrl)`select active from users where user_id = ${userId}`;
    return row?.['active'];
  };

  let second: WorkspaceMember;
  beforeEach(async () => {
    second = await addAdministrator(app, listed);
    expect((await act('DELETE', path(second), operatorHeaders)).status).toBe(200);
  });

  test('is refused to an ordinary administrator', async () => {
    const { status, body } = await act('POST', `${path(second)}/restore`, ordinary.bearer);
    expect([status, body]).toEqual([403, { detail: 'restoring an operator requires operator access' }]);
    expect(await isActive(second)).toBe(false);
  });

  test('is refused to an operator whose authenticator is gone', async () => {
    await openSuperuser(
      app.superuserUrl,
    )`update users set totp_secret = null where user_id = ${operator.userId}`;
    expect((await act('POST', `${path(second)}/restore`, operator.bearer)).status).toBe(403);
    expect(await isActive(second)).toBe(false);
  });

  test.each([theKey, anOperator, besideKey])('is allowed to %s', async (_, by) => {
    const { status, body } = await act('POST', `${path(second)}/restore`, by());
    expect([status, body.active, await isActive(second)]).toEqual([200, true, true]);
  });

  test.each([itself, theKey])('of any other member of the workspace is allowed to %s too', async (_, by) => {
    const plain = await addAdministrator(app, freshEmail());
    await act('DELETE', path(plain), ordinary.bearer);
    expect((await act('POST', `${path(plain)}/restore`, by())).status).toBe(200);
    expect(await isActive(plain)).toBe(true);
  });
});
