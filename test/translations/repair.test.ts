import { describe, expect, test } from 'vitest';
import type { Engine, Judgement, QualityIssue, TranslationTask } from '#server/platform/engines/engine.ts';
import type { Inspect } from '#server/translation/core/checks.ts';
import type { StepDeps } from '#server/translation/core/pipeline/agent-steps.ts';
import { type Assessed, assessCandidate } from '#server/translation/core/pipeline/agent-steps.ts';
import { repairDelta, repairLoop } from '#server/translation/core/pipeline/repair.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

const task: TranslationTask = {
  segments: ['Hello'],
  sourceLang: 'en',
  targetLang: 'fr',
  textType: 'Plain',
  tone: null,
  gender: null,
  domain: null,
};

const critical: QualityIssue = {
  severity: 'critical',
  category: 'accuracy',
  span: '{name}',
  explanation: 'lost',
  suggestion: 'keep it',
};

/** Scores by candidate, and repairs in sequence; records the calls. */
function openDeps(scores: Record<string, number>, repairs: string[], inspect: Inspect = () => []) {
  const asked: { candidate: string; issues: readonly QualityIssue[] }[] = [];
  const judgement = (text: string): Judgement => ({ score: scores[text] ?? 0, issues: [], summary: text });
  const engine: Engine = engineOf(async () => answered([]), {
    assess: async (_task, [text = '']) => answered(judgement(text), 1),
    repair: async (_task, [candidate = ''], issues) => {
      asked.push({ candidate, issues });
      return answered([repairs[asked.length - 1] ?? candidate], 1);
    },
  });
  const deps: StepDeps = {
    engine,
    inspect,
    terms: null,
    scope: { tenantId: 't' },
    steps: [],
    cost: { inputTokens: 0, outputTokens: 0, models: [] },
  };
  const run = async (baseline: string, options: { threshold: number; repairRounds: number }) => {
    const assessed = await assessCandidate(deps, task, [baseline], 'quality_assessment');
    return repairLoop(deps, task, assessed, options);
  };
  return { deps, asked, run };
}

const text = ({ candidate }: Assessed) => candidate[0];

describe('B 2.6: the bounded repair loop', () => {
  test('a good enough translation is not repaired', async () => {
    const { asked, run } = openDeps({ a: 85 }, ['b']);
    const { best, rounds, applied } = await run('a', { threshold: 85, repairRounds: 5 });
    expect([text(best), rounds, applied, asked]).toEqual(['a', 0, false, []]);
  });

  test('it continues from the best candidate until one is good enough', async () => {
    const { asked, run } = openDeps({ a: 50, b: 70, c: 90, d: 99 }, ['b', 'c', 'd']);
    const { best, rounds, applied } = await run('a', { threshold: 85, repairRounds: 5 });
    expect([text(best), rounds, applied]).toEqual(['c', 2, true]);
    expect(asked.map(({ candidate }) => candidate)).toEqual(['a', 'b']);
  });

  test.each([1, 2, 5])('no more than %d repairs', async (repairRounds) => {
    const { asked, run } = openDeps({ a: 10, b: 11, c: 12, d: 13, e: 14, f: 15, g: 16 }, [
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
    ]);
    const { rounds } = await run('a', { threshold: 85, repairRounds });
    expect([rounds, asked.length]).toEqual([repairRounds, repairRounds]);
  });

  test('a repair that is no better is dropped, and the next one starts from the better text', async () => {
    const { asked, run } = openDeps({ a: 60, b: 40, c: 60 }, ['b', 'c']);
    const { best, applied } = await run('a', { threshold: 85, repairRounds: 2 });
    expect([text(best), applied]).toEqual(['a', false]);
    expect(asked.map(({ candidate }) => candidate)).toEqual(['a', 'a']);
  });

  test('a repair that changes nothing ends it, since another call would not either', async () => {
    const { asked, run } = openDeps({ a: 60 }, ['a', 'b']);
    const { rounds } = await run('a', { threshold: 85, repairRounds: 5 });
    expect([rounds, asked.length]).toEqual([1, 1]);
  });

  test('an implausible result is repaired whatever the score, with its span', async () => {
    const inspect: Inspect = (_task, [candidate]) => (candidate === 'a' ? [critical] : []);
    const { asked, run } = openDeps({ a: 100, b: 90 }, ['b'], inspect);
    const { best, applied } = await run('a', { threshold: 85, repairRounds: 2 });
    expect([text(best), applied]).toEqual(['b', true]);
    expect(asked[0]?.issues).toEqual([critical]);
  });

  test('no score outweighs a plausibility issue', async () => {
    const inspect: Inspect = (_task, [candidate]) => (candidate === 'b' ? [critical] : []);
    const { run } = openDeps({ a: 50, b: 100 }, ['b']);
    expect(text((await run('a', { threshold: 85, repairRounds: 1 })).best)).toBe('b');
    const implausible = openDeps({ a: 50, b: 100 }, ['b'], inspect);
    expect(text((await implausible.run('a', { threshold: 85, repairRounds: 1 })).best)).toBe('a');
  });

  test('each call is a recorded step, and is counted', async () => {
    const { deps, run } = openDeps({ a: 50, b: 90 }, ['b']);
    await run('a', { threshold: 85, repairRounds: 2 });
    expect(deps.steps.map(({ name, status }) => [name, status])).toEqual([
      ['quality_assessment', 'completed'],
      ['repair', 'completed'],
      ['reassessment', 'completed'],
    ]);
    expect(deps.cost).toEqual({ inputTokens: 3, outputTokens: 3, models: ['model'] });
  });
});

describe('how much a repair changed', () => {
  test.each([
    ['a b c d', 'a b c d', 0],
    ['a b c d', 'd c b a', 0],
    ['a b c d', 'a b c x', 0.25],
    ['a b', 'x y', 1],
    ['', 'x', 1],
    ['', '', 0],
    ['東京都', '東京府', 1 / 3],
  ])('%j to %j is %d', (before, after, delta) => {
    expect(repairDelta(before, after)).toBeCloseTo(delta);
  });
});
