import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Tx } from './transaction.ts';

let made: readonly number[] | undefined;

/**
 * Returns when each migration of this version was made, in milliseconds since the epoch. The database identifies
 * migrations by this time.
 */
function migrationsOfVersion(): readonly number[] {
  if (made === undefined) {
    const journal = readFileSync(join(import.meta.dirname, 'migrations/meta/_journal.json'), 'utf8');
    made = (JSON.parse(journal) as { entries: { when: number }[] }).entries.map(({ when }) => when);
  }
  return made;
}

/** Returns the number of this version's migrations. */
export function countMigrations(): number {
  return migrationsOfVersion().length;
}

/**
 * Returns the number of this version's migrations that the database lacks. It lacks some if an older backup was
 * restored while the process was running.
 */
export async function countPendingMigrations(tx: Tx): Promise<number> {
  const [row] = await tx.execute<{ latest: string | null }>(
    sql`select max(created_at)::text as latest from drizzle.__drizzle_migrations`,
  );
  return countMissingMigrations(Number(row?.latest ?? 0));
}

/** Returns the number of this version's migrations that are later than the latest one of a database. */
export function countMissingMigrations(latest: number): number {
  return migrationsOfVersion().filter((when) => when > latest).length;
}

/**
 * Whether the database has all migrations of this version. It may have later ones: while processes are being
 * replaced, some still run the previous version.
 */
export async function hasCurrentSchema(tx: Tx): Promise<boolean> {
  return (await countPendingMigrations(tx)) === 0;
}
