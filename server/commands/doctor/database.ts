import pg from 'pg';
import postgres from 'postgres';
import { type Database, openDatabase } from '#db/client.ts';
import { inspectPooler, refuseSharedSessions, sharedAdvice, urlThrough } from '#db/pooler.ts';
import { queueUrl } from '#db/queue-url.ts';
import { hasCurrentSchema } from '#db/schema-version.ts';
import { mayReadJournal } from '#db/service-role.ts';
import { connectionsForService, maxConnections } from '#server/platform/database-connections.ts';
import { explainUnreachable } from '#server/platform/database-home.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import type { Settings } from '#server/settings.ts';
import { trySecretsKeys } from '#server/storage/stored-secrets.ts';
import { findFullTenants } from '#server/storage/usage.ts';
import { check, type Finding, fail, ok, warn } from './finding.ts';

/** The earliest PostgreSQL version that the service supports. */
const oldestVersion = 15;

/**
 * Maximum seconds by which the clocks of this machine and of the database may differ. Tokens, limits and idempotency
 * compare times of both clocks. A verification code is valid for 30 s.
 */
const clockSkew = { warn: 2, fail: 20 };

interface Facts {
  version: number;
  printed: string;
  role: string;
  super: boolean;
  bypass: boolean;
  creates: boolean;
  owns: boolean;
  encoding: string;
  standby: boolean;
  now: number;
  migrated: boolean;
  connections: number;
}

/** Checks the database at `url`: connection, poolers, version, role, schema, clock and the key of the stored secrets. Changes nothing. */
export async function checkDatabase(
  url: string,
  settings: Settings,
  keys: SecretsKeys | undefined,
): Promise<Finding[]> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 10,
    // A pooler in transaction mode prepares no statements, and rejects a limit as a parameter of the connection.
    prepare: false,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'lingualoop doctor' },
  });
  try {
    const asked = Date.now();
    const explain = (error: unknown) => {
      throw explainUnreachable(error, settings);
    };
    const facts = await readFacts(sql).catch(explain);
    const answered = Date.now();
    await connectAsQueue(url).catch(explain);
    const shared = await check('database', () => refuseSharedSessions(url).then(() => []), sharedAdvice);
    return [
      ...describeServer(facts, settings),
      ...shared,
      ...(settings.DATABASE_POOLS.pooler === undefined
        ? []
        : await checkPooler(url, settings.DATABASE_POOLS.pooler)),
      compareClocks((asked + answered) / 2, facts.now, answered - asked),
      ...(facts.migrated ? await checkContents(url, settings, keys) : [notMigrated]),
    ];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Checks the pooler between the pools and the database. */
function checkPooler(url: string, pooler: string): Promise<Finding[]> {
  const { host } = new URL(pooler);
  return check(
    'pooler',
    async () => {
      const { kind } = await inspectPooler(urlThrough(pooler, url), url);
      return kind === 'prepared'
        ? ok('pooler', `the pooler at ${host} leads to this database, and prepares statements`)
        : warn(
            'pooler',
            `the pooler at ${host} prepares no statements: PostgreSQL plans each one again, which takes more than twice its CPU time`,
            'use PgBouncer 1.21 or newer with max_prepared_statements = 300, and restart the service',
          );
    },
    'check pooler of DATABASE_POOLS',
  );
}

async function readFacts(sql: postgres.Sql): Promise<Facts> {
  const [facts] = await sql<Facts[]>`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as printed,
      rolname as role, rolsuper as super, rolbypassrls as bypass,
      has_database_privilege(current_database(), 'create') as creates,
      exists (select from pg_class where relowner = current_user::regrole and relkind in ('r', 'p')) as owns,
      (select pg_encoding_to_char(encoding) from pg_database where datname = current_database()) as encoding,
      pg_is_in_recovery() as standby, (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      false as migrated,
      ${sql.unsafe(connectionsForService)} as connections
    from pg_roles where rolname = current_user`;
  return { ...(facts as Facts), migrated: await mayReadJournal((text, values) => sql.unsafe(text, values)) };
}

/** Checks the connection of the job queue, which uses another driver. */
async function connectAsQueue(url: string): Promise<void> {
  const connectionString = queueUrl(url, 'lingualoop doctor');
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } finally {
    await client.end();
  }
}

function describeServer(facts: Facts, settings: Settings): Finding[] {
  const found: Finding[] = [ok('database', `PostgreSQL ${facts.printed} responds, as "${facts.role}"`)];
  const because = (holds: boolean, finding: Finding) => void (holds && found.push(finding));
  because(
    facts.version < oldestVersion,
    fail('database', `PostgreSQL ${facts.printed} is too old`, `use version ${oldestVersion} or newer`),
  );
  because(
    facts.super || facts.bypass,
    fail(
      'database',
      `row-level policies do not apply to the role "${facts.role}", so tenants would not be isolated`,
      `alter role "${facts.role}" nosuperuser nobypassrls, or use another role`,
    ),
  );
  because(
    !facts.creates && !facts.migrated,
    fail(
      'database',
      `the role "${facts.role}" may not create tables, and the database has none`,
      'run npm run migrate with DATABASE_MIGRATION_URL, the URL of the role that owns the database (docs/installing.md)',
    ),
  );
  because(
    facts.owns,
    warn(
      'database',
      `the role "${facts.role}" owns the tables, so it could switch row-level policies off`,
      'run the service with a second role, and set DATABASE_MIGRATION_URL for migrations (docs/upgrading.md#two-roles)',
    ),
  );
  because(
    facts.encoding !== 'UTF8',
    fail(
      'database',
      `its encoding is ${facts.encoding}, which cannot store every text`,
      'create it with encoding UTF8',
    ),
  );
  because(facts.standby, fail('database', 'it is a read-only standby', 'use the primary'));
  const needed = maxConnections(settings, { api: true, workers: true });
  const message = `it allows ${facts.connections} connections for the service; an API with workers may open ${needed}`;
  // The number of connections of the embedded database cannot be changed.
  const orMore = settings.DATABASE_URL === undefined ? '' : ' or raise max_connections';
  if (facts.connections < needed) found.push(fail('database', message, `lower WORKER_CONCURRENCY${orMore}`));
  else if (facts.connections < 2 * needed)
    found.push(
      warn(
        'database',
        message,
        `lower WORKER_CONCURRENCY${orMore} if you run several processes (docs/scaling.md)`,
      ),
    );
  return found;
}

/**
 * Compares the clocks of this machine and of the database, in milliseconds since the epoch.
 * @param took milliseconds between request and response
 */
export function compareClocks(here: number, there: number, took: number): Finding {
  // Half of the time between request and response may explain a difference.
  const seconds = Math.max(0, Math.abs(here - there) - took / 2) / 1000;
  const message = `this clock and that of the database differ by ${seconds.toFixed(1)} s`;
  const advice = 'synchronize both clocks with NTP: tokens, limits and one-time codes compare their times';
  if (seconds > clockSkew.fail) return fail('clock', message, advice);
  return seconds > clockSkew.warn ? warn('clock', message, advice) : ok('clock', message);
}

const notMigrated = warn(
  'schema',
  'the database has no tables yet',
  'run npm run migrate, or the first start creates them',
);

async function checkContents(
  url: string,
  settings: Settings,
  keys: SecretsKeys | undefined,
): Promise<Finding[]> {
  const database = openDatabase(url, { size: 1, applicationName: 'lingualoop doctor' });
  try {
    const isCurrent = await database.inPlatform((tx) => hasCurrentSchema(tx));
    const schema = isCurrent
      ? ok('schema', 'the database has all migrations of this version')
      : warn('schema', 'the database lacks migrations of this version', 'npm run migrate');
    // Stop here if the tables are not those of this version: the columns that follow do not exist in other versions.
    if (!isCurrent) return [schema];
    const cap = await check('storage', () => checkStorageCap(database, settings), 'npm run migrate');
    if (!keys) return [schema, ...cap];
    const advice = 'set the key that they were stored with, as SECRETS_KEY or SECRETS_KEY_PREVIOUS';
    return [
      schema,
      ...cap,
      ...(await check(
        'secrets',
        async () => {
          const { opened, unreadable } = await trySecretsKeys(database, keys);
          if (unreadable === 0)
            return ok('secrets', `SECRETS_KEY decrypts the stored secrets (tried: ${opened})`);
          const message = `the keys cannot decrypt ${unreadable} of ${opened + unreadable} tried secrets`;
          return opened === 0
            ? fail('secrets', message, advice)
            : warn('secrets', message, 'npm run admin -- reseal-secrets lists them');
        },
        advice,
      )),
    ];
  } finally {
    await database.close();
  }
}

/** Checks the limit for documents in platform storage, and lists the workspaces that have almost reached it. */
async function checkStorageCap(database: Database, settings: Settings): Promise<Finding> {
  const { cap, full } = await database.inPlatform((tx) => findFullTenants(tx, settings));
  const limit =
    cap === null
      ? 'no limit for the documents of one workspace in platform storage'
      : `the documents of one workspace may use ${cap} bytes of platform storage`;
  if (full > 0)
    return warn(
      'storage',
      `${limit}; workspaces that have used 90% of their cap or more: ${full}`,
      'npm run admin -- set-storage-cap raises it for one workspace, storage_bytes of WORKSPACE_LIMITS for all',
    );
  return cap === null
    ? warn(
        'storage',
        limit,
        'set storage_bytes of WORKSPACE_LIMITS, so that one workspace cannot fill the disk',
      )
    : ok('storage', limit);
}
