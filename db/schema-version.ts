import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Tx } from './transaction.ts';

let expected: number | undefined;

/**
 * Returns when the latest migration of this version was made, in milliseconds since the epoch. The database
 * identifies migrations by this time.
 */
function latestMigration(): number {
  if (expected === undefined) {
    const journal = readFileSync(join(import.meta.dirname, 'migrations/meta/_journal.json'), 'utf8');
    expected = Math.max(
      ...(JSON.parse(journal) as { entries: { when: number }[] }).entries.map(({ when }) => when),
    );
  }
  return expected;
}

/**
 * Whether the database has all migrations of this version. It may have later ones: while processes are being
 * replaced, some still run the previous version. It lacks some if an older backup was restored while the process was
 * running.
 */
export async function hasCurrentSchema(tx: Tx): Promise<boolean> {
  const [row] = await tx.execute<{ latest: string | null }>(
    sql`select max(created_at)::text as latest from drizzle.__drizzle_migrations`,
  );
  return Number(row?.latest ?? 0) >= latestMigration();
}
