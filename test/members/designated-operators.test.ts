import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newFamily, startSession } from '#server/identity/access/sessions.ts';
import { addMember } from '#server/identity/members/members.ts';
import { registerTenant } from '#server/identity/tenants/accounts.ts';
import { newId } from '#server/platform/ids.ts';
import { env, found, operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const workspace = 'operators';
const app = useTestApp({
  env: { ...env, OPERATOR_TENANT_ID: workspace, OPERATOR_EMAILS: 'First@ops.example, second@ops.example' },
});

/** A member of the operators' workspace, with a session and, unless told otherwise, an authenticator. */
async function administrator(email: string, { enrolled = true } = {}) {
  const userId = newId();
  const member = { tenantId: workspace, userId, email, provider: 'email', role: 'global_administrator' };
  const { accessToken } = await app.database.inTenant(workspace, async (tx) => {
    await addMember(tx, { ...member, passwordHash: null });
    return startSession(tx, member, app.services.settings, newFamily({ secondFactor: true }));
  });
  if (enrolled)
    await openSuperuser(app.superuserUrl)`update users set totp_secret = '\\x01' where user_id = ${userId}`;
  return { userId, bearer: { authorization: `Bearer ${accessToken}` } };
}
type Administrator = Awaited<ReturnType<typeof administrator>>;

beforeAll(() =>
  app.database.inTenant(workspace, (tx) =>
    registerTenant(tx, {
      id: workspace,
      name: 'Operators',
      apiKey: 'not used',
      monthlyCharLimit: 1,
      metadata: {},
    }),
  ),
);

let first: Administrator;
let second: Administrator;
let ordinary: Administrator;
beforeEach(async () => {
  await openSuperuser(app.superuserUrl)`delete from users where tenant_id = ${workspace}`;
  first = await administrator('first@ops.example');
  second = await administrator('second@ops.example');
  ordinary = await administrator('ordinary@ops.example');
});

const mfaReset = 'mfa/reset';
const resetLink = 'password-reset-link';
const act = ({ userId }: { userId: string }, what: string, headers: Record<string, string>) =>
  app.json('POST', `/api/auth/users/${userId}/${what}`, { headers });

describe.each([mfaReset, resetLink])('A 5.2: resetting an operator’s sign-in (%s)', (what) => {
  const refused = { detail: "resetting an operator's sign-in requires the operator key" };

  test('is refused to every other administrator of the workspace, operators too', async () => {
    for (const { bearer } of [ordinary, second]) {
      const { status, body } = await act(first, what, bearer);
      expect([status, body]).toEqual([403, refused]);
    }
    const [row] = await openSuperuser(app.superuserUrl)`
      select totp_secret is not null as enrolled, (select count(*)::int from reset_links) as links
      from users where user_id = ${first.userId}`;
    expect(row).toEqual({ enrolled: true, links: 0 });
  });

  test('is allowed to a session of its own: A 5.2 refuses another operator’s alone', async () => {
    expect((await act(first, what, first.bearer)).status).toBe(200);
  });

  test('is allowed to the operator key, alone or beside a session', async () => {
    for (const headers of [operator, { ...ordinary.bearer, ...operator }])
      expect((await act(first, what, headers)).status).toBe(200);
  });

  test('an operator without an authenticator is protected all the same', async () => {
    await openSuperuser(
      app.superuserUrl,
    )`update users set totp_secret = null where user_id = ${first.userId}`;
    expect((await act(first, what, ordinary.bearer)).status).toBe(403);
  });

  test('a member who is not an operator can be reset by any administrator', async () => {
    expect((await act(ordinary, what, second.bearer)).status).toBe(200);
  });

  test('the address alone does not make an operator: in another workspace it is an ordinary member', async () => {
    const founder = await found(app);
    const userId = newId();
    await app.database.inTenant(founder.tenantId, (tx) =>
      addMember(tx, {
        tenantId: founder.tenantId,
        userId,
        email: 'first@ops.example',
        provider: 'email',
        role: 'agent_id_developer',
        passwordHash: 'x',
      }),
    );
    expect((await act({ userId }, what, founder.bearer)).status).toBe(200);
  });
});

describe('A 5.1: the scope of a designated operator’s session', () => {
  test('A 4.1: its own roster, unless it names another', async () => {
    const founder = await found(app);
    const roster = (query = '') => app.json('GET', `/api/auth/users${query}`, { headers: first.bearer });
    expect((await roster()).body).toHaveLength(3);
    const { body } = await roster(`?tenant_id=${founder.tenantId}`);
    expect(body).toEqual([expect.objectContaining({ user_id: founder.userId })]);
    expect((await roster('?tenant_id=nobody')).status).toBe(404);
    // Without an authenticator it is no operator: a foreign tenant is ignored.
    await openSuperuser(
      app.superuserUrl,
    )`update users set totp_secret = null where user_id = ${first.userId}`;
    expect((await roster(`?tenant_id=${founder.tenantId}`)).body).toHaveLength(3);
  });

  test('A 5.2: a foreign member is 404: only the operator key reaches any tenant', async () => {
    const founder = await found(app);
    for (const what of [mfaReset, resetLink, 'restore'])
      expect((await act(founder, what, first.bearer)).status).toBe(404);
    const { status } = await app.json('DELETE', `/api/auth/users/${founder.userId}`, {
      headers: first.bearer,
    });
    expect(status).toBe(404);
    expect((await act(founder, mfaReset, { ...first.bearer, ...operator })).status).toBe(200);
  });

  test('A 4.4: invites: its own workspace, or the one that it names, where it is the operator', async () => {
    const founder = await found(app);
    const create = (query = '') =>
      app.json('POST', `/api/tenants/invites${query}`, { headers: first.bearer, body: {} });
    const own = await create();
    expect([own.status, own.body.created_by]).toEqual([200, 'first@ops.example']);
    const foreign = await create(`?tenant_id=${founder.tenantId}`);
    expect([foreign.status, foreign.body.created_by]).toEqual([200, 'operator']);
    expect(foreign.body.invite_token.startsWith(`${founder.tenantId}.`)).toBe(true);
  });
});
