import { describe, expect, test } from 'vitest';
import type { Engine, QualityIssue } from '#server/platform/engines/engine.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { inspectNothing, inspectorOf } from '#server/translation/core/checks.ts';
import type { StepDeps } from '#server/translation/core/pipeline/agent-steps.ts';
import { verifyFinal } from '#server/translation/core/pipeline/agent-steps.ts';
import { debateCandidates } from '#server/translation/core/pipeline/candidates.ts';
import { runPipeline } from '#server/translation/core/pipeline/run.ts';
import { translationRequest } from '#server/translation/texts/schema.ts';
import { answered, engineOf, plainTask as task } from '#test/setup/engine.ts';

const scope = { tenantId: 'tenant' };
const text = { source_text: 'Hello', source_lang: 'en', target_lang: 'fr' };

function depsOf(engine: Engine, inspect = inspectNothing): StepDeps {
  return {
    engine,
    inspect,
    terms: null,
    scope,
    steps: [],
    cost: { inputTokens: 0, outputTokens: 0, models: [] },
  };
}

test('B 2.3: a change by the debate is not a repair, and sends nothing to review', async () => {
  const rival = 'ganz andere Worte hier';
  const engine = engineOf(
    async (_task, _scope, model) => answered([model === 'rival' ? rival : 'eins zwei drei vier']),
    { compare: async () => answered({ winner: 1, rationale: 'better' }) },
  );
  const request = translationRequest.parse({ ...text, metadata: { candidate_models: 'rival' } });
  const { agentRun, final_translation } = await runPipeline(engine, request, scope);
  expect(final_translation).toBe(rival);
  expect(agentRun.quality_gate?.triggers).toEqual([]);
});

test('C 4: the stub’s echo is not a translation, and exempt from the plausibility checks', async () => {
  const source_text =
    'The parcel must be delivered before Friday, and do not open the box before the technician has arrived.';
  const { status } = await runPipeline(stubEngine, translationRequest.parse({ ...text, source_text }), scope);
  expect(status).toBe('published');
});

describe('verification', () => {
  const critical: QualityIssue = {
    severity: 'critical',
    category: 'accuracy',
    span: null,
    explanation: 'lost',
    suggestion: null,
  };

  test.each<[string, QualityIssue[], QualityIssue[]]>([
    ['a failed check', [critical], []],
    ['a critical issue of its own', [], [critical]],
  ])('does not pass with %s, whatever the model says', async (_name, failedChecks, issues) => {
    const engine = engineOf(async () => answered([]), {
      verify: async () => answered({ score: 99, issues, summary: '', passed: true }),
    });
    const deps = depsOf(engine, () => failedChecks);
    const found = await verifyFinal(deps, task, ['Hallo']);
    expect(found).toMatchObject({ passed: false, issues: [critical] });
  });
});

describe('the inspection of a page', () => {
  /** What is found where every block of a page has one text, each translated as `target`. */
  const inspectBlocks = (segments: string[], target: string) =>
    inspectorOf({ blocks: segments.map((_, index) => [index]) })(
      { ...task, segments, textType: 'Html' },
      segments.map(() => target),
    );

  test('ends at 100 issues', async () => {
    const segments = Array.from({ length: 300 }, (_, index) => `Call {name${index}} now`);
    expect(await inspectBlocks(segments, 'Jetzt anrufen')).toHaveLength(100);
  });

  test('checks the whole too: texts that are each too short to judge are far too short together', async () => {
    const segments = Array.from({ length: 40 }, (_, index) => `Go on now ${'abcdefghij'[index % 10]}`);
    const explanations = (await inspectBlocks(segments, 'o')).map(({ explanation }) => explanation);
    expect(explanations).toContainEqual(expect.stringMatching(/far too short/));
    expect(await inspectBlocks(segments.slice(0, 1), 'o')).toEqual([]);
  });
});

describe('C 4 candidate_models: the debate', () => {
  test('shows the candidates in another order each round; a win counts for the candidate', async () => {
    const shown: string[][] = [];
    const engine = engineOf(async (_task, _scope, model) => answered([model!]), {
      compare: async (_task, candidates) => {
        shown.push(candidates.map(([first]) => first!));
        return answered({ winner: candidates.findIndex(([first]) => first === 'b'), rationale: 'b is best' });
      },
    });
    const options = { candidateModels: ['a', 'b'], debateRounds: 3 };
    expect(await debateCandidates(depsOf(engine), task, ['own'], options)).toEqual(['b']);
    expect(shown).toEqual([
      ['own', 'a', 'b'],
      ['a', 'b', 'own'],
      ['b', 'own', 'a'],
    ]);
  });

  test.each([
    [['a', 'b'], 'b'],
    [['a'], 'own'],
  ])('continues without an extra that fails (%j)', async (candidateModels, winner) => {
    const engine = engineOf(
      async (_task, _scope, model) => {
        if (model === 'a') throw new Error('no such model');
        return answered([model!]);
      },
      { compare: async () => answered({ winner: 1, rationale: '' }) },
    );
    const options = { candidateModels, debateRounds: 1 };
    expect(await debateCandidates(depsOf(engine), task, ['own'], options)).toEqual([winner]);
  });
});
