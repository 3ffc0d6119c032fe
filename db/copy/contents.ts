import postgres from 'postgres';

/** A table whose rows are copied. */
export interface Table {
  schema: string;
  name: string;
  /** Without generated columns, which the database fills itself. */
  columns: string[];
}

/** The schema version of a database. */
export interface SchemaVersion {
  /** When the latest of our migrations in it was made, in milliseconds since the epoch. */
  migration: number;
  /** The latest migration of graphile-worker. */
  jobQueue: number;
}

export interface SequenceValue {
  /** The name with its schema. */
  name: string;
  value: string;
  isCalled: boolean;
}

/** A connection on which one transaction may take as long as it needs. The caller ends it. */
export function openCopyConnection(url: string, applicationName: string): postgres.Sql {
  return postgres(url, {
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 30,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
    connection: {
      application_name: applicationName,
      // The same value has the same text, whatever the server's own settings are.
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      IntervalStyle: 'postgres',
      extra_float_digits: 1,
      statement_timeout: 0,
      lock_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    },
  });
}

/**
 * Resolves with the work's result; once `stop` is aborted, ends the connection and rejects with its reason, even while a statement waits for a lock.
 */
export function untilStopped<T>(
  sql: postgres.Sql,
  stop: AbortSignal | undefined,
  work: Promise<T>,
): Promise<T> {
  if (!stop) return work;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const end = () => {
    sql.end({ timeout: 0 }).catch(() => {});
    reject(stop.reason);
  };
  if (stop.aborted) end();
  else stop.addEventListener('abort', end, { once: true });
  return Promise.race([work, stopped]).finally(() => stop.removeEventListener('abort', end));
}

/** For tables, sequences and constraints in our two schemas; those of extensions are excluded. */
export const ownSchemas = ['public', 'graphile_worker'] as const;

/** A statement with the schemas as literals: they are constants, and an array would need a look-up of types. */
const inOwnSchemas = `nspname in (${ownSchemas.map((name) => `'${name}'`).join(', ')})`;
const notOfExtension = (oid: string) =>
  `not exists (select from pg_depend where objid = ${oid} and deptype = 'e' and classid = 'pg_class'::regclass)`;

/**
 * The tables of our schemas that this role owns, in the order of their names; without graphile-worker's list of
 * migrations, which belongs to the schema, and without unlogged tables, which a crash would empty as well.
 */
export async function listTables(sql: postgres.ISql): Promise<Table[]> {
  const rows = await sql.unsafe<{ schema: string; name: string; columns: string }[]>(`
    select nspname as schema, relname as name,
      (select json_agg(attname order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${inOwnSchemas} and relkind = 'r' and relpersistence = 'p' and pg_has_role(c.relowner, 'usage')
      and (nspname, relname) <> ('graphile_worker', 'migrations') and ${notOfExtension('c.oid')}
    order by nspname collate "C", relname collate "C"`);
  return rows.map(({ schema, name, columns }) => ({
    schema,
    name,
    columns: (typeof columns === 'string' ? JSON.parse(columns) : columns) as string[],
  }));
}

/** Undefined for a database without our schema. */
export async function readSchemaVersion(sql: postgres.ISql): Promise<SchemaVersion | undefined> {
  const [has] = await sql<{ both: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null
      and to_regclass('graphile_worker.migrations') is not null as both`;
  if (!has?.both) return undefined;
  const [row] = await sql<{ migration: string | null; queue: number | null }[]>`
    select (select max(created_at) from drizzle.__drizzle_migrations)::text as migration,
           (select max(id) from graphile_worker.migrations) as queue`;
  if (!row?.migration || !row.queue) return undefined;
  return { migration: Number(row.migration), jobQueue: row.queue };
}

/** Read these after the rows: a sequence is not part of a snapshot, and may only be ahead of them. */
export async function readSequences(sql: postgres.ISql): Promise<SequenceValue[]> {
  const sequences = await sql.unsafe<{ name: string }[]>(`
    select format('%I.%I', nspname, relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${inOwnSchemas} and relkind = 'S' and pg_has_role(c.relowner, 'usage') and ${notOfExtension('c.oid')}
    order by 1`);
  const values: SequenceValue[] = [];
  for (const { name } of sequences) {
    const [row] = await sql.unsafe<{ value: string; is_called: boolean }[]>(
      `select last_value::text as value, is_called from ${name}`,
    );
    if (row) values.push({ name, value: row.value, isCalled: row.is_called });
  }
  return values;
}

/** A name of SQL in quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The table's columns, for statements. */
export function columnsOf({ columns }: Table): string {
  return columns.map(quoted).join(', ');
}

/** The table's name with its schema, for statements. */
export function qualified({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${quoted(schema)}.${quoted(name)}`;
}
