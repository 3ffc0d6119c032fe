import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytesOfPage, exportSet } from '#server/language/translation-memory/tmx-export.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from './sets.ts';
import { pairs, readTmx } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});
afterEach(() => vi.restoreAllMocks());

/**
 * 100 KB of text on each side. The source ends with characters of four bytes, which must not be split between pieces.
 */
const longPairs = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, n) => [
    `${n} ${'long & '.repeat(8_000)}${'😀'.repeat(11_000)}`,
    `${n} ${'lang < '.repeat(14_000)}`.trimEnd(),
  ]);

/** From now on, counts the transactions in a tenant's scope. */
function countReads(tenantId: string): () => number {
  const inTenant = vi.spyOn(app.services.database, 'inTenant');
  return () => inTenant.mock.calls.filter(([of]) => of === tenantId).length;
}

const textsOf = (text: string) =>
  readTmx(text).units.map(({ variants }) => [variants.get('en'), variants.get('fr')]);

test('an export of long segments is made a few of them at a time, each page when the one before was taken', async () => {
  const units = longPairs(40);
  const { id } = await mine.memory(units);
  const reads = countReads(mine.tenantId);
  const { signal } = new AbortController();
  const answer = await exportSet(
    app.services,
    (work) =>
      app.database.inPlatform((tx) =>
        work(tx, { tenant: { id: mine.tenantId } } as never, undefined as never),
      ),
    id,
    { requestId: 'a test', signal },
  );
  expect(reads()).toBe(1);
  let taken = 0;
  const pieces: Buffer[] = [];
  for await (const piece of answer.chunks) {
    const bytes = Buffer.from(piece);
    expect(bytes.length).toBeLessThan(128_000);
    pieces.push(bytes);
    taken += bytes.length;
    // A page has at most this much text, and slightly more as XML. One page is open, and none is read ahead.
    expect(reads()).toBeLessThanOrEqual(taken / 190_000 + 1);
  }
  answer.end();
  const bytes = units.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(reads()).toBeGreaterThanOrEqual(bytes / bytesOfPage);
  expect(textsOf(Buffer.concat(pieces).toString())).toEqual(units);
});

test('short segments, more than a page of them, are each exported once, in the store’s order', async () => {
  const units = pairs(2_500);
  const { id } = await mine.memory(units);
  expect(textsOf((await mine.exportMemory(id)).text)).toEqual(units);
});

/** Runs `between` before each of the first `times` pages of an export is read. */
function beforePages(times: number, between: () => Promise<unknown>): void {
  const { database } = app.services;
  const inTenant = database.inTenant.bind(database);
  let left = times;
  let within = false;
  vi.spyOn(database, 'inTenant').mockImplementation(async (tenantId, work) => {
    if (tenantId === mine.tenantId && left > 0 && !within) {
      left -= 1;
      within = true;
      await between();
      within = false;
    }
    return inTenant(tenantId, work);
  });
}

test('a set that is replaced before the first byte is exported as it is then', async () => {
  const { id } = await mine.memory([['Hello', 'Bonjour']]);
  beforePages(1, () => mine.memory([['Hello', 'Salut']]));
  const { status, text } = await mine.exportMemory(id);
  expect([status, textsOf(text)]).toEqual([200, [['Hello', 'Salut']]]);
});

test('a set that is replaced each time is 503 transient_error, and is exported when that has ended', async () => {
  const { id } = await mine.memory([['Hello', 'Bonjour']]);
  beforePages(50, () => mine.memory([['Hello', 'Salut']]));
  const { status, text } = await mine.exportMemory(id);
  expect([status, JSON.parse(text).error_code]).toEqual([503, 'transient_error']);
  vi.restoreAllMocks();
  expect((await mine.exportMemory(id)).status).toBe(200);
});

test('a set that is deleted before the first byte is 404', async () => {
  const { id } = await mine.memory([['Hello', 'Bonjour']]);
  beforePages(1, () => mine.removeMemory(id));
  const { status, text } = await mine.exportMemory(id);
  expect([status, JSON.parse(text).detail]).toEqual([404, 'translation memory set not found']);
});

test('a golden pair has a tuid, its job, and keeps it where it is imported', async () => {
  const { id } = await mine.job({ source_text: 'Good evening', metadata: { sensitive: true } });
  await mine.review(id, { action: 'modify', final_translation: 'Bonsoir' });
  const { text } = await mine.exportGolden('?source_lang=en&target_lang=fr');
  const [unit] = readTmx(text).units;
  expect(unit).toMatchObject({ tuid: id, changedate: expect.stringMatching(/^\d{8}T\d{6}Z$/) });
  const again = await openSets(app);
  const copy = (await again.importFile(text)).body;
  expect(readTmx((await again.exportMemory(copy.id)).text).units).toEqual([unit]);
});

describe('a unit that came without a tuid and a changedate (C 6)', () => {
  const exported = async (id: string) => readTmx((await mine.exportMemory(id)).text).units;
  const named = (units: Awaited<ReturnType<typeof exported>>) =>
    units.map(({ tuid, changedate }) => ({ tuid, changedate }));
  const original = [
    { source: 'a', target: 'A' },
    { source: 'b', target: 'B', tuid: 'of its own' },
    { source: 'c', target: 'C', changedate: '20240229T101112Z' },
  ];

  test('shows the id of its segment and the time when it was stored; what it came with stays', async () => {
    const set = await mine.memory(original);
    const stored = `${set.updated_at.slice(0, 19).replace(/[-:]/g, '')}Z`;
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    const units = await exported(set.id);
    expect(named(units)).toEqual([
      { tuid: id, changedate: stored },
      { tuid: 'of its own', changedate: stored },
      { tuid: id, changedate: '20240229T101112Z' },
    ]);
    expect(new Set(units.map(({ tuid }) => tuid)).size).toBe(3);
    expect(await exported(set.id)).toEqual(units);
  });

  test('keeps its tuid where its own file is imported again, with another order and another target', async () => {
    const first = await exported((await mine.memory(original)).id);
    const changed = [{ source: 'new', target: 'N' }, { source: 'a', target: 'other' }, ...original.slice(1)];
    const second = await exported((await mine.memory(changed)).id);
    const tuidOf = (units: typeof first, source: string) =>
      units.find(({ variants }) => variants.get('en') === source)?.tuid;
    for (const { source } of original) expect(tuidOf(second, source)).toBe(tuidOf(first, source));
  });
});
