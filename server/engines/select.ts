import type { Settings } from '#server/settings.ts';
import type { Engine } from './engine.ts';
import { stubEngine } from './stub.ts';

/** The engine that the settings ask for: the live one where there is a key, else the stub. */
export async function selectEngine(settings: Settings): Promise<Engine> {
  if (settings.OPENAI_API_KEY === undefined) return stubEngine;
  // Loaded only where it is used: the package is a good part of the start.
  const { createOpenAiEngine } = await import('./openai.ts');
  return createOpenAiEngine({ ...settings, OPENAI_API_KEY: settings.OPENAI_API_KEY });
}
