import { beforeEach, expect, test } from 'vitest';
import { pruneEvents } from '#server/events/feed.ts';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { scheduleDeletion } from '#server/retention/tenant-deletions.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let at: Signup;
beforeEach(async () => {
  at = await app.signUp();
});

const list = (input: Fields = {}) =>
  viaRpc(app, { path: 'events.list', type: 'query' }, { input, headers: at.headers });
const translate = async (text: string): Promise<string> => {
  const body = { source_text: text, target_lang: 'fr' };
  return (await app.json('POST', '/api/translations', { headers: at.headers, body })).body.id;
};
const prune = () => pruneEvents(app.services.database, 7);
const tooOld = expect.stringContaining('the cursor is too old');

test('events are deleted after the days of the setting, and a reader that has missed some gets an error', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const start = (await list()).body.next_cursor;
  const jobs = [await translate('old'), await translate('old, too'), await translate('new')];
  // Also an unread event, which has no position.
  await sql`update events set occurred_at = now() - interval '8 days'
    where tenant_id = ${at.tenantId} and resource_id = any(${jobs.slice(0, 2)})`;
  expect(await prune()).toBe(2);
  const { status, body } = await list({ cursor: start });
  expect([status, body]).toEqual([
    409,
    { detail: tooOld, error_code: 'conflict', request_id: expect.any(String) },
  ]);
  const rest = await sql`select resource_id, position::int from events where tenant_id = ${at.tenantId}`;
  expect(rest.map((row) => ({ ...row }))).toEqual([{ resource_id: jobs[2], position: 3 }]);
  expect(await prune()).toBe(0);
});

test('a reader that has read the deleted events continues', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const start = (await list()).body.next_cursor;
  await translate('old');
  const { next_cursor } = (await list({ cursor: start })).body;
  await sql`update events set occurred_at = now() - interval '8 days' where tenant_id = ${at.tenantId}`;
  const job = await translate('new');
  expect(await prune()).toBe(1);
  const { body } = await list({ cursor: next_cursor });
  expect(body.events.map((event: { resource_id: string }) => event.resource_id)).toEqual([job]);
});

test('a feed that is not read for that time is switched off, and has another ID when it is on again', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const start = (await list()).body.next_cursor;
  await translate('read');
  await list({ cursor: start });
  await sql`update event_feeds set read_at = now() - interval '8 days' where tenant_id = ${at.tenantId}`;
  expect(await prune()).toBe(1);
  expect((await list({ cursor: start })).status).toBe(409);
  await translate('not recorded');
  const again = (await list()).body.next_cursor;
  const job = await translate('recorded');
  const { body } = await list({ cursor: again });
  expect(body.events.map((event: { resource_id: string }) => event.resource_id)).toEqual([job]);
});

test('reading keeps a feed on', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const start = (await list()).body.next_cursor;
  await sql`update event_feeds set read_at = now() - interval '8 days' where tenant_id = ${at.tenantId}`;
  await list({ cursor: start });
  await prune();
  expect((await list({ cursor: start })).status).toBe(200);
});

test('a feed that is switched on before old events are deleted continues after them', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const start = (await list()).body.next_cursor;
  await translate('old');
  await list({ cursor: start });
  await sql`delete from event_feeds where tenant_id = ${at.tenantId}`;
  const again = (await list()).body.next_cursor;
  expect(again).not.toBe(start);
  const job = await translate('new');
  const { body } = await list({ cursor: again });
  expect(body.events.map((event: { resource_id: string }) => event.resource_id)).toEqual([job]);
});

test('a workspace is deleted with its feed, and records nothing meanwhile', async () => {
  const sql = openSuperuser(app.superuserUrl);
  await list();
  await translate('words');
  await scheduleDeletion(app.database, at.tenantId, 0);
  await deleteDueTenants(app.services);
  expect(await sql`select from events where tenant_id = ${at.tenantId}`).toHaveLength(0);
  const [report] = await sql`select progress from tenant_deletions where tenant_id = ${at.tenantId}`;
  // The event of the translation, and none of its deletion.
  expect(report?.['progress'].rows).toMatchObject({ event_feeds: 1, events: 1, translation_jobs: 1 });
});
