import type { Engine, EngineAnswer, TranslationTask } from './engine.ts';

const free = <T>(value: T): Promise<EngineAnswer<T>> =>
  Promise.resolve({ value, model: null, inputTokens: 0, outputTokens: 0 });

const summary = 'synthetic score of the stub engine';

/**
 * The engine of a deployment without a model (C 4): it echoes the source behind the target's code, and finds
 * every text good enough to publish by itself.
 */
export const stubEngine: Engine = {
  live: false,
  translate: ({ targetLang, sourceText }: TranslationTask) => free(`[${targetLang}] ${sourceText}`),
  assess: () => free({ score: 92, issues: [], summary }),
  verify: () => free({ score: 92, issues: [], summary, passed: true }),
};
