import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrol, enrolByChallenge } from '#test/auth/mfa.ts';
import { me, passwordGrant } from '#test/auth/sign-in.ts';
import {
  administrator,
  openTeam,
  operator,
  operatorKey,
  type Person,
  personOf,
  type Team,
} from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

// Has no designated operators: it creates the workspaces, and signs people in without a code.
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

/** A deployment on the same database with the operators Olga and Otto, in Olga's workspace. */
let platform: Awaited<ReturnType<typeof startBeside>>;

let workspace: Team;
let olga: Person;
let otto: Person;
/** On the list, without an authenticator. Nina gets one, Zoe's is reset. */
let bare: Person;
let nina: Person;
let zoe: Person;
/** An administrator of the operators’ workspace who is not on the list, with an authenticator. */
let unlisted: Person;
let neighbours: Team;

beforeAll(async () => {
  workspace = await openTeam(app, { email: 'olga@example.org' });
  olga = workspace.founder;
  otto = await workspace.join({ role: administrator }, 'otto@example.org');
  bare = await workspace.join({ role: administrator }, 'bare@example.org');
  nina = await workspace.join({ role: administrator }, 'nina@example.org');
  zoe = await workspace.join({ role: administrator }, 'zoe@example.org');
  unlisted = await workspace.join({ role: administrator });
  neighbours = await openTeam(app);
  for (const person of [olga, otto, unlisted]) await enrol(app, person);
  platform = await startBeside(app, {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    OPERATOR_API_KEY: operatorKey,
    OPERATOR_EMAILS:
      'olga@example.org, otto@example.org,bare@example.org,nina@example.org,zoe@example.org,uma@example.org',
    OPERATOR_TENANT_ID: workspace.tenantId,
  });
});
afterAll(() => platform?.close());

const provision = async ({ bearer }: Pick<Person, 'bearer'>) => {
  const { status, body } = await platform.json('POST', '/api/tenants', {
    headers: bearer,
    body: { name: 'x' },
  });
  return [status, status === 200 ? undefined : body.detail];
};
const operatorOnly = [403, 'tenant provisioning is operator-only'];
const listed = async (headers: Record<string, string>, query = '') => {
  const { body } = await platform.json('GET', `/api/auth/users${query}`, { headers });
  return body.map(({ user_id }: { user_id: string }) => user_id);
};
const seen = async ({ bearer }: Person) => {
  const { body } = await platform.json('GET', '/api/tenants', { headers: bearer });
  return body.map(({ id }: { id: string }) => id);
};

describe('A 5.1 rule 8: a session of a designated operator', () => {
  test('in the operator workspace, with an authenticator: provisions, and sees all tenants', async () => {
    expect(await provision(olga)).toEqual([200, undefined]);
    expect(await provision({ bearer: olga.cookie })).toEqual([200, undefined]);
    expect(await seen(olga)).toEqual(expect.arrayContaining([workspace.tenantId, neighbours.tenantId]));
  });

  test('not on the list: global_administrator never qualifies', async () => {
    expect(await provision(unlisted)).toEqual(operatorOnly);
    expect(await seen(unlisted)).toEqual([workspace.tenantId]);
    expect(await provision(neighbours.founder)).toEqual(operatorOnly);
  });

  test('on the list, but signed in to another workspace', async () => {
    const elsewhere = await openTeam(app, { email: olga.email });
    await enrol(app, elsewhere.founder);
    expect(await provision(elsewhere.founder)).toEqual(operatorOnly);
    expect(await seen(elsewhere.founder)).toEqual([elsewhere.tenantId]);
    const joined = await neighbours.join({ role: administrator }, olga.email);
    await enrol(app, joined);
    expect(await provision(joined)).toEqual(operatorOnly);
  });

  test('on the list, without an authenticator', async () => {
    expect(await provision(bare)).toEqual(operatorOnly);
    expect(await seen(bare)).toEqual([workspace.tenantId]);
  });

  test('is checked at each request: without the authenticator operator access ends', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const [row] = await sql`select totp_secret from users where user_id = ${otto.userId}`;
    expect(await provision(otto)).toEqual([200, undefined]);
    await sql`update users set totp_secret = null where user_id = ${otto.userId}`;
    expect(await provision(otto)).toEqual(operatorOnly);
    expect(await seen(otto)).toEqual([workspace.tenantId]);
    await sql`update users set totp_secret = ${row?.['totp_secret']} where user_id = ${otto.userId}`;
    expect(await provision(otto)).toEqual([200, undefined]);
  });

  test('a wrong operator key beside it changes nothing, here or elsewhere', async () => {
    expect(await provision({ bearer: { ...olga.bearer, 'x-api-key': 'wrong' } })).toEqual([200, undefined]);
    expect(await provision({ bearer: { ...unlisted.bearer, 'x-api-key': 'wrong' } })).toEqual(operatorOnly);
  });

  test('a deployment without a list has no designated operators', async () => {
    const { status, body } = await app.json('POST', '/api/tenants', {
      headers: olga.bearer,
      body: { name: 'x' },
    });
    expect([status, body.detail]).toEqual(operatorOnly);
  });
});

describe('A 5.1 rule 8: fail closed', () => {
  const listOnly = useTestApp({
    env: {
      AUTH_RATE_LIMIT_ENABLED: 'false',
      OPERATOR_API_KEY: operatorKey,
      OPERATOR_EMAILS: 'olga@example.org',
    },
  });

  test('a list without its workspace designates nobody', async () => {
    const { founder } = await openTeam(listOnly, { email: 'olga@example.org' });
    await enrol(listOnly, founder);
    const { status, body } = await listOnly.json('POST', '/api/tenants', {
      headers: founder.bearer,
      body: { name: 'x' },
    });
    expect([status, body.detail]).toEqual(operatorOnly);
  });
});

describe('A 4.1, 4.4: the default workspace of an operator’s session', () => {
  test('its own workspace; for the roster it may name another one', async () => {
    expect(await listed(olga.bearer)).toContain(olga.userId);
    expect(await listed(olga.bearer)).not.toContain(neighbours.founder.userId);
    const query = `?tenant_id=${neighbours.tenantId}`;
    expect(await listed(olga.bearer, query)).toContain(neighbours.founder.userId);
    // An ordinary administrator's is ignored.
    expect(await listed(unlisted.bearer, query)).toContain(unlisted.userId);
    expect(await listed(unlisted.bearer, query)).not.toContain(neighbours.founder.userId);
  });

  test('its own workspace’s invites', async () => {
    const { status, body } = await platform.json('POST', '/api/tenants/invites', {
      headers: olga.bearer,
      body: {},
    });
    expect([status, body.invite_token?.startsWith(`${workspace.tenantId}.`)]).toEqual([200, true]);
    const invites = await platform.json('GET', '/api/tenants/invites', { headers: olga.bearer });
    expect(JSON.stringify(invites.body)).toContain(body.invite_id);
  });
});

describe('A 5.3 rule 1: MFA', () => {
  test('applies to a designated operator, who satisfies it by enrolling', async () => {
    const { body } = await passwordGrant(platform, nina);
    expect(body).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp_enroll' } });
    expect(body.access_token).toBeUndefined();
    const { token } = (await enrolByChallenge(platform, body.mfa_challenge.challenge_id)).answer.body;
    expect(await provision(personOf(token))).toEqual([200, undefined]);
  });

  test('does not apply to another member of the same workspace', async () => {
    const plain = await workspace.join();
    expect((await passwordGrant(platform, plain)).body.access_token).toEqual(expect.any(String));
  });
});

describe('A 5.2: resetting another operator’s sign-in', () => {
  const ask = async (action: string, target: Person, headers: Record<string, string>) => {
    const path = `/api/auth/users/${target.userId}/${action}`;
    return (await platform.json('POST', path, { headers })).status;
  };

  test.each([['mfa/reset'], ['password-reset-link']])(
    '%s: needs the operator key; an operator and an administrator of the workspace get 403',
    async (action) => {
      for (const target of [otto, bare])
        for (const { bearer } of [olga, unlisted]) expect(await ask(action, target, bearer)).toBe(403);
      const { body } = await me(platform, otto.bearer);
      expect(body.user.totp_enrolled).toBe(true);
    },
  );

  test('an operator resets an ordinary member’s', async () => {
    const plain = await workspace.join();
    await enrol(app, plain);
    expect(await ask('password-reset-link', plain, olga.bearer)).toBe(200);
    expect(await ask('mfa/reset', plain, olga.bearer)).toBe(200);
  });

  test('the operator key resets it, and operator access ends with the authenticator', async () => {
    await enrol(app, zoe);
    expect(await provision(zoe)).toEqual([200, undefined]);
    expect(await ask('password-reset-link', zoe, operator)).toBe(200);
    expect(await ask('mfa/reset', zoe, operator)).toBe(200);
    expect((await provision(zoe))[0]).not.toBe(200);
  });

  test('a revoked operator has no access', async () => {
    const uma = await workspace.join({ role: administrator }, 'uma@example.org');
    await enrol(app, uma);
    expect(await provision(uma)).toEqual([200, undefined]);
    await platform.json('DELETE', `/api/auth/users/${uma.userId}`, { headers: operator });
    expect((await provision(uma))[0]).toBe(401);
  });
});
