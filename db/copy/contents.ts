import { Session } from '../session.ts';

/** A table whose rows are copied to another database. */
export interface Table {
  schema: string;
  name: string;
  /** All columns except generated ones, which the database computes. */
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

/** Opens a session for a copy. The caller must end it. */
export async function openCopySession(url: string, applicationName: string): Promise<Session> {
  const session = await Session.open(url, applicationName);
  // These settings give equal values the same text, regardless of the server's own settings. The last one is for a
  // cursor whose rows are all read.
  await session.query(
    `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
     set cursor_tuple_fraction = 1`,
  );
  return session;
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
export async function listTables(session: Session): Promise<Table[]> {
  return session.query<Table>(`
    select nspname as schema, relname as name,
      (select json_agg(attname order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${inOwnSchemas} and relkind in ('r', 'p') and not relispartition and relpersistence = 'p' and pg_has_role(c.relowner, 'usage')
      and (nspname, relname) <> ('graphile_worker', 'migrations') and ${notOfExtension('c.oid')}
    order by nspname collate "C", relname collate "C"`);
}

/** Returns the schema version; undefined for a database without the service's schema. */
export async function readSchemaVersion(session: Session): Promise<SchemaVersion | undefined> {
  const [has] = await session.query<{ both: boolean }>(`
    select to_regclass('drizzle.__drizzle_migrations') is not null
      and to_regclass('graphile_worker.migrations') is not null as both`);
  if (!has?.both) return undefined;
  const [row] = await session.query<{ migration: string | null; queue: number | null }>(`
    select (select max(created_at) from drizzle.__drizzle_migrations)::text as migration,
           (select max(id) from graphile_worker.migrations) as queue`);
  if (!row?.migration || !row.queue) return undefined;
  return { migration: Number(row.migration), jobQueue: row.queue };
}

/**
 * Lists the sequences with their values. Call it after the rows have been read: sequences are not part of a snapshot,
 * so their values may be ahead of the rows but never behind.
 */
export async function readSequences(session: Session): Promise<SequenceValue[]> {
  const sequences = await session.query<{ name: string }>(`
    select format('%I.%I', nspname, relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${inOwnSchemas} and relkind = 'S' and pg_has_role(c.relowner, 'usage') and ${notOfExtension('c.oid')}
    order by 1`);
  const values: SequenceValue[] = [];
  for (const { name } of sequences) {
    const [row] = await session.query<{ value: string; is_called: boolean }>(
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
