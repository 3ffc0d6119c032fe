import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { joinEmbeddedPostgres } from '../../db/embedded/index.ts';
import { freePort } from '../../db/embedded/secrets.ts';
import { migrate } from '../../db/migrate.ts';
import type { PoolerKind } from '../../db/pool.ts';
import { inspectPooler } from '../../db/pooler.ts';
import { partitionCount, partitionTables, splitTables } from './partitions.ts';
import { startPgbouncer } from './pgbouncer.ts';
import { recordStatementsOf } from './statement-recorder.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's URL of the PostgreSQL server that all test files share. */
    superuserUrl: string;
    /** The URL of the migrated template database, with the role that owns its tables. */
    ownerUrl: string;
    /**
     * The URL of the migrated template database, with the service's role, which owns nothing. Tests clone the template; they must not
     * connect to it.
     */
    templateUrl: string;
    /** Set if `templateUrl` leads through PgBouncer in transaction mode. */
    pooler: PoolerKind | undefined;
  }
}

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** With `1`, the service's role connects through PgBouncer in transaction mode, with two connections for each database. */
const isPooled = process.env['TEST_PGBOUNCER'] === '1';
/** With a path, the statements of the service's role are written to this file. */
const statementsFile = process.env['TEST_STATEMENTS'];
const kept = join(
  root,
  `node_modules/.cache/lingualoop-tests${partitionCount ? `-${partitionCount}-partitions` : ''}`,
);

/** Starts one PostgreSQL server for all test files. It has a migrated template database that each test file clones. */
export default async function setup(project: TestProject) {
  const removeFolder = await useTemporaryFolder();
  const dataDir = join(await mkdtemp(join(tmpdir(), 'lingualoop-test-')), 'data');
  await copyKept(dataDir).catch(async () => {
    await rm(dataDir, { recursive: true, force: true });
    await createTemplate(dataDir);
  });
  const server = await joinEmbeddedPostgres(dataDir);

  project.provide('superuserUrl', server.superuserUrl);
  const recorder = statementsFile ? await recordStatementsOf(server.url, statementsFile) : undefined;
  const template = new URL(templateUrl(server.url));
  const pgbouncer = isPooled
    ? await startPgbouncer(server.url, 'transaction', { default_pool_size: 2 })
    : undefined;
  if (pgbouncer) template.port = new URL(pgbouncer.url).port;
  project.provide('pooler', pgbouncer && (await inspectPooler(pgbouncer.url, server.url)).kind);
  if (recorder) template.port = String(recorder.port);
  project.provide('templateUrl', template.href);
  project.provide('ownerUrl', templateUrl(server.ownerUrl));
  return async () => {
    await recorder?.finish();
    await pgbouncer?.remove();
    await server.leave();
    await removeFolder();
  };
}

function templateUrl(url: string): string {
  const template = new URL(url);
  template.pathname = '/template_lingualoop';
  return template.href;
}

/** Creates a data directory that contains the template. Its server is stopped afterwards. */
async function createTemplate(dataDir: string): Promise<void> {
  const server = await joinEmbeddedPostgres(dataDir);
  const superuser = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  const role = new URL(server.ownerUrl).username;
  // Tests need no durability. Without it, dropping a database takes a tenth of the time.
  await superuser.unsafe('alter system set fsync = off');
  await superuser.unsafe('alter system set full_page_writes = off');
  await superuser.unsafe("alter system set max_wal_size = '256MB'");
  await superuser.unsafe(`create database template_lingualoop owner "${role}"`);
  await superuser.end();
  const ownerUrl = templateUrl(server.ownerUrl);
  const service = new URL(server.url).username;
  await migrate(ownerUrl, { service });
  if (partitionCount) {
    await partitionTables(ownerUrl, partitionCount, splitTables);
    // The split tables are new ones.
    await migrate(ownerUrl, { service });
  }
  await server.leave();
}

/**
 * Copies the data directory that an earlier run created, so that most runs need no new cluster and no migration. If a
 * migration, the embedded PostgreSQL or a dependency has changed since then, a new data directory is created first.
 * Rejects on systems without `cp`.
 */
async function copyKept(dataDir: string): Promise<void> {
  const folder = join(kept, await fingerprint());
  if (!(await stat(folder).catch(() => undefined))) {
    const made = `${dataDir}-made`;
    await createTemplate(made);
    const draft = `${folder}-${process.pid}`;
    await rm(kept, { recursive: true, force: true });
    await mkdir(kept, { recursive: true });
    await run('cp', ['-a', made, draft]);
    await rename(draft, folder);
    await rm(made, { recursive: true });
  }
  // Keeps owners, modes and times: PostgreSQL does not accept a data directory that other users can read.
  await run('cp', ['-a', folder, dataDir]);
  const file = join(dataDir, 'postgres.json');
  const secrets = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...secrets, port: await freePort() }));
}

/** A hash of everything that determines the content of a data directory with the template. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.getuid?.()}`);
  const within = (folder: string) =>
    readdir(join(root, folder), { recursive: true, withFileTypes: true }).then((entries) =>
      entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)),
    );
  const files = [...(await within('db/migrations')), ...(await within('db/embedded'))];
  const others = [
    'db/migrate.ts',
    'db/apply-migrations.ts',
    'db/service-role.ts',
    'package-lock.json',
    'test/setup/postgres.ts',
    'test/setup/partitions.ts',
  ].map((name) => join(root, name));
  for (const file of [...files.toSorted(), ...others]) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
