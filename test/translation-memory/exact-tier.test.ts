import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { goldenFiles } from '../translations/golden-files.ts';
import { keyed } from '../translations/workspace.ts';
import { expectPipeline, expectServed, fastPathOf, type Job } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';
import type { Unit } from './tmx.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

describe('which sources are a 100 % match (B 8 "Exact tier")', () => {
  test.each([
    ['runs of white space', 'Save the file.', 'Save  the\tfile.'],
    ['stored with lines', 'Save\n   the file.', 'Save the file.'],
    ['composed and asked decomposed', 'Caf\u00e9', 'Cafe\u0301'],
  ])('NFC and white space are normalized: %s', async (_, stored, asked) => {
    await mine.memory([[stored, 'Voilà']]);
    expectServed(await mine.job({ source_text: asked }), 'tm_exact', 'Voilà');
  });

  test.each([
    ['case', 'Save the file.', 'save the file.'],
    ['compatibility forms', '\ufb01le', 'file'],
  ])('and nothing else: not %s', async (_, stored, asked) => {
    await mine.memory([[stored, 'Voilà']]);
    const job = await mine.job({ source_text: asked });
    expectPipeline(job);
    expect(job.final_translation).toBe(`[fr] ${asked}`);
  });

  test('its target is served verbatim', async () => {
    const target = '  Deux  espaces\net une\tligne : e\u0301 ';
    await mine.memory([['Hello', target]]);
    expectServed(await mine.job(), 'tm_exact', target);
  });

  test('the request’s languages decide, source and target, and a memory serves only its own direction', async () => {
    await mine.memory([['Hello', 'Bonjour']]);
    for (const [source_lang, target_lang] of [
      ['en', 'de'],
      ['de', 'fr'],
      ['fr', 'en'],
      ['en', 'fr-CA'],
    ])
      expect(fastPathOf(await mine.job({ source_lang, target_lang }))).toBeUndefined();
    expect(
      (await mine.job({ source_text: 'Bonjour', source_lang: 'fr', target_lang: 'en' })).final_translation,
    ).toBe('[en] Bonjour');
    expectServed(await mine.job({ source_lang: 'EN', target_lang: 'FR' }), 'tm_exact', 'Bonjour');
  });
});

describe('the job of a match (B 8 "Exact tier")', () => {
  test('is published unchanged: nulls, provenance, a passed gate of 100, no task; read again it is the same', async () => {
    await mine.memory([['Hello', 'Bonjour']]);
    const job = await mine.job({ metadata: { colour: 'red', min_quality_score: 100 } });
    expectServed(job, 'tm_exact', 'Bonjour', 100);
    expect(job.baseline_translation).toBe('Bonjour');
    expect(job.request.metadata).toMatchObject({ colour: 'red', tenant: { id: mine.tenantId } });
    expect(job.agent_run).toMatchObject({ status: 'completed', error: null });
    expect(await mine.read(job.id)).toEqual(job);
    expect(await mine.list()).toEqual([job]);
  });

  test('a caller cannot write the provenance of a job of the whole pipeline', async () => {
    const job = await mine.job({ metadata: { provenance: { fast_path: 'tm_exact' } } });
    expectPipeline(job);
  });

  test('no golden record, no golden pair', async () => {
    await mine.memory([['Hello', 'Bonjour']]);
    const job = await mine.job();
    expect(await goldenFiles(app, mine)).toEqual(new Map());
    expect((await mine.memories()).map(({ name }: { name: string }) => name)).toEqual(['A memory']);
    expect(job.request.metadata).not.toHaveProperty('golden_uri');
  });

  test('is metered like any job, and the usage record names the source', async () => {
    await mine.memory([['Hello', 'Bonjour']]);
    const served = await mine.job();
    const full = await mine.job({ source_text: 'Good day' });
    const { status, body } = await app.json('GET', `/api/tenants/${mine.tenantId}/billing`, {
      headers: mine.admin,
    });
    expect([status, body.billable_chars, body.jobs]).toEqual([200, 13, 2]);
    const records = Object.fromEntries(body.records.map((record: Job) => [record.job_id, record]));
    expect(records[served.id]).toMatchObject({
      kind: 'text',
      source_chars: 5,
      billable_chars: 5,
      job_status: 'published',
      fast_path: 'tm_exact',
    });
    expect(records[full.id]).toMatchObject({ fast_path: null });
  });

  test('sent again with its key it is a replay, even if the memory has changed', async () => {
    await mine.memory([['Hello', 'Bonjour']]);
    const text = { source_text: 'Hello', target_lang: 'fr' };
    const first = await mine.submit(text, keyed('k'));
    await mine.memory([['Hello', 'Salut']]);
    const again = await mine.submit(text, keyed('k'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expectServed(again.body, 'tm_exact', 'Bonjour');
    expect(await mine.usage()).toHaveLength(1);
    expectServed((await mine.submit(text, keyed('l'))).body, 'tm_exact', 'Salut');
  });
});

describe('several stored segments share a source (B 8)', () => {
  const put = (name: string, target: string, changedate?: string) =>
    mine.memory([{ source: 'Hello', target, ...(changedate && { changedate }) } satisfies Unit], { name });
  const served = async (target: string) => expectServed(await mine.job(), 'tm_exact', target);

  /** Approves a translation of «Hello» through a review. */
  async function approve(target: string): Promise<void> {
    const { id } = await mine.job({ metadata: { sensitive: true } });
    expect((await mine.review(id, { action: 'modify', final_translation: target })).status).toBe(200);
  }

  test('golden origin over imported, whatever the dates and the order', async () => {
    await put('before', 'imported before', '20990101T000000Z');
    await approve('approved');
    await served('approved');
    await put('after', 'imported after', '20990101T000000Z');
    await served('approved');
    // The name of a set does not determine its origin.
    await put('golden', 'imported as golden', '20990101T000000Z');
    await served('approved');
  });

  test('then the newest changedate, whichever set was written last', async () => {
    await put('a', 'newest', '20240601T120000Z');
    await put('b', 'older', '20240601T115959Z');
    await put('c', 'oldest', '19990101T000000Z');
    await served('newest');
    await put('b', 'newer still', '20240601T120001Z');
    await served('newer still');
  });

  test('then the set that was written last', async () => {
    await put('a', 'first');
    await put('b', 'second');
    await served('second');
    await put('a', 'first again');
    await served('first again');
  });

  test('when the winner’s set goes, the next one serves', async () => {
    const set = await put('a', 'newest', '20240601T120000Z');
    await put('b', 'older', '20230601T120000Z');
    await approve('approved');
    await served('approved');
    const golden = (await mine.memories()).find(({ name }: { name: string }) => name.startsWith('golden-'));
    expect((await mine.removeMemory(golden.id)).status).toBe(204);
    await served('newest');
    await mine.removeMemory(set.id);
    await served('older');
  });
});
