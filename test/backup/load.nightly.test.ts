import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openCopySession, readSchemaVersion, type SchemaVersion } from '#db/copy/contents.ts';
import { type Load, loadDatabase } from '#db/copy/load.ts';
import { InDoubtError } from '#db/copy/outcome.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

const heartbeats = { schema: 'public', name: 'worker_heartbeats', columns: ['worker_id', 'seen_at'] };

async function* oneRow() {
  yield Buffer.from('worker-1\t2026-01-01 00:00:00+00\n');
}

/** The database schema of this version. */
let version: SchemaVersion;

beforeAll(async () => {
  const database = await createTestDatabase();
  const session = await openCopySession(database.url, 'test');
  version = (await readSchemaVersion(session)) as SchemaVersion;
  await session.end();
  await database.drop();
});

/** Creates an empty database and a load of one row. Returns both, with functions that read the result. */
async function prepare() {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const stop = new AbortController();
  let undone = 0;
  const load: Load = {
    version,
    stop: stop.signal,
    async fill(target) {
      expect(await target.copyIn(heartbeats, oneRow())).toBe(1);
    },
    async undo() {
      undone += 1;
    },
  };
  const contents = async () => {
    const sql = openSuperuser(database.superuserUrl);
    const [found] = await sql<{ rows: boolean; queue: boolean }[]>`
      select to_regclass('worker_heartbeats') is not null as rows, to_regclass('graphile_worker.jobs') is not null as queue`;
    return { ...found, undone };
  };
  return { database, stop, load, contents };
}

const loaded = { rows: true, queue: true, undone: 0 };
const untouched = { rows: false, queue: false, undone: 1 };

type OnCommit = (ends: { client: Socket; server: Socket; commit: Buffer }) => unknown;

/**
 * Starts a proxy to the database. For the COMMIT of the load, it calls `onCommit` instead of forwarding it. After it is
 * closed, it accepts no new connections.
 */
async function wayTo(url: string, onCommit: OnCommit) {
  const { hostname, port } = new URL(url);
  const way = createServer((client) => {
    const server = connect(Number(port), hostname);
    let isLoad = false;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
    server.on('data', (chunk) => client.write(chunk));
    client.on('data', (chunk) => {
      isLoad ||= chunk.includes('lingualoop restore');
      if (isLoad && chunk.includes('commit\0')) onCommit({ client, server, commit: chunk });
      else server.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  onTestFinished(() => void way.close());
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((way.address() as AddressInfo).port);
  return { url: through.href, close: () => way.close() };
}

test('a connection that is lost after the COMMIT has arrived leaves a loaded database', async () => {
  const { database, load, contents } = await prepare();
  const way = await wayTo(database.url, ({ client, server, commit }) => {
    server.removeAllListeners('data');
    server.write(commit);
    server.once('data', () => client.destroy());
  });
  await loadDatabase(way.url, load);
  expect(await contents()).toEqual(loaded);
});

test('a stop while the COMMIT is done leaves a loaded database', async () => {
  const { database, stop, load, contents } = await prepare();
  const way = await wayTo(database.url, ({ server, commit }) => {
    server.prependOnceListener('data', () => stop.abort());
    server.write(commit);
  });
  await loadDatabase(way.url, load);
  expect(await contents()).toEqual(loaded);
});

test('a connection that is lost before the COMMIT leaves nothing', async () => {
  const { database, load, contents } = await prepare();
  const way = await wayTo(database.url, ({ client }) => client.destroy());
  await expect(loadDatabase(way.url, load)).rejects.toThrow(/the database connection was lost/);
  expect(await contents()).toEqual(untouched);
});

test('if nobody says what became of the COMMIT, nothing is taken back', async () => {
  const { database, load, contents } = await prepare();
  const way = await wayTo(database.url, ({ client, server, commit }) => {
    way.close();
    server.removeAllListeners('data');
    server.write(commit);
    server.once('data', () => client.destroy());
  });
  await expect(loadDatabase(way.url, load)).rejects.toThrow(InDoubtError);
  expect(await contents()).toEqual(loaded);
});

test('what another process has made since the load failed is left alone', async () => {
  const { database, load, contents } = await prepare();
  const sql = openSuperuser(database.superuserUrl);
  const way = await wayTo(database.url, async ({ client, server }) => {
    server.removeAllListeners('close').destroy();
    await poll(
      async () =>
        (
          await sql`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
        ).length === 0,
    );
    await sql.unsafe(
      'create schema drizzle; grant usage on schema drizzle to public; create table drizzle.__drizzle_migrations (id int)',
    );
    client.destroy();
  });
  await expect(loadDatabase(way.url, load)).rejects.toThrow(/the database connection was lost/);
  expect(await contents()).toEqual({ rows: false, queue: true, undone: 0 });
});

test('rows that break a constraint are refused with its words, even if PostgreSQL says it only when it has all of them', async () => {
  const { database, load, contents } = await prepare();
  async function* rows() {
    yield Buffer.from('worker-1\t\\N\n');
  }
  const fill: Load['fill'] = async (target) => void (await target.copyIn(heartbeats, rows()));
  await expect(loadDatabase(database.url, { ...load, fill })).rejects.toThrow(
    /null value in column "seen_at"/,
  );
  expect(await contents()).toEqual(untouched);
});
