import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openWorkspace, PATH, type Workspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const count = 55;
let owner: Workspace;
/** Latest first. */
const ids: string[] = [];
beforeAll(async () => {
  owner = await openWorkspace(app);
  for (let i = 0; i < count; i += 1) {
    const job = await owner.job({ source_text: `Job ${i}`, ...(i % 5 === 0 && { domain: 'legal' }) });
    ids.unshift(job.id);
  }
});

const list = (query: string, { headers } = owner) => app.json('GET', `${PATH}${query}`, { headers });
const idsOf = (body: { id: string }[]) => body.map(({ id }) => id);

/** Requests all pages of a list. */
async function walk(query: string, of = owner) {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { status, headers, body } = await list(`?${query}${next}`, of);
    expect(status).toBe(200);
    pages.push(idsOf(body));
    cursor = headers.get('x-next-cursor');
  }
  return pages;
}

describe('the list of jobs', () => {
  test('is an array, latest update first, 50 without a limit', async () => {
    const { body, headers } = await list('');
    expect(idsOf(body)).toEqual(ids.slice(0, 50));
    expect(headers.get('x-next-cursor')).toEqual(expect.any(String));
    expect(idsOf((await list('?limit=1')).body)).toEqual(ids.slice(0, 1));
    expect(idsOf((await list('?limit=200')).body)).toEqual(ids);
  });

  test('has every job once in its pages, none of which is empty', async () => {
    const pages = await walk('limit=11');
    expect(pages.flat()).toEqual(ids);
    expect(pages).toHaveLength(count / 11);
  });

  test('is filtered by status, on every page', async () => {
    const held = ids.filter((_, i) => (count - 1 - i) % 5 === 0);
    expect((await walk('status=awaiting_review&limit=3')).flat()).toEqual(held);
    expect((await list('?status=rejected')).body).toEqual([]);
  });

  test.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['limit', 'limit=1.5'],
    ['status', 'status=Published'],
    ['cursor', 'cursor=nonsense'],
    ['cursor', `cursor=${Buffer.from('2026-13-45T99:99:99Z|x').toString('base64url')}`],
  ])('rejects an invalid %s: %s', async (field, query) => {
    const { status, body } = await list(`?${query}`);
    expect([status, body.detail[0].loc.at(-1)]).toEqual([422, field]);
  });

  test.each(['0', '1'])('has every job once if their times are %s microseconds apart', async (apart) => {
    const mine = await openWorkspace(app);
    const made: string[] = [];
    for (let i = 0; i < 13; i += 1) made.push((await mine.job()).id);
    await openSuperuser(app.superuserUrl)`
      update translation_jobs set updated_at = timestamptz '2026-01-01T00:00:00Z'
        + ${apart}::int * interval '1 microsecond' * array_position(${made}::text[], job_id)
      where tenant_id = ${mine.tenantId}`;
    const walked = (await walk('limit=4', mine)).flat();
    expect(walked.toSorted()).toEqual(made.toSorted());
    if (apart !== '0') expect(walked).toEqual(made.toReversed());
  });

  test('ends a page of long translations before it is too large', async () => {
    const mine = await openWorkspace(app);
    const made: string[] = [];
    for (let i = 0; i < 25; i += 1) made.unshift((await mine.job()).id);
    await openSuperuser(app.superuserUrl)`
      update translation_jobs set final_translation = repeat('x', 1000000) where tenant_id = ${mine.tenantId}`;
    const pages = await walk('limit=200', mine);
    expect(pages.flat()).toEqual(made);
    expect(pages.every(({ length }) => length > 0 && length < 10)).toBe(true);
  });
});
