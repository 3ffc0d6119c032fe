import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openSets, type Sets, TERMINOLOGY, TM } from '#test/translation-memory/sets.ts';
import { tmx } from '#test/translation-memory/tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const total = 7;

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const upload = {
  [TERMINOLOGY]: (name: string) => mine.uploadFile('ledger,livre', { name }),
  [TM]: (name: string) => mine.importFile(tmx([['Hello', 'Bonjour']]), { name }),
};
const tables = { [TERMINOLOGY]: 'terminology_sets', [TM]: 'memory_sets' };

describe.each([TERMINOLOGY, TM] as const)('GET %s', (path) => {
  const get = (query: string) => app.json('GET', `${path}${query}`, { headers: mine.headers });
  const idsOf = (body: { id: string }[]) => body.map(({ id }) => id);

  beforeEach(async () => {
    for (let n = 0; n < total; n++) expect((await upload[path](`set ${n}`)).status).toBe(200);
  });

  /** Reads all sets page by page. Returns their IDs and the number of sets on each page. */
  async function walk(limit: number): Promise<{ ids: string[]; sizes: number[] }> {
    const ids: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, headers, body } = await get(`?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      ids.push(...idsOf(body));
      sizes.push(body.length);
      cursor = headers.get('x-next-cursor');
    }
    return { ids, sizes };
  }

  test('with a limit it returns pages, each set once, in the same order', async () => {
    const all = idsOf((await get('')).body);
    expect(await walk(3)).toEqual({ ids: all, sizes: [3, 3, 1] });
    // The last page has no cursor, even if it contains the maximum number of sets.
    expect(await walk(total)).toEqual({ ids: all, sizes: [total] });
    expect(await walk(1)).toEqual({ ids: all, sizes: Array(total).fill(1) });
  });

  test('sets of one moment are told apart by their ids', async () => {
    const sql = openSuperuser(app.superuserUrl);
    await sql`update ${sql(tables[path])} set updated_at = '2026-01-01T00:00:00Z'
      where tenant_id = ${mine.tenantId}`;
    const all = idsOf((await get('')).body);
    expect(await walk(2)).toEqual({ ids: all, sizes: [2, 2, 2, 1] });
  });
});
