import { beforeEach, describe, expect, test } from 'vitest';
import {
  administrator,
  bearer,
  developer,
  openTeam,
  operator,
  operatorKey,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });
const PATH = '/api/tenants/invites';

const day = 86_400_000;
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/);
const pending = {
  invite_id: expect.any(String),
  email: null,
  role: developer,
  status: 'pending',
  created_by: expect.any(String),
  created_at: moment,
  expires_at: moment,
  redeemed_at: null,
  redeemed_by: null,
};

let team: Team;
let other: Team;
beforeEach(async () => {
  team = await openTeam(app);
  other = await openTeam(app);
});

const create = (body: unknown = {}, headers = team.admin, query = '') =>
  app.json('POST', `${PATH}${query}`, { headers, body });
const list = (headers = team.admin, query = '') => app.json('GET', `${PATH}${query}`, { headers });
const withdraw = (id: string, headers = team.admin, query = '') =>
  app.json('DELETE', `${PATH}/${id}${query}`, { headers });

async function expire() {
  await openSuperuser(app.superuserUrl)`
    update invites set expires_at = now() - interval '1 second' where tenant_id = ${team.tenantId}`;
}
const lifeOf = (invite: { created_at: string; expires_at: string }) =>
  Date.parse(invite.expires_at) - Date.parse(invite.created_at);

describe('C 2: creating', () => {
  test('200 with the record and the token, which is returned only here', async () => {
    const { status, body } = await create();
    expect(status).toBe(200);
    expect(body).toEqual({ ...pending, invite_token: expect.any(String) });
    expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(60_000);
    const { invite_token, ...record } = body;
    const listed = await list();
    expect(listed.body).toEqual([record]);
    expect(JSON.stringify(listed.body)).not.toContain(invite_token.split('.').at(-1));
  });

  test('A 2.4: the token has the shape <tenant_id>.<secret>', async () => {
    const { invite_token } = await team.invite();
    expect(invite_token.startsWith(`${team.tenantId}.`)).toBe(true);
    expect(invite_token.slice(team.tenantId.length + 1).length).toBeGreaterThanOrEqual(32);
  });

  test('the token is not kept', async () => {
    const { invite_token } = await team.invite();
    const secret = invite_token.slice(team.tenantId.length + 1);
    const rows = await openSuperuser(app.superuserUrl)`select t::text as row from invites t`;
    for (const { row } of rows)
      for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(row).not.toContain(form);
  });

  test('an address, kept in lower case, and a role', async () => {
    const { body } = await create({ email: 'Some.One@Example.ORG', role: administrator });
    expect(body).toMatchObject({ email: 'some.one@example.org', role: administrator, status: 'pending' });
  });

  test('lasts 7 days, or expires_in_days', async () => {
    expect(lifeOf((await create()).body)).toBe(7 * day);
    for (const days of [1, 30])
      expect(lifeOf((await create({ expires_in_days: days })).body)).toBe(days * day);
  });

  test.each([[0], [31], [-1], [1.5], ['7'], [1e9]])('expires_in_days %j is 422', async (days) => {
    const { status, body } = await create({ expires_in_days: days });
    expect([status, Array.isArray(body.detail)]).toEqual([422, true]);
    expect((await list()).body).toEqual([]);
  });

  test('another role is 422, an invalid address is refused', async () => {
    expect((await create({ role: 'owner' })).status).toBe(422);
    for (const email of ['nobody', 'a@', '@b.org', 'a b@c.org'])
      expect([400, 422]).toContain((await create({ email })).status);
    expect((await list()).body).toEqual([]);
  });
});

describe('C 2: listing', () => {
  test('an array, newest first, of the own tenant alone', async () => {
    const made: string[] = [];
    for (let i = 0; i < 4; i++) made.unshift((await team.invite()).invite_id);
    await other.invite();
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.map(({ invite_id }: { invite_id: string }) => invite_id)).toEqual(made);
  });

  test('shows the state of each', async () => {
    const expired = await team.invite();
    await expire();
    const withdrawn = await team.invite();
    await withdraw(withdrawn.invite_id);
    const waiting = await team.invite();
    const member = await team.join({ role: administrator });
    const { body } = await list();
    const by = Object.fromEntries(body.map((row: { invite_id: string }) => [row.invite_id, row]));
    expect(by[expired.invite_id].status).toBe('expired');
    expect(by[withdrawn.invite_id].status).toBe('withdrawn');
    expect(by[waiting.invite_id]).toEqual({ ...pending });
    const redeemed = body.find(({ status }: { status: string }) => status === 'redeemed');
    expect(redeemed).toMatchObject({ role: administrator, redeemed_at: moment });
    expect([member.userId, member.email]).toContain(redeemed.redeemed_by);
    for (const row of body) expect(Object.keys(row).toSorted()).toEqual(Object.keys(pending).toSorted());
  });
});

describe('A 8: at most 20 pending', () => {
  const fill = async () => {
    const made = [];
    for (let i = 0; i < 20; i++) made.push(await team.invite());
    return made;
  };

  test('the 21st is 409; withdrawing one allows another', async () => {
    const [first] = await fill();
    const { status, body } = await create();
    expect([status, typeof body.detail]).toEqual([409, 'string']);
    expect((await list()).body).toHaveLength(20);
    await withdraw(first.invite_id);
    expect((await create()).status).toBe(200);
    expect((await create()).status).toBe(409);
    // Another tenant has its own 20.
    expect((await create({}, other.admin)).status).toBe(200);
  });

  test('C 2: expired ones do not count, nor redeemed ones', async () => {
    await team.join();
    await fill();
    await expire();
    await fill();
    expect((await create()).status).toBe(409);
  });

  test('of 30 created at the same time exactly 20 are', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => create()));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(10).fill(409)]);
    expect((await list()).body).toHaveLength(20);
  });
});

describe('A 3.5: withdrawing', () => {
  test('204 without a body, then 404', async () => {
    const { invite_id } = await team.invite();
    const { status, body } = await withdraw(invite_id);
    expect([status, body]).toEqual([204, undefined]);
    expect((await withdraw(invite_id)).status).toBe(404);
  });

  test('C 2: one that is not pending is 404: redeemed, expired, unknown', async () => {
    await team.join();
    const [redeemed] = await team.invites();
    expect((await withdraw(redeemed.invite_id)).status).toBe(404);
    const { invite_id } = await team.invite();
    await expire();
    expect((await withdraw(invite_id)).status).toBe(404);
    expect((await withdraw('nobody')).status).toBe(404);
  });

  test('of ten at the same time one is 204', async () => {
    const { invite_id } = await team.invite();
    const answers = await Promise.all(Array.from({ length: 10 }, () => withdraw(invite_id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(9).fill(404)]);
  });

  test('A 5.2: a foreign one is 404, and stays', async () => {
    const { invite_id } = await team.invite();
    expect((await withdraw(invite_id, other.admin)).status).toBe(404);
    expect((await list()).body).toMatchObject([{ invite_id, status: 'pending' }]);
  });
});

describe('A 4.4: the tenant', () => {
  test('an administrator who names another gets 404; who names their own is served', async () => {
    const { invite_id } = await team.invite();
    for (const named of [team.tenantId, 'nobody']) {
      const query = `?tenant_id=${named}`;
      expect((await create({}, other.admin, query)).status).toBe(404);
      expect((await list(other.admin, query)).status).toBe(404);
      expect((await withdraw(invite_id, other.admin, query)).status).toBe(404);
    }
    expect((await list()).body).toHaveLength(1);
    expect((await other.invites()).length).toBe(0);
    const own = `?tenant_id=${team.tenantId}`;
    expect((await create({}, team.admin, own)).status).toBe(200);
    expect((await list(team.admin, own)).body).toHaveLength(2);
    expect((await withdraw(invite_id, team.admin, own)).status).toBe(204);
  });

  test('the operator key must name one: 400', async () => {
    const { invite_id } = await team.invite();
    for (const headers of [operator, bearer(operatorKey)]) {
      const answers = [await create({}, headers), await list(headers), await withdraw(invite_id, headers)];
      for (const { status, body } of answers) expect([status, typeof body.detail]).toEqual([400, 'string']);
    }
    const query = `?tenant_id=${team.tenantId}`;
    const made = await create({}, operator, query);
    expect(made.status).toBe(200);
    expect(made.body.invite_token.startsWith(`${team.tenantId}.`)).toBe(true);
    expect((await list(operator, query)).body).toHaveLength(2);
    expect((await withdraw(invite_id, operator, query)).status).toBe(204);
  });

  test('an unknown tenant is 404 for the operator too', async () => {
    for (const { status } of [
      await create({}, operator, '?tenant_id=nobody'),
      await list(operator, '?tenant_id=nobody'),
    ])
      expect(status).toBe(404);
  });
});

describe('A 5.2: the callers', () => {
  test('not a plain member (403), nor a tenant API key (401), nor without a credential (401)', async () => {
    const member = await team.join();
    const { invite_id } = await team.invite();
    const ask = async (headers: Record<string, string>) => {
      const answers = [await create({}, headers), await list(headers), await withdraw(invite_id, headers)];
      return answers.map(({ status, body }) => [status, body.detail]);
    };
    const three = (answer: unknown) => [answer, answer, answer];
    for (const headers of [member.bearer, member.cookie])
      expect(await ask(headers)).toEqual(three([403, 'admin role required']));
    for (const headers of [{ 'x-api-key': team.apiKey }, bearer(team.apiKey), {}, bearer('wrong')])
      expect(await ask(headers)).toEqual(three([401, 'admin credentials required']));
  });

  test('by the cookie of an administrator', async () => {
    expect((await create({}, team.founder.cookie)).status).toBe(200);
    expect((await list(team.founder.cookie)).body).toHaveLength(1);
  });
});
