import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import type { FormerVersion } from './former-version.ts';

/** Reads the recording of a version. */
export async function readFormer(name: string): Promise<FormerVersion> {
  const packed = await readFile(join(import.meta.dirname, `${name}.json.gz`));
  return JSON.parse(gunzipSync(packed).toString());
}

/**
 * Writes the migrations that the version had into a directory. The journal proves that these migrations have not
 * changed.
 */
async function writeMigrations({ migrations }: FormerVersion, folder: string): Promise<void> {
  await cp(join(import.meta.dirname, '../../../db/migrations'), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] };
  journal.entries.length = migrations.length;
  expect(journal.entries.map(({ tag }) => tag)).toEqual(migrations);
  await writeFile(path, JSON.stringify(journal));
}

/**
 * Creates the database of a version until the end of the current test.
 * @param folder an empty directory, for the migrations
 */
export async function createFormerDatabase(version: FormerVersion, folder: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  await writeMigrations(version, folder);
  await migrate(database.url, { folder });
  const sql = openSuperuser(database.superuserUrl);
  // The order of the tables does not fulfill foreign keys, so triggers are disabled.
  await sql`set session_replication_role = replica`;
  for (const [table, { columns, rows }] of Object.entries(version.tables)) {
    const list = columns.map((column) => `"${column}"`).join(', ');
    const copied = await sql.unsafe(`copy "${table}" (${list}) from stdin`).writable();
    await pipeline(Readable.from([rows]), copied);
  }
  for (const [sequence, last] of Object.entries(version.sequences))
    await sql`select setval(${sequence}, ${last}::bigint)`;
  return database;
}
