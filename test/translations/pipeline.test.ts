import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { askedOf, startFakeOpenAi, type TranslatingOptions, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { askedRoles, cat, german, good, liveEngine, models, translate } from './live.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

let mine: Workspace;
beforeEach(async () => {
  fake.otherwise(good);
  fake.requests.length = 0;
  mine = await openWorkspace(app);
});

const baseline = german[cat]!;
/** Paraphrases, so that each repair changes the text. */
const versions = [
  'Die Katze schläft nachmittags auf der warmen Fensterbank.',
  'Am Nachmittag schläft die Katze auf der warmen Fensterbank.',
  'Nachmittags schläft die Katze auf der warmen Fensterbank.',
  'Auf der warmen Fensterbank schläft die Katze am Nachmittag.',
  'Auf der warmen Fensterbank schläft am Nachmittag die Katze.',
  'Die Katze schläft auf der warmen Fensterbank am Nachmittag.',
  'Auf der warmen Fensterbank schläft nachmittags die Katze.',
];

const problem = (severity: QualityIssue['severity']): QualityIssue => ({
  severity,
  category: 'accuracy',
  span: 'Fensterbank',
  explanation: 'The wrong piece of furniture.',
  suggestion: null,
});

/** A model whose n-th repair is the n-th version above. */
function model(options: TranslatingOptions = {}) {
  let repairs = 0;
  fake.otherwise(
    translatingReply({ translate, repair: () => versions[repairs++ % versions.length]!, ...options }),
  );
  return {
    get repairs() {
      return repairs;
    },
  };
}

/** The model's score for a text after this many repairs. */
const rising =
  (first: number, after: number): NonNullable<TranslatingOptions['score']> =>
  (asked) =>
    asked.data.segments.some(({ translation }) => translation === baseline) ? first : after;

const job = (fields: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) =>
  mine.job({ source_text: cat, target_lang: 'de', metadata, ...fields });

type Gate = { triggers: (string | { code: string })[]; reasons: string[] };
const codes = ({ triggers }: Gate) =>
  triggers.map((trigger) => (typeof trigger === 'string' ? trigger : trigger.code));

describe('B 1, 3.1: the pipeline of a good translation', () => {
  test('translates, assesses and verifies once each, repairs nothing, publishes', async () => {
    const done = await job();
    expect(askedRoles(fake)).toEqual({ translation: 1, assessment: 1, verification: 1 });
    expect(done).toMatchObject({
      status: 'published',
      baseline_translation: baseline,
      final_translation: baseline,
      quality_assessment: { score: 95, issues: [] },
      verification: { score: 95, passed: true, issues: [] },
    });
    expect(done.agent_run.quality_gate).toMatchObject({
      decision: 'pass',
      threshold: 85,
      triggers: [],
      reasons: [],
      metadata: { repaired: false, assessment_score: 95, verification_score: 95, verification_passed: true },
    });
  });
});

describe('B 2.6: repair', () => {
  test('below the threshold: the repaired text is published, the baseline stays visible', async () => {
    model({ score: rising(70, 95) });
    const done = await job();
    expect(askedRoles(fake)).toMatchObject({ translation: 1, repair: 1 });
    expect(done).toMatchObject({
      status: 'published',
      baseline_translation: baseline,
      final_translation: versions[0],
      refinement: { applied: true, rounds: 1 },
    });
    expect(done.agent_run.quality_gate).toMatchObject({ decision: 'pass', metadata: { repaired: true } });
  });

  test('on a critical issue, whatever the score', async () => {
    model({
      issues: (asked) =>
        asked.data.segments.some(({ translation }) => translation === baseline) ? [problem('critical')] : [],
    });
    const done = await job();
    expect(askedRoles(fake).repair).toBe(1);
    expect(done).toMatchObject({ status: 'published', final_translation: versions[0] });
  });

  test('minor and major issues alone neither repair nor hold', async () => {
    model({ issues: [problem('minor'), problem('major')] });
    const done = await job();
    expect(askedRoles(fake).repair).toBeUndefined();
    expect(done.status).toBe('published');
    expect(done.quality_assessment.issues).toHaveLength(2);
    expect(done.quality_assessment.issues).toEqual(
      expect.arrayContaining([problem('minor'), problem('major')]),
    );
  });
});

describe('B 2.6, C 4: candidates', () => {
  const { translator, refiner, extra } = models;
  const byModel = (asked: { model: string }) =>
    asked.model === translator ? baseline : versions[asked.model.length % versions.length]!;
  const candidates = () =>
    model({
      translate: (_text, _lang, asked) => byModel(asked),
      prefer: (texts) => texts.findIndex((text) => text !== baseline),
    });
  const translators = () =>
    fake.requests
      .map(askedOf)
      .filter(({ role }) => role === 'translation')
      .map((asked) => asked.model);
  const comparisons = () => fake.requests.map(askedOf).filter(({ role }) => role === 'comparison');

  test.each([
    ['an array', ['one-zq', 'three-zq', 'fourth-zq', 'and-a-fifth-zq']],
    ['a comma-separated string', 'one-zq, three-zq,fourth-zq,and-a-fifth-zq'],
  ])('%s: at most two extra ones are made, by the first two models', async (_, candidate_models) => {
    candidates();
    const done = await job({}, { candidate_models });
    expect(translators().toSorted()).toEqual(['one-zq', translator, 'three-zq'].toSorted());
    expect(done.status).toBe('published');
  });

  test('an extra one that the refiner prefers is used', async () => {
    candidates();
    const done = await job({}, { candidate_models: [extra] });
    expect(comparisons().every((asked) => asked.model === refiner)).toBe(true);
    expect(done).toMatchObject({ status: 'published', final_translation: byModel({ model: extra }) });
  });

  test('otherwise the first is used', async () => {
    candidates();
    fake.otherwise(
      translatingReply({
        translate: (_text, _lang, asked) => byModel(asked),
        prefer: (texts) => texts.indexOf(baseline),
      }),
    );
    expect(await job({}, { candidate_models: [extra] })).toMatchObject({ final_translation: baseline });
  });

  test.each([
    [1, 1],
    [3, 3],
    [9, 3],
  ])('debate_rounds %j: the refiner judges %d times', async (debate_rounds, times) => {
    candidates();
    await job({}, { candidate_models: [extra], ...(debate_rounds !== undefined && { debate_rounds }) });
    expect(comparisons()).toHaveLength(times);
  });
});

describe('B 2.3: the triggers that hold a translation, and their reasons', () => {
  /** Each trigger, and an input that causes it. */
  const ways: Record<string, { fields?: object; metadata?: object; model?: TranslatingOptions }> = {
    policy_required: { fields: { domain: 'medical' } },
    sensitive_content: { metadata: { regulated: true } },
    low_quality_score: { model: { score: 60 } },
    critical_issue: {
      model: { issues: ({ role }) => (role === 'assessment' ? [problem('critical')] : []) },
    },
    verification_failed: { model: { passed: false } },
  };

  async function heldBy(names: string[]) {
    const all = names.map((name) => ways[name]!);
    model(Object.assign({}, ...all.map(({ model: options }) => options)));
    const done = await job(
      Object.assign({}, ...all.map(({ fields }) => fields)),
      Object.assign({}, ...all.map(({ metadata }) => metadata)),
    );
    expect(done.status).toBe('awaiting_review');
    return done.agent_run;
  }

  test.each(Object.keys(ways))('%s alone', async (name) => {
    const { quality_gate: gate, human_review_task: task } = await heldBy([name]);
    expect(gate.decision).toBe('needs_human');
    expect(codes(gate)).toEqual([name]);
    expect(gate.reasons).toEqual([expect.stringMatching(/\S/)]);
    expect(gate.metadata.trigger_codes).toEqual([name]);
    expect(task.triggers).toMatchObject([{ code: name, severity: 'blocking' }]);
    expect(task.reason).toMatch(/\S/);
  });

  test('all together: each once, with its own reason in order', async () => {
    const alone = new Map<string, string>();
    for (const name of Object.keys(ways)) alone.set(name, (await heldBy([name])).quality_gate.reasons[0]);
    expect(new Set(alone.values()).size).toBe(alone.size);
    const { quality_gate: gate, human_review_task: task } = await heldBy(Object.keys(ways));
    expect(codes(gate).toSorted()).toEqual(Object.keys(ways).toSorted());
    expect(gate.reasons).toEqual(codes(gate).map((code) => alone.get(code)));
    expect(gate.metadata.trigger_codes).toEqual(codes(gate));
    expect(task.triggers.map(({ code }: { code: string }) => code)).toEqual(codes(gate));
  });
});
