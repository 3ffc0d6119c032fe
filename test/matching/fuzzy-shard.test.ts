import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BuiltShard,
  buildShard,
  candidatesFor,
  editSimilarity,
  grams,
  maxFuzzyLength,
  maxShardSegments,
  type ShardPostings,
  selectCandidates,
} from '#server/matching/fuzzy/index.ts';

/** A simple and slow decoder of varints. */
function numbersOf(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let digits: number[] = [];
  for (const byte of bytes) {
    digits.unshift(byte % 128);
    if (byte >= 128) continue;
    numbers.push(digits.reduce((value, digit) => value * 128 + digit, 0));
    digits = [];
  }
  expect(digits).toEqual([]);
  return numbers;
}

function listOf(shard: BuiltShard, bucket: number): Uint8Array {
  const index = shard.buckets.indexOf(bucket);
  return index < 0
    ? new Uint8Array()
    : shard.lists.subarray(index === 0 ? 0 : shard.ends[index - 1], shard.ends[index]);
}

function postingsOf(query: string, shard: BuiltShard): ShardPostings {
  const lists = [...grams(query)]
    .filter((bucket) => shard.buckets.includes(bucket))
    .map((bucket) => ({
      bucket,
      count: shard.counts[shard.buckets.indexOf(bucket)]!,
      ordinals: listOf(shard, bucket),
    }));
  return { segments: shard.order.length, lengthMarks: shard.lengthMarks, lists };
}

/** The texts that are selected for a query from a stored shard. */
function select(query: string, texts: string[], limit = 10): { text: string; score: number }[] {
  const shard = buildShard(texts);
  return selectCandidates(query, postingsOf(query, shard), limit).map(({ ordinal, score }) => ({
    text: texts[shard.order[ordinal]!]!,
    score,
  }));
}

const short = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', '漢', '字', '😀'), maxLength: 12 });

describe('a built shard', () => {
  it('lists for each bucket the segments with a gram in it, the shortest segment first', () => {
    fc.assert(
      fc.property(fc.array(short, { maxLength: 150, size: 'max' }), (texts) => {
        const shard = buildShard(texts);
        const ordered = [...texts.entries()].sort((a, b) => [...a[1]].length - [...b[1]].length);
        expect([...shard.order]).toEqual(ordered.map(([position]) => position));

        const expected = new Map<number, number[]>();
        for (const [ordinal, [, text]] of ordered.entries())
          for (const bucket of grams(text)) expected.set(bucket, [...(expected.get(bucket) ?? []), ordinal]);
        expect([...shard.buckets]).toEqual([...expected.keys()].sort((a, b) => a - b));
        for (const [index, bucket] of shard.buckets.entries()) {
          let ordinal = 0;
          const ordinals = numbersOf(listOf(shard, bucket)).map((gap) => (ordinal += gap));
          expect(ordinals).toEqual(expected.get(bucket));
          expect(shard.counts[index]).toBe(ordinals.length);
        }
        expect(shard.lists.length).toBe(shard.ends.at(-1) ?? 0);
      }),
    );
  });

  it('says how many segments there are of each length', () => {
    expect(numbersOf(buildShard(['abc', 'a', '😀bc', '']).lengthMarks)).toEqual([1, 1, 0, 2]);
    expect(numbersOf(buildShard(Array(300).fill('a')).lengthMarks)).toEqual([0, 300]);
  });

  it('holds distances of any size', () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => (index % 19_999 ? 'zzz' : 'abc'));
    expect(select('abcd', texts).map(({ text }) => text)).toEqual(['abc', 'abc']);
  });

  it('takes no more than 65,536 segments, and none above 2000 characters', () => {
    expect(buildShard(Array(maxShardSegments).fill('')).order.length).toBe(65_536);
    expect(() => buildShard(Array(maxShardSegments + 1).fill(''))).toThrow(RangeError);
    expect(buildShard(['😀'.repeat(maxFuzzyLength)]).order.length).toBe(1);
    expect(() => buildShard(['a'.repeat(maxFuzzyLength + 1)])).toThrow(RangeError);
  });
});

describe('the candidates of a query', () => {
  const fox = 'the quick brown fox';
  const texts = [
    'the quick brown dog',
    'jumps over the lazy',
    fox,
    'the quirky brownies',
    'something different',
    'the quick brown fo',
  ];

  it('are ordered by shared grams, with a score of 1 for the text itself', () => {
    const selected = select(fox, texts);
    expect(selected.map(({ text }) => text)).toEqual([fox, texts[5], texts[0], texts[3], texts[1]]);
    expect(selected[0]!.score).toBeCloseTo(1, 5);
    for (const { score } of selected.slice(1)) expect(score).toBeLessThan(0.9);
  });

  it('are at most as many as asked for, the best of them', () => {
    expect(select(fox, texts, 2)).toEqual(select(fox, texts).slice(0, 2));
    const equals = Array.from({ length: 50 }, () => fox);
    const shard = buildShard(equals);
    const ordinals = selectCandidates(fox, postingsOf(fox, shard), 7).map(({ ordinal }) => ordinal);
    expect(ordinals).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('are all those that can be 70 % alike by their lengths, and no others', () => {
    const query = 'a'.repeat(7);
    const sizes = (length: number) =>
      select(
        'a'.repeat(length),
        Array.from({ length: 60 }, (_, index) => 'a'.repeat(index)),
        60,
      )
        .map(({ text }) => text.length)
        .sort((a, b) => a - b);
    expect(sizes(7)).toEqual([5, 6, 7, 8, 9, 10]);
    expect(sizes(10)).toEqual([7, 8, 9, 10, 11, 12, 13, 14]);
    expect(sizes(3)).toEqual([3, 4]);
    expect(editSimilarity(query, 'a'.repeat(10), 0.7)).toBe(0.7);
    expect(editSimilarity(query, 'a'.repeat(11), 0.7)).toBe(0);
  });

  it('are found by the lists that were read; unread ones only weigh', () => {
    const shard = buildShard(texts);
    const { lists, ...rest } = postingsOf(fox, shard);
    const read = lists.map((list) => (list.count > 1 ? { ...list, ordinals: new Uint8Array() } : list));
    const full = selectCandidates(fox, { ...rest, lists }, 10);
    const [first, ...others] = selectCandidates(fox, { ...rest, lists: read }, 10);
    expect(first!.ordinal).toBe(full[0]!.ordinal);
    expect(first!.score).toBeLessThan(full[0]!.score);
    expect(others.length).toBeLessThan(full.length - 1);
  });

  it('have the same score in whichever shard they are, where the counts were taken together', () => {
    const halves = [texts.slice(0, 2), texts.slice(2)].map(buildShard);
    const together = postingsOf(fox, buildShard(texts));
    const scores = halves.flatMap((half) =>
      selectCandidates(
        fox,
        {
          segments: together.segments,
          lengthMarks: half.lengthMarks,
          lists: together.lists.map((list) => ({ ...list, ordinals: listOf(half, list.bucket) })),
        },
        10,
      ).map(({ score }) => score),
    );
    expect(scores.sort((a, b) => b - a)).toEqual(select(fox, texts).map(({ score }) => score));
  });

  it('above a score are all those with a higher one, whatever other candidates there are', () => {
    const words = fc.array(fc.constantFrom('the', 'quick', 'brown', 'fox', 'lazy', 'dogs'), { maxLength: 6 });
    const corpus = fc.array(words, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(corpus, words, fc.double({ min: 0, max: 1, noNaN: true }), (corpus, words, above) => {
        const query = words.join(' ');
        const shard = postingsOf(query, buildShard(corpus.map((each) => each.join(' '))));
        const all = selectCandidates(query, shard, corpus.length);
        expect(candidatesFor(query)(shard, corpus.length, above)).toEqual(
          all.filter(({ score }) => score > above),
        );
      }),
    );
  });

  it('are none for a text above 2000 characters, or an empty one', () => {
    expect(select('a'.repeat(maxFuzzyLength + 1), ['a'.repeat(maxFuzzyLength)])).toEqual([]);
    expect(select('', ['', 'a'])).toEqual([]);
  });

  it('of a damaged list are still segments of the shard', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (ordinals) => {
        const { lists, ...shard } = postingsOf(fox, buildShard(texts));
        const damaged = lists.map((list) => ({ ...list, ordinals }));
        for (const { ordinal, score } of selectCandidates(fox, { ...shard, lists: damaged }, 5)) {
          expect(ordinal).toBeLessThan(texts.length);
          expect(score).toBeGreaterThan(0);
        }
      }),
    );
  });
});
