import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { qualified } from '#db/copy/contents.ts';
import { loadDatabase, type Target } from '#db/copy/load.ts';
import { withSnapshot } from '#db/copy/snapshot.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { startDatabaseRelay } from '#test/setup/database-relay.ts';
import { poll } from '#test/setup/poll.ts';

const [rows, rowBytes] = [200, 96_000];
const isLarge = ({ name }: { name: string }) => name === 'tenants';

/** Creates a database with rows as large as those of a workspace's memory. */
async function withLargeRows() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const sql = openSuperuser(database.superuserUrl);
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'tenant-' || n, repeat(n::text || '\t\n\\', ${rowBytes / 4}), '', 1 from generate_series(1, ${rows}) n`;
  return { database, sql };
}

async function emptyDatabase() {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  return database;
}

/** The rows in any order: PostgreSQL may return those of a copy in another one. */
const sorted = (read: Buffer[]) => Buffer.concat(read).toString().trimEnd().split('\n').sort();

/** Yields the pieces as slowly as a disk that other programs use. */
async function* slowly(pieces: AsyncIterable<Buffer>, read: Buffer[]): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > 1_000_000) {
      size = 0;
      await sleep(5);
    }
    read.push(piece);
    yield piece;
  }
}

test('rows that are larger than the buffers of a connection are copied, with a slow reader and a slow writer', async () => {
  const { database } = await withLargeRows();
  const copy = await emptyDatabase();
  const expected: Buffer[] = [];
  await withSnapshot(database.ownerUrl, 'test', (snapshot) =>
    loadDatabase(copy.url, {
      version: snapshot.version,
      async fill(target) {
        for (const table of snapshot.tables.filter(isLarge))
          expect(await target.copyIn(table, slowly(snapshot.copyOut(table), expected))).toBe(rows);
      },
    }),
  );
  expect(sorted(expected)).toHaveLength(rows);
  const found: Buffer[] = [];
  await withSnapshot(copy.url, 'test', async ({ tables, copyOut }) => {
    for (const table of tables.filter(isLarge))
      for await (const piece of slowly(copyOut(table), found)) expect(piece.length).toBeGreaterThan(0);
  });
  expect(sorted(found).join() === sorted(expected).join()).toBe(true);
});

test('an error in the middle of the rows of a table ends the load, and nothing remains', async () => {
  const { database } = await withLargeRows();
  const copy = await emptyDatabase();
  const fillPartly =
    (snapshot: Parameters<Parameters<typeof withSnapshot>[2]>[0]) => async (target: Target) => {
      for (const table of snapshot.tables.filter(isLarge)) {
        const damaged = async function* () {
          for await (const piece of snapshot.copyOut(table)) {
            yield piece;
            throw new Error(`${qualified(table)} is damaged`);
          }
        };
        await target.copyIn(table, damaged());
      }
    };
  const loaded = withSnapshot(database.ownerUrl, 'test', (snapshot) =>
    loadDatabase(copy.url, { version: snapshot.version, fill: fillPartly(snapshot) }),
  );
  await expect(loaded).rejects.toThrow('"public"."tenants" is damaged');
  const sql = openSuperuser(copy.superuserUrl);
  expect([...(await sql`select to_regclass('tenants') as made`)]).toEqual([{ made: null }]);
});

test.each(['reading', 'writing'])('a connection that is lost while %s rows ends the copy', async (which) => {
  const { database } = await withLargeRows();
  const copy = await emptyDatabase();
  const statement = which === 'reading' ? 'copy (select' : 'copy "public"."tenants"';
  const relay = await startDatabaseRelay(which === 'reading' ? database.ownerUrl : copy.url, statement);
  onTestFinished(() => relay.close());
  const copied = withSnapshot(which === 'reading' ? relay.url : database.ownerUrl, 'test', (snapshot) =>
    loadDatabase(which === 'writing' ? relay.url : copy.url, {
      version: snapshot.version,
      async fill(target) {
        for (const table of snapshot.tables.filter(isLarge))
          await target.copyIn(table, snapshot.copyOut(table));
      },
    }),
  );
  copied.catch(() => {});
  await relay.withheld;
  await relay.close();
  await expect(copied).rejects.toThrow(/connection|ECONNREFUSED|does not report/);
});

test('a snapshot whose reader stops in the middle leaves no transaction open', async () => {
  const { database, sql } = await withLargeRows();
  const stopped = withSnapshot(database.ownerUrl, 'stopped reader', async (snapshot) => {
    for (const table of snapshot.tables.filter(isLarge))
      for await (const _piece of snapshot.copyOut(table)) return 'the first piece';
    return undefined;
  });
  await stopped.catch(() => {});
  await poll(async () => {
    const open = await sql`select from pg_stat_activity where application_name = 'stopped reader'`;
    return open.length === 0;
  });
});
