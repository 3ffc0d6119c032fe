import { beforeEach, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { expectPipeline, expectServed, outcomesOf } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const call = (path: string, type: 'mutation' | 'query', input?: Fields, of = mine) =>
  viaRpc(app, { path, type }, { ...(input && { input }), headers: of.headers });
const setPenalty = (set_id: string, penalty: number, age_penalty = 0, of = mine) =>
  call('memory.setPenalty', 'mutation', { set_id, penalty, age_penalty }, of);
const penalties = async () => (await call('memory.penalties', 'query')).body.penalties;
async function matchesOf(source_text: string, of = mine) {
  const pair = { source_lang: 'en', target_lang: 'fr' };
  const { body } = await call('memory.matches', 'mutation', { source_text, ...pair }, of);
  return body.matches.map(({ kind, score, target_text }: Fields) => [kind, score, target_text]);
}

test('an exact match with a penalty is not served: the model gets it as a fuzzy match with its number', async () => {
  const set = await mine.memory([['Hello', 'Bonjour']]);
  expectServed(await mine.job(), 'tm_exact', 'Bonjour');
  expect(await setPenalty(set.id, 7)).toMatchObject({ status: 200, body: { penalty: 7, age_penalty: 0 } });
  const job = await mine.job();
  expectPipeline(job);
  expect(outcomesOf(job)).toContain('93 % alike');
  expect(await matchesOf('Hello')).toEqual([['close', 93, 'Bonjour']]);
  await setPenalty(set.id, 0);
  expectServed(await mine.job({ source_text: ' Hello' }), 'tm_exact', 'Bonjour');
});

test('a segment without a penalty wins, even over an approved translation with one', async () => {
  const job = await mine.job({ domain: 'legal' });
  await mine.review(job.id, { action: 'modify', final_translation: 'Salut' });
  await mine.memory([['Hello', 'Bonjour']]);
  expectServed(await mine.job(), 'tm_exact', 'Salut');
  const golden = (await mine.memories()).find(({ origin }: Fields) => origin === 'golden_approved');
  await setPenalty(golden.id, 1);
  expectServed(await mine.job(), 'tm_exact', 'Bonjour');
});

test('a fuzzy match loses the points, too; below 70 it is not offered', async () => {
  const set = await mine.memory([['The kitchen closes at nine.', 'La cuisine ferme à neuf heures.']]);
  await setPenalty(set.id, 10);
  expect(await matchesOf('The kitchen closes at ten.')).toEqual([
    ['close', 78, 'La cuisine ferme à neuf heures.'],
  ]);
  await setPenalty(set.id, 30);
  expect(await matchesOf('The kitchen closes at ten.')).toEqual([]);
  expect(await matchesOf('The kitchen closes at nine.')).toEqual([
    ['close', 70, 'La cuisine ferme à neuf heures.'],
  ]);
});

test('of fuzzy matches, the best ones are those without their penalties', async () => {
  const nines = Array.from({ length: 12 }, (_, n): [string, string] => [
    `The large kitchen of the house closes at nine ${n + 10}.`,
    `${n}`,
  ]);
  const penalized = await mine.memory(nines, { name: 'Old' });
  await mine.memory([['The large kitchen of the house closes at half ten.', 'Salle']], { name: 'New' });
  await setPenalty(penalized.id, 20);
  const [first] = await matchesOf('The large kitchen of the house closes at nine 50.');
  expect(first).toEqual(['close', expect.any(Number), 'Salle']);
});

test('a sentence of a set with a penalty is not exact, and an approved paragraph passes its penalty on', async () => {
  const text = 'Stop the pump. Close valve 7.';
  const approve = async () => {
    const job = await mine.job({ source_text: text, domain: 'legal' });
    await mine.review(job.id, {
      action: 'modify',
      final_translation: 'Arrêtez la pompe. Fermez la vanne 7.',
    });
  };
  await approve();
  const golden = (await mine.memories())[0];
  expect(await matchesOf('Close valve 7.')).toEqual([['exact', 100, 'Fermez la vanne 7.']]);
  await setPenalty(golden.id, 5);
  const penalized = [['close', 95, 'Fermez la vanne 7.']];
  expect(await matchesOf('Close valve 7.')).toEqual(penalized);
  const job = await mine.job({ source_text: 'Close valve 7. Stop the pump.' });
  expect(job.request.metadata.provenance).toBeUndefined();
});

test('sentences that are learned after the penalty of their golden set have it, too', async () => {
  const held = { domain: 'legal' };
  const first = await mine.job(held);
  await mine.review(first.id, { action: 'modify', final_translation: 'Salut' });
  const golden = (await mine.memories())[0];
  await setPenalty(golden.id, 5);
  const job = await mine.job({ source_text: 'Stop the pump. Close valve 7.', ...held });
  const final_translation = 'Arrêtez la pompe. Fermez la vanne 7.';
  await mine.review(job.id, { action: 'modify', final_translation });
  expect(await matchesOf('Close valve 7.')).toEqual([['close', 95, 'Fermez la vanne 7.']]);
});

test('a match loses points for each full year since its change, at most 30 with the penalty of the set', async () => {
  const yearsAgo = (years: number, days = 0) => {
    const date = new Date(Date.now() - days * 86_400_000);
    date.setUTCFullYear(date.getUTCFullYear() - years);
    return `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  };
  const set = await mine.memory([
    { source: 'One', target: 'Un', changedate: yearsAgo(3, 2) },
    { source: 'Two', target: 'Deux', changedate: yearsAgo(1, -2) },
    { source: 'Three', target: 'Trois', changedate: yearsAgo(20) },
    ['Four', 'Quatre'],
  ]);
  await setPenalty(set.id, 0, 4);
  expect(await matchesOf('One')).toEqual([['close', 88, 'Un']]);
  expect(await matchesOf('Two')).toEqual([['exact', 100, 'Deux']]);
  expect(await matchesOf('Three')).toEqual([['close', 70, 'Trois']]);
  expect(await matchesOf('Four')).toEqual([['exact', 100, 'Quatre']]);
  await setPenalty(set.id, 5, 4);
  expect(await matchesOf('One')).toEqual([['close', 83, 'Un']]);
});

test('an estimate counts a match with a penalty as a fuzzy one', async () => {
  const set = await mine.memory([['Hello', 'Bonjour']]);
  await setPenalty(set.id, 20);
  const { body } = await mine.submit({ source_text: 'Hello', target_lang: 'fr', dry_run: true });
  expect(body).toMatchObject({ exact_matches: { segments: 0 }, fuzzy_matches: { segments: 1 } });
  expect(body.fuzzy_matches.by_similarity).toContainEqual({ from: 75, segments: 1, words: 1, characters: 5 });
});

test('penalties are listed, survive a new upload, are audited, and belong to one workspace', async () => {
  const set = await mine.memory([['Hello', 'Bonjour']]);
  expect(await penalties()).toEqual([]);
  const before = (await mine.memories())[0].updated_at;
  await setPenalty(set.id, 3, 1);
  await setPenalty(set.id, 3, 1);
  expect((await mine.memories())[0].updated_at).toBe(before);
  await mine.memory([['Hello', 'Salut']]);
  expect(await penalties()).toEqual([{ set_id: set.id, penalty: 3, age_penalty: 1 }]);
  expect(await matchesOf('Hello')).toEqual([['close', 97, 'Salut']]);
  expect(await eventsOf(app, mine.tenantId, 'memory_penalty_changed')).toMatchObject([
    { target: set.id, details: { name: 'A memory', penalty: 3, age_penalty: 1 } },
  ]);
  const other = await openSets(app);
  expect((await setPenalty(set.id, 0, 0, other)).status).toBe(404);
  expect((await setPenalty('\u0000', 0)).status).toBeGreaterThanOrEqual(400);
  for (const [penalty, age] of [
    [31, 0],
    [-1, 0],
    [0.5, 0],
    [0, 11],
  ])
    expect((await setPenalty(set.id, penalty!, age)).status).toBe(422);
  expect(await penalties()).toHaveLength(1);
});
