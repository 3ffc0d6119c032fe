import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { env, found, operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { fillLedger } from '../metering/ledger.ts';

const app = useTestApp({ env });

/** A number of records that is far larger than the buffers of a connection: about 22 MB. */
const count = 60_000;
let path: string;
beforeAll(async () => {
  const { tenantId } = await found(app);
  await fillLedger(app, tenantId, count);
  path = `/api/tenants/${tenantId}/billing/export?period=2026-09&format=jsonl`;
});

/** Returns the number of transactions in the tenant's scope. Each page is read in one transaction. */
let pages: () => number;
let logged: () => unknown[];
beforeEach(() => {
  const { database, log } = app.services;
  const begun = vi.spyOn(database, 'inTenant');
  const errors = vi.spyOn(log, 'error');
  pages = () => begun.mock.calls.length;
  logged = () => errors.mock.calls;
});
afterEach(() => vi.restoreAllMocks());

/** Requests a response. Nothing of the body is read until the test reads it. */
const open = (at = path) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${app.address}${at}`, { headers: operator, agent: false }, resolve).on('error', reject);
  });

/** Waits until no page has been read for a while. Returns how many pages were read. */
async function standstill(): Promise<number> {
  let [seen, since] = [-1, 0];
  return poll(async () => {
    if (pages() !== seen) [seen, since] = [pages(), Date.now()];
    return Date.now() - since > 800 && seen;
  });
}

async function readAll(response: AsyncIterable<Buffer>): Promise<string> {
  let end = '';
  let lines = 0;
  for await (const chunk of response) {
    end = (end + chunk.toString('latin1')).slice(-400);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return `${lines} ${JSON.parse(end.trimEnd().split('\n').at(-1) as string).source_chars}`;
}
const whole = `${count} ${count - 1}`;

/** Runs `work` while reading a page fails, because the table has another name. */
async function withoutLedger<T>(work: () => Promise<T>): Promise<T> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`alter table usage_records rename to usage_records_elsewhere`;
  try {
    return await work();
  } finally {
    await sql`alter table usage_records_elsewhere rename to usage_records`;
  }
}

describe('a reader that stops reading', () => {
  test('holds a few pages, and neither a connection nor a transaction; then it gets the rest', async () => {
    const response = await open();
    expect(await standstill()).toBeLessThan(12);
    const sql = openSuperuser(app.superuserUrl);
    const busy = await sql`
      select state, query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and (state <> 'idle' or xact_start is not null)`;
    expect([...busy]).toEqual([]);
    expect(await readAll(response)).toBe(whole);
    expect(logged()).toEqual([]);
  });

  test('gets the rows of when it began, and nothing that came later', async () => {
    const response = await open();
    await standstill();
    const sql = openSuperuser(app.superuserUrl);
    await sql`insert into usage_records select tenant_id, 'late', kind, billing_period, source_lang, target_lang, 0, 0,
      job_status, fast_path, 0, 0, 0, models, '2026-09-29T00:00:00Z' from usage_records limit 1`;
    expect(await readAll(response)).toBe(whole);
    await sql`delete from usage_records where job_id = 'late'`;
  });
});

describe('a client that hangs up', () => {
  test('ends it even after it had stopped reading', async () => {
    const response = await open();
    const read = await standstill();
    response.destroy();
    expect((await standstill()) - read).toBeLessThan(3);
    expect(logged()).toEqual([]);
  });
});

test('stopped readers of one tenant do not block others, and free their places when they go', async () => {
  let answered = 0;
  const readers = Array.from({ length: 40 }, () => {
    const request = get(`${app.address}${path}`, { headers: operator, agent: false });
    return request
      .on('error', () => {})
      .on('response', (response) => {
        answered += 1;
        response.on('error', () => {});
      });
  });
  // These requests use all slots of the tenant, so further requests of this tenant wait.
  await poll(async () => answered === 4);
  const { tenantId, bearer } = await found(app);
  await fillLedger(app, tenantId, 10);
  const other = `/api/tenants/${tenantId}/billing/export?period=2026-09&format=jsonl`;
  expect((await app.request(other, { headers: bearer })).status).toBe(200);
  expect(answered).toBe(4);
  for (const reader of readers) reader.destroy();
  expect(await readAll(await open())).toBe(whole);
});

describe('a failure', () => {
  test('before the first byte gets a response like any other', async () => {
    const { status, headers, body } = await withoutLedger(() => app.json('GET', path, { headers: operator }));
    expect([status, body.detail, body.error_code]).toEqual([500, 'internal error', 'internal_error']);
    expect(headers.get('content-disposition')).toBeNull();
  });

  test('in the middle aborts the response, and the log has nothing of the statement', async () => {
    const response = await open();
    await standstill();
    await withoutLedger(() => expect(readAll(response)).rejects.toThrow('aborted'));
    expect(response.complete).toBe(false);
    expect(logged()).toEqual([
      [expect.objectContaining({ request_id: expect.any(String) }), 'an export failed'],
    ]);
    expect(JSON.stringify(logged())).not.toMatch(/select|usage_records where/i);
  });
});

test('HEAD reads no more than necessary', async () => {
  const response = await app.request(path, { method: 'HEAD', headers: operator });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('content-disposition')).toContain('.jsonl');
  expect(await standstill()).toBeLessThan(5);
});
