import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** Every table whose rows have an end, by the column that says when. */
const expiryColumns = {
  tokens: 'expires_at',
  credential_directory: 'expires_at',
  mfa_challenges: 'expires_at',
  reset_links: 'expires_at',
  sso_states: 'expires_at',
  rate_windows: 'ends_at',
} as const;

export type PrunedTable = keyof typeof expiryColumns;

export const prunedTables = Object.keys(expiryColumns) as PrunedTable[];

/** Deletes at most `limit` rows whose end is past, in the platform's scope; answers how many. */
export async function pruneTable(tx: Tx, table: PrunedTable, limit: number): Promise<number> {
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
