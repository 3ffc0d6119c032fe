import { setImmediate } from 'node:timers/promises';
import { AppError } from '#server/errors.ts';
import { codeBytes, dimensions, project, type Quantized, quantize } from '#server/matching/vectors.ts';
import type { CallScope, Embedder } from '#server/platform/engines/engine.ts';

/**
 * Maximum number of segments in a block. A block is one request to the model, and is written and rewritten as a whole.
 */
export const blockSize = 512;

/** The vectors of some segments as they are stored. All three lists have the same order. */
export interface VectorBlock {
  segmentNos: number[];
  /** 32 bytes for each segment. */
  codes: Uint8Array;
  /** 256 bytes for each segment. */
  vectors: Uint8Array;
}

/**
 * Gets the vectors of some texts from the model. No text may be empty.
 * @throws AppError if the model does not respond, or responds with vectors that cannot be used
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  scope: CallScope,
): Promise<Quantized[]> {
  const vectors = await embedder.embed(texts, scope);
  const all: Quantized[] = [];
  for (const [at, vector] of vectors.entries()) {
    // Each vector takes a tenth of a millisecond: let other requests run in between.
    if (at % 64 === 63) await setImmediate();
    const quantized = quantize(project(vector));
    if (!quantized) throw new AppError('transient_error', 'the embedding model returned no usable vector');
    all.push(quantized);
  }
  return all;
}

export function blockOf(
  segments: readonly { segmentNo: number }[],
  vectors: readonly Quantized[],
): VectorBlock {
  const block = {
    segmentNos: segments.map(({ segmentNo }) => segmentNo),
    codes: new Uint8Array(vectors.length * codeBytes),
    vectors: new Uint8Array(vectors.length * dimensions),
  };
  for (const [at, { code, vector }] of vectors.entries()) {
    block.codes.set(code, at * codeBytes);
    block.vectors.set(vector, at * dimensions);
  }
  return block;
}

export const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
