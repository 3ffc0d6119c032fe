import postgres from 'postgres';

/** A table whose rows are copied to another database. */
export interface Table {
  schema: string;
  name: string;
  /** All columns except generated ones, which the database fills itself. */
  columns: string[];
}

/** The schema version of a database, as the latest migrations that it contains. */
export interface SchemaVersion {
  /** When the service's latest migration in the database was made, in milliseconds since the epoch. */
  migration: number;
  /** Number of graphile-worker's latest migration in the database. */
  jobQueue: number;
}

export interface SequenceValue {
  /** The name of the sequence, with its schema. */
  name: string;
  value: string;
  isCalled: boolean;
}

/** Opens a connection on which one transaction may take as long as it needs. The caller must end the connection. */
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
      // These settings give equal values the same text, regardless of the server's own settings.
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
 * Resolves with the result of `work`. As soon as `stop` aborts, ends the connection and rejects with the signal's
 * reason, even while a statement waits for a lock.
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

/** The schemas with the service's tables, sequences and constraints. Objects of extensions in them are excluded. */
export const ownSchemas = ['public', 'graphile_worker'] as const;

/** SQL with the schemas as literals. They are constants, and passing an array would require looking up its type. */
const inOwnSchemas = `nspname in (${ownSchemas.map((name) => `'${name}'`).join(', ')})`;
const notOfExtension = (oid: string) =>
  `not exists (select from pg_depend where objid = ${oid} and deptype = 'e' and classid = 'pg_class'::regclass)`;

/**
 * Lists the tables in these schemas that the connected role owns, in the order of their names. Excluded are
 * graphile-worker's list of migrations, which belongs to the schema, and unlogged tables, which a crash would empty,
 * too.
 */
export async function listTables(sql: postgres.ISql): Promise<Table[]> {
  const rows = await sql.unsafe<{ schema: string; name: string; columns: string }[]>(`
    select nspname as schema, relname as name,
      (select json_agg(attname order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${inOwnSchemas} and relkind in ('r', 'p') and not relispartition and relpersistence = 'p' and pg_has_role(c.relowner, 'usage')
      and (nspname, relname) <> ('graphile_worker', 'migrations') and ${notOfExtension('c.oid')}
    order by nspname collate "C", relname collate "C"`);
  return rows.map(({ schema, name, columns }) => ({
    schema,
    name,
    columns: (typeof columns === 'string' ? JSON.parse(columns) : columns) as string[],
  }));
}

/** Returns the schema version; undefined for a database without the service's schema. */
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

/**
 * Lists the sequences with their values. Call it after the rows have been read: sequences are not part of a snapshot,
 * so their values may be ahead of the rows but never behind.
 */
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

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the names of the table's columns for a statement. */
export function columnsOf({ columns }: Table): string {
  return columns.map(quoted).join(', ');
}

/** Returns the table's name with its schema, for a statement. */
export function qualified({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${quoted(schema)}.${quoted(name)}`;
}
