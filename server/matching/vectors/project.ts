import { dimensions } from './limits.ts';

/**
 * A vector of any length brought to 256 components, so that angles stay about what they were: signs are turned at random, a
 * Walsh-Hadamard transform spreads each component over all, and 256 of them are kept (the subsampled randomised Hadamard
 * transform of Ailon and Chazelle, 2006). The chance is seeded: what is stored compares with what any process makes.
 * A vector of up to 256 components is only turned, and its angles stay what they are.
 */
export function project(vector: ArrayLike<number>): Float32Array {
  const { signs, kept } = chanceFor(vector.length);
  const spread = new Float32Array(signs.length);
  for (let i = 0; i < vector.length; i++) spread[i] = vector[i]! * signs[i]!;
  transform(spread);
  return Float32Array.from(kept, (at) => spread[at]!);
}

/** The Walsh-Hadamard transform in place, unscaled; the length is a power of two. */
function transform(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2)
    for (let start = 0; start < values.length; start += 2 * half)
      for (let i = start; i < start + half; i++) {
        const a = values[i]!;
        const b = values[i + half]!;
        values[i] = a + b;
        values[i + half] = a - b;
      }
}

interface Chance {
  /** 1 or -1 for each component of the padded vector. */
  signs: Int8Array;
  /** The places that are kept. */
  kept: Uint16Array;
}

const chances = new Map<number, Chance>();

/** The same for every vector of a length. Never to be changed: what is stored was made with it. */
function chanceFor(length: number): Chance {
  let size = dimensions;
  while (size < length) size *= 2;
  let chance = chances.get(size);
  if (chance) return chance;
  const random = mulberry32(size);
  const signs = Int8Array.from({ length: size }, () => (random() & 1 ? 1 : -1));
  const places = Uint16Array.from({ length: size }, (_, index) => index);
  // The first steps of a Fisher-Yates shuffle.
  for (let i = 0; i < dimensions; i++) {
    const other = i + (random() % (size - i));
    [places[i], places[other]] = [places[other]!, places[i]!];
  }
  chance = { signs, kept: places.slice(0, dimensions) };
  chances.set(size, chance);
  return chance;
}

/** Tommy Ettinger's generator, its upper 31 bits. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 1;
  };
}
