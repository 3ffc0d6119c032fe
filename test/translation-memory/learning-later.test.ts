import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { breakGoldenStore } from '../translations/golden-files.ts';
import { bread, cat, german, good, liveEngine } from '../translations/live.ts';
import { keyed } from '../translations/workspace.ts';
import { withWorkers } from './background.ts';
import { expectServed, type Job } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false', STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' };
const fake = await useFakeOpenAi();
const app = useTestApp({ env, engine: liveEngine(fake) });

let mine: Sets;
let mend: (() => Promise<void>) | undefined;
beforeEach(async () => {
  fake.otherwise(good);
  mine = await openSets(app);
});
afterEach(() => mend?.());

const golden = async () =>
  (await mine.memories()).filter(({ name }: Job) => name.startsWith('golden-approved-'));

describe('a job that is published later feeds the memory later (B 8 rule 4)', () => {
  const text = { source_text: cat, target_lang: 'de' };

  /** From now on, no published record of the tenant can be written, until the returned function is called. */
  async function breakStore(): Promise<void> {
    await mine.job({ source_text: bread, target_lang: 'de' });
    const back = await breakGoldenStore(app, mine);
    mend = async () => {
      mend = undefined;
      await back();
    };
  }
  const publishedByTheSweep = (id: string) =>
    withWorkers(app, () =>
      poll(async () => {
        const { status } = await mine.read(id);
        return status !== 'persistence_failed' && status;
      }),
    );

  test('after a publication that could not be stored', async () => {
    await breakStore();
    const { status, body } = await mine.submit(text);
    expect([status, body.error_code]).toEqual([502, 'persistence_failed']);
    const [job] = (await mine.list()).filter(({ status }: Job) => status === 'persistence_failed');
    await mend?.();
    expect(await publishedByTheSweep(job.id)).toBe('published');
    expect(await golden()).toMatchObject([{ entry_count: 2 }]);
    expectServed(await mine.job(text), 'tm_exact', german[cat]!);
  });

  test('after a review whose record could not be stored: the reviewer’s text, once', async () => {
    await breakStore();
    const { id } = await mine.job({ ...text, domain: 'legal' });
    const answer = await mine.review(id, { action: 'modify', final_translation: 'Die Katze döst.' });
    expect([answer.status, answer.body.error_code]).toEqual([502, 'persistence_failed']);
    await mend?.();
    expect(await publishedByTheSweep(id)).toBe('human_edited');
    expect(await golden()).toMatchObject([{ entry_count: 2 }]);
    expectServed(await mine.job(text), 'tm_exact', 'Die Katze döst.');
    const { body } = await mine.remove(id, mine.admin);
    expect(body.tm_pairs_removed).toBe(1);
  });
});

describe('two jobs that fed the same pair (B 8 rule 4)', () => {
  const text = { source_text: cat, target_lang: 'de' };

  test('each has its own: it serves until both are deleted', async () => {
    const first = await mine.job(text);
    const second = await mine.job({ ...text, domain: 'legal' });
    expect((await mine.review(second.id, { action: 'approve' })).body.status).toBe('published');
    expect((await mine.remove(first.id, mine.admin)).body.tm_pairs_removed).toBe(1);
    expectServed(await mine.job(text), 'tm_exact', german[cat]!);
    expect((await mine.remove(second.id, mine.admin)).body.tm_pairs_removed).toBe(1);
    expect((await mine.job(text)).request.metadata.provenance).toBeUndefined();
  });
});

describe('a failed job that is sent again (B 4.2)', () => {
  test('is served by a memory imported meanwhile, under the same id, billed once', async () => {
    const text = { source_text: cat, target_lang: 'de' };
    fake.otherwise(failure(500));
    expect((await mine.submit(text, keyed('k'))).status).toBe(503);
    const [failed] = await mine.list();
    await mine.memory([[cat, 'Aus dem Speicher.']], { target_lang: 'de' });
    const { status, body } = await mine.submit(text, keyed('k'));
    expect([status, body.id]).toEqual([200, failed.id]);
    expectServed(body, 'tm_exact', 'Aus dem Speicher.');
    expect(await mine.usage()).toMatchObject([{ job_id: failed.id, billable_chars: cat.length }]);
  });
});
