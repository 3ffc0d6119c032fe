import type { Engine, EngineResult, Judgement, TranslationTask } from '#server/platform/engines/engine.ts';

/** A text with nothing special about it. */
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
 * An engine in this process, which translates by `translate` and by default finds no fault. It is for tests that
 * an HTTP fake cannot serve: runs that are held while the test does something else. Not live: what it returns is no
 * translation, and would not pass the plausibility checks.
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
