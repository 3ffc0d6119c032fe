import { createConcurrencyLimit } from '#server/concurrency-limit.ts';
import type { Settings } from '../../settings.ts';
import type { Embedder } from '../engine.ts';
import { type ClientSettings, openClient } from './client.ts';
import { callConcurrently } from './concurrent-calls.ts';
import type { OpenAiDependencies } from './openai-engine.ts';
import { callWithRetries, type RetryPolicy, sleep } from './rate-limit-retry-after.ts';
import { UpstreamFailure } from './upstream-failure.ts';

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

export type EmbedderSettings = ClientSettings &
  Pick<Settings, 'OPENAI_EMBEDDING_MODEL' | 'OPENAI_MAX_RETRIES'>;

/** What goes into one request: the answer must fit in memory, as numbers in JSON too, and the texts below every model's limit. */
const mostTexts = 64;
const mostCharacters = 60_000;

/** OPENAI_EMBEDDING_MODEL, at OpenAI or any endpoint that speaks its embeddings. */
export function createOpenAiEmbedder(settings: EmbedderSettings, parts: OpenAiDependencies = {}): Embedder {
  const { OPENAI_EMBEDDING_MODEL: model } = settings;
  const call = openClient(settings);
  const manners: RetryPolicy = {
    retries: settings.OPENAI_MAX_RETRIES,
    sleep: parts.sleep ?? sleep,
    concurrencyLimit: parts.concurrencyLimit ?? createConcurrencyLimit(),
  };
  return {
    model,
    async embed(texts, scope) {
      const answers = await callConcurrently(batches(texts), scope, (input, within) =>
        callWithRetries(manners, within, async () => {
          // No `dimensions`, which many endpoints refuse. Base64 is a quarter of the bytes of numbers.
          const answer = await call(
            (client, signal) =>
              client.embeddings.create({ model, input, encoding_format: 'base64' }, { signal }),
            within.signal,
          );
          return readVectors(answer, input.length);
        }),
      );
      return answers.flat();
    },
  };
}

/** The texts, in order, as many together as one request may hold. */
function batches(texts: readonly string[]): string[][] {
  const all: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = all.at(-1);
    characters += text.length;
    if (last && last.length < mostTexts && characters <= mostCharacters) last.push(text);
    else {
      all.push([text]);
      characters = text.length;
    }
  }
  return all;
}
