import { afterEach, expect, test, vi } from 'vitest';
import { newIdempotencyKey } from '#sdk/random-key.ts';

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
