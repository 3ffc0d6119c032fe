import { createConcurrencyLimit } from '#server/concurrency-limit.ts';
import type { Settings } from '#server/settings.ts';
import type { Embedder, Engine } from './engine.ts';
import { stubEngine } from './stub.ts';

/** What the models of a deployment do for it. */
export interface Models {
  engine: Engine;
  /** Null without a model for it. */
  embedder: Embedder | null;
}

/** The models that the settings ask for: the live ones where there is a key, else the stub. */
export async function selectModels(settings: Settings): Promise<Models> {
  const { OPENAI_API_KEY, OPENAI_EMBEDDING_MODEL } = settings;
  if (OPENAI_API_KEY === undefined) return { engine: stubEngine, embedder: null };
  // Loaded only where it is used: the package is a good part of the start.
  const [{ createOpenAiEngine }, { createOpenAiEmbedder }] = await Promise.all([
    import('./openai/openai-engine.ts'),
    import('./openai/embedder.ts'),
  ]);
  const live = { ...settings, OPENAI_API_KEY };
  const parts = { concurrencyLimit: createConcurrencyLimit() };
  return {
    engine: createOpenAiEngine(live, parts),
    embedder: OPENAI_EMBEDDING_MODEL === 'none' ? null : createOpenAiEmbedder(live, parts),
  };
}
