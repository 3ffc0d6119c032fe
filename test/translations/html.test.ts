import { describe, expect, test } from 'vitest';
import { advance, isDownloadable, sourcesOf } from '#server/texts/job-states.ts';
import { jobStatus } from '#server/texts/schema.ts';
import { useTestApp } from '#test/setup/app.ts';
import { outcomesOf } from '#test/translation-memory/fast-path-jobs.ts';
import { openSets } from '#test/translation-memory/sets.ts';
import { openWorkspace } from './workspace.ts';

const app = useTestApp();

test('the stub engine echoes inside the translatable text of a page only', async () => {
  const mine = await openWorkspace(app);
  const { final_translation } = await mine.job({
    source_text: '<p title="A &amp; b" data-x=1>Hello <b>world</b> &lt;3</p><script>run()</script>',
    text_type: 'Html',
  });
  expect(final_translation).toBe(
    '<p title="[fr] A &amp; b" data-x=1>[fr] Hello <b>[fr] world</b> [fr] &lt;3</p><script>run()</script>',
  );
});

test('its echo is no translation, and exempt from the plausibility checks', async () => {
  const source_text =
    'The parcel must be delivered before Friday, and do not open the box before the technician has arrived.';
  expect((await (await openWorkspace(app)).job({ source_text })).status).toBe('published');
});

describe('memory markup', () => {
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
});

test('only awaiting_review and refined jobs can be reviewed', () => {
  expect(sourcesOf('approved').sort()).toEqual(['awaiting_review', 'refined']);
  expect(sourcesOf('rejected').sort()).toEqual(['awaiting_review', 'refined']);
});

test('only published and human_edited jobs can be downloaded', () => {
  expect(jobStatus.options.filter(isDownloadable).sort()).toEqual(['human_edited', 'published']);
});

test('published, edited and rejected are final', () => {
  for (const end of ['published', 'human_edited', 'rejected'] as const)
    for (const to of jobStatus.options) expect(() => advance(end, to)).toThrow();
});

test('the transitions through the pipeline and through review', () => {
  expect(advance('pending', 'translated', 'published')).toBe('published');
  expect(advance('awaiting_review', 'awaiting_review', 'approved', 'human_edited')).toBe('human_edited');
  expect(advance('approved', 'persistence_failed', 'published')).toBe('published');
  expect(advance('failed', 'pending')).toBe('pending');
  expect(() => advance('pending', 'published')).toThrow('no transition from pending to published');
  expect(() => advance('awaiting_review', 'published')).toThrow();
});
