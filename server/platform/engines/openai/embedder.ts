import type { Settings } from '#server/settings.ts';
import { createConcurrencyLimit } from '../../concurrency-limit.ts';
import { recordModelRequest } from '../../model-requests.ts';
import { countModelTokens } from '../../telemetry.ts';
import { callConcurrently } from '../chat/chat.ts';
import { type ChatDependencies, nobodyCounts } from '../chat/chat-engine.ts';
import { callWithRetries, type RetryPolicy, sleep } from '../chat/rate-limit-retry-after.ts';
import { UpstreamFailure } from '../chat/upstream-failure.ts';
import type { Embedder } from '../engine.ts';
import { type ClientSettings, countTokens, openClient } from './client.ts';

type EmbedderSettings = ClientSettings & Pick<Settings, 'OPENAI_EMBEDDING_MODEL' | 'OPENAI_MAX_RETRIES'>;

/**
 * Limits for one request. The response, even as JSON numbers, must fit into memory, and the texts must not exceed the
 * limit of any model.
 */
const maxTexts = 64;
const maxCharacters = 60_000;

/** Creates embeddings with OPENAI_EMBEDDING_MODEL, from OpenAI or any endpoint with a compatible embeddings API. */
export function createOpenAiEmbedder(
  settings: EmbedderSettings,
  dependencies: ChatDependencies = {},
): Embedder {
  const { OPENAI_EMBEDDING_MODEL: model } = settings;
  const call = openClient(settings);
  const paid = dependencies.paid ?? nobodyCounts;
  const policy: RetryPolicy = {
    retries: settings.OPENAI_MAX_RETRIES,
    sleep: dependencies.sleep ?? sleep,
    concurrencyLimit: dependencies.concurrencyLimit ?? createConcurrencyLimit(),
  };
  return {
    model,
    async embed(texts, scope) {
      const results = await callConcurrently(batches(texts), scope, (input, within) =>
        callWithRetries(policy, within, () =>
          recordModelRequest({ model, mode: 'vectors' }, async (count) => {
            // `dimensions` is not sent, because many endpoints reject it. Base64 needs a quarter of the bytes of JSON
            // numbers.
            const response = await call(
              (client, signal) =>
                client.embeddings.create({ model, input, encoding_format: 'base64' }, { signal }),
              within.signal,
            );
            const { inputTokens } = countTokens(response);
            countModelTokens(model, { inputTokens, outputTokens: 0 });
            count({ inputTokens, outputTokens: 0 });
            await paid(within.tenantId, inputTokens);
            return readVectors(response, input.length);
          }),
        ),
      );
      return results.flat();
    },
  };
}

/** Splits the texts, in order, into requests that contain as many texts as the limits allow. */
function batches(texts: readonly string[]): string[][] {
  const all: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = all.at(-1);
    characters += text.length;
    if (last && last.length < maxTexts && characters <= maxCharacters) last.push(text);
    else {
      all.push([text]);
      characters = text.length;
    }
  }
  return all;
}

/** Maximum dimensions of a vector: four times those of today's largest models. */
const maxDimensions = 16_384;

/**
 * Returns the vectors of a response in the order of the texts. Every part of the shape is checked, because the
 * package does not check it. Some endpoints send numbers although Base64 was requested.
 *
 * @throws {UpstreamFailure} `malformed`
 */
function readVectors(response: unknown, count: number): Float32Array[] {
  const data = (response as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count)
    throw new UpstreamFailure('malformed', 'the response does not have one vector for each text');
  const vectors: Float32Array[] = [];
  for (const [at, item] of data.entries()) {
    const { index = at, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index !== 'number' || !(index in data) || vectors[index])
      throw new UpstreamFailure('malformed', 'a vector of the response belongs to none of the texts');
    vectors[index] = readVector(embedding);
  }
  const length = vectors[0]?.length;
  if (vectors.some((vector) => vector.length !== length))
    throw new UpstreamFailure('malformed', 'the vectors of the response have different lengths');
  return vectors;
}

function readVector(embedding: unknown): Float32Array {
  const vector = Array.isArray(embedding)
    ? Float32Array.from(embedding, (component) => (typeof component === 'number' ? component : Number.NaN))
    : typeof embedding === 'string'
      ? readBase64(embedding)
      : undefined;
  // Reject a zero vector: it is near no other vector, so its text would never be found.
  if (!vector || vector.length > maxDimensions || !vector.some((component) => component !== 0))
    throw new UpstreamFailure('malformed', 'the response has an empty, invalid or too long vector');
  if (!vector.every(Number.isFinite))
    throw new UpstreamFailure('malformed', 'a vector of the response has values that are not numbers');
  return vector;
}

/** Reads 32-bit little-endian floats; undefined if the text is not valid. */
function readBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}
