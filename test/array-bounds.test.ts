import { expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { arrayLimits, createArrayCheck } from '#server/http/array-limits.ts';
import { refuseManyValues } from '#server/platform/input-limits.ts';
import { appRouter } from '#server/router.ts';
import { readSettings } from '#server/settings.ts';
import { proceduresOf } from '#server/trpc.ts';

const settings = readSettings({});

/** The error that a check throws; undefined if it accepts the input. */
function refusalOf(schema: z.ZodType, input: unknown): AppError | undefined {
  try {
    createArrayCheck(schema, undefined)?.(input, settings);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

/** An array whose elements must not be read. */
const unread = (length: number) =>
  new Proxy(new Array<unknown>(length), {
    get(array, name) {
      if (name !== 'length') throw new Error(`${String(name)} was read`);
      return array.length;
    },
  });

test('an array that is too long is refused by its length, before its elements are read', () => {
  const schema = z.object({ a: z.object({ list: z.array(z.object({ b: z.string() })).max(3) }).optional() });
  expect(refusalOf(schema, { a: { list: unread(4) } })).toMatchObject({
    code: 'invalid_fields',
    problems: [{ loc: ['body', 'a', 'list'], msg: 'must have at most 3 entries', type: 'too_big' }],
  });
  expect(refusalOf(schema, { a: { list: unread(3) } })).toBeUndefined();
  expect(refusalOf(schema, { a: { list: 'no array' } })).toBeUndefined();
  expect(refusalOf(schema, null)).toBeUndefined();
});

test('nested arrays are counted together', () => {
  const schema = z.array(z.object({ list: z.array(z.string()).max(4) })).max(3);
  expect(refusalOf(schema, [{ list: ['a', 'b'] }, { list: ['c', 'd'] }])).toBeUndefined();
  expect(refusalOf(schema, [{ list: ['a', 'b'] }, { list: unread(3) }])).toMatchObject({
    problems: [{ loc: ['body', 1, 'list'] }],
  });
});

test.each([
  ['a default', (list: z.ZodType) => z.object({ list: list.default(['x']) })],
  ['a union', (list: z.ZodType) => z.object({ list: z.union([z.string(), list]) })],
  ['a record', (list: z.ZodType) => z.record(z.string(), list)],
  ['a pipe', (list: z.ZodType) => z.object({ list: list.transform((value) => value) })],
  ['a preprocessed value', (list: z.ZodType) => z.object({ list: z.preprocess((value) => value, list) })],
])('an array in %s is checked', (_where, wrap) => {
  const schema = wrap(z.array(z.string()).max(2));
  expect(refusalOf(schema, { list: unread(3) })?.problems?.[0]?.loc).toEqual(['body', 'list']);
});

test('a bound may be a setting, with its own refusal', () => {
  const schema = z.object({
    list: z.array(z.string()).register(arrayLimits, {
      most: ({ MAX_BATCH_ITEMS }) => MAX_BATCH_ITEMS,
      refusal: () => new AppError('payload_too_large', 'too long'),
    }),
  });
  expect(refusalOf(schema, { list: unread(50) })).toBeUndefined();
  expect(refusalOf(schema, { list: unread(51) })).toMatchObject({ status: 413 });
});

test('every array of an input has a bound', () => {
  expect(() => createArrayCheck(z.object({ list: z.array(z.string()) }), undefined)).toThrow(
    'has no maximum length',
  );
  for (const [path, { inputs }] of proceduresOf(appRouter)) {
    for (const input of inputs) expect(() => createArrayCheck(input, undefined), path).not.toThrow();
  }
});

/** All schemas inside a schema, itself included. */
function* schemasIn(schema: unknown, seen = new Set<unknown>()): Generator<z.ZodType> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
  seen.add(schema);
  if (schema instanceof z.ZodType) yield schema;
  const inside = schema instanceof z.ZodType ? { ...schema.def, ...(schema as z.ZodObject).shape } : schema;
  for (const part of Object.values(inside)) yield* schemasIn(part, seen);
}

test('every time of an input is in a year that PostgreSQL can read', () => {
  const times = proceduresOf(appRouter).flatMap(([path, { inputs }]) =>
    inputs.flatMap((input) =>
      [...schemasIn(input)]
        .filter((schema) => schema instanceof z.ZodISODateTime)
        .map((schema) => ({ path, accepts: (text: string) => schema.safeParse(text).success })),
    ),
  );
  expect(times.some(({ path }) => path === 'apiKeys.create')).toBe(true);
  const unreadable = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '2026-11-30T16:00:00-16:00'];
  const accepting = times.filter(({ accepts }) => unreadable.some(accepts));
  expect(accepting.map(({ path }) => path)).toEqual([]);
});

test('no check of a text in an input throws', () => {
  for (const [path, { inputs }] of proceduresOf(appRouter))
    for (const schema of schemasIn(inputs))
      if (schema instanceof z.ZodString) expect(() => schema.safeParse('a'), path).not.toThrow();
});

/** A JSON text of more than a megabyte. It contains `inside` within a string, followed by `values` values. */
function jsonOf(inside: string, values: number): Buffer {
  return Buffer.from(`{"a":"${inside}","b":[${'1,'.repeat(values)}1],"c":"${'x'.repeat(1_000_000)}"}`);
}

test.each([
  ['nothing', ''],
  ['separators', ',[{'.repeat(200_000)],
  ['escaped quotes', '\\"'.repeat(200_000)],
  ['escaped backslashes at its end', `${'x'.repeat(100)}${'\\\\'.repeat(500)}`],
  ['escaped backslashes, then an escaped quote', `${'x'.repeat(100)}\\\\\\",[{`.repeat(50_000)],
  [
    'a quote escaped just past the first bytes',
    `${'x'.repeat(63)}\\",${'y'.repeat(63)}\\\\\\",`.repeat(20_000),
  ],
])('a string of %s counts as one value', (_what, inside) => {
  const few = jsonOf(inside, 90_000);
  JSON.parse(few.toString());
  expect(() => refuseManyValues(few)).not.toThrow();
  expect(() => refuseManyValues(jsonOf(inside, 110_000))).toThrow('more than 100000 values');
});

test('an unterminated string does not stop the count', () => {
  expect(() => refuseManyValues(Buffer.from(`["${'x'.repeat(2_000_000)}`))).not.toThrow();
  expect(() => refuseManyValues(Buffer.from(`["${'\\'.repeat(2_000_001)}`))).not.toThrow();
});
