import { describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { addRecords } from './ledger.ts';

const app = useTestApp({ env });

const ask = (path: string, input: Fields, as: Person) =>
  viaRpc(app, { path, type: 'query' }, { input, headers: as.bearer });

const range = { from: '2026-02-27', to: '2026-03-01' };

describe('billed characters by group', () => {
  test('are sums of the days of the range, both ends included, for the own tenant only', async () => {
    const mine = await found(app);
    await addRecords(app, (await found(app)).tenantId, [{ at: '2026-02-27T08:00:00Z' }]);
    await addRecords(app, mine.tenantId, [
      { at: '2026-02-26T23:59:59.999Z', targetLang: 'es', sourceChars: 1000 },
      { at: '2026-02-27T00:00:00.000Z', targetLang: 'fr', billableChars: 4 },
      { at: '2026-02-27T12:00:00.000Z', targetLang: 'fr', billableChars: 2, fastPath: 'tm_exact' },
      { at: '2026-03-01T23:59:59.999Z', targetLang: 'de', billableChars: 7, kind: 'document' },
      { at: '2026-03-02T00:00:00.000Z', targetLang: 'es', sourceChars: 2000 },
    ]);
    const { status, body } = await ask('usage.breakdown', { ...range, by: 'target_lang' }, mine);
    expect([status, body]).toEqual([
      200,
      {
        ...range,
        counted_from: null,
        groups: [
          { name: 'de', jobs: 1, billable_chars: 7 },
          { name: 'fr', jobs: 2, billable_chars: 6 },
        ],
        days: [
          { date: '2026-02-27', billable_chars: [0, 6] },
          { date: '2026-03-01', billable_chars: [7, 0] },
        ],
      },
    ]);
    const namesBy = async (by: string) =>
      (await ask('usage.breakdown', { ...range, by }, mine)).body.groups.map(
        ({ name, billable_chars }: Fields) => [name, billable_chars],
      );
    expect(await namesBy('kind')).toEqual([
      ['document', 7],
      ['text', 6],
    ]);
    expect(await namesBy('served_from')).toEqual([
      ['', 11],
      ['tm_exact', 2],
    ]);
    expect(await namesBy('source_lang')).toEqual([['en', 13]]);
    // None of these jobs exists.
    expect((await ask('reviews.byDomain', range, mine)).body.groups).toEqual([
      { name: '', jobs: 3, billable_chars: 13 },
    ]);
  });

  test('beyond the 40 largest groups are summed', async () => {
    const mine = await found(app);
    const at = '2026-02-27T00:00:00Z';
    const records = Array.from({ length: 42 }, (_, index) => ({
      at,
      targetLang: `x${index}`,
      billableChars: index + 1,
    }));
    await addRecords(app, mine.tenantId, records);
    const { body } = await ask('usage.breakdown', { ...range, by: 'target_lang' }, mine);
    expect([body.groups.length, body.groups[0], body.groups[40]]).toEqual([
      41,
      { name: 'x41', jobs: 1, billable_chars: 42 },
      { name: null, jobs: 2, billable_chars: 3 },
    ]);
  });

  test('are read from a bounded number of records, and say since when', async () => {
    const mine = await found(app);
    const { sql } = await import('drizzle-orm');
    await app.database.inTenant(mine.tenantId, (tx) =>
      tx.execute(sql`
        insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars,
          billable_chars, job_status, models, recorded_at)
        select ${mine.tenantId}, md5(i::text), 'text', '2026-02', 'en', 'fr', 1, 1, 'published', '[]',
          timestamptz '2026-02-28T00:00:00Z' + i * interval '1 millisecond'
        from generate_series(0, 100000) i`),
    );
    const { body } = await ask('usage.breakdown', { ...range, by: 'target_lang' }, mine);
    expect(body.counted_from).toBe('2026-02-28T00:00:00.001Z');
    expect(body.groups).toEqual([{ name: 'fr', jobs: 100_000, billable_chars: 100_000 }]);
  });

  test('are for administrators, and for valid ranges', async () => {
    const mine = await found(app);
    const member = await join(app, mine);
    const statusOf = async (path: string, input: Fields, as: Person) => (await ask(path, input, as)).status;
    for (const path of ['usage.breakdown', 'reviews.byDomain']) {
      const by = path === 'usage.breakdown' ? { by: 'kind' } : {};
      expect([path, await statusOf(path, by, mine)]).toEqual([path, 200]);
      expect([path, await statusOf(path, by, member)]).toEqual([path, 403]);
      expect(await statusOf(path, { ...by, from: '2026-03-02', to: '2026-03-01' }, mine)).toBe(422);
      expect(await statusOf(path, { ...by, from: '2025-01-01', to: '2026-03-01' }, mine)).toBe(400);
      const anonymous = await viaRpc(app, { path, type: 'query' }, { input: by });
      expect(anonymous.status).toBe(401);
    }
    expect(await statusOf('usage.breakdown', { by: 'models' }, mine)).toBe(422);
  });
});
