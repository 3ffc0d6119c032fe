import { beforeEach, describe, expect, test } from 'vitest';
import type { EventPage } from '#server/events/schema.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let at: Signup;
beforeEach(async () => {
  at = await app.signUp();
});

const list = (input: object = {}, headers: Record<string, string> = at.headers) =>
  viaRpc(app, { path: 'events.list', type: 'query' }, { input: input as never, headers });
const read = async (cursor: string, more: object = {}): Promise<EventPage> => {
  const { status, body } = await list({ cursor, ...more });
  expect([status, body]).toMatchObject([200, {}]);
  return body;
};
const begin = async (): Promise<string> => (await list()).body.next_cursor;
const translate = async (text: string, fields: object = {}) => {
  const { status, body } = await app.json('POST', '/api/translations', {
    headers: at.headers,
    body: { source_text: text, source_lang: 'en', target_lang: 'fr', domain: 'general', ...fields },
  });
  expect(status).toBe(200);
  return body as { id: string; status: string };
};
const brief = ({ events }: EventPage) => events.map(({ type, resource_id }) => [type, resource_id]);

describe('a feed', () => {
  test('is off until it is read: nothing is recorded before', async () => {
    const sql = openSuperuser(app.superuserUrl);
    await translate('before');
    expect(await sql`select from events where tenant_id = ${at.tenantId}`).toHaveLength(0);
    const first = await list();
    expect(first.body).toEqual({ events: [], next_cursor: expect.any(String), has_more: false });
    const job = await translate('after');
    expect(brief(await read(first.body.next_cursor))).toEqual([[`translation.${job.status}`, job.id]]);
  });

  test('gives each event an ID, a cursor, and the state of its resource, but no content', async () => {
    const cursor = await begin();
    const job = await translate('some words');
    const { events, next_cursor, has_more } = await read(cursor);
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        cursor: next_cursor,
        type: `translation.${job.status}`,
        resource: 'translation',
        resource_id: job.id,
        status: job.status,
        occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ]);
    expect(has_more).toBe(false);
    expect((await read(next_cursor)).events).toEqual([]);
  });

  test('pages by limit, and filters by type without losing its place', async () => {
    const cursor = await begin();
    const jobs = [];
    for (const text of ['one', 'two', 'three']) jobs.push(await translate(text));
    const first = await read(cursor, { limit: 2 });
    expect([first.events.length, first.has_more]).toEqual([2, true]);
    expect(brief(await read(first.next_cursor))).toEqual([[`translation.${jobs[2]?.status}`, jobs[2]?.id]]);
    const other = await read(cursor, { types: ['document.failed'] });
    expect([other.events, other.has_more]).toEqual([[], false]);
    expect((await read(other.next_cursor)).events).toEqual([]);
  });

  test.each([
    [{ cursor: 'x' }, 'cursor'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ types: [] }, 'types'],
    [{ types: ['translation.lost'] }, 'types'],
  ])('rejects %j', async (input, field) => {
    const { status, body } = await list(input);
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(field)]);
  });
});

describe('nothing is skipped', () => {
  test('an event that is committed after a later one was read has a later place', async () => {
    const cursor = await begin();
    const [slow, fast] = [await translate('slow'), await translate('fast')];
    const start = (await read(cursor)).next_cursor;
    const sql = openSuperuser(app.superuserUrl);
    await sql.begin(async (tx) => {
      await tx`update translation_jobs set status = 'failed' where tenant_id = ${at.tenantId} and job_id = ${slow.id}`;
      const other = openSuperuser(app.superuserUrl);
      await other`update translation_jobs set status = 'failed' where tenant_id = ${at.tenantId} and job_id = ${fast.id}`;
      expect(brief(await read(start))).toEqual([['translation.failed', fast.id]]);
    });
    const order = await sql<{ resource_id: string }[]>`
      select resource_id from events where tenant_id = ${at.tenantId} and type = 'translation.failed' order by sequence`;
    expect(order.map(({ resource_id }) => resource_id)).toEqual([slow.id, fast.id]);
    expect(brief(await read(start))).toEqual([
      ['translation.failed', fast.id],
      ['translation.failed', slow.id],
    ]);
  });

  test('a rolled-back change has no event', async () => {
    const cursor = await begin();
    const job = await translate('words');
    const sql = openSuperuser(app.superuserUrl);
    await sql
      .begin(async (tx) => {
        await tx`update translation_jobs set status = 'failed' where tenant_id = ${at.tenantId} and job_id = ${job.id}`;
        throw new Error('rolled back');
      })
      .catch(() => {});
    expect((await read(cursor)).events).toHaveLength(1);
  });

  test('a new feed begins after transactions that do not record their events', async () => {
    const job = await translate('words');
    const sql = openSuperuser(app.superuserUrl);
    let started = false;
    let first: ReturnType<typeof list> | undefined;
    await sql.begin(async (tx) => {
      await tx`update translation_jobs set status = 'failed' where tenant_id = ${at.tenantId} and job_id = ${job.id}`;
      first = list().finally(() => {
        started = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(started).toBe(false);
    });
    expect((await first)?.status).toBe(200);
  });

  test('20 writers and 5 readers: each reader gets every event once, those of a job in order', async () => {
    const cursor = await begin();
    const jobs = await Promise.all(Array.from({ length: 20 }, (_, n) => translate(`text ${n}`)));
    const states = ['failed', 'awaiting_review', 'rejected', 'published', 'human_edited'];
    const sqls = Array.from({ length: 4 }, () => openSuperuser(app.superuserUrl));
    let writing = true;
    const writers = Promise.all(
      jobs.map(async ({ id }, n) => {
        for (const status of states)
          await sqls[n % 4]?.begin(async (tx) => {
            await tx`update translation_jobs set status = ${status} where tenant_id = ${at.tenantId} and job_id = ${id}`;
            await tx`select pg_sleep(${(n * 7) % 5} / 1000.0)`;
          });
      }),
    ).finally(() => {
      writing = false;
    });
    const readers = Array.from({ length: 5 }, async () => {
      const seen: [string, string][] = [];
      let at = cursor;
      for (;;) {
        const last = !writing;
        const page = await read(at, { limit: 7 });
        for (const { type, resource_id } of page.events) seen.push([type, resource_id]);
        at = page.next_cursor;
        if (last && page.events.length === 0) return seen;
      }
    });
    await writers;
    const all = await Promise.all(readers);
    for (const seen of all) {
      expect(seen).toEqual(all[0]);
      for (const { id, status } of jobs) {
        const own = seen.filter(([, job]) => job === id).map(([type]) => type.slice('translation.'.length));
        expect(own).toEqual([status, ...states.filter((state, n) => n > 0 || state !== status)]);
      }
    }
  });
});
