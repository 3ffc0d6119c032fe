import type { Engine, EngineResult } from './engine.ts';

/** Returns a result that has cost nothing. */
export const free = <T>(value: T): Promise<EngineResult<T>> =>
  Promise.resolve({ value, models: [], inputTokens: 0, outputTokens: 0 });

const summary = 'synthetic score of the stub engine';

/**
 * The engine of a deployment without a model. It returns each segment with the target language's code in front of it.
 * Its scores are so high that every text is published automatically.
 */
export const stubEngine: Engine = {
  live: false,
  withoutJudge: null,
  translate: ({ segments, targetLang }) => free(segments.map((segment) => `[${targetLang}] ${segment}`)),
  assess: () => free({ score: 92, issues: [], summary }),
  assessEach: ({ segments }) => free(segments.map(() => ({ score: 92, issues: [], summary }))),
  repair: (_task, candidate) => free(candidate),
  compare: () => free({ winner: 0, rationale: 'the stub engine always selects the first candidate' }),
  verify: () => free({ score: 92, issues: [], summary, passed: true }),
};
