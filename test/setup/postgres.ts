import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { joinEmbeddedPostgres } from '../../db/embedded/index.ts';
import { migrate } from '../../db/migrate.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's URL of the run's PostgreSQL. */
    superuserUrl: string;
    /** The service role's URL of the migrated template database; clone it, never connect to it. */
    templateUrl: string;
  }
}

/** One PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject) {
  const removeFolder = await useTemporaryFolder();
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-test-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const superuser = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  const role = new URL(server.url).username;
  // What a test writes need not outlive a power cut, and dropping a database is ten times as fast.
  await superuser.unsafe('alter system set fsync = off');
  await superuser.unsafe('alter system set full_page_writes = off');
  await superuser.unsafe("alter system set max_wal_size = '256MB'");
  await superuser.unsafe('select pg_reload_conf()');
  await superuser.unsafe(`create database template_lingualoop owner "${role}"`);
  await superuser.end();
  const templateUrl = new URL(server.url);
  templateUrl.pathname = '/template_lingualoop';
  await migrate(templateUrl.href);

  project.provide('superuserUrl', server.superuserUrl);
  project.provide('templateUrl', templateUrl.href);
  return async () => {
    await server.leave();
    await removeFolder();
  };
}
