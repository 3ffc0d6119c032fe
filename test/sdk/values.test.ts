import { create } from 'content-disposition';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { documentTypes } from '#sdk/document-types.ts';
import { readFileName } from '#sdk/downloads.ts';
import { readRetryAfter } from '#sdk/failed-response.ts';
import { newIdempotencyKey } from '#sdk/random-key.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';

test('the SDK has the extensions and media types of all formats of the service', () => {
  const expected = Object.values(layoutKinds).flatMap(({ extensions, mediaType }) =>
    extensions.map((extension) => [`.${extension}`, mediaType]),
  );
  expect(documentTypes).toEqual(Object.fromEntries(expected));
});

describe('idempotency key', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('a key is new each time', () => {
    expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
  });

  test('even on a page served over plain HTTP, which has no randomUUID', () => {
    const { crypto } = globalThis;
    vi.stubGlobal('crypto', {
      getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes),
    });
    const key = newIdempotencyKey();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(newIdempotencyKey()).not.toBe(key);
  });
});

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

test.each([
  ['attachment; filename="plan.fr.txt"', 'plan.fr.txt'],
  ['attachment; filename=plan.fr.txt', 'plan.fr.txt'],
  ['attachment; FILENAME = plan.txt ; size=3', 'plan.txt'],
  [String.raw`attachment; filename="a \"quoted\" plan.txt"`, 'a "quoted" plan.txt'],
  ['attachment; filename="?.txt"; filename*=UTF-8\'\'%E2%82%AC.txt', '€.txt'],
  ['attachment; filename*=utf-8\'en\'%E2%82%AC.txt; filename="?.txt"', '€.txt'],
  ['attachment; filename="filename*=.txt"', 'filename*=.txt'],
])('%s', (header, name) => {
  expect(readFileName(header)).toBe(name);
});

test('filename* that cannot be read leaves it to filename', () => {
  expect(readFileName('attachment; filename="plan.txt"; filename*=UTF-8\'\'%FF%FE')).toBe('plan.txt');
  expect(readFileName('attachment; filename="plan.txt"; filename*=ISO-8859-1\'\'%A3')).toBe('plan.txt');
});

test.each([
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  [String.raw`attachment; filename="C:\\Windows\\plan.txt"`, 'plan.txt'],
  ["attachment; filename*=UTF-8''..%2F..%2Fplan.txt", 'plan.txt'],
  ["attachment; filename*=UTF-8''plan%00%0A.txt", 'plan.txt'],
  ["attachment; filename*=UTF-8''dir%2F..", undefined],
  ['attachment; filename=".."', undefined],
  ['attachment; filename=""', undefined],
  ['attachment', undefined],
  [null, undefined],
])('a name never leads out of its folder: %s', (header, name) => {
  expect(readFileName(header)).toBe(name);
});

test('what the service writes is read back as it was', () => {
  const character = fc.constantFrom(...'aZ9 .-_()\'"%&;=*,€éя漢😀');
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1, maxLength: 40 }), (stem) => {
      const name = `x${stem}.txt`;
      expect(readFileName(create(name))).toBe(name);
    }),
  );
});
