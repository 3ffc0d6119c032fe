import { beforeEach, expect, test } from 'vitest';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { askedRoles, cat, german, good, liveEngine, models, translate } from './live.ts';
import { useWorkspace } from './workspace.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

const mine = useWorkspace(app);
beforeEach(() => {
  fake.otherwise(good);
  fake.requests.length = 0;
});

const baseline = german[cat]!;
const paraphrase = 'Nachmittags schläft die Katze auf der warmen Fensterbank.';
const job = (metadata: Record<string, unknown> = {}) =>
  mine.job({ source_text: cat, target_lang: 'de', metadata });

test('a good translation takes one call of each role, and is published', async () => {
  const done = await job();
  expect(askedRoles(fake)).toEqual({ translation: 1, assessment: 1, verification: 1 });
  expect(done).toMatchObject({
    status: 'published',
    baseline_translation: baseline,
    final_translation: baseline,
    quality_assessment: { score: 95, issues: [] },
    verification: { score: 95, passed: true, issues: [] },
    agent_run: { quality_gate: { decision: 'pass', triggers: [], metadata: { repaired: false } } },
  });
});

test('a translation below the threshold is repaired, and the baseline stays visible', async () => {
  fake.otherwise(
    translatingReply({
      translate,
      repair: () => paraphrase,
      score: ({ data }) => (data.segments.some(({ translation }) => translation === baseline) ? 70 : 95),
    }),
  );
  const done = await job();
  expect(askedRoles(fake)).toMatchObject({ translation: 1, repair: 1 });
  expect(done).toMatchObject({
    status: 'published',
    baseline_translation: baseline,
    final_translation: paraphrase,
    refinement: { applied: true, rounds: 1 },
    agent_run: { quality_gate: { decision: 'pass', metadata: { repaired: true } } },
  });
});

test('a candidate that the judge model prefers is published', async () => {
  fake.otherwise(
    translatingReply({
      translate: (_text, _lang, { model }) => (model === models.translator ? baseline : paraphrase),
      prefer: (texts) => texts.indexOf(paraphrase),
    }),
  );
  const done = await job({ candidate_models: [models.extra] });
  const comparisons = fake.requests.map(askedOf).filter(({ role }) => role === 'comparison');
  expect(comparisons.map(({ model }) => model)).toEqual([models.refiner]);
  expect(done).toMatchObject({ status: 'published', final_translation: paraphrase });
});
