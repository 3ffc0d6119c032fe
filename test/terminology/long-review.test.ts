import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

test('a review with a slow check of many long terms still names the terms that the published text misses', async () => {
  const mine = await openSets(app);
  const targets = Array.from({ length: 60 }, (_, n) => `cible ${n} ${'mot '.repeat(15)}fin`);
  await mine.glossary(
    targets.map((target, n) => `term${n},${target}`),
    { source_lang: 'en', target_lang: 'fr' },
  );
  const { id, status } = await mine.job({ source_text: targets.map((_, n) => `term${n}`).join(' ') });
  expect(status).toBe('awaiting_review');
  const published = targets.slice(0, 58).join(', ');
  const { body } = await mine.review(id, { action: 'modify', final_translation: published });
  expect(body.status).toBe('human_edited');
  expect(body.request.metadata.terminology_gate_override).toMatchObject({
    action: 'modify',
    missing_terms: targets.slice(58),
  });
  expect(body.final_translation).toBe(published);
  // The job is closed, as after any other review.
  expect((await mine.review(id, { action: 'approve' })).status).toBe(400);
});
