import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Tx } from './transaction.ts';

let expected: number | undefined;

/**
 * When the latest migration of this version was made, in milliseconds since the epoch: it identifies the migration in
 * the database.
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
 * Whether the database has all migrations of this version. It may have later ones: while processes are replaced, some
 * run the previous version. It has fewer if an older backup was restored under a running process.
 */
export async function hasCurrentSchema(tx: Tx): Promise<boolean> {
  const [row] = await tx.execute<{ latest: string | null }>(
    sql`select max(created_at)::text as latest from drizzle.__drizzle_migrations`,
  );
  return Number(row?.latest ?? 0) >= latestMigration();
}
