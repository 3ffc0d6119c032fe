import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type MigrateOptions, migrate } from '#db/migrate.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

/** A migration of a later version that locks tables which every request uses. */
const later = [
  'alter table tenants add column later integer;',
  'alter table usage_totals add column later integer;',
  'alter table tokens add column later integer;',
  'create table seen as select count(*)::int as tenants from tenants;',
].join('\n--> statement-breakpoint\n');

/** Creates a directory with the current migrations and later ones. */
async function laterMigrations(texts: readonly string[] = [later]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(import.meta.dirname, '../../db/migrations'), folder, { recursive: true });
  const journal = JSON.parse(await readFile(join(folder, 'meta/_journal.json'), 'utf8'));
  for (const [at, text] of texts.entries()) {
    const last = journal.entries.at(-1);
    const tag = `later_${at}`;
    journal.entries.push({ ...last, idx: last.idx + 1, tag, when: last.when + 1 });
    await writeFile(join(folder, `${tag}.sql`), text);
  }
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify(journal));
  return folder;
}

/**
 * Creates a database of the previous version, with a connection of a process of that version and a connection for
 * observation.
 */
async function formerDatabase(texts?: readonly string[]) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const folder = await laterMigrations(texts);
  const upgrade = (stop?: AbortSignal, options: MigrateOptions = {}) =>
    migrate(database.ownerUrl, { stop, folder, ...options });
  const requests = postgres(database.url, { max: 2, onnotice: () => {} });
  onTestFinished(() => requests.end({ timeout: 0 }));
  const superuser = openSuperuser(database.superuserUrl);
  /** Resolves when a migration waits for a lock on a table. */
  const migrationWaits = () =>
    poll(async () => {
      const rows = await superuser`
        select from pg_stat_activity where application_name = 'lingualoop migrate' and wait_event_type = 'Lock'
          and datname = current_database()`;
      return rows.length > 0;
    });
  return { upgrade, requests, superuser, migrationWaits };
}

test('an upgrade beside requests of the version before: neither the migration nor a request fails', async () => {
  const { upgrade, requests, migrationWaits, superuser } = await formerDatabase();
  let migrated: Promise<void> | undefined;
  // Admission first reads the tenant, and then the tokens or the totals.
  const tables = await requests.begin(async (tx) => {
    await tx`select from tenants`;
    migrated = upgrade();
    migrated.catch(() => {});
    await migrationWaits();
    await tx`select from usage_totals`;
    await tx`select from tokens`;
    return 'all read';
  });
  expect(tables).toBe('all read');
  await migrated;
  expect([...(await superuser`select later from tokens`)]).toEqual([]);
});

/** Reads a table in a transaction that stays open, like a dump. */
async function holdTenants(requests: postgres.Sql) {
  const end = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const dump = requests.begin(async (tx) => {
    await tx`select from tenants`;
    began.resolve();
    await end.promise;
  });
  await began.promise;
  return async () => {
    end.resolve();
    await dump;
  };
}

test('requests continue while a migration waits for a table that a dump holds', async () => {
  const { upgrade, requests, migrationWaits } = await formerDatabase();
  const release = await holdTenants(requests);
  const migrated = upgrade();
  migrated.catch(() => {});
  try {
    for (let n = 0; n < 3; n++) {
      await migrationWaits();
      await requests.begin(async (tx) => {
        await tx`set local statement_timeout = '8s'`;
        await tx`select from tenants`;
      });
    }
  } finally {
    await release();
  }
  await migrated;
});

test('a migration that waits for a table, or for the migration lock, ends on its signal', async () => {
  const { upgrade, requests, migrationWaits } = await formerDatabase();
  const release = await holdTenants(requests);
  const stop = new AbortController();
  const ended = Promise.allSettled([upgrade(stop.signal), upgrade(stop.signal)]);
  await migrationWaits();
  stop.abort();
  const { reason } = stop.signal;
  expect(await ended).toEqual(Array(2).fill({ status: 'rejected', reason }));
  await release();
  await upgrade();
});

test('a migration does not wait for an autovacuum of a table that it needs', async () => {
  // A separate PostgreSQL server, because autovacuum runs for the complete server.
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-test-'));
  const server = await joinEmbeddedPostgres(folder);
  onTestFinished(async () => {
    await server.leave();
    await rm(folder, { recursive: true, force: true });
  });
  await migrate(server.ownerUrl);
  const folderOfLater = await laterMigrations();
  const database = new URL(server.superuserUrl);
  database.pathname = new URL(server.url).pathname;
  const superuser = postgres(database.href, { max: 1, onnotice: () => {} });
  onTestFinished(() => superuser.end());
  await superuser`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'tenant-' || n, repeat('x', 500), 'prefix', 1 from generate_series(1, 20000) n`;
  await superuser`delete from tenants`;
  // Makes the vacuum so slow that it would take minutes.
  await superuser`alter table tenants set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_cost_delay = 100,
    autovacuum_vacuum_cost_limit = 1)`;
  await superuser`alter system set autovacuum_naptime = 1`;
  await superuser`select pg_reload_conf()`;
  const vacuums = async () =>
    (
      await superuser`
    select from pg_stat_progress_vacuum where relid = 'tenants'::regclass`
    ).length > 0;
  await poll(vacuums);
  await superuser`alter system set autovacuum_naptime = 1000`;
  await superuser`select pg_reload_conf()`;
  await migrate(server.ownerUrl, { folder: folderOfLater });
  expect(await superuser`select later from tenants`).toEqual([]);
});

test('a migration that changes rows sees those of every tenant', async () => {
  const { upgrade, superuser } = await formerDatabase();
  await superuser`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    values ('one', 'One', 'prefix', 1), ('two', 'Two', 'prefix', 1)`;
  await upgrade();
  expect([...(await superuser`select tenants from seen`)]).toEqual([{ tenants: 2 }]);
});

test('migrations before one that waits stay applied, and the wait is reported with the table and the session in its way', async () => {
  const { upgrade, requests, superuser } = await formerDatabase([
    'alter table usage_totals add column later integer;',
    'alter table tenants add column later integer;',
  ]);
  // Without this right, the report has only the name and the process of the session.
  const [owner] = await superuser`
    select pg_get_userbyid(datdba) as name from pg_database where datname = current_database()`;
  await superuser.unsafe(`grant pg_read_all_stats to "${owner!['name']}"`);
  const release = await holdTenants(requests);
  const told: string[] = [];
  const stop = new AbortController();
  const migrated = upgrade(stop.signal, {
    onWait: (notice) => told.push(notice),
    onProgress: (notice) => told.push(notice),
  });
  migrated.catch(() => {});
  const [blocker] = await superuser<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
      and application_name <> 'lingualoop migrate'`;
  await poll(async () => told.length >= 2);
  expect(told).toEqual([
    expect.stringMatching(/^Applied the migration later_0 \(1 of 2\) in \d/),
    expect.stringMatching(
      new RegExp(
        `^the migration later_1 waits for the table tenants, which the session "[^"]*" holds \\(PostgreSQL process ${blocker?.pid}, from [^,]+, for \\d+ s, idle in transaction: select from tenants`,
      ),
    ),
  ]);
  stop.abort();
  await expect(migrated).rejects.toBe(stop.signal.reason);
  await release();
  expect([...(await superuser`select later from usage_totals`)]).toEqual([]);
  await upgrade();
  expect([...(await superuser`select later from tenants`)]).toEqual([]);
});

test('with a pause, a new request waits before it holds a lock, and one that has begun ends first', async () => {
  const { upgrade, requests, superuser } = await formerDatabase([
    'alter table usage_totals add column later integer;',
    'alter table tenants add column later integer;',
  ]);
  const waitsForGate = (name: string) =>
    poll(async () => {
      const rows = await superuser`
        select from pg_locks join pg_stat_activity using (pid) where not granted and application_name like ${name}
          and relation = 'credential_directory'::regclass`;
      return rows.length > 0;
    });
  let migrated: Promise<void> | undefined;
  const begun = requests.begin(async (tx) => {
    await tx`select from credential_directory`;
    migrated = upgrade(undefined, { pause: true });
    migrated.catch(() => {});
    await waitsForGate('lingualoop migrate');
    // A request of the previous version: it reads its credential first. It holds no other lock while it waits.
    const next = requests.begin(async (other) => {
      await other`select from credential_directory`;
      await other`select from tenants`;
      return 'answered';
    });
    await waitsForGate('postgres.js');
    await tx`select from tenants`;
    await tx`select from usage_totals`;
    return next;
  });
  expect(await begun).toBe('answered');
  await migrated;
  expect([...(await superuser`select later from tenants`)]).toEqual([]);
});
