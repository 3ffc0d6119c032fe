import type { Engine, EngineResult, Judgement, TranslationTask } from '#server/platform/engines/engine.ts';

/** A translation task with a short text and no special options. */
export const plainTask: TranslationTask = {
  segments: ['Hello'],
  sourceLang: 'en',
  targetLang: 'de',
  textType: 'Plain',
  tone: null,
  gender: null,
  domain: null,
};

/**
 * Wraps a value in an engine's result. The model is called `model`; `tokens` is the number of input tokens, and also of
 * output tokens.
 */
export function answered<T>(value: T, tokens = 0): EngineResult<T> {
  return { value, models: ['model'], inputTokens: tokens, outputTokens: tokens };
}

const good: Judgement = { score: 95, issues: [], summary: 'good' };

/**
 * An engine that runs in this process: it translates with `translate`, and by default finds no issues. It is for tests
 * that the HTTP fake cannot serve, such as those that hold a run while they do something else. `live` is false, because
 * its results would not pass the plausibility checks for real translations.
 */
export function engineOf(translate: Engine['translate'], overrides: Partial<Engine> = {}): Engine {
  return {
    live: false,
    withoutJudge: null,
    translate,
    assess: async () => answered(good),
    assessEach: async ({ segments }) => answered(segments.map(() => good)),
    repair: async (_task, candidate) => answered(candidate),
    compare: async () => answered({ winner: 0, rationale: 'the first' }),
    verify: async () => answered({ ...good, passed: true }),
    ...overrides,
  };
}
