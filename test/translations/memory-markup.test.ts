import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { outcomesOf } from '#test/translation-memory/fast-path-jobs.ts';
import { openSets } from '#test/translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const asHtml = (source_text: string) => ({ source_text, target_lang: 'fr', text_type: 'Html' });

test('a page is served from the memory where the stored target has its markup', async () => {
  const mine = await openSets(app);
  await mine.memory([['<p class="a">Read <b>more</b></p>', '<p class="a">Lire <b>la suite</b></p>']]);
  const job = await mine.job(asHtml('<p class="a">Read <b>more</b></p>'));
  expect(job.final_translation).toBe('<p class="a">Lire <b>la suite</b></p>');
});

test.each([
  ['a script', '<p>Read more</p>', '<p>Lire la suite</p><script>alert(1)</script>'],
  ['an element with a handler', 'Contact & now', 'Contact <img src=x onerror=alert(1)> & maintenant'],
  ['another address', '<a href="/a">Read more</a>', '<a href="https://evil.example/">Lire la suite</a>'],
])('%s that only the stored target has does not come into a page', async (_name, source, target) => {
  const mine = await openSets(app);
  await mine.memory([[source, target]]);
  const job = await mine.job(asHtml(source));
  expect(outcomesOf(job)).toContain('tm_exact_markup');
  expect(job.final_translation).not.toContain(target);
  // As plain text, the source is the one that was stored.
  const plain = await mine.job({ source_text: source, target_lang: 'fr' });
  expect(plain.final_translation).toBe(target);
});
