import postgres from 'postgres';
import { qualified, type Table } from '../copy/contents.ts';
import { analyze, loadDatabase } from '../copy/load.ts';
import { RowDigest } from '../copy/row-digest.ts';
import { type Snapshot, withSnapshot } from '../copy/snapshot.ts';
import type { Secrets } from './secrets.ts';

export interface Copied {
  rows: number;
  tables: number;
}

/**
 * Thrown if the old cluster has contents that the new one would not have, or would have in a different form: they
 * would be lost.
 */
export class WouldBeLostError extends Error {
  override name = 'WouldBeLostError';
}

/**
 * Copies the service's database from one running cluster into a new one, and compares the rows of both.
 * @throws WouldBeLostError if the old cluster has anything that the new one would not have
 */
export async function copyCluster(from: Secrets, to: Secrets, stop: AbortSignal): Promise<Copied> {
  return withSuperuser(from, 'postgres', (old) =>
    withSuperuser(to, 'postgres', async (fresh) => {
      await refuseMore('the cluster', await clusterObjects(old), await clusterObjects(fresh));
      await copySettings(old, fresh);
      return withSnapshot(urlOf(from), 'lingualoop upgrade', async (snapshot) => {
        const digests = await copyRows(snapshot, urlOf(to), stop);
        await compareObjects(from, to);
        await compareRows(snapshot, digests, urlOf(to), stop);
        const rows = [...digests.values()].reduce((sum, table) => sum + table.rows, 0);
        return { rows, tables: digests.size };
      });
    }),
  );
}

function urlOf({ role, password, port, database }: Secrets): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}

async function withSuperuser<T>(
  { superuser, superuserPassword, port }: Secrets,
  database: string,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = postgres(`postgres://${superuser}:${superuserPassword}@127.0.0.1:${port}/${database}`, {
    max: 1,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'lingualoop upgrade' },
  });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Lists the databases and roles of a cluster by name, the objects of one database, and whether roles or databases
 * have settings.
 */
async function clusterObjects(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select 'the database ' || datname as name from pg_database
    union all select 'the role ' || rolname from pg_roles where rolname !~ '^pg_'
    union all select 'settings of a role or a database' from pg_db_role_setting
    order by 1`;
  return [...rows.map(({ name }) => name), ...(await databaseObjects(sql))];
}

/** Lists the objects of a database, except PostgreSQL's own. */
async function databaseObjects(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    with members as (select classid, objid from pg_depend where deptype = 'e'),
      spaces as (select oid, nspname from pg_namespace
        where nspname !~ '^pg_' and nspname <> 'information_schema')
    select 'the extension ' || extname as name from pg_extension
    union all select 'the schema ' || nspname from spaces
    union all select format('the relation %s.%s', nspname, relname)
      from pg_class c join spaces s on s.oid = relnamespace
      where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and ('pg_class'::regclass, c.oid) not in (select * from members)
    union all select format('the column %s.%s.%s', nspname, relname, attname)
      from pg_attribute join pg_class c on c.oid = attrelid join spaces s on s.oid = relnamespace
      where attnum > 0 and not attisdropped and relkind in ('r', 'p')
        and ('pg_class'::regclass, c.oid) not in (select * from members)
    union all select format('the index %s.%s', nspname, relname)
      from pg_class c join spaces s on s.oid = relnamespace where relkind = 'i'
    union all select format('the function %s.%s', nspname, proname)
      from pg_proc p join spaces s on s.oid = pronamespace
      where ('pg_proc'::regclass, p.oid) not in (select * from members)
    union all select format('the trigger %s', tgname) from pg_trigger where not tgisinternal
    union all select format('the constraint %s', conname)
      from pg_constraint join spaces s on s.oid = connamespace where contype <> 'n'
    order by 1`;
  return rows.map(({ name }) => name);
}

function refuseMore(where: string, old: readonly string[], fresh: readonly string[]): void {
  const known = new Set(fresh);
  const lost = old.find((name) => !known.has(name));
  if (lost !== undefined)
    throw new WouldBeLostError(
      `${where} contains ${lost}, which is not part of LinguaLoop and would be lost; move it to another server first`,
    );
}

async function compareObjects(from: Secrets, to: Secrets): Promise<void> {
  const [old, fresh] = [
    await withSuperuser(from, from.database, databaseObjects),
    await withSuperuser(to, to.database, databaseObjects),
  ];
  refuseMore(`the database ${from.database}`, old, fresh);
}

/** Copies the settings made with ALTER SYSTEM. They apply from the next start on. */
async function copySettings(old: postgres.Sql, fresh: postgres.Sql): Promise<void> {
  const settings = await old<{ name: string; setting: string }[]>`
    select name, setting from pg_file_settings where sourcefile like '%/postgresql.auto.conf' and setting is not null`;
  for (const { name, setting } of settings)
    await fresh
      .unsafe(
        `alter system set ${name.split('.').map(quoted).join('.')} = '${setting.replaceAll("'", "''")}'`,
      )
      .catch((error: Error) => {
        throw new WouldBeLostError(
          `the setting ${name}, which was changed with ALTER SYSTEM, is rejected by the new version (${error.message}); reset it in the old database first`,
        );
      });
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

async function copyRows(snapshot: Snapshot, url: string, stop: AbortSignal): Promise<Map<string, RowDigest>> {
  const digests = new Map<string, RowDigest>();
  await loadDatabase(url, {
    version: snapshot.version,
    stop,
    async fill(target) {
      for (const table of snapshot.tables) {
        if (!target.has(table))
          throw new WouldBeLostError(
            `the table ${qualified(table)} is not part of LinguaLoop and would be lost; move it to another server first`,
          );
        const digest = new RowDigest();
        await target.copyIn(table, digested(snapshot.copyOut(table), digest, stop));
        digests.set(qualified(table), digest);
      }
      await target.setSequences(await snapshot.sequences());
    },
  });
  await analyze(url, stop);
  return digests;
}

async function* digested(
  pieces: AsyncIterable<Buffer>,
  digest: RowDigest,
  stop: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    stop.throwIfAborted();
    digest.update(piece);
    yield piece;
  }
}

/** Reads all rows of the new database and compares their digests with those of the old one. */
async function compareRows(
  old: Snapshot,
  digests: ReadonlyMap<string, RowDigest>,
  url: string,
  stop: AbortSignal,
): Promise<void> {
  await withSnapshot(url, 'lingualoop upgrade', async (fresh) => {
    for (const table of old.tables) {
      const digest = new RowDigest();
      for await (const _piece of digested(fresh.copyOut(table), digest, stop));
      if (`${digest}` !== `${digests.get(qualified(table))}`) throw differs(table);
    }
    const [was, is] = [JSON.stringify(await old.sequences()), JSON.stringify(await fresh.sequences())];
    if (was !== is) throw new Error('the sequences of the new database differ from those of the old one');
  });
}

function differs(table: Table): Error {
  return new Error(`the rows of ${qualified(table)} differ in the new database; the old one is unchanged`);
}
