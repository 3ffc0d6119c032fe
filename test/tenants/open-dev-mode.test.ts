import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '../members/people.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

test('A 5.1 rule 7: without an operator key and any tenant anybody provisions the first one, and nobody the second', async () => {
  const empty = await app.json('GET', '/api/tenants');
  expect([empty.status, empty.body]).toEqual([200, []]);
  const first = await app.json('POST', '/api/tenants', { body: { name: 'First' } });
  expect(first.status).toBe(200);
  expect(await eventsOf(app, first.body.id, 'tenant_provisioned')).toEqual([
    expect.objectContaining({ actor: 'anonymous' }),
  ]);
  const second = await app.json('POST', '/api/tenants', { body: { name: 'Second' } });
  expect([second.status, second.body]).toEqual([401, { detail: 'admin credentials required' }]);
  expect((await app.json('GET', '/api/tenants')).status).toBe(401);
});
