import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { checkPlausibility } from '#server/translation/core/plausibility/index.ts';

const areLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) =>
    file.endsWith('/plausibility/language-profiles.ts'),
  );

it('the profiles of languages are loaded by the first text that needs them, not before', () => {
  expect(areLoaded()).toBe(false);
  checkPlausibility({
    sourceText: 'The door is open on weekdays.',
    targetText: 'Die Tür ist an Werktagen geöffnet.',
    sourceLang: 'en',
    targetLang: 'de',
  });
  expect(areLoaded()).toBe(true);
});
