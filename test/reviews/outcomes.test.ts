import { expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { openReviewers, useReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env, engine: engineOf(async () => answered(['Bonjour le monde.'], 7)) });

const mine = useReviewers(app);

const ask = async (path: string, input: Fields = {}, as: Person = mine.founder) => {
  const { status, body } = await viaRpc(app, { path, type: 'query' }, { input, headers: as.bearer });
  expect([path, status]).toEqual([path, 200]);
  return body;
};

let texts = 0;
/** A text that is in no memory. */
const fresh = (fields: Fields = {}) => ({ source_text: `Hello${'!'.repeat(++texts)}`, ...fields });

test('texts count by what became of them, with the reasons for a review', async () => {
  await mine.job(fresh());
  await mine.job(fresh());
  await mine.held(fresh());
  const [approved, edited, rejected] = await Promise.all([
    mine.held(fresh()),
    mine.held(fresh()),
    mine.held(fresh()),
  ]);
  await mine.review(approved.id, { action: 'approve' });
  await mine.review(edited.id, { action: 'modify', final_translation: 'Salut.' });
  await mine.review(rejected.id, { action: 'reject' });
  const report = await ask('reviews.outcomes');
  const date = new Date().toISOString().slice(0, 10);
  expect(report.days).toEqual([{ date, automatic: 2, reviewed: 2, rejected: 1, waiting: 1 }]);
  expect(report.median_ms).toBeGreaterThan(0);
  expect(report.reasons_of).toBe(4);
  expect(report.reasons).toContainEqual({ code: 'policy_required', texts: 4 });

  // A reopened review takes the text out of the approved ones.
  await mine.call('reviews.reopen', { kind: 'job', id: approved.id });
  const [day] = (await ask('reviews.outcomes')).days;
  expect(day).toMatchObject({ automatic: 2, reviewed: 1, waiting: 2 });

  const other = await openReviewers(app);
  expect(await ask('reviews.outcomes', {}, other.founder)).toMatchObject({
    days: [],
    median_ms: null,
    reasons: [],
    reasons_of: 0,
  });
});

test('billed characters are grouped by the domain of the text, in lower case', async () => {
  await mine.job({ source_text: 'abcd', domain: ' Marketing' });
  await mine.job({ source_text: 'abcdef', domain: 'marketing' });
  const none = await mine.job({ source_text: 'abc' });
  const groups = async () => (await ask('reviews.byDomain')).groups;
  expect(await groups()).toEqual([
    { name: 'marketing', jobs: 2, billable_chars: 10 },
    { name: '', jobs: 1, billable_chars: 3 },
  ]);
  // A deleted text stays billed.
  const { status } = await app.json('DELETE', `/api/translations/${none.id}`, {
    headers: mine.founder.bearer,
  });
  expect(status).toBe(200);
  expect(await groups()).toEqual([
    { name: 'marketing', jobs: 2, billable_chars: 10 },
    { name: '', jobs: 1, billable_chars: 3 },
  ]);
});
