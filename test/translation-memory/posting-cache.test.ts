import { describe, expect, test } from 'vitest';
import { PostingCache } from '#server/language/translation-memory/lookup/posting-cache.ts';

/** A list of 100,000 bytes. */
const large = (bucket: number) => ({ bucket, count: 1, ordinals: new Uint8Array(100_000).fill(bucket) });
const key = 'tenant content 0 700';

describe('the cache of posting lists', () => {
  test('keeps the lists and lengths of a shard apart from those of another shard', () => {
    const cache = new PostingCache();
    const lengths = new Uint8Array([1, 2]);
    const absent = { bucket: 4, count: 0, ordinals: undefined };
    cache.addLengthMarks(key, lengths);
    cache.add(key, large(3));
    cache.add(key, absent);
    expect(cache.lengthMarks(key)).toBe(lengths);
    expect(cache.lists(key)(3)).toEqual(large(3));
    expect(cache.lists(key)(4)).toEqual(absent);
    expect(cache.lists(key)(5)).toBeUndefined();
    for (const other of ['tenant content 1 700', 'tenant content 0 701', 'tenan content 0 700']) {
      expect(cache.lengthMarks(other)).toBeUndefined();
      expect(cache.lists(other)(3)).toBeUndefined();
    }
  });

  test('keeps lists that are used, and at most 33 MB', () => {
    const cache = new PostingCache();
    cache.addLengthMarks(key, new Uint8Array([7]));
    for (let bucket = 0; bucket < 1000; bucket++) {
      cache.add(key, large(bucket));
      cache.lists(key)(0);
      cache.lengthMarks(key);
    }
    const known = cache.lists(key);
    const kept = Array.from({ length: 1000 }, (_, bucket) => bucket).filter((bucket) => known(bucket));
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.length).toBeLessThanOrEqual(330);
    expect(kept).toContain(0);
    expect(kept).toContain(999);
    for (const bucket of [0, 999]) expect(known(bucket)).toEqual(large(bucket));
    expect(cache.lengthMarks(key)).toEqual(new Uint8Array([7]));
  });

  test('is bounded by the number of shards, too', () => {
    const cache = new PostingCache();
    const keyOf = (shard: number) => `tenant content ${shard} 700`;
    for (let shard = 0; shard < 200_000; shard++) cache.addLengthMarks(keyOf(shard), new Uint8Array([1]));
    const known = [0, 50_000, 100_000, 199_999].map((shard) => cache.lengthMarks(keyOf(shard)) !== undefined);
    expect(known).toEqual([false, false, false, true]);
  });
});
