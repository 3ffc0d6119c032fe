/** The number of components of a stored vector, each in one byte. */
export const dimensions = 256;

/** The size of a code in bytes: one bit per component. */
export const codeBytes = dimensions / 8;

/** A vector in its stored form. */
export interface Quantized {
  /** 32 bytes: bit `i % 8` of byte `i / 8` is the sign of component `i`. */
  code: Uint8Array;
  /** Components between -127 and 127. Their common scale is not stored; a cosine does not need it. */
  vector: Int8Array;
}

/** Rounds a vector of 256 components; returns undefined if it has no direction (all zero, or not finite). */
export function quantize(vector: Float32Array): Quantized | undefined {
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return undefined;
  const code = new Uint8Array(codeBytes);
  const rounded = new Int8Array(dimensions);
  for (let i = 0; i < dimensions; i++) {
    const component = vector[i]!;
    rounded[i] = Math.round((component / largest) * 127);
    if (component > 0) code[i >> 3]! |= 1 << (i & 7);
  }
  return { code, vector: rounded };
}

/**
 * Reduces a vector of any length to 256 components, so that angles stay about the same: it flips signs at random, spreads each
 * component over all with a Walsh-Hadamard transform, and keeps 256 of them (the subsampled randomized Hadamard transform of
 * Ailon and Chazelle, 2006). The random choices are seeded, so that stored vectors are comparable with those of any process.
 * For a vector of up to 256 components the transform is orthogonal, and its angles stay exactly the same.
 */
export function project(vector: ArrayLike<number>): Float32Array {
  const { signs, kept } = randomChoicesFor(vector.length);
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

interface RandomChoices {
  /** 1 or -1 for each component of the padded vector. */
  signs: Int8Array;
  /** The positions that are kept. */
  kept: Uint16Array;
}

const choicesBySize = new Map<number, RandomChoices>();

/** Returns the random choices for vectors of a length. Never change them: stored vectors depend on them. */
function randomChoicesFor(length: number): RandomChoices {
  let size = dimensions;
  while (size < length) size *= 2;
  let choices = choicesBySize.get(size);
  if (choices) return choices;
  const random = mulberry32(size);
  const signs = Int8Array.from({ length: size }, () => (random() & 1 ? 1 : -1));
  const places = Uint16Array.from({ length: size }, (_, index) => index);
  // The first steps of a Fisher-Yates shuffle.
  for (let i = 0; i < dimensions; i++) {
    const other = i + (random() % (size - i));
    [places[i], places[other]] = [places[other]!, places[i]!];
  }
  choices = { signs, kept: places.slice(0, dimensions) };
  choicesBySize.set(size, choices);
  return choices;
}

/** Tommy Ettinger's generator; returns its upper 31 bits. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 1;
  };
}

/** The position of a vector: the block and the index in it. */
export interface Place {
  block: number;
  index: number;
}

/**
 * Returns the codes that share the most signs with the given one, nearest first: vectors at an angle θ differ in about θ/π of
 * their signs. Compares all codes; 50,000 take a few milliseconds.
 * @param blocks codes of 32 bytes, one after the other
 */
export function nearestCodes(code: Uint8Array, blocks: readonly Uint8Array[], limit: number): Place[] {
  const asked = wordsOf(code);
  const words = blocks.map(wordsOf);
  const distances = words.map((block) => distancesOf(asked, block));
  const histogram = new Uint32Array(dimensions + 1);
  for (const block of distances) for (const distance of block) histogram[distance]! += 1;
  let farthest = 0;
  for (let within = histogram[0]!; within < limit && farthest < dimensions; )
    within += histogram[++farthest]!;
  const near: (Place & { distance: number })[] = [];
  for (const [block, ofBlock] of distances.entries())
    for (const [index, distance] of ofBlock.entries())
      if (distance <= farthest) near.push({ block, index, distance });
  return near.sort((a, b) => a.distance - b.distance).slice(0, limit);
}

/** Returns the cosine of the angle between two rounded vectors, -1 to 1. */
export function cosine(a: Int8Array, b: Int8Array): number {
  let dot = 0;
  let ofA = 0;
  let ofB = 0;
  for (let i = 0; i < dimensions; i++) {
    const x = a[i]!;
    const y = b[i]!;
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA > 0 && ofB > 0 ? dot / Math.sqrt(ofA * ofB) : 0;
}

/** Views bytes as words of 32 bits. Copies them if they are not aligned to words. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
}

function distancesOf(asked: Int32Array, block: Int32Array): Uint16Array {
  const words = codeBytes / 4;
  const distances = new Uint16Array(block.length / words);
  for (let at = 0, index = 0; index < distances.length; index++) {
    let distance = 0;
    for (let word = 0; word < words; word++) distance += countBits(asked[word]! ^ block[at++]!);
    distances[index] = distance;
  }
  return distances;
}

/** Counts the bits that are set, by parallel addition. */
function countBits(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
