/** The number of components of a stored vector. Each component takes one byte. */
export const dimensions = 256;

/** The size of a code in bytes. A code has one bit for each component. */
export const codeBytes = dimensions / 8;

/** A vector in the form in which it is stored. */
export interface Quantized {
  /** The signs of the components in 32 bytes: bit `i % 8` of byte `i / 8` is set if component `i` is positive. */
  code: Uint8Array;
  /** The components, from -127 to 127. Their common scale is not stored, because a cosine does not depend on it. */
  vector: Int8Array;
}

/**
 * Converts a vector of 256 components to its stored form. Returns undefined if the vector has no direction, because all
 * components are zero or one of them is not finite.
 */
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
 * Reduces a vector of any length to 256 components, such that the angles between vectors stay about the same. It uses
 * the subsampled randomized Hadamard transform (Ailon and Chazelle, 2006): the signs of some components are changed at
 * random, each component is spread over all others by a Walsh-Hadamard transform, and 256 components are kept. The
 * random choices have a constant seed, so that vectors of different processes are comparable. For a vector of up to 256
 * components the transform is orthogonal, and its angles stay exactly the same.
 */
export function project(vector: ArrayLike<number>): Float32Array {
  const { signs, kept } = randomChoicesFor(vector.length);
  const spread = new Float32Array(signs.length);
  for (let i = 0; i < vector.length; i++) spread[i] = vector[i]! * signs[i]!;
  transform(spread);
  return Float32Array.from(kept, (at) => spread[at]!);
}

/** Applies the unscaled Walsh-Hadamard transform in place. The number of values must be a power of two. */
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
  /** The sign of each component, 1 or -1. There are as many as the padded vector has components. */
  signs: Int8Array;
  /** The indexes of the components that are kept. */
  kept: Uint16Array;
}

const choicesBySize = new Map<number, RandomChoices>();

/**
 * Returns the random choices for vectors of a length. They must never change, because stored vectors depend on them.
 */
function randomChoicesFor(length: number): RandomChoices {
  let size = dimensions;
  while (size < length) size *= 2;
  let choices = choicesBySize.get(size);
  if (choices) return choices;
  const random = mulberry32(size);
  const signs = Int8Array.from({ length: size }, () => (random() & 1 ? 1 : -1));
  const places = Uint16Array.from({ length: size }, (_, index) => index);
  // These are the first steps of a Fisher-Yates shuffle.
  for (let i = 0; i < dimensions; i++) {
    const other = i + (random() % (size - i));
    [places[i], places[other]] = [places[other]!, places[i]!];
  }
  choices = { signs, kept: places.slice(0, dimensions) };
  choicesBySize.set(size, choices);
  return choices;
}

/**
 * Returns a random number generator by Tommy Ettinger. Each call of the generator returns the upper 31 bits of the next
 * number.
 */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 1;
  };
}

/** The position of a vector: the index of its block, and its index in the block. */
export interface Place {
  block: number;
  index: number;
}

/**
 * Returns the positions of the codes that have the most signs in common with the given code, nearest first. This
 * approximates the angle between the vectors: at an angle θ, about θ/π of the signs differ. All codes are compared;
 * 50,000 codes take a few milliseconds.
 *
 * @param blocks blocks of codes; a block contains codes of 32 bytes, one after the other
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

/** Returns the cosine of the angle between two stored vectors, from -1 to 1. */
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

/** Returns bytes as words of 32 bits. The words share the memory of the bytes, unless the bytes are not aligned. */
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

/** Returns the number of set bits, which are added in parallel. */
function countBits(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
