import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { ended, expectAccepted, withWorkers } from './background.ts';
import { tmxFile } from './corpus.ts';
import { expectServed } from './fast-path-jobs.ts';
import { openSets, refusal, type Sets } from './sets.ts';
import { pairs, tmx } from './tmx.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
/** Files with four segments or more are imported in the background. No workers run: the tests run the jobs. */
const low = useTestApp({ env: { ...env, TM_ASYNC_THRESHOLD: '3', MAX_TM_SEGMENTS: '100' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(low);
});

const large = tmx(pairs(4));
const inProgress = [409, expect.stringMatching(/^tm_import_in_progress:/)];
const final = async (source_text: string) => (await mine.job({ source_text })).final_translation;

describe('above 5000 segments (B 8 "Asynchronous import threshold")', () => {
  test('tmx/made-5200-units.tmx is 202, and ends with the result of a synchronous response', async () => {
    const at = await openSets(app);
    const answer = await at.importFile(tmxFile('made-5200-units'), { name: 'Valves' });
    const job = expectAccepted(answer);
    expect(job).toMatchObject({
      set_name: 'Valves',
      source_lang: 'en',
      target_lang: 'fr',
      total_units: 5200,
      deduped_units: 5200,
    });
    await withWorkers(app, async () => {
      const done = await ended(at, job.id);
      expect(done).toMatchObject({ status: 'completed', error: null });
      const [set] = await at.memories();
      expect(done.result).toEqual({
        ...set,
        total_units: 5200,
        imported: 5200,
        skipped_units: 0,
        duplicates_dropped: 0,
      });
      expect(set).toMatchObject({ name: 'Valves', origin: 'tmx_import', entry_count: 5200 });
    });
    expectServed(
      await at.job({ source_text: 'Check the pump number 1 before start 0.' }),
      'tm_exact',
      'Vérifiez l’élément sensor numéro 1 avant le démarrage 0.',
    );
  });
});

describe('the import job (B 2.9, 3.3)', () => {
  test('runs until it is completed; its result is exactly the body of a synchronous 200', async () => {
    const small = (await mine.importFile(tmx(pairs(1)), { name: 'small' })).body;
    const units: [string, string][] = [...pairs(5), ['one sentence 1', 'la dernière'], ['no target', '']];
    units.push(['one sentence 1', 'la dernière']);
    const job = expectAccepted(await mine.importFile(tmx(units)));
    expect(job).toMatchObject({ set_name: 'A memory', total_units: 8, deduped_units: 6 });
    expect((await mine.importOf(job.id)).body).toEqual({ poll_url: `/api/tm/imports/${job.id}`, job });
    const done = await withWorkers(low, () => ended(mine, job.id));
    expect(done).toMatchObject({
      ...job,
      status: 'completed',
      updated_at: done.updated_at,
      result: done.result,
    });
    expect(Object.keys(done.result).toSorted()).toEqual(Object.keys(small).toSorted());
    expect(done.result).toMatchObject({
      name: 'A memory',
      entry_count: 6,
      total_units: 8,
      imported: 6,
      skipped_units: 1,
      duplicates_dropped: 1,
    });
    expect(await final('one sentence 1')).toBe('la dernière');
  });

  test('the list has the newest 50, each as it was accepted, without poll_url', async () => {
    const jobs: unknown[] = [];
    for (let n = 0; n < 52; n += 1) {
      const target_lang = ['fr', 'de', 'es'][n % 3]!;
      const file = tmx(pairs(4), 'en', target_lang);
      jobs.unshift(expectAccepted(await mine.importFile(file, { name: `${n}`, target_lang })));
    }
    expect(await mine.imports()).toEqual(jobs.slice(0, 50));
  });
});

describe('while an import runs (B 4.5)', () => {
  test('a second of its name is 409 tm_import_in_progress:, large or small; of another name, or tenant, not', async () => {
    const job = expectAccepted(await mine.importFile(large));
    expect(refusal(await mine.importFile(large))).toEqual(inProgress);
    expect(refusal(await mine.importFile(tmx(pairs(1))))).toEqual(inProgress);
    expectAccepted(await mine.importFile(large, { name: 'another' }));
    expect((await mine.importFile(tmx(pairs(1)), { name: 'a third' })).status).toBe(200);
    const other = await openSets(low);
    expectAccepted(await other.importFile(large));
    // The running import continues. After it ends, a file with the same name can be imported again.
    await withWorkers(low, async () => {
      expect(await ended(mine, job.id)).toMatchObject({ status: 'completed', result: { imported: 4 } });
      expect((await mine.importFile(tmx(pairs(2)))).body).toMatchObject({ imported: 2 });
    });
  });

  test('its set cannot be deleted: 409; others can', async () => {
    const { id } = await mine.memory([['Hello', 'Bonjour']]);
    const other = await mine.memory([['Bye', 'Salut']], { name: 'another' });
    const job = expectAccepted(await mine.importFile(large));
    expect(refusal(await mine.removeMemory(id))).toEqual(inProgress);
    expect((await mine.removeMemory(other.id)).status).toBe(204);
    await withWorkers(low, () => ended(mine, job.id));
    expect((await mine.removeMemory(id)).status).toBe(204);
    expect(await final('one sentence 1')).toBe('[fr] one sentence 1');
  });

  test('the set is what it was, until it is replaced in one switch, under its id', async () => {
    const { id } = await mine.memory([['Hello', 'Bonjour']]);
    const job = expectAccepted(await mine.importFile(large));
    expect(await final('Hello')).toBe('Bonjour');
    expect(await final('one sentence 1')).toBe('[fr] one sentence 1');
    expect(await mine.memories()).toMatchObject([{ id, entry_count: 1 }]);
    const done = await withWorkers(low, () => ended(mine, job.id));
    expect(done.result).toMatchObject({ id, entry_count: 4 });
    expect(await final('Hello')).toBe('[fr] Hello');
    expect(await final('one sentence 1')).toBe('une phrase 1');
  });
});

describe('every rejection stays synchronous (B 4.5)', () => {
  test('a large file that is refused is refused at once, and leaves no job', async () => {
    const refused: [number, () => ReturnType<Sets['importFile']>][] = [
      [400, () => mine.importFile(large.slice(0, -20))],
      [400, () => mine.importFile(large, { name: 'golden-approved-en-fr' })],
      [400, () => mine.importFile(large, { target_lang: 'de' })],
      [415, () => mine.importFile(large, {}, { type: 'text/csv' })],
      [422, () => mine.importFile(large, { target_lang: 'xx' })],
      [422, () => mine.importFile(tmx(pairs(101)))],
    ];
    for (const [status, answer] of refused) expect((await answer()).status).toBe(status);
    expect(await mine.imports()).toEqual([]);
  });

  test('a 202 means capacity passed: a running import counts as stored for the next', async () => {
    const job = expectAccepted(await mine.importFile(tmx(pairs(60)), { name: 'first' }));
    const second = await mine.importFile(tmx(pairs(60, 'thing')), { name: 'second' });
    expect(refusal(second)).toEqual([422, expect.stringMatching(/^tm_max_segments_exceeded:/)]);
    expectAccepted(await mine.importFile(tmx(pairs(40, 'thing')), { name: 'second' }));
    const done = await withWorkers(low, () => ended(mine, job.id));
    expect(done).toMatchObject({ status: 'completed', result: { imported: 60 } });
  });
});
