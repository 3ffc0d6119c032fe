import type { Settings } from '#server/settings.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../concurrency-limit.ts';
import type { OutputMode } from './chat/output-modes.ts';
import type { Embedder, Engine, Paid } from './engine.ts';
import { stubEngine } from './stub.ts';

/** The models of a deployment. */
export interface Models {
  engine: Engine;
  /** Null if no embedding model is configured. */
  embedder: Embedder | null;
  /** The limit of concurrent calls to the models; null for the stub, which calls none. */
  concurrencyLimit: ConcurrencyLimit | null;
  /** Returns the mode in which JSON is requested from a chat model. Null for the stub. */
  modeOf: ((model: string) => OutputMode) | null;
}

/**
 * Opens the models in the settings: live ones if there is an API key, otherwise the stub.
 * @param paid called with the tokens of each response
 */
export async function selectModels(settings: Settings, paid?: Paid): Promise<Models> {
  const { OPENAI_API_KEY, OPENAI_EMBEDDING_MODEL } = settings;
  if (OPENAI_API_KEY === undefined)
    return { engine: stubEngine, embedder: null, concurrencyLimit: null, modeOf: null };
  // Loaded only if needed, because the package takes a large part of the startup time.
  const [{ createOpenAiEngine }, { createOpenAiEmbedder }, { openOutputModes }] = await Promise.all([
    import('./openai/openai-engine.ts'),
    import('./openai/embedder.ts'),
    import('./chat/output-modes.ts'),
  ]);
  const live = { ...settings, OPENAI_API_KEY };
  const concurrencyLimit = createConcurrencyLimit();
  const modes = openOutputModes();
  const parts = { concurrencyLimit, modes, ...(paid && { paid }) };
  return {
    engine: createOpenAiEngine(live, parts),
    embedder: OPENAI_EMBEDDING_MODEL === 'none' ? null : createOpenAiEmbedder(live, parts),
    concurrencyLimit,
    modeOf: modes.modeOf,
  };
}
