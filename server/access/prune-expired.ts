import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';

/** Every table whose rows have an end, by the column that says when. */
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

/** Deletes at most `limit` rows whose end is past, in the platform's scope; answers how many. */
async function pruneTable(tx: Tx, table: PrunedTable, limit: number): Promise<number> {
  const name = sql.identifier(table);
  const expiry = sql.identifier(expiryColumns[table]);
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${expiry} < now() limit ${limit}
        for update skip locked))
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}

/** Rows of one statement: each holds its locks briefly. */
const batch = 5000;

/**
 * Deletes what has expired and means nothing any more: tokens, with their lines in the directory, challenges, reset
 * links, states of single sign-ons, and windows of rate limits. Invites stay, as a ledger, and so does the audit log.
 * @returns how many rows of each
 */
export async function pruneExpired(database: Database): Promise<Record<PrunedTable, number>> {
  const pruned = Object.fromEntries(prunedTables.map((table) => [table, 0])) as Record<PrunedTable, number>;
  for (const table of prunedTables) {
    let count: number;
    do {
      count = await database.inPlatform((tx) => pruneTable(tx, table, batch));
      pruned[table] += count;
    } while (count === batch);
  }
  return pruned;
}
