import { UpstreamFailure } from './failure.ts';

/** Components of a vector: four times those of the largest models of today. */
const longestVector = 16_384;

/**
 * The vectors that an answer carries, in the order of the texts. Nothing of its shape is taken for granted: the package does not
 * check it, and some endpoints answer numbers where Base64 was asked for.
 * @throws UpstreamFailure malformed
 */
export function readVectors(answer: unknown, count: number): Float32Array[] {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count)
    throw new UpstreamFailure('malformed', 'not a vector for each text');
  const vectors: Float32Array[] = [];
  for (const [at, item] of data.entries()) {
    const { index = at, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index !== 'number' || !(index in data) || vectors[index])
      throw new UpstreamFailure('malformed', 'a vector belongs to no text');
    vectors[index] = readVector(embedding);
  }
  const length = vectors[0]?.length;
  if (vectors.some((vector) => vector.length !== length))
    throw new UpstreamFailure('malformed', 'vectors of several lengths');
  return vectors;
}

function readVector(embedding: unknown): Float32Array {
  const vector = Array.isArray(embedding)
    ? Float32Array.from(embedding, (component) => (typeof component === 'number' ? component : Number.NaN))
    : typeof embedding === 'string'
      ? readBase64(embedding)
      : undefined;
  // One that points nowhere is near nothing: its text would be lost without a word.
  if (!vector || vector.length > longestVector || !vector.some((component) => component !== 0))
    throw new UpstreamFailure('malformed', 'no vector');
  if (!vector.every(Number.isFinite)) throw new UpstreamFailure('malformed', 'a vector is not of numbers');
  return vector;
}

/** 32-bit floats, the lowest byte first. */
function readBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}
