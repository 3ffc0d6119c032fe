import type { Engine, EngineResult } from '#server/platform/engines/engine.ts';
import minutes from './minutes.json' with { type: 'json' };
import texts from './texts.json' with { type: 'json' };

const minutesByText = new Map(
  minutes.map((text): [string, Partial<Record<string, string>>] => [text.en, text]),
);
const textsBySource = new Map(texts.map(({ source, target }) => [source, target]));

/** The recorded translation of a text of the demo workspace. A text without one stays as it is. */
function recordedTarget(source: string, language: string): string {
  return textsBySource.get(source) ?? minutesByText.get(source)?.[language] ?? source;
}

const recorded = <T>(value: T): Promise<EngineResult<T>> =>
  Promise.resolve({ value, models: [], inputTokens: 0, outputTokens: 0 });

const judgement = { score: 92, issues: [], summary: 'a recorded translation' };

/**
 * The engine of the demo workspace: it returns recorded translations, so that the workspace shows real texts without a
 * model. It finds and repairs no issues: the findings are those of the service's own checks.
 */
export const recordedEngine: Engine = {
  live: true,
  withoutJudge: null,
  translate: ({ segments, targetLang }) =>
    recorded(segments.map((segment) => recordedTarget(segment, targetLang))),
  assess: () => recorded(judgement),
  assessEach: ({ segments }) => recorded(segments.map(() => judgement)),
  repair: (_task, candidate) => recorded(candidate),
  compare: () => recorded({ winner: 0, rationale: 'a recorded translation' }),
  verify: () => recorded({ ...judgement, passed: true }),
};
