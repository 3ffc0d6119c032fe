import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';

export interface TestDatabase {
  /** The URL with the service's role, which owns nothing; of an empty database, the owner's. */
  url: string;
  /** The URL with the role that owns the database and its tables. */
  ownerUrl: string;
  /** The URL with the superuser, who can read all rows, because row-level policies do not apply to superusers. */
  superuserUrl: string;
  drop(): Promise<void>;
}

/** Creates a database: a clone of the migrated template, or an empty database. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const template = new URL(inject('templateUrl'));
  const owner = new URL(inject('ownerUrl'));
  const name = `test_${randomBytes(6).toString('hex')}`;
  // `file_copy` copies the template's files. Without fsync, this takes a fifth of the time of the default strategy,
  // which copies the pages through the write-ahead log.
  const source = options.empty ? '' : 'template template_lingualoop strategy file_copy';
  await asSuperuser(async (sql) => {
    await sql.unsafe(`create database ${name} ${source} owner "${owner.username}"`);
    // A clone has the tables and their rights, but not those of the database.
    if (!options.empty) await sql.unsafe(`revoke create, temporary on database ${name} from public`);
  });
  const superuser = new URL(inject('superuserUrl'));
  template.pathname = `/${name}`;
  owner.pathname = `/${name}`;
  superuser.pathname = `/${name}`;
  return {
    // In an empty database, the service has no rights before the owner migrates it.
    url: options.empty ? owner.href : template.href,
    ownerUrl: owner.href,
    superuserUrl: superuser.href,
    drop: () => asSuperuser((sql) => sql.unsafe(`drop database ${name} with (force)`)),
  };
}

async function asSuperuser(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(inject('superuserUrl'), { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** Opens a superuser connection to `url`, which is closed after the current test. */
export function openSuperuser(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return sql;
}
