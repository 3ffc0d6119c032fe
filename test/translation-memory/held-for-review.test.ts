import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { recordsOf } from '../translations/golden-files.ts';
import { blockingOf, expectHeld, expectServed } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
  await mine.memory([['Hello', 'Bonjour']]);
});

describe('an exact match of a sensitive or regulated request is held for review', () => {
  test.each([
    ['sensitive_content', { metadata: { sensitive: true } }],
    ['sensitive_content', { metadata: { regulated: 1 } }],
    ['sensitive_content', { metadata: { requires_human_review: 'yes' } }],
    ['policy_required', { domain: 'pharma' }],
  ])('with the trigger %s for %j', async (trigger, fields) => {
    const job = await mine.job(fields);
    expectHeld(job, 'tm_exact_held', 'Bonjour');
    expect(blockingOf(job)).toContain(trigger);
  });

  test('a flag that is not truthy, or another domain, holds nothing', async () => {
    for (const metadata of [{ sensitive: false }, { regulated: 0 }, { requires_human_review: '' }])
      expectServed(await mine.job({ metadata }), 'tm_exact', 'Bonjour');
    expectServed(await mine.job({ domain: 'cooking' }), 'tm_exact', 'Bonjour');
  });

  test('approved it is published and stored like any reviewed job, and billed once', async () => {
    const job = await mine.job({ domain: 'legal' });
    const { status, body } = await mine.review(job.id, { action: 'approve' });
    expect([status, body.status, body.final_translation]).toEqual([200, 'published', 'Bonjour']);
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    const sets = await mine.memories();
    expect(sets.find(({ name }: { name: string }) => name === 'golden-approved-en-fr')).toMatchObject({
      entry_count: 1,
    });
    expect(await mine.usage()).toMatchObject([{ job_id: job.id, billable_chars: 5 }]);
  });
});
