import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { createTestDatabase, openSession, type TestDatabase } from '#test/setup/database.ts';
import type { FormerVersion } from './former-version.ts';

/** Reads the recording of a version. */
export async function readFormer(name: string): Promise<FormerVersion> {
  const packed = await readFile(join(import.meta.dirname, `${name}.json.gz`));
  return JSON.parse(gunzipSync(packed).toString());
}

/** Writes the files of a version's storage into a data directory. */
export async function writeFormerStore({ store }: FormerVersion, dataDir: string): Promise<void> {
  for (const [path, bytes] of Object.entries(store)) {
    const file = join(dataDir, 'storage', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.from(bytes, 'base64'));
  }
}

/**
 * Creates the database of a version until the end of the current test.
 * @param folder an empty directory, for the migrations up to that version
 */
export async function createFormerDatabase(version: FormerVersion, folder: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  await cp(join(import.meta.dirname, '../../../db/migrations'), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { when: number }[] };
  const newest = Number(version.migrations.at(-1)?.created_at);
  journal.entries = journal.entries.filter(({ when }) => when <= newest);
  await writeFile(path, JSON.stringify(journal));
  await migrate(database.url, { folder });
  const sql = openSession(database.superuserUrl);
  await sql`truncate drizzle.__drizzle_migrations`;
  await sql`insert into drizzle.__drizzle_migrations ${sql(version.migrations)}`;
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
