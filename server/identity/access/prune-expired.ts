import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';

/** The tables with rows that expire, each with the column of the expiry time. */
const expiryColumns = {
  tokens: 'expires_at',
  credential_directory: 'expires_at',
  mfa_challenges: 'expires_at',
  reset_links: 'expires_at',
  sso_states: 'expires_at',
  rate_windows: 'ends_at',
} as const;

type PrunedTable = keyof typeof expiryColumns;

const prunedTables = Object.keys(expiryColumns) as PrunedTable[];

/**
 * Deletes some expired rows of a table, over all tenants. The limit applies to each partition of a table that is split:
 * a `ctid` is a place in a partition, so the condition on the time is repeated for the rows at the same places in others.
 * It is repeated in a form for which no index can be used. Otherwise PostgreSQL reads all expired rows by the index, and
 * compares each with the places, if its statistics are older than the expiry.
 * @returns the number of deleted rows
 */
async function pruneTable(tx: Tx, table: PrunedTable, limit: number): Promise<number> {
  const name = sql.identifier(table);
  const expiry = sql.identifier(expiryColumns[table]);
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${expiry} < now() limit ${limit}
        for update skip locked)) and ${expiry} - now() < interval '0'
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}

/** Number of rows that one statement deletes; small, so that it holds its locks briefly. */
const batch = 5000;

/**
 * Deletes expired tokens and their directory rows, MFA challenges, reset links, single sign-on states and rate-limit
 * windows. Retention deletes old invites and audit events.
 * @returns the number of deleted rows per table
 */
export async function pruneExpired(database: Database): Promise<Record<PrunedTable, number>> {
  const pruned = Object.fromEntries(prunedTables.map((table) => [table, 0])) as Record<PrunedTable, number>;
  for (const table of prunedTables) {
    let count: number;
    do {
      count = await database.inPlatform((tx) => pruneTable(tx, table, batch));
      pruned[table] += count;
    } while (count >= batch);
  }
  return pruned;
}
