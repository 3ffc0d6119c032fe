import { beforeEach, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { env } from '#test/factories.ts';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { heldReply, liveEngine } from '#test/translations/live.ts';
import { openReviewers, useReviewers } from '../translations/workplace/reviewers.ts';

const source_text = 'The tenant pays the rent at the start of each month.';
const wrong = 'Le locataire paie le loyer à la fin de chaque mois';
const ofTheModel: QualityIssue = {
  severity: 'critical',
  category: 'accuracy',
  span: null,
  explanation: 'the rent is due at the start',
  suggestion: null,
};
const reason = 'The contract says so in clause 8.';

const fake = await startFakeOpenAi();
const judging = translatingReply({
  translate: () => wrong,
  repair: (text) => text,
  issues: ({ data }) =>
    data.segments.some(({ translation }) => translation?.includes('à la fin')) ? [ofTheModel] : [],
});
const app = useTestApp({ env, engine: liveEngine(fake) });
const mine = useReviewers(app);
beforeEach(() => fake.otherwise(judging));

/** A text whose translation got a full stop after the judge model had seen it. */
async function edited() {
  const { id } = await mine.held({ source_text, source_lang: 'en' });
  const { body } = await mine.review(id, { action: 'save', final_translation: `${wrong}.` });
  const { texts } = await mine.call('reviews.texts', { job_ids: [id] });
  return { job: body, text: texts[0], version: { job_id: id, updated_at: body.updated_at } };
}

test('a full stop clears no finding of a text, and a bulk approval leaves it out until it is resolved', async () => {
  const { job, text, version } = await edited();
  expect(text).toMatchObject({
    status: 'critical',
    issues: [{ ...ofTheModel, status: 'not_rechecked' }],
  });
  const reviews = [{ ...version, action: 'approve', confirm_unopened: true }];
  const bulk = async (all: object[]) =>
    (await mine.call('translations.reviewMany', { reviews: all })).results[0];
  expect(await bulk(reviews)).toMatchObject({ outcome: 'left_out', reason: 'critical_findings' });
  const decision = { ...version, finding_id: text.issues[0].id, resolution: 'not_an_error', reason };
  const stranger = await openReviewers(app);
  expect((await stranger.refused('translations.resolve', decision)).status).toBe(404);
  const resolved = await mine.call('translations.resolve', decision);
  // A second reviewer saw the version before the decision.
  expect((await mine.refused('translations.resolve', decision)).status).toBe(409);
  const [listed] = (await mine.call('reviews.texts', { job_ids: [job.id] })).texts;
  expect(listed.issues).toMatchObject([{ status: 'not_an_error', resolution: { reason } }]);
  const next = { ...version, updated_at: resolved.updated_at, action: 'approve', confirm_unopened: true };
  expect(await bulk([next])).toMatchObject({ outcome: 'done', status: 'human_edited' });
});

test('checking a text again renews or ends the finding; a response about an older wording is ignored', async () => {
  const { job, version } = await edited();
  const renewed = await mine.call('translations.recheck', version);
  const issues = async () => (await mine.call('reviews.texts', { job_ids: [job.id] })).texts[0].issues;
  const [again] = await issues();
  expect(again).toMatchObject({ ...ofTheModel, status: 'open' });
  const late = heldReply(judging);
  fake.otherwise(late.held);
  const checking = mine.refused('translations.recheck', { ...version, updated_at: renewed.updated_at });
  await late.reached;
  const right = wrong.replace('à la fin', 'au début');
  const { body } = await mine.review(job.id, { action: 'save', final_translation: right });
  late.letGo();
  expect((await checking).status).toBe(409);
  expect(await issues()).toMatchObject([{ status: 'not_rechecked' }]);
  fake.otherwise(judging);
  await mine.call('translations.recheck', { ...version, updated_at: body.updated_at });
  expect(await issues()).toEqual([]);
});
