import { expect, test } from 'vitest';
import { readRetryAfter } from '#sdk/failed-response.ts';

const now = Date.parse('2026-11-20T08:00:00.500Z');

test.each([
  ['120', 120],
  ['0', 0],
  ['1.5', 1.5],
  ['-3', 0],
  ['Fri, 20 Nov 2026 08:01:00 GMT', 60],
  ['Fri, 20 Nov 2026 07:00:00 GMT', 0],
  ['soon', null],
  ['Infinity', null],
  ['', null],
  [' ', null],
  [null, null],
])('Retry-After: %s', (header, seconds) => {
  expect(readRetryAfter(header, now)).toBe(seconds);
});
