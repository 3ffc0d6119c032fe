import { beforeEach, describe, expect, test } from 'vitest';
import { translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { bread, cat, garden, german, good, liveEngine, translate, windows } from '../translations/live.ts';
import { expectServed, type Job } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const fake = await useFakeOpenAi();
const app = useTestApp({ env, engine: liveEngine(fake) });
const stub = useTestApp({ env });

let mine: Sets;
beforeEach(async () => {
  fake.otherwise(good);
  fake.requests.length = 0;
  mine = await openSets(app);
});

const job = (source_text: string, fields = {}) => mine.job({ source_text, target_lang: 'de', ...fields });
const held = (source_text: string) => job(source_text, { metadata: { sensitive: true } });
const golden = async (of = mine) =>
  (await of.memories()).filter(({ name }: { name: string }) => name.startsWith('golden-approved-'));

async function review(id: string, body: Record<string, unknown>, of = mine): Promise<Job> {
  const answer = await of.review(id, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

/** Expects that an approved translation serves a text without a model call. */
async function expectLearnt(source_text: string, target: string): Promise<void> {
  fake.requests.length = 0;
  expectServed(await job(source_text), 'tm_exact', target);
  expect(fake.requests).toEqual([]);
}

describe('a published text job appends its pair to golden-approved-<src>-<tgt> (B 8 rule 4)', () => {
  test('autonomously: a set that was not there before', async () => {
    expect(await mine.memories()).toEqual([]);
    expect(await job(cat)).toMatchObject({ status: 'published' });
    const [set, ...others] = await mine.memories();
    expect(others).toEqual([]);
    expect(set).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'golden-approved-en-de',
      source_lang: 'en',
      target_lang: 'de',
      entry_count: 1,
      origin: expect.stringMatching(/golden/),
      stub_embeddings: true,
    });
    await expectLearnt(cat, german[cat]!);
  });

  test('the same set for the next one, whose name has supported codes', async () => {
    await job(cat);
    await job(bread);
    expect(await golden()).toMatchObject([{ name: 'golden-approved-en-de', entry_count: 2 }]);
    const at = await openSets(stub);
    const { id } = await at.job({ target_lang: 'pt-br', metadata: { sensitive: true } });
    await review(id, { action: 'modify', final_translation: 'Olá' }, at);
    expect(await golden(at)).toMatchObject([{ name: 'golden-approved-en-pt-BR', entry_count: 1 }]);
    expect((await at.job({ target_lang: 'pt-PT' })).final_translation).toBe('[pt-PT] Hello');
  });

  test('approved: not before', async () => {
    const { id } = await held(cat);
    expect(await golden()).toEqual([]);
    await review(id, { action: 'approve' });
    expect(await golden()).toMatchObject([{ entry_count: 1 }]);
    await expectLearnt(cat, german[cat]!);
  });

  test('saved and approved: the draft; saved alone: nothing', async () => {
    const { id } = await held(cat);
    await review(id, { action: 'save', final_translation: 'Die Katze döst.' });
    expect(await golden()).toEqual([]);
    await review(id, { action: 'approve' });
    await expectLearnt(cat, 'Die Katze döst.');
  });

  test('rejected, held for its score, or failed: nothing', async () => {
    await review((await held(cat)).id, { action: 'reject' });
    fake.otherwise(translatingReply({ translate, score: 10 }));
    expect((await job(cat)).status).toBe('awaiting_review');
    fake.otherwise((response) => void response.writeHead(500).end());
    expect((await mine.submit({ source_text: bread, target_lang: 'de' })).status).toBe(503);
    expect(await golden()).toEqual([]);
  });

  test('a correction is served from then on: the newest golden target', async () => {
    await job(cat);
    for (const target of ['Die Katze döst.', 'Die Katze ruht.']) {
      await review((await held(cat)).id, { action: 'modify', final_translation: target });
      await expectLearnt(cat, target);
    }
  });

  test('ten approvals at once are ten pairs of one set', async () => {
    const at = await openSets(stub);
    const jobs = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        at.job({ source_text: `Text ${n}`, metadata: { sensitive: true } }),
      ),
    );
    await Promise.all(
      jobs.map(({ id }, n) => review(id, { action: 'modify', final_translation: `Texte ${n}` }, at)),
    );
    expect(await golden(at)).toMatchObject([{ entry_count: 10 }]);
  });
});

describe('untranslated pairs are not memorized (B 8 rule 5)', () => {
  test('the stub’s [<lang>] <source>, published or approved; the approval succeeds', async () => {
    const at = await openSets(stub);
    expect((await at.job()).status).toBe('published');
    const { id } = await at.job({ source_text: 'Bye', metadata: { sensitive: true } });
    expect((await review(id, { action: 'approve' }, at)).status).toBe('published');
    expect(await golden(at)).toEqual([]);
    expect((await at.job()).request.metadata.provenance).toBeUndefined();
  });

  test.each([
    ['Hello there', '  Hello \n there '],
    ['Cafe\u0301 noir', 'Caf\u00e9 noir'],
    ['Hello there', '[fr] Hello  there'],
  ])('%j into %j', async (source_text, final_translation) => {
    const at = await openSets(stub);
    const { id } = await at.job({ source_text, metadata: { sensitive: true } });
    const { status } = await review(id, { action: 'modify', final_translation }, at);
    expect(['published', 'human_edited']).toContain(status);
    expect(await golden(at)).toEqual([]);
  });
});

describe('deleting a job removes the pair it added (B 4.1, C 4)', () => {
  test('tm_pairs_removed 1; the text is translated again', async () => {
    const { id } = await job(cat);
    await job(garden);
    const { status, body } = await mine.remove(id, mine.admin);
    expect([status, body.tm_pairs_removed]).toEqual([200, 1]);
    await expectLearnt(garden, german[garden]!);
    await job(cat);
    expect(fake.requests.length).toBeGreaterThan(0);
  });

  test('a correction’s: the target before it serves again', async () => {
    await job(cat);
    const { id } = await held(cat);
    await review(id, { action: 'modify', final_translation: 'Die Katze döst.' });
    const { body } = await mine.remove(id, mine.admin);
    expect(body.tm_pairs_removed).toBe(1);
    await expectLearnt(cat, german[cat]!);
  });

  test('a job that added no pair removes none: served, held, untranslated; imports stay', async () => {
    await mine.memory([[windows, 'Fenster zu!']], { target_lang: 'de' });
    await job(cat);
    for (const { id } of [await job(cat), await job(windows), await held(bread)]) {
      const { body } = await mine.remove(id, mine.admin);
      expect(body).toMatchObject({ deleted: true, tm_pairs_removed: 0 });
    }
    await expectLearnt(cat, german[cat]!);
    await expectLearnt(windows, 'Fenster zu!');
  });
});

describe('golden sets can be deleted (B 4.5)', () => {
  test('which discards their pairs; the next approval makes a new one', async () => {
    const { id: jobId } = await job(cat);
    const [{ id }] = await golden();
    expect((await mine.removeMemory(id)).status).toBe(204);
    expect(await golden()).toEqual([]);
    expect((await mine.get(jobId)).status).toBe(200);
    fake.requests.length = 0;
    await job(cat);
    expect(fake.requests.length).toBeGreaterThan(0);
    const [set] = await golden();
    expect([set.entry_count, set.id === id]).toEqual([1, false]);
    expect((await mine.remove(jobId, mine.admin)).status).toBe(200);
  });
});
