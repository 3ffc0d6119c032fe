import { beforeAll, describe, expect, test } from 'vitest';
import { apiKey, bearer } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { askingAt, LIST, OPERATOR_KEY } from './two-tenants.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: OPERATOR_KEY } });

let ana: Signup;
let ben: Signup;
beforeAll(async () => {
  ana = await app.signUp({ tenant_name: 'Ana' });
  ben = await app.signUp({ tenant_name: 'Ben' });
});

const { submit } = askingAt(app);

describe('A 1 rule 4: tenants do not see each other', () => {
  let job: { id: string };
  beforeAll(async () => {
    job = (await submit(ana.headers, 'A secret of Ana')).body;
  });

  test('the own job is found by every credential of the tenant', async () => {
    for (const headers of [apiKey(ana.apiKey), bearer(ana.apiKey), bearer(ana.accessToken)]) {
      const { status, body } = await app.json('GET', `${LIST}/${job.id}`, { headers });
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: job.id, request: { source_text: 'A secret of Ana' } });
    }
  });

  test('A 5.2: a foreign job and an unknown one return the same 404 job not found', async () => {
    const answers = [];
    for (const id of [job.id, 'f'.repeat(32)]) {
      for (const headers of [apiKey(ben.apiKey), bearer(ben.accessToken)]) {
        answers.push(await app.json('GET', `${LIST}/${id}`, { headers }));
      }
    }
    const shapes = answers.map(({ status, body }) => ({ status, ...body, request_id: null }));
    expect(shapes[0]).toMatchObject({ status: 404, detail: 'job not found' });
    for (const shape of shapes) expect(shape).toEqual(shapes[0]);
  });

  test.each([
    ['a word', 'nope'],
    ['a digit', '0'],
    ['in capitals', 'F'.repeat(32)],
    ['a blank', '%20'],
    ['of 1000 characters', 'a'.repeat(1000)],
    ['with quotes', "'%20or%201=1--"],
    ['an emoji', '%F0%9F%98%80'],
  ])('an id of another form (%s) is 404 too', async (_name, id) => {
    const { status } = await app.json('GET', `${LIST}/${id}`, { headers: ana.headers });
    expect([404, 422]).toContain(status);
  });

  test('C 7: the operator key beside a token does not reach into another tenant', async () => {
    const { status } = await app.json('GET', `${LIST}/${job.id}`, {
      headers: { ...apiKey(OPERATOR_KEY), ...bearer(ben.accessToken) },
    });
    // Operator access "widens reads"; the rules do not say whether reads by id, too. A plain token never does.
    expect([200, 404]).toContain(status);
    const plain = await app.json('GET', `${LIST}/${job.id}`, { headers: bearer(ben.accessToken) });
    expect(plain.status).toBe(404);
  });

  test('neither over tRPC', async () => {
    const get = (headers: Record<string, string>, name: string) => {
      const input = encodeURIComponent(JSON.stringify({ json: { [name]: job.id } }));
      return app.json('GET', `/trpc/translations.get?input=${input}`, { headers });
    };
    for (const name of ['job_id', 'id', 'jobId']) {
      for (const headers of [apiKey(ben.apiKey), bearer(ben.accessToken), {}]) {
        const { status, body } = await get(headers, name);
        expect(status).toBeGreaterThanOrEqual(400);
        expect(JSON.stringify(body)).not.toContain('A secret of Ana');
      }
    }
  });

  test('a list holds the own jobs and no others', async () => {
    const [one, other] = [await app.signUp(), await app.signUp()];
    const mine = (await submit(one.headers)).body.id;
    const theirs = (await submit(other.headers)).body.id;
    const ids = async (signup: Signup) => {
      const { body } = await app.json('GET', LIST, { headers: signup.headers });
      return body.map((listed: { id: string }) => listed.id);
    };
    expect(await ids(one)).toEqual([mine]);
    expect(await ids(other)).toEqual([theirs]);
  });

  test('a query cannot name another tenant', async () => {
    const fresh = await app.signUp();
    for (const name of ['tenant_id', 'tenantId', 'tenant']) {
      const { status, body } = await app.json('GET', `${LIST}?${name}=${ana.tenantId}`, {
        headers: fresh.headers,
      });
      expect([200, 422]).toContain(status);
      if (status === 200) expect(body).toEqual([]);
    }
    const { body } = await app.json('POST', LIST, {
      headers: fresh.headers,
      body: {
        source_text: 'Hello',
        target_lang: 'fr',
        tenant_id: ana.tenantId,
        metadata: { tenant: { id: ana.tenantId, name: 'Ana' }, tenant_id: ana.tenantId },
      },
    });
    expect(body.request.metadata.tenant.id).toBe(fresh.tenantId);
    const seen = await app.json('GET', `${LIST}/${body.id}`, { headers: ana.headers });
    expect(seen.status).toBe(404);
  });

  test('100 requests of two tenants side by side each see only their own jobs', async () => {
    const pair = [await app.signUp({ tenant_name: 'Left' }), await app.signUp({ tenant_name: 'Right' })];
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const me = pair[i % 2]!;
        const headers = i % 4 < 2 ? apiKey(me.apiKey) : bearer(me.accessToken);
        const { status, body } = await submit(headers, `Text ${i}`);
        expect(status).toBe(200);
        expect(body.request.metadata.tenant.id).toBe(me.tenantId);
        const read = await app.json('GET', `${LIST}/${body.id}`, { headers });
        expect(read.body.request.source_text).toBe(`Text ${i}`);
        const foreign = await app.json('GET', `${LIST}/${body.id}`, { headers: pair[(i + 1) % 2]!.headers });
        expect(foreign.status).toBe(404);
        const list = await app.json('GET', `${LIST}?limit=200`, { headers });
        for (const listed of list.body) expect(listed.request.metadata.tenant.id).toBe(me.tenantId);
      }),
    );
  });
});
