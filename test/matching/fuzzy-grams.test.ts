import { describe, expect, it } from 'vitest';
import { buildShard, grams, maxFuzzyLength } from '#server/matching/fuzzy/index.ts';

const bucketsOf = (text: string) => new Set(grams(text));
const shared = (a: string, b: string) => grams(a).filter((bucket) => bucketsOf(b).has(bucket)).length;

describe('the grams of a text', () => {
  it('keep the bucket numbers of stored indexes', () => {
    expect([...grams('Ab')]).toEqual([1455, 2234]);
    expect([...grams('漢字!')]).toEqual([1145, 7089, 4172]);
  });

  it('are three characters where letters are alphabetic, with the edges', () => {
    expect(grams('').length).toBe(0);
    expect(grams('a').length).toBe(1);
    expect(grams('abcd').length).toBe(4);
    expect(shared('xabcx', 'yabcy')).toBe(1);
    expect(shared('xabx', 'yaby')).toBe(0);
    expect(shared('abxy', 'abuv')).toBe(1);
    expect(shared('xyab', 'uvab')).toBe(1);
    expect(shared('ab', 'xaby')).toBe(0);
  });

  it.each(['漢字', 'カナ', 'かな', 'ｶﾅ', '한글', '𠮷野', '時々', 'ル漢'])(
    'are two characters in %s',
    (word) => {
      expect(grams(word).length).toBe(3);
      expect(shared(`。${word}、`, `「${word}」`)).toBe(1);
    },
  );

  it('are two characters where only one is of such a script', () => {
    expect(shared('xyA版uv', 'qrA版st')).toBe(1);
    expect(shared('xy版Auv', 'qr版Ast')).toBe(1);
  });

  it('fold case', () => {
    expect(grams('ÉTÉ Straße')).toEqual(grams('été straße'));
    expect(grams('ПРИВЕТ')).toEqual(grams('привет'));
  });

  it('count a surrogate pair as one character, and half a pair too', () => {
    expect(grams('😀😁😂').length).toBe(3);
    expect(grams('\ud83d\ud83d\ude00').length).toBe(2);
  });

  it('of a long text are 256, from its beginning to its end, all in the index', () => {
    const long = Array.from({ length: 240 }, (_, index) => `${index * 7919}`).join(' ');
    expect(grams(long).length).toBe(256);
    expect([...buildShard([long]).buckets]).toEqual(expect.arrayContaining([...grams(long)]));
    expect(shared(long, long.slice(0, 200))).toBeGreaterThan(5);
    expect(shared(long, long.slice(-200))).toBeGreaterThan(5);
  });

  it('are none above 2000 characters', () => {
    expect(grams('İ'.repeat(maxFuzzyLength)).length).toBe(4);
    expect(grams('😀'.repeat(maxFuzzyLength)).length).toBe(3);
    expect(grams('a'.repeat(maxFuzzyLength + 1)).length).toBe(0);
  });
});
