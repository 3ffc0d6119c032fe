import type { Engine, EngineResult, Judgement, TranslationTask } from '#server/platform/engines/engine.ts';

/** A text without special properties. */
export const plainTask: TranslationTask = {
  segments: ['Hello'],
  sourceLang: 'en',
  targetLang: 'de',
  textType: 'Plain',
  tone: null,
  gender: null,
  domain: null,
};

/** An engine's result by a model called `model`, with the same number of input and output tokens. */
export function answered<T>(value: T, tokens = 0): EngineResult<T> {
  return { value, models: ['model'], inputTokens: tokens, outputTokens: tokens };
}

const good: Judgement = { score: 95, issues: [], summary: 'good' };

/**
 * An engine in this process, which translates with `translate` and by default finds no issues. It is for tests that an HTTP
 * fake cannot serve: runs that are held during other actions. Not live: its results are not real translations, and would not
 * pass the plausibility checks.
 */
export function engineOf(translate: Engine['translate'], overrides: Partial<Engine> = {}): Engine {
  return {
    live: false,
    translate,
    assess: async () => answered(good),
    assessEach: async ({ segments }) => answered(segments.map(() => good)),
    repair: async (_task, candidate) => answered(candidate),
    compare: async () => answered({ winner: 0, rationale: 'the first' }),
    verify: async () => answered({ ...good, passed: true }),
    ...overrides,
  };
}
