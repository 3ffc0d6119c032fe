import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrol } from '#test/auth/mfa.ts';
import { administrator, openTeam, type Person, type Team } from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { base, type Customer, customer, type Headers, text } from '../billing/customers.ts';

const engine = engineOf(async ({ segments }) =>
  answered(
    segments.map((one) => `«${one}»`),
    7,
  ),
);
// Has no designated operators: it creates the workspaces.
const app = useTestApp({ env: base, engine });

/** A deployment on the same database with the operator Olga. */
let platform: Awaited<ReturnType<typeof startBeside>>;

let workspace: Team;
/** On the list, with an authenticator; Otto has none. Hanna is an administrator of the same workspace. */
let olga: Person;
let otto: Person;
let hanna: Person;
let theirs: Customer;

beforeAll(async () => {
  workspace = await openTeam(app, { email: 'olga@example.org' });
  olga = workspace.founder;
  otto = await workspace.join({ role: administrator }, 'otto@example.org');
  hanna = await workspace.join({ role: administrator });
  for (const person of [olga, hanna]) await enrol(app, person);
  const neighbours = await openTeam(app);
  theirs = customer(app, neighbours.tenantId, { 'x-api-key': neighbours.apiKey });
  expect((await theirs.translate(text(20))).status).toBe(200);
  const mine = customer(app, workspace.tenantId, { 'x-api-key': workspace.apiKey });
  expect((await mine.translate(text(30))).status).toBe(200);
  platform = await startBeside(app, {
    ...base,
    OPERATOR_EMAILS: 'olga@example.org,otto@example.org',
    OPERATOR_TENANT_ID: workspace.tenantId,
  });
});
afterAll(() => platform?.close());

const read = async (headers: Headers, path: string) => {
  const response = await platform.request(`/api/tenants/${path}`, { headers });
  return { status: response.status, body: await response.text() };
};

describe('A 2.5 and A 5.1 rule 8: the session of a designated operator', () => {
  test('gets the full payload of any tenant: summary and exports, with tokens and models', async () => {
    for (const id of [theirs.tenantId, workspace.tenantId])
      for (const rest of [
        'billing',
        'billing/export?format=json',
        'billing/export?format=jsonl',
        'billing/export?format=csv',
      ]) {
        const { status, body } = await read(olga.bearer, `${id}/${rest}`);
        expect([rest, status]).toEqual([rest, 200]);
        for (const field of ['input_tokens', 'output_tokens', 'total_tokens', 'models'])
          expect(body).toContain(field);
      }
  });

  test('C 7: without tenant_id gets the sum over all tenants, with tokens; with one that tenant’s', async () => {
    const all = JSON.parse((await read(olga.bearer, 'usage/daily')).body);
    expect([all.tenant_id, all.totals]).toEqual([
      null,
      { jobs: 2, billable_chars: 50, input_tokens: 14, output_tokens: 14, total_tokens: 28 },
    ]);
    const one = JSON.parse((await read(olga.bearer, `usage/daily?tenant_id=${theirs.tenantId}`)).body);
    expect([one.tenant_id, one.totals.billable_chars, one.totals.total_tokens]).toEqual([
      theirs.tenantId,
      20,
      14,
    ]);
  });
});

describe('C 7: the operator key beside an administrator’s session', () => {
  test('adds operator access to that call: any tenant, with tokens and models', async () => {
    const headers = { ...hanna.bearer, 'x-api-key': base.OPERATOR_API_KEY };
    for (const rest of ['billing', 'billing/export?format=csv']) {
      const { status, body } = await read(headers, `${theirs.tenantId}/${rest}`);
      expect([rest, status]).toEqual([rest, 200]);
      for (const field of ['total_tokens', 'models']) expect(body).toContain(field);
    }
  });
});

describe('A 2.5: a global_administrator does not qualify', () => {
  test('not on the list, or on it without an authenticator: only the own tenant, characters only', async () => {
    for (const { bearer } of [hanna, otto]) {
      const daily = await read(bearer, `usage/daily?tenant_id=${theirs.tenantId}`);
      expect(JSON.parse(daily.body)).toMatchObject({
        tenant_id: workspace.tenantId,
        totals: { jobs: 1, billable_chars: 30 },
      });
      const own = await read(bearer, `${workspace.tenantId}/billing`);
      const exported = await read(bearer, `${workspace.tenantId}/billing/export?format=json`);
      for (const { status, body } of [daily, own, exported]) {
        expect(status).toBe(200);
        expect(body).not.toMatch(/token|model/);
      }
      for (const rest of ['billing', 'billing/export?format=csv'])
        expect((await read(bearer, `${theirs.tenantId}/${rest}`)).status).toBe(404);
    }
  });
});
