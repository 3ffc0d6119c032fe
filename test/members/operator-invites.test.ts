import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signUp } from '#test/auth/sign-in.ts';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
  type WorkspaceMember,
} from '#test/factories/operators.ts';
import {
  founding,
  freshEmail,
  type Headers,
  operator as operatorKey,
  administrator as role,
} from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

describe('operator invites', () => {
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

  /** An email address that is on the list of operators and belongs to no member yet. */
  const listed = 'second@ops.example';
  /** The callers who have operator access. */
  const operators: [string, () => Headers][] = [
    ['the operator key', () => operatorKey],
    ['an operator’s session', () => operator.bearer],
    ['an ordinary administrator with the operator key', () => ({ ...ordinary.bearer, ...operatorKey })],
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

  const join = (invite_token: string, email: string) => signUp(app, founding({ invite_token, email }));

  const otherAddress = [400, refusalOf('this invite was issued for a different email address')];

  const emailsOf = async () => {
    const rows = await openSuperuser(app.superuserUrl)`
    select email from users where tenant_id = ${operatorWorkspace} order by created_at, user_id`;
    return rows.map(({ email }) => email);
  };
  const both = () => [operator.email, ordinary.email];

  /**
   * Expects that the invite is rejected for the listed email address, without a new member, and that another person can
   * still accept it.
   */
  async function expectRefusedAndUsable(token: string): Promise<void> {
    for (const email of [listed, 'Second@OPS.example ']) {
      const { status, body } = await join(token, email);
      expect([status, body]).toEqual(otherAddress);
    }
    expect(await emailsOf()).toEqual(both());
    const another = freshEmail();
    expect((await join(token, another)).status).toBe(200);
    expect(await emailsOf()).toEqual([...both(), another]);
  }

  describe('an ordinary administrator cannot make an operator (A 5.1 rule 8)', () => {
    test('by inviting a listed address', async () => {
      for (const email of [listed, 'SECOND@ops.example', 'first@ops.example']) {
        const { status, body } = await create(ordinary.bearer, { email });
        expect([status, body]).toEqual([403, refusalOf('inviting an operator requires operator access')]);
      }
      const { body: invites } = await app.json('GET', '/api/tenants/invites', { headers: ordinary.bearer });
      expect(invites).toEqual([]);
    });

    test('by an invite without an address', async () => {
      await expectRefusedAndUsable(await invited(ordinary.bearer));
    });

    test('by an older invite bound to a listed address, from before such invites were denied', async () => {
      const token = await invited(operatorKey, { email: listed });
      await openSuperuser(app.superuserUrl)`
      update invites set by_operator = false, created_by = ${ordinary.email} where tenant_id = ${operatorWorkspace}`;
      const { status, body } = await join(token, listed);
      expect([status, body]).toEqual(otherAddress);
      expect(await emailsOf()).toEqual(both());
    });
  });

  describe.each(operators)('%s', (_, by) => {
    test('makes an operator by an invite that is bound to a listed address, and by no other', async () => {
      await expectRefusedAndUsable(await invited(by()));
      const { status, body } = await join(await invited(by(), { email: listed }), listed);
      // A designated operator must set up an authenticator.
      expect([status, body.mfa_required, body.account?.id]).toEqual([200, true, operatorWorkspace]);
      expect(await emailsOf()).toContain(listed);
    });
  });

  test('a revoked operator is restored only by an operator, any other member by every administrator', async () => {
    const act = (method: string, { userId }: WorkspaceMember, headers: Headers, path = '') =>
      app.json(method, `/api/auth/users/${userId}${path}`, { headers });
    const restore = (of: WorkspaceMember, headers: Headers) => act('POST', of, headers, '/restore');
    const second = await addAdministrator(app, listed);
    const plain = await addAdministrator(app, freshEmail());
    for (const [, by] of operators) {
      await act('DELETE', second, operatorKey);
      const denied = await restore(second, ordinary.bearer);
      const detail = 'restoring an operator requires operator access';
      expect([denied.status, denied.body]).toEqual([403, refusalOf(detail)]);
      const { status, body } = await restore(second, by());
      expect([status, body.active]).toEqual([200, true]);
    }
    // Without an authenticator, the person is not an operator.
    await openSuperuser(app.superuserUrl)`
    update users set totp_secret = null where user_id = ${operator.userId}`;
    await act('DELETE', second, operatorKey);
    expect((await restore(second, operator.bearer)).status).toBe(403);
    for (const headers of [ordinary.bearer, operatorKey]) {
      await act('DELETE', plain, ordinary.bearer);
      expect((await restore(plain, headers)).body.active).toBe(true);
    }
  });
});

const app = useTestApp({ env: operatorEnv, engine: engineOf(async () => answered(['Bonjour'], 7)) });

test('only an operator’s session shows the whole job without the operator key', async () => {
  await openOperators(app);
  const operator = await addAdministrator(app, 'first@ops.example');
  const unlisted = await addAdministrator(app, 'third@ops.example');
  const bare = await addAdministrator(app, 'second@ops.example');
  const sql = openSuperuser(app.superuserUrl);
  await sql`update tenants set monthly_char_limit = 1000 where tenant_id = ${operatorWorkspace}`;
  await sql`update users set totp_secret = null where user_id = ${bare.userId}`;

  // Each call needs another text, because a repeated text would be served from the TM.
  const submit = ({ bearer }: WorkspaceMember, source_text = 'Hello') =>
    app.json('POST', '/api/translations', {
      headers: bearer,
      body: { source_text, target_lang: 'fr', metadata: { candidate_models: ['other'] } },
    });
  const made = await submit(unlisted);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const { id } = made.body;
  const read = ({ bearer }: WorkspaceMember, path = `/api/translations/${id}`) =>
    app.json('GET', path, { headers: bearer });

  const { body: whole } = await read(operator);
  expect(whole.quality_assessment.model).toBe('model');
  expect(whole.request.metadata.candidate_models).toEqual(['other']);
  expect(whole.agent_run.steps[0].metadata).toMatchObject({ models: ['model'], input_tokens: 7 });
  const { body: list } = await read(operator, '/api/translations');
  expect(list[0].agent_run.steps[0].metadata.models).toEqual(['model']);
  expect((await submit(operator, 'Good morning')).body.quality_assessment.model).toBe('model');

  for (const member of [unlisted, bare])
    for (const { status, body } of [await read(member), await read(member, '/api/translations'), made]) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/"model|tokens|losers|candidate_models/);
    }
});
