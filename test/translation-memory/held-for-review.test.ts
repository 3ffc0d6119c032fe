import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { recordsOf } from '../translations/golden-files.ts';
import { cat, good, liveEngine } from '../translations/live.ts';
import { keyed } from '../translations/workspace.ts';
import { blockingOf, expectHeld, expectServed, fastPathOf, outcomesOf } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const live = useTestApp({ env, engine: liveEngine(fake) });

let mine: Sets;
beforeEach(async () => {
  fake.otherwise(good);
  fake.requests.length = 0;
  mine = await openSets(app);
  await mine.memory([['Hello', 'Bonjour']]);
});

describe('B 8 "Exact tier": a sensitive or regulated request is held for review', () => {
  const flags = ['sensitive', 'regulated', 'requires_human_review'];
  test.each(flags.flatMap((flag) => [true, 1, 'yes'].map((value) => [flag, value] as const)))(
    'metadata.%s of %j: tm_exact_held, trigger sensitive_content',
    async (flag, value) => {
      const job = await mine.job({ metadata: { [flag]: value } });
      expectHeld(job, 'tm_exact_held', 'Bonjour');
      expect(blockingOf(job)).toContain('sensitive_content');
    },
  );

  test.each(['finance', 'financial', 'healthcare', 'legal', 'medical', 'pharma'])(
    'domain %s: tm_exact_held, trigger policy_required',
    async (domain) => {
      const job = await mine.job({ domain });
      expectHeld(job, 'tm_exact_held', 'Bonjour');
      expect(blockingOf(job)).toContain('policy_required');
    },
  );

  test('a flag that is not truthy, or another domain, holds nothing', async () => {
    for (const metadata of [
      { sensitive: false },
      { regulated: 0 },
      { requires_human_review: '' },
      { sensitive: null },
    ])
      expectServed(await mine.job({ metadata }), 'tm_exact', 'Bonjour');
    expectServed(await mine.job({ domain: 'cooking' }), 'tm_exact', 'Bonjour');
  });

  test('a job of the whole pipeline has no such outcome', async () => {
    const job = await mine.job({ source_text: 'Something else', metadata: { sensitive: true } });
    expect(outcomesOf(job)).not.toContain('tm_exact_held');
    expect(fastPathOf(job)).toBeUndefined();
    expect(job.quality_assessment).not.toBeNull();
  });

  test('the model is not called for a held one', async () => {
    const at = await openSets(live);
    await at.memory([[cat, 'Die Katze schläft.']], { target_lang: 'de' });
    const job = await at.job({ source_text: cat, target_lang: 'de', domain: 'legal' });
    expectHeld(job, 'tm_exact_held', 'Die Katze schläft.');
    expect(fake.requests).toEqual([]);
  });

  test('C 7: it is billed when the pipeline finishes, once, held or not', async () => {
    const job = await mine.job({ domain: 'legal' });
    await mine.review(job.id, { action: 'approve' });
    expect(await mine.usage()).toMatchObject([{ job_id: job.id, billable_chars: 5 }]);
  });

  test('B 4.2: sent again with its key it is the job in its current state', async () => {
    const text = { source_text: 'Hello', target_lang: 'fr', domain: 'legal' };
    const { body } = await mine.submit(text, keyed('k'));
    await mine.review(body.id, { action: 'approve' });
    const again = await mine.submit(text, keyed('k'));
    expect(again.body).toMatchObject({ id: body.id, status: 'published' });
  });
});

describe('C 7: a held fast-path job that a reviewer publishes persists like any reviewed job', () => {
  test('approved unchanged: published, a golden record, an approved pair', async () => {
    const job = await mine.job({ domain: 'legal' });
    const { status, body } = await mine.review(job.id, { action: 'approve' });
    expect([status, body.status, body.final_translation]).toEqual([200, 'published', 'Bonjour']);
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    const sets = await mine.memories();
    expect(sets.find(({ name }: { name: string }) => name === 'golden-approved-en-fr')).toMatchObject({
      entry_count: 1,
    });
  });

  test('modified: human_edited, and from then on served instead of the import', async () => {
    const job = await mine.job({ metadata: { regulated: true } });
    const { body } = await mine.review(job.id, { action: 'modify', final_translation: 'Salut' });
    expect(body.status).toBe('human_edited');
    expectServed(await mine.job(), 'tm_exact', 'Salut');
  });

  test('rejected: nothing persists, and the import serves on', async () => {
    const job = await mine.job({ metadata: { regulated: true } });
    const { body } = await mine.review(job.id, { action: 'reject' });
    expect(body.status).toBe('rejected');
    expect(await recordsOf(app, mine, job.id)).toEqual([]);
    expect(await mine.memories()).toHaveLength(1);
    expectServed(await mine.job(), 'tm_exact', 'Bonjour');
  });
});
