import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  bearer,
  type Headers,
  openTeam,
  operator,
  operatorKey,
  type Person,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { type Guard, operationOf, operationsOf } from '../auth/operations.ts';
import { answerOf } from '../translations/workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

let names: string[];
let team: Team;
let foreign: Team;
let member: Person;
/** The ids in the addresses: resources of the team. */
let ids: Record<string, string>;

beforeAll(async () => {
  names = operationsOf((await app.json('GET', '/openapi.json')).body);
  team = await openTeam(app);
  foreign = await openTeam(app);
  member = await team.join();
});

// New ones for each test, because calling every route uses them up.
beforeEach(async () => {
  const victim = await team.join();
  const { invite_id } = await team.invite();
  const { body: job } = await app.json('POST', '/api/translations', {
    headers: team.admin,
    body: { source_text: 'Hello', target_lang: 'fr' },
  });
  ids = { user_id: victim.userId, tenant_id: team.tenantId, job_id: job.id, invite_id, provider: 'oidc' };
});

const wrong = 'garbage-of-some-length-0123456789-0123456789';

/** The credentials, each in every header that may carry it. */
const credentials = {
  none: () => [{}],
  garbage: () => [
    bearer(wrong),
    { 'x-api-key': wrong },
    { 'x-api-key': '' },
    { authorization: `Basic ${wrong}` },
  ],
  'API key': () => [{ 'x-api-key': team.apiKey }, bearer(team.apiKey)],
  'foreign administrator': () => [foreign.admin],
  member: () => [member.bearer],
  administrator: () => [team.admin],
  'operator key': () => [operator, bearer(operatorKey)],
};
type Credential = keyof typeof credentials;

/** The expected response: the exact refusal, `[401]` if no text is given, or whatever the procedure behind the guard returns. */
type Verdict = [401 | 403, string?] | 'behind';

const noTenant: Verdict = [401, 'missing or invalid tenant credentials'];
const noAdmin: Verdict = [401, 'admin credentials required'];
const noRole: Verdict = [403, 'admin role required'];
const operatorOnly: Verdict = [403, 'tenant provisioning is operator-only'];
const noSession: Verdict = [401, 'authentication required'];

const verdicts: Record<Exclude<Guard, 'public' | 'bearer' | 'billing'>, Record<Credential, Verdict>> = {
  tenant: {
    none: noTenant,
    garbage: noTenant,
    'API key': 'behind',
    'foreign administrator': 'behind',
    member: 'behind',
    administrator: 'behind',
    'operator key': noTenant,
  },
  'tenant-admin': {
    none: [401],
    garbage: [401],
    'API key': 'behind',
    'foreign administrator': 'behind',
    member: noRole,
    administrator: 'behind',
    'operator key': [401],
  },
  admin: {
    none: noAdmin,
    garbage: noAdmin,
    'API key': noAdmin,
    'foreign administrator': 'behind',
    member: noRole,
    administrator: 'behind',
    'operator key': 'behind',
  },
  operator: {
    none: noAdmin,
    garbage: noAdmin,
    'API key': noAdmin,
    'foreign administrator': operatorOnly,
    member: noRole,
    administrator: operatorOnly,
    'operator key': 'behind',
  },
  session: {
    none: noSession,
    garbage: noSession,
    'API key': noSession,
    'foreign administrator': noSession,
    member: noSession,
    administrator: noSession,
    'operator key': noSession,
  },
};

async function ask(name: string, headers: Headers) {
  const [method = '', path = ''] = name.split(' ');
  const { body, query = '' } = operationOf(name) ?? {};
  const address = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? 'nobody');
  const isJson = typeof body === 'object' && !(body instanceof URLSearchParams);
  const init: RequestInit = {
    method,
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
  };
  if (isJson) init.body = JSON.stringify(body);
  else if (body) init.body = typeof body === 'function' ? body() : body;
  return answerOf(app.request(`${address}${query}`, init));
}

const of = (guard: Guard) => names.filter((name) => operationOf(name)?.guard === guard);
const kinds = Object.keys(credentials) as Credential[];

/** The responses that are wrong, so that one run reports all of them. */
async function walk(guard: keyof typeof verdicts) {
  const amiss: unknown[] = [];
  for (const name of of(guard))
    for (const kind of kinds)
      for (const headers of credentials[kind]()) {
        const { status, body } = await ask(name, headers);
        const expected = verdicts[guard][kind];
        const right =
          expected === 'behind'
            ? status !== 401 && status !== 403
            : status === expected[0] && (expected[1] === undefined || body.detail === expected[1]);
        if (!right) amiss.push([name, kind, Object.keys(headers)[0], status, body?.detail, { expected }]);
      }
  return amiss;
}

describe('A 5.2: every operation of the OpenAPI document', () => {
  test('has a guard that the specification names', () => {
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => operationOf(name) === undefined)).toEqual([]);
  });

  test.each(Object.keys(verdicts) as (keyof typeof verdicts)[])(
    'guard %s: status and detail for each credential',
    async (guard) => {
      expect(await walk(guard)).toEqual([]);
    },
  );

  test('bearer only: GET /api/auth/me', async () => {
    const answers = async (...ways: Headers[]) =>
      Promise.all(
        ways.map(async (headers) => {
          const { status, body } = await ask('GET /api/auth/me', headers);
          return status === 200 ? 200 : [status, body.detail];
        }),
      );
    const missing = [401, 'missing bearer token'];
    const invalid = [401, 'invalid or expired bearer token'];
    expect(await answers({}, { 'x-api-key': team.apiKey }, operator, team.founder.cookie)).toEqual(
      Array(4).fill(missing),
    );
    expect(
      await answers(bearer(wrong), bearer(team.apiKey), bearer(operatorKey), bearer(member.refreshToken)),
    ).toEqual(Array(4).fill(invalid));
    expect(await answers(foreign.admin, member.bearer, team.admin)).toEqual([200, 200, 200]);
  });

  test('public: credentials do not matter, right or wrong', async () => {
    const amiss: unknown[] = [];
    for (const name of of('public')) {
      const bare = await ask(name, {});
      for (const kind of kinds)
        for (const headers of credentials[kind]()) {
          const { status, body } = await ask(name, headers);
          const same =
            status === bare.status && JSON.stringify(body?.detail) === JSON.stringify(bare.body?.detail);
          if (!same)
            amiss.push([name, kind, status, body?.detail, { bare: [bare.status, bare.body?.detail] }]);
        }
      const guarded = ['admin credentials required', 'missing or invalid tenant credentials'];
      if (guarded.includes(bare.body?.detail)) amiss.push([name, bare.status, bare.body.detail]);
    }
    expect(amiss).toEqual([]);
  });

  test('C 7: an administrator’s cookie counts at the guards that name it, and on the golden download', async () => {
    const asExpected: Partial<Record<Guard, (status: number, detail: unknown) => boolean>> = {
      admin: (status) => status !== 401 && status !== 403,
      'tenant-admin': (status) => status !== 401 && status !== 403,
      operator: (status, detail) => status === 403 && detail === operatorOnly[1],
      session: (_, detail) => detail !== noSession[1],
      tenant: (status, detail) => status === 401 && detail === noTenant[1],
    };
    const amiss: unknown[] = [];
    for (const name of names) {
      const isDownload = name === 'GET /api/translations/{job_id}/golden';
      const guard = isDownload ? 'admin' : operationOf(name)?.guard;
      const right = guard && asExpected[guard];
      if (!right) continue;
      const { status, body } = await ask(name, team.founder.cookie);
      if (!right(status, body?.detail)) amiss.push([name, guard, status, body?.detail]);
    }
    expect(amiss).toEqual([]);
  });

  test('A 5.1 rule 3: with X-Tenant-ID of another tenant, every tenant credential is refused', async () => {
    const elsewhere = { 'x-tenant-id': foreign.tenantId };
    const ways = [...credentials['API key'](), member.bearer, team.admin];
    const amiss: unknown[] = [];
    for (const guard of ['tenant', 'admin', 'operator'] as const)
      for (const name of of(guard))
        for (const headers of ways) {
          const { status, body } = await ask(name, { ...headers, ...elsewhere });
          const [, detail] = guard === 'tenant' ? noTenant : noAdmin;
          if (status !== 401 || body.detail !== detail) amiss.push([name, status, body.detail]);
        }
    expect(amiss).toEqual([]);
  });

  test('C 7: with billing off, billing routes say so before they authenticate', async () => {
    for (const name of of('billing'))
      for (const headers of [{}, team.admin]) {
        const { status, body } = await ask(name, headers);
        expect([status, body.detail], name).toEqual([503, 'billing is not enabled']);
      }
  });
});

describe('A 5.2: a foreign id', () => {
  test('is 404 on every address with an id, never 403', async () => {
    const owned = names.filter((name) => /\{(user_id|tenant_id|job_id|invite_id)\}/.test(name));
    expect(owned.length).toBeGreaterThan(5);
    const amiss: unknown[] = [];
    for (const name of owned) {
      const { status } = await ask(name, foreign.admin);
      if (status !== 404) amiss.push([name, status]);
    }
    expect(amiss).toEqual([]);
  });
});

describe('A 5.2: DELETE of translation and document jobs', () => {
  test('never accepts a tenant API key, with or without other credentials', async () => {
    const deletions = names.filter((name) => /^DELETE \/api\/(translations|documents)\//.test(name));
    expect(deletions).toContain('DELETE /api/translations/{job_id}');
    for (const name of deletions) {
      const ways: Headers[] = [
        { 'x-api-key': team.apiKey },
        bearer(team.apiKey),
        { 'x-api-key': team.apiKey, 'x-tenant-id': team.tenantId },
        { 'x-api-key': team.apiKey, ...bearer(team.apiKey) },
        { 'x-api-key': team.apiKey, ...bearer(wrong) },
      ];
      for (const headers of ways) {
        const { status, body } = await ask(name, headers);
        expect([status, body.detail]).toEqual([401, 'admin credentials required']);
      }
    }
  });
});
