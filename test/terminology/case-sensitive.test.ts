import { afterAll, describe, expect, test } from 'vitest';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectPipeline, triggersOf } from '../translation-memory/fast-path-jobs.ts';
import { openSets } from '../translation-memory/sets.ts';
import { liveEngine } from '../translations/live.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const live = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

const month = ['May,Mai,en,de,1', 'may,dürfen,en,de,0'];
const car = ['Polish,polnisch,en,de,1', 'polish,polieren,en,de,0'];

describe('B 4.4 case_sensitive: one term with case and one without, in both orders of the rows', () => {
  test.each([
    [month, 'You may come in May 1.', 'Sie dürfen im Mai 1 kommen.', []],
    [month, 'In May 2 you may come.', 'Im Mai 2 dürfen Sie kommen.', []],
    [month, 'In May 3 you may come.', 'Im Mai 3 kommen Sie, Mai.', ['dürfen']],
    [month, 'See you in May 5.', 'Wir dürfen uns 5 sehen.', ['Mai']],
    [car, 'We polish the Polish car.', 'Wir polieren das polnische Auto.', []],
  ])('%j: %s – %s', async (lines, source_text, translation, missing) => {
    fake.otherwise(translatingReply({ translate: () => translation, repair: (text) => text }));
    for (const rows of [lines, lines.toReversed()]) {
      const at = await openSets(live);
      await at.glossary(rows);
      const metadata = { max_quality_loop_retries: 1 };
      const job = await at.job({ source_text, target_lang: 'de', metadata });
      expectPipeline(job);
      expect(job.request.metadata.terminology_gate.missing_terms).toEqual(missing);
      const noncompliant = missing.length > 0;
      expect(triggersOf(job).includes('terminology_noncompliant')).toBe(noncompliant);
      expect(job.status).toBe(noncompliant ? 'awaiting_review' : 'published');
    }
  });
});
