import { beforeAll, describe, expect, test } from 'vitest';
import { env, found, type Headers, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });
const path = '/api/translations';

let ana: Person;
let ben: Person;
beforeAll(async () => {
  ana = await found(app);
  ben = await found(app);
});

const submit = (headers: Headers, fields: object = {}) =>
  app.json('POST', path, { headers, body: { source_text: 'Hello', target_lang: 'fr', ...fields } });

describe('workspaces do not see each other’s jobs (A 1 rule 4)', () => {
  test('a foreign job and an unknown one return the same 404', async () => {
    const { id } = (await submit(ana.key, { source_text: 'A secret of Ana' })).body;
    const shapes = [];
    for (const asked of [id, 'f'.repeat(32)])
      for (const headers of [ben.key, ben.bearer]) {
        const { status, body } = await app.json('GET', `${path}/${asked}`, { headers });
        shapes.push({ status, ...body, request_id: null });
      }
    expect(shapes[0]).toMatchObject({ status: 404, detail: 'job not found' });
    for (const shape of shapes) expect(shape).toEqual(shapes[0]);
  });

  test('neither a query nor a body can name another workspace', async () => {
    const fresh = await found(app);
    for (const name of ['tenant_id', 'tenant']) {
      const { body } = await app.json('GET', `${path}?${name}=${ana.tenantId}`, { headers: fresh.key });
      expect(body).toEqual([]);
    }
    const tenant = { id: ana.tenantId, name: 'Ana' };
    const fields = { tenant_id: ana.tenantId, metadata: { tenant, tenant_id: ana.tenantId } };
    const { body } = await submit(fresh.key, fields);
    expect(body.request.metadata.tenant.id).toBe(fresh.tenantId);
    expect((await app.json('GET', `${path}/${body.id}`, { headers: ana.key })).status).toBe(404);
  });
});
