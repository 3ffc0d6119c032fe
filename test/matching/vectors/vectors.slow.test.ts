import { describe, expect, test } from 'vitest';
import { cosine, nearestCodes, project, type Quantized, quantize } from '#server/matching/vectors.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';

const random = seededRandom(7);
/** Roughly normal. */
const chance = () => random() + random() + random() + random() - 2;
const vectorOf = (length: number) => Float32Array.from({ length }, chance);
const near = (vector: Float32Array, by: number) => vector.map((component) => component + by * chance());
const stored = (vector: Float32Array): Quantized => quantize(project(vector)) as Quantized;

function trueCosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('a projection', () => {
  test('is fixed: stored codes must stay comparable with those of later versions', () => {
    const vector = Float32Array.from({ length: 300 }, (_, at) => Math.sin(at + 1));
    const projected = project(vector);
    expect([...projected.slice(0, 4)].map((value) => value.toFixed(3)).join(' ')).toBe(
      '-3.036 -8.572 2.030 -15.236',
    );
    expect(projected).toHaveLength(256);
    expect(project(vector)).toEqual(projected);
  });

  test.each([3, 256])('angles of vectors of %d components are kept', (length) => {
    for (let turn = 0; turn < 20; turn++) {
      const a = vectorOf(length);
      const b = vectorOf(length);
      expect(trueCosine(project(a), project(b))).toBeCloseTo(trueCosine(a, b), 4);
    }
  });

  test.each([257, 1536, 4096])('and of %d approximately', (length) => {
    let squares = 0;
    const turns = 60;
    for (let turn = 0; turn < turns; turn++) {
      const a = vectorOf(length);
      const b = near(a, 1);
      squares += (cosine(stored(a).vector, stored(b).vector) - trueCosine(a, b)) ** 2;
    }
    expect(Math.sqrt(squares / turns)).toBeLessThan(0.06);
  });

  test('a vector with all its length in one component keeps its angles too', () => {
    const axis = (at: number) => Float32Array.from({ length: 1536 }, (_, i) => (i === at ? 1 : 0));
    expect(Math.abs(cosine(stored(axis(3)).vector, stored(axis(4)).vector))).toBeLessThan(0.25);
    expect(cosine(stored(axis(3)).vector, stored(axis(3)).vector)).toBeCloseTo(1, 5);
  });
});

describe('rounding', () => {
  test('the code has the signs, the bytes the components to one part in 127 of the largest', () => {
    const vector = vectorOf(256);
    const largest = Math.max(...vector.map(Math.abs));
    const { code, vector: rounded } = quantize(vector) as Quantized;
    for (const [at, component] of vector.entries()) {
      expect((code[at >> 3]! >> (at & 7)) & 1).toBe(component > 0 ? 1 : 0);
      expect(Math.abs(rounded[at]! / 127 - component / largest)).toBeLessThan(0.5 / 127 + 1e-6);
    }
  });

  test.each([0, Number.NaN, Number.POSITIVE_INFINITY])(
    'a zero or invalid vector has no code: %d',
    (component) => {
      expect(quantize(new Float32Array(256).fill(component))).toBeUndefined();
    },
  );

  test('the scale does not matter: neither a tiny vector nor a large one loses its angle', () => {
    const vector = vectorOf(256);
    for (const scale of [1e-30, 1e30])
      expect(cosine(stored(vector).vector, stored(vector.map((c) => c * scale)).vector)).toBeCloseTo(1, 3);
  });
});

describe('the nearest codes', () => {
  const codes = Array.from({ length: 1000 }, () => stored(vectorOf(384)).code);
  const asked = stored(vectorOf(384)).code;
  const distance = (a: Uint8Array, b: Uint8Array) =>
    a.reduce((sum, byte, at) => sum + (byte ^ b[at]!).toString(2).replaceAll('0', '').length, 0);
  const blocksOf = (...sizes: number[]) => {
    const left = [...codes];
    return sizes.map((size) => Uint8Array.from(left.splice(0, size).flatMap((code) => [...code])));
  };

  test('are those with the fewest other signs, over all blocks, in that order', () => {
    const blocks = blocksOf(1, 0, 512, 487);
    const found = nearestCodes(asked, blocks, 50).map(({ block, index }) =>
      distance(asked, blocks[block]!.subarray(32 * index, 32 * index + 32)),
    );
    const all = codes.map((code) => distance(asked, code)).sort((a, b) => a - b);
    expect(found).toEqual(all.slice(0, 50));
  });

  test('are the same wherever the bytes lie in memory', () => {
    const [block] = blocksOf(100) as [Uint8Array];
    const shifted = new Uint8Array(block.length + 1);
    shifted.set(block, 1);
    expect(nearestCodes(asked, [shifted.subarray(1)], 9)).toEqual(nearestCodes(asked, [block], 9));
  });

  test('hold the nearest vectors: nine in ten of the true five, of 1536 components, among one code in forty', () => {
    const topics = Array.from({ length: 200 }, () => vectorOf(1536));
    const vectors = topics.flatMap((topic) => Array.from({ length: 10 }, () => near(topic, 0.4 + random())));
    const kept = vectors.map(stored);
    const block = Uint8Array.from(kept.flatMap(({ code }) => [...code]));
    let found = 0;
    for (const topic of topics.slice(0, 10)) {
      const query = near(topic, 0.6);
      const candidates = new Set(nearestCodes(stored(query).code, [block], 50).map(({ index }) => index));
      const closest = vectors
        .map((vector, at) => ({ at, likeness: trueCosine(query, vector) }))
        .sort((a, b) => b.likeness - a.likeness)
        .slice(0, 5);
      found += closest.filter(({ at }) => candidates.has(at)).length;
    }
    expect(found / 50).toBeGreaterThan(0.9);
  });
});
