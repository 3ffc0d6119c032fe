import { codeBytes, dimensions } from './limits.ts';

/** A vector by where its code stands. */
export interface Place {
  block: number;
  index: number;
}

/**
 * The codes that have the most signs in common with one, the nearest first: vectors at an angle θ differ in about θ/π of
 * them. Compares with all: of 50,000 codes it takes a few milliseconds.
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

/** The cosine of the angle between two rounded vectors, -1 to 1. */
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

/** 32 bits at a time. Only whole words may be looked at where they stand. */
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

/** The bits that are set, by adding them up in parallel. */
function countBits(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
