import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { env } from '#test/factories.ts';
import { copyPopulated } from '#test/setup/populated/cache.ts';

/** A copy of the populated deployment. Its database runs. */
export interface Populated {
  dataDir: string;
  /** Settings for the service and its commands. */
  env: Record<string, string>;
  /** The service's role. */
  databaseUrl: string;
  superuserUrl: string;
  /** A connection of the superuser. */
  sql: postgres.Sql;
  close(): Promise<void>;
}

/** Copies the populated deployment to a temporary folder, and starts its database. */
export async function openPopulated(): Promise<Populated> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-populated-'));
  const dataDir = join(folder, 'data');
  await copyPopulated(dataDir);
  const server = await joinEmbeddedPostgres(dataDir);
  const superuserUrl = new URL(server.superuserUrl);
  superuserUrl.pathname = new URL(server.url).pathname;
  const sql = postgres(superuserUrl.href, { max: 2, onnotice: () => {} });
  return {
    dataDir,
    env: { ...env, DATA_DIR: dataDir, LOG_LEVEL: 'silent' },
    databaseUrl: server.url,
    superuserUrl: superuserUrl.href,
    sql,
    async close() {
      await sql.end();
      await server.leave();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
