import { beforeAll, expect, test } from 'vitest';
import type { Headers } from '#test/factories.ts';
import { addGlossary, addMemory, beginImport } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { found, type Person } from '../factories.ts';

const serviceKey = 'the-service-key-of-the-contract-0123456789';
const operatorKey = 'an-operator-key-of-the-contract-0123456789';
const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    SERVICE_API_KEY: serviceKey,
    OPERATOR_API_KEY: operatorKey,
    TM_ASYNC_THRESHOLD: '1',
  },
});
const ways: Headers[] = [{ 'x-api-key': serviceKey }, { authorization: `Bearer ${serviceKey}` }];
const service = { bearer: ways[0] } as Person;

let glossary: string;
let memory: string;
let importing: string;
beforeAll(async () => {
  glossary = await addGlossary(app, service);
  memory = await addMemory(app, service);
  importing = await beginImport(app, service);
});

const look = async (path: string, headers: Headers, method = 'GET') => {
  const { status, body } = await app.json(method, path, { headers });
  return [status, body?.detail ?? body];
};
const idsAt = async (path: string, headers: Headers) =>
  (await app.json('GET', path, { headers })).body.map(({ id }: { id: string }) => id);
const one = () => [
  ['GET', `/api/tm/imports/${importing}`],
  ['GET', `/api/tm/${memory}/export`],
  ['DELETE', `/api/tm/${memory}`],
  ['DELETE', `/api/terminology/${glossary}`],
];
const lists = ['/api/terminology', '/api/tm', '/api/tm/imports'];

// One after the other: the first tenant ends it.
test('A 5.1 rule 6: uploads of the service key are filed under the tenant `default`, until there is another', async () => {
  const rows = await openSuperuser(app.superuserUrl)`
    select tenant_id, set_id as id from terminology_sets union all select tenant_id, set_id from memory_sets
    union all select tenant_id, import_id from memory_imports
    union all select tenant_id, set_id from terminology_entries union all
    select tenant_id, set_id from memory_segments join memory_sets using (tenant_id, content_id)`;
  const filed = (id: string) => ({ tenant_id: 'default', id });
  expect([...rows]).toEqual([glossary, memory, importing, glossary, memory].map(filed));

  for (const headers of ways) {
    expect(await idsAt('/api/terminology', headers)).toEqual([glossary]);
    expect(await idsAt('/api/tm', headers)).toEqual([memory]);
    expect(await idsAt('/api/tm/imports', headers)).toEqual([importing]);
    expect((await look(`/api/tm/imports/${importing}`, headers))[0]).toBe(200);
  }
  const strangers: Headers[] = [{}, { 'x-api-key': operatorKey }, { 'x-api-key': `${serviceKey}x` }];
  for (const headers of strangers) {
    for (const path of lists) expect(await look(path, headers)).toEqual([401, 'missing or invalid API key']);
    for (const [method, path] of one()) expect((await look(path as string, headers, method))[0]).toBe(401);
  }

  const founder = await found(app);
  for (const path of lists) {
    for (const headers of [...ways, { ...ways[0], 'x-tenant-id': 'default' }])
      expect(await look(path, headers)).toEqual([401, 'missing or invalid tenant credentials']);
    expect(await look(path, founder.key)).toEqual([200, []]);
  }
  for (const [method, path] of one()) {
    expect((await look(path as string, founder.key, method))[0]).toBe(404);
    expect((await look(path as string, { 'x-api-key': operatorKey }, method))[0]).toBe(401);
  }
});
