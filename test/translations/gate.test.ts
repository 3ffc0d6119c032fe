import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Judgement, QualityIssue, Verification } from '#server/platform/engines/engine.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** The responses of the model to one text. */
interface Script {
  translations: Record<string, string>;
  assess: (text: string) => Partial<Judgement>;
  verify: Partial<Verification>;
  /** The repairs in the order of the requests. After the last one, the text is returned unchanged. */
  repairs: string[];
}

const plain: Script = { translations: {}, assess: () => ({}), verify: {}, repairs: [] };
let script = plain;
/** The texts for which a repair was requested, with their issues. */
const repaired: { text: string; issues: readonly QualityIssue[] }[] = [];
const verdict: Judgement = { score: 92, issues: [], summary: '' };
const engine = engineOf(
  async (_task, _scope, model = 'own') => {
    const text = script.translations[model];
    if (text === 'fails') throw new Error('no such model');
    return answered([text ?? 'a b c d']);
  },
  {
    assess: async (_task, [text = '']) => answered({ ...verdict, ...script.assess(text) }),
    verify: async () => answered({ ...verdict, passed: true, ...script.verify }),
    repair: async (_task, [text = ''], issues) => {
      repaired.push({ text, issues });
      return answered([script.repairs.shift() ?? text]);
    },
    compare: async (_task, candidates) => {
      compared.push(candidates.map(([first]) => first!));
      return answered({ winner: candidates.findIndex(([first]) => first === 'b'), rationale: 'b is best' });
    },
  },
);
const compared: string[][] = [];

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
let mine: Workspace;
beforeAll(async () => {
  mine = await openWorkspace(app);
});
beforeEach(() => {
  script = { ...plain };
  repaired.length = 0;
  compared.length = 0;
});

let texts = 0;
/** Creates a job of a text that the TM does not contain, for which the model gives these responses. */
async function judged(words: Partial<Script> = {}, metadata: object = {}, fields: object = {}) {
  script = { ...plain, ...words };
  const job = await mine.job({ source_text: `Text ${++texts}`, metadata, ...fields });
  return {
    job,
    gate: job.agent_run.quality_gate,
    codes: job.agent_run.quality_gate.metadata.trigger_codes as string[],
  };
}

const issue = (severity: QualityIssue['severity'], explanation = 'x'): QualityIssue => ({
  ...{ severity, category: 'accuracy', span: null, explanation, suggestion: null },
});

describe('the quality gate (B 2.3)', () => {
  test('passes a good translation, with no trigger, no reason and its metadata', async () => {
    const { job, gate } = await judged();
    expect(gate).toEqual({
      decision: 'pass',
      score: 92,
      threshold: 85,
      triggers: [],
      reasons: [],
      metadata: {
        assessment_score: 92,
        verification_score: 92,
        verification_passed: true,
        risk_flags: [],
        trigger_codes: [],
        terminology_gate: null,
        repaired: false,
      },
    });
    expect(job.agent_run.human_review_task ?? null).toBeNull();
  });

  test.each([
    [70, 95, 70],
    [95, 70, 70],
    [88.5, 88.5, 88.5],
  ])('has the lower of two scores: of %d and %d', async (assessed, verified, score) => {
    const words = { assess: () => ({ score: assessed }), verify: { score: verified } };
    const { gate } = await judged(words, { min_quality_score: score });
    expect([gate.score, gate.decision]).toEqual([score, 'pass']);
    expect(gate.metadata).toMatchObject({ assessment_score: assessed, verification_score: verified });
    expect((await judged(words, { min_quality_score: score + 0.1 })).codes).toEqual(['low_quality_score']);
  });

  test.each<[string, Partial<Script>, string[]]>([
    ['the assessment', { assess: () => ({ issues: [issue('critical')] }) }, ['critical_issue']],
    [
      'the verification, which then has not passed',
      { verify: { issues: [issue('minor'), issue('critical')] } },
      ['critical_issue', 'verification_failed'],
    ],
    [
      'neither',
      { assess: () => ({ issues: [issue('major')] }), verify: { issues: [issue('major'), issue('minor')] } },
      [],
    ],
  ])('holds for a critical issue of %s, whatever the score', async (_, words, expected) => {
    const { job, codes } = await judged(words, { min_quality_score: 0 });
    expect(codes).toEqual(expected);
    expect(job.status).toBe(expected.length > 0 ? 'awaiting_review' : 'published');
    expect(job.verification.passed).toBe(!expected.includes('verification_failed'));
  });

  test('holds for a verification that did not pass, whatever its score', async () => {
    const { job, gate } = await judged({ verify: { passed: false, score: 100 } }, { min_quality_score: 0 });
    expect(gate.triggers).toEqual([{ code: 'verification_failed', severity: 'blocking' }]);
    expect([gate.metadata.verification_passed, job.status]).toEqual([false, 'awaiting_review']);
  });

  test('holds regulated domains and flagged requests, whatever the score', async () => {
    for (const domain of ['finance', 'financial', 'healthcare', 'legal', 'MEDICAL', ' pharma '])
      expect((await judged({}, { min_quality_score: 0 }, { domain })).codes).toEqual(['policy_required']);
    for (const domain of ['marketing', 'legalese', 'constructor', ''])
      expect((await judged({}, {}, { domain })).codes).toEqual([]);
    for (const flag of ['sensitive', 'regulated', 'requires_human_review']) {
      for (const value of [true, -1, 'false', ['a']])
        expect((await judged({}, { [flag]: value, min_quality_score: 0 })).codes).toEqual([
          'sensitive_content',
        ]);
      for (const value of [false, 0, '', null])
        expect((await judged({}, { [flag]: value })).codes).toEqual([]);
    }
  });

  test('names all triggers together, each once with its reason', async () => {
    const { job, gate, codes } = await judged(
      { assess: () => ({ score: 60, issues: [issue('critical')] }), verify: { passed: false } },
      { regulated: true },
      { domain: 'medical' },
    );
    expect(codes.toSorted()).toEqual([
      'critical_issue',
      'low_quality_score',
      'policy_required',
      'sensitive_content',
      'verification_failed',
    ]);
    expect(new Set(gate.reasons).size).toBe(codes.length);
    expect(gate.metadata.trigger_codes).toEqual(codes);
    expect(job.agent_run.human_review_task.triggers).toEqual(gate.triggers);
  });

  test.each([
    ['a b c d', 'a b x y', []],
    ['a b c d', 'a x y z', ['high_repair_delta']],
    ['a b c d', 'd c b a', []],
    ['東京都', '大阪府', ['high_repair_delta']],
  ])('after a repair of %j into %j has the triggers %j', async (own, repair, expected) => {
    const { gate, codes } = await judged({
      translations: { own },
      assess: (text) => (text === own ? { score: 40, issues: [issue('critical')] } : {}),
      repairs: [repair],
    });
    expect(codes).toEqual(expected);
    // The score of the repaired text counts; the first score is only listed.
    expect(gate.score).toBe(92);
    expect(gate.metadata).toMatchObject({ assessment_score: 40, repaired: true });
  });
});

describe('repairs', () => {
  const scores = (all: Record<string, number>) => (text: string) => ({ score: all[text] ?? 0 });
  const retries = (max_quality_loop_retries: unknown) => ({ max_quality_loop_retries });
  const repairedTexts = () => repaired.map(({ text }) => text);

  test('continue from the best text until one is good enough', async () => {
    const assess = scores({ 'a b c d': 50, b: 70, c: 90, d: 99 });
    const { job } = await judged({ assess, repairs: ['b', 'c', 'd'] }, retries(5));
    expect(job).toMatchObject({ final_translation: 'c', refinement: { applied: true, rounds: 2 } });
    expect(repairedTexts()).toEqual(['a b c d', 'b']);
    const names = job.agent_run.steps.map(({ name }: { name: string }) => name);
    expect(names.join()).toContain('quality_assessment,repair,reassessment,repair,reassessment');
  });

  test('that are no better are dropped, and the next one starts from the better text', async () => {
    const assess = scores({ 'a b c d': 60, b: 40, c: 60 });
    const { job } = await judged({ assess, repairs: ['b', 'c'] });
    expect(job).toMatchObject({ final_translation: 'a b c d', refinement: { applied: false, rounds: 2 } });
    expect(repairedTexts()).toEqual(['a b c d', 'a b c d']);
  });

  test('end with one that changes nothing', async () => {
    const { job } = await judged({ assess: scores({ 'a b c d': 60 }), repairs: [] }, retries(5));
    expect([job.refinement.rounds, repaired.length]).toEqual([1, 1]);
  });

  test.each([
    [undefined, 2],
    [0, 1],
    [4.9, 4],
    [5, 5],
    ['4', 2],
  ])('with max_quality_loop_retries %j are %d', async (value, rounds) => {
    const { job } = await judged(
      { assess: scores({}), repairs: ['b', 'c', 'd', 'e', 'f', 'g'] },
      value === undefined ? {} : retries(value),
    );
    expect([job.refinement.rounds, repaired.length]).toEqual([rounds, rounds]);
  });

  test('of a critical issue take place whatever the score, which never outweighs one', async () => {
    const found = [issue('critical')];
    const better = await judged({
      assess: (text) => (text === 'a b c d' ? { score: 100, issues: found } : { score: 90 }),
      repairs: ['a b c x'],
    });
    expect(better.job).toMatchObject({ status: 'published', final_translation: 'a b c x' });
    expect(repaired[0]?.issues).toEqual(found);
    const worse = await judged({
      assess: (text) => (text === 'a b c d' ? { score: 50 } : { score: 100, issues: found }),
      repairs: ['a b c x'],
    });
    expect(worse.job.final_translation).toBe('a b c d');
  });
});

describe('the options of a request (B 2.6)', () => {
  test.each([
    [-5, 0],
    [92.5, 92.5],
    [150, 100],
    ['50', 85],
    [null, 85],
  ])('min_quality_score %j is a threshold of %d', async (value, threshold) => {
    expect((await judged({}, { min_quality_score: value })).gate.threshold).toBe(threshold);
  });

  test.each([
    ['one,one,two,three', 2],
    [[1, null, 'one'], 1],
    [{ one: 1 }, 0],
    ['x'.repeat(201), 0],
    [' , ', 0],
  ])('candidate_models %j are %d further candidates', async (candidate_models, count) => {
    await judged({}, { candidate_models, debate_rounds: 1 });
    expect((compared[0]?.length ?? 1) - 1).toBe(count);
  });

  test('the candidates are shown in another order each round; a win counts for the candidate, and is no repair', async () => {
    const translations = { own: 'own', a: 'a', b: 'b' };
    const { job } = await judged({ translations }, { candidate_models: 'a,b', debate_rounds: 3 });
    expect(job).toMatchObject({ status: 'published', final_translation: 'b' });
    expect(compared).toEqual([
      ['own', 'a', 'b'],
      ['a', 'b', 'own'],
      ['b', 'own', 'a'],
    ]);
  });

  test.each([
    ['a,b', 'b'],
    ['a', 'own'],
  ])('of the candidates %j one that fails is left out', async (candidate_models, winner) => {
    const translations = { own: 'own', a: 'fails', b: 'b' };
    const { job } = await judged({ translations }, { candidate_models });
    expect(job.final_translation).toBe(winner);
  });
});
