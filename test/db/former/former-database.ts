import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import type { FormerVersion } from './former-version.ts';

/** What was recorded of a version. */
export async function readFormer(name: string): Promise<FormerVersion> {
  const packed = await readFile(join(import.meta.dirname, `${name}.json.gz`));
  return JSON.parse(gunzipSync(packed).toString());
}

/** Fills a folder with the migrations that the version had. They have not changed since: the journal tells. */
async function writeMigrations({ migrations }: FormerVersion, folder: string): Promise<void> {
  await cp(join(import.meta.dirname, '../../../db/migrations'), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] };
  journal.entries.length = migrations.length;
  expect(journal.entries.map(({ tag }) => tag)).toEqual(migrations);
  await writeFile(path, JSON.stringify(journal));
}

/**
 * The database that a version left, for the duration of one test.
 * @param folder an empty one, for the migrations
 */
export async function createFormerDatabase(version: FormerVersion, folder: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  await writeMigrations(version, folder);
  await migrate(database.url, { folder });
  const sql = openSuperuser(database.superuserUrl);
  // The tables come in no order that foreign keys would allow.
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
