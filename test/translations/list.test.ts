import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, type TestApp, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { PATH, submittingTo, tablesWith } from './submitting.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp({ tenant_name: 'Maison Übersetzung' });
});

const { accepted } = submittingTo(app, () => tenant);

describe('C 4: the list', () => {
  const COUNT = 55;
  let owner: Signup;
  /** Newest first, as they were made one after another. */
  let ids: string[];

  beforeAll(async () => {
    owner = await app.signUp();
    ids = [];
    for (let i = 0; i < COUNT; i += 1) {
      const job = await accepted(
        { source_text: `Job ${i}`, ...(i % 5 === 0 && { domain: 'legal' }) },
        owner.headers,
      );
      ids.unshift(job.id);
    }
  });

  const list = (query: string, headers = owner.headers, at: TestApp = app) =>
    at.json('GET', `${PATH}${query}`, { headers });
  const idsOf = (body: { id: string }[]) => body.map(({ id }) => id);

  /** Follows the cursors from the first page to the last. */
  async function walk(query: string, signup = owner, between?: () => Promise<unknown>) {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, headers, body } = await list(`?${query}${next}`, signup.headers);
      expect(status).toBe(200);
      pages.push(idsOf(body));
      cursor = headers.get('x-next-cursor');
      await between?.();
      expect(pages.length).toBeLessThan(100);
    } while (cursor !== null);
    return pages;
  }

  test('is a bare array, newest updated_at first, 50 without a limit', async () => {
    const { status, headers, body } = await list('');
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual(ids.slice(0, 50));
    expect(headers.get('x-next-cursor')).toEqual(expect.any(String));
  });

  test('limit is 1 to 200', async () => {
    expect(idsOf((await list('?limit=1')).body)).toEqual(ids.slice(0, 1));
    const all = await list('?limit=200');
    expect(idsOf(all.body)).toEqual(ids);
    expect(all.headers.get('x-next-cursor')).toBeNull();
  });

  test.each(['0', '201', '1.5', 'abc'])('C 7: limit=%s is 422 with an array that names it', async (limit) => {
    const { status, body } = await list(`?limit=${limit}`);
    expect(status).toBe(422);
    expect(body.detail[0]).toMatchObject({ msg: expect.any(String), type: expect.any(String) });
    expect(body.detail[0].loc).toContain('limit');
  });

  test('status filters, and the cursor keeps to the filter', async () => {
    const held = ids.filter((_, i) => (COUNT - 1 - i) % 5 === 0);
    const published = ids.filter((_, i) => (COUNT - 1 - i) % 5 !== 0);
    expect(idsOf((await list('?status=awaiting_review')).body)).toEqual(held);
    expect((await walk('status=published&limit=9')).flat()).toEqual(published);
    expect((await walk('status=awaiting_review&limit=3')).flat()).toEqual(held);
    expect((await list('?status=rejected')).body).toEqual([]);
  });

  test.each([
    'nonsense',
    'e30',
    '%00',
    'a'.repeat(4000),
    Buffer.from('2026-13-45T99:99:99Z|x').toString('base64url'),
  ])('a cursor that was never issued (%s) is 422', async (cursor) => {
    const { status, body } = await list(`?cursor=${cursor}`);
    expect(status).toBe(422);
    expect(body.detail).toBeDefined();
  });

  test('a cursor of another tenant shows nothing of theirs', async () => {
    const cursor = (await list('?limit=5')).headers.get('x-next-cursor')!;
    const other = await app.signUp();
    const own = await accepted({}, other.headers);
    const { status, body } = await list(`?cursor=${encodeURIComponent(cursor)}`, other.headers);
    expect([200, 422]).toContain(status);
    if (status === 200) for (const { id } of body) expect(id).toBe(own.id);
  });

  test.each([
    ['all at the same instant', '0'],
    ['a microsecond apart', "interval '1 microsecond'"],
  ])('a walk over jobs updated %s still meets each exactly once', async (_name, apart) => {
    const signup = await app.signUp();
    const made: string[] = [];
    for (let i = 0; i < 23; i += 1) made.push((await accepted({}, signup.headers)).id);
    const sql = openSuperuser(app.superuserUrl);
    const [table, ...others] = await tablesWith(sql, 'idempotency_key', 'updated_at', 'baseline_translation');
    expect(others).toEqual([]);
    const step = apart === '0' ? "interval '0'" : apart;
    const { count } = await sql.unsafe(
      `update ${table} set updated_at = timestamptz '2026-01-01T00:00:00Z' + ${step} * array_position($1::text[], job_id)
       where job_id = any($1::text[])`,
      [made],
    );
    expect(count).toBe(23);
    const walked = (await walk('limit=4', signup)).flat();
    expect(walked.toSorted()).toEqual(made.toSorted());
    if (apart !== '0') expect(walked).toEqual(made.toReversed());
  });
});
