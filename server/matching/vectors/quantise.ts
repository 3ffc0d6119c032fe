import { codeBytes, dimensions } from './limits.ts';

/** A vector as it is stored. */
export interface Quantised {
  /** 32 bytes: bit `i % 8` of byte `i / 8` is the sign of component `i`. */
  code: Uint8Array;
  /** Components between -127 and 127; their common scale is lost, which a cosine does not need. */
  vector: Int8Array;
}

/** Rounds a vector of 256 components; undefined where it points nowhere. */
export function quantise(vector: Float32Array): Quantised | undefined {
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
