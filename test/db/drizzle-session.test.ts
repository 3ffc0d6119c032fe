import { readFileSync } from 'node:fs';
import { eq, sql } from 'drizzle-orm';
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { buildQueriesWith, registerTypes, type Send } from '#db/transaction.ts';

const things = pgTable('things', {
  id: integer('id'),
  name: text('name'),
  madeAt: timestamp('made_at', { withTimezone: true }),
});

/**
 * A query builder whose statements return these rows in the form of postgres.js: as objects, or as arrays after
 * `.values()`.
 */
function fakeBuilder(rows: { id: number; name: string; made_at: string }[]) {
  const sent: { query: string; parameters: unknown[] | undefined; asArrays: boolean }[] = [];
  const send = ((query: string, parameters?: unknown[]) => {
    const one = { query, parameters, asArrays: false };
    sent.push(one);
    return Object.assign(Promise.resolve(rows), {
      values() {
        one.asArrays = true;
        return Promise.resolve(rows.map((row) => Object.values(row)));
      },
    });
  }) as unknown as Send;
  return { builder: buildQueriesWith(send), sent };
}

test('this version of Drizzle is the one whose parts db/transaction.ts uses', () => {
  const path = new URL('../../node_modules/drizzle-orm/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  expect(version, 'read the parts again, then change the version here').toBe('0.45.4');
});

test('a built query is sent once, with its parameters, and its rows have the types of the columns', async () => {
  const { builder, sent } = fakeBuilder([{ id: 1, name: 'a', made_at: '2026-01-02 03:04:05+00' }]);
  const rows = await builder.select().from(things).where(eq(things.id, 1));
  expect(rows).toEqual([{ id: 1, name: 'a', madeAt: new Date('2026-01-02T03:04:05Z') }]);
  expect(sent).toEqual([
    {
      query: 'select "id", "name", "made_at" from "things" where "things"."id" = $1',
      parameters: [1],
      asArrays: true,
    },
  ]);
});

test('raw SQL returns the rows as the connection returns them', async () => {
  const { builder, sent } = fakeBuilder([{ id: 1, name: 'a', made_at: 'now' }]);
  expect(await builder.execute(sql`select * from things where name = ${'a'}`)).toEqual([
    { id: 1, name: 'a', made_at: 'now' },
  ]);
  expect(sent).toEqual([
    { query: 'select * from things where name = $1', parameters: ['a'], asArrays: false },
  ]);
});

test('a prepared query is sent before its first await', () => {
  const { builder, sent } = fakeBuilder([]);
  const prepared = builder
    .select({ id: things.id })
    .from(things)
    .where(eq(things.name, sql.placeholder('name')))
    .prepare('things_by_name');
  void prepared.execute({ name: 'a' });
  expect(sent.map(({ parameters }) => parameters)).toEqual([['a']]);
});

test('dates and JSON pass through the connection unchanged, once its types are registered', async () => {
  const client = postgres({ max: 0 });
  registerTypes(client);
  const { parsers, serializers } = client.options as unknown as {
    parsers: Record<number, (value: string) => unknown>;
    serializers: Record<number, (value: unknown) => unknown>;
  };
  expect(parsers[1184]?.('2026-01-02')).toBe('2026-01-02');
  expect(serializers[114]?.('{}')).toBe('{}');
  await client.end();
});
