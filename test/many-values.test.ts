import { expect, test } from 'vitest';
import { refuseManyValues } from '#server/platform/input-limits.ts';

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
