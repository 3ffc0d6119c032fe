import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { lookUpExact } from '#server/language/translation-memory/lookup/exact-match.ts';
import { sourceHashHex } from '#server/matching/normal-form.ts';
import { useTestApp } from '#test/setup/app.ts';
import { partitionCount } from '#test/setup/partitions.ts';
import { openSets } from './sets.ts';
import { pairs, tmx } from './tmx.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false' },
  ownDatabase: 'plans depend on the statistics of its tables',
});

// The indexes of partitions have other names.
test.skipIf(partitionCount > 0)(
  'a plan made for a tenant without a memory finds a hash by the index of hashes',
  async () => {
    const mine = await openSets(app);
    expect((await mine.importFile(tmx(pairs(4000)))).status).toBe(200);
    const { tenantId: empty } = await app.signUp();
    const text = { sourceText: 'one sentence 7', sourceLang: 'en', targetLang: 'fr' };
    const database = openDatabase(app.databaseUrl, { size: 1 });
    try {
      // PostgreSQL plans the first five executions for their values, and then possibly once for all values.
      for (let time = 0; time < 10; time++)
        expect((await database.inTenant(empty, (tx) => lookUpExact(tx, [text]))).hits).toEqual([undefined]);
      const keys = JSON.stringify([{ at: 0, h: sourceHashHex(text.sourceText), s: 'en', t: 'fr' }]);
      const plan = await database.inTenant(empty, async (tx) => {
        const [prepared] = await tx.execute<{ name: string; generic_plans: string }>(sql`
        select name, generic_plans from pg_prepared_statements where statement like '%json_to_recordset%'`);
        expect(Number(prepared!.generic_plans)).toBeGreaterThan(0);
        return tx.execute<{ 'QUERY PLAN': string }>(
          sql.raw(`explain execute "${prepared!.name}" ('${keys}', '${keys}')`),
        );
      });
      const scans = plan
        .map((row) => row['QUERY PLAN'])
        .filter((line) => line.includes('on memory_segments'));
      expect(scans).toEqual([expect.stringContaining('Index Scan using memory_segments_source_hash_idx')]);
    } finally {
      await database.close();
    }
  },
);
