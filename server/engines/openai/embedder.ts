import { createFairShare } from '../../fair-share.ts';
import type { Settings } from '../../settings.ts';
import type { Embedder } from '../engine.ts';
import type { OpenAiParts } from '../openai.ts';
import { attempt, type Manners } from './attempts.ts';
import { type ClientSettings, openClient } from './client.ts';
import { readVectors } from './embeddings.ts';
import { inLanes } from './lanes.ts';
import { sleep } from './pacing.ts';

export type EmbedderSettings = ClientSettings &
  Pick<Settings, 'OPENAI_EMBEDDING_MODEL' | 'OPENAI_MAX_RETRIES'>;

/** What goes into one request: the answer must fit in memory, as numbers in JSON too, and the texts below every model's limit. */
const mostTexts = 64;
const mostCharacters = 60_000;

/** OPENAI_EMBEDDING_MODEL, at OpenAI or any endpoint that speaks its embeddings. */
export function createOpenAiEmbedder(settings: EmbedderSettings, parts: OpenAiParts = {}): Embedder {
  const { OPENAI_EMBEDDING_MODEL: model } = settings;
  const call = openClient(settings);
  const manners: Manners = {
    retries: settings.OPENAI_MAX_RETRIES,
    sleep: parts.sleep ?? sleep,
    fairShare: parts.fairShare ?? createFairShare(),
  };
  return {
    model,
    async embed(texts, scope) {
      const answers = await inLanes(batches(texts), scope, (input, within) =>
        attempt(manners, within, async () => {
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
