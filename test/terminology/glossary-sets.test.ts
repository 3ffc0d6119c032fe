import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSession } from '#test/setup/database.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { poll } from '#test/setup/poll.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

describe('glossary sets', () => {
  const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
  const small = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_TERMINOLOGY_TERMS: '5' } });
  const held = holdRuns();
  const holding = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: held.engine });
  afterEach(() => held.release());

  let mine: Sets;
  beforeEach(async () => {
    mine = await openSets(app);
  });

  const final = async (source_text: string, of = mine) => (await of.job({ source_text })).final_translation;
  const terms = (count: number, word = 'term') =>
    Array.from({ length: count }, (_, n) => `${word} number ${n},t ${word} ${n}`);

  describe('the set object (B 2.8)', () => {
    test('of an upload and of the list, which is a bare array', async () => {
      expect(await mine.glossaries()).toEqual([]);
      const set = await mine.glossary(terms(2), { name: 'Books', source_lang: 'en', target_lang: 'fr' });
      expect(set).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        name: 'Books',
        source_lang: 'en',
        target_lang: 'fr',
        entry_count: 2,
        stub_embeddings: true,
      });
      expect([null, 'string']).toContain(set.embedding_model && typeof set.embedding_model);
      const other = await mine.glossary(terms(1), { name: 'Other' });
      expect(other).toMatchObject({ source_lang: null, target_lang: null, entry_count: 1 });
      const list = await mine.glossaries();
      expect(list).toHaveLength(2);
      for (const { warnings: _, ...one } of [set, other]) expect(list).toContainEqual(one);
    });
  });

  describe('an upload of a name that exists (B 4.4)', () => {
    test('replaces the set, and keeps its id', async () => {
      const first = await mine.glossary(['ledger,livre', 'stock,inventaire'], {
        source_lang: 'en',
        target_lang: 'fr',
      });
      const { warnings: _, ...second } = await mine.glossary(['ledger,grand livre']);
      expect(second).toMatchObject({ id: first.id, entry_count: 1, source_lang: null, target_lang: null });
      expect(await mine.glossaries()).toEqual([second]);
      expect([await final('ledger'), await final('stock')]).toEqual(['grand livre', '[fr] stock']);
    });

    test('ten times at once: the set is one of the files, whole', async () => {
      const files = Array.from({ length: 10 }, (_, n) => terms(20).map((line) => `${line} ${n}`));
      const answers = await Promise.all(files.map((lines) => mine.uploadFile(lines.join('\n'))));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(await mine.glossaries()).toMatchObject([{ entry_count: 20 }]);
      const [first, last] = [await final('term number 0'), await final('term number 19')];
      expect(first.replace('t term 0 ', '')).toBe(last.replace('t term 19 ', ''));
    });
  });

  describe('deletion (B 4.4)', () => {
    test('is 204 without a body; its terms are gone', async () => {
      const { id } = await mine.glossary(['ledger,grand livre']);
      const { status, body } = await mine.removeGlossary(id);
      expect([status, body]).toEqual([204, undefined]);
      expect(await mine.glossaries()).toEqual([]);
      expect(await final('ledger')).toBe('[fr] ledger');
      expect((await mine.removeGlossary(id)).status).toBe(404);
    });

    test('of a set that was uploaded while a text was admitted: its terms are gone too', async () => {
      const at = await openSets(holding);
      const order = () => ({ source_text: 'held order', target_lang: 'de' });
      await at.glossary(['ledger,grand livre']);
      // The lock of admissions is held: the text has been looked up, and its glossary is read after admission.
      const sql = openSession(holding.superuserUrl);
      await sql`select pg_advisory_lock(hashtextextended(${at.tenantId}, 8202))`;
      const admitted = at.job(order());
      await poll(async () => {
        const waiting = await sql`select from pg_locks where locktype = 'advisory' and not granted`;
        return waiting.length === 1;
      });
      const { id } = await at.glossary(['held order,Bestellung'], { name: 'Later' });
      await sql`select pg_advisory_unlock(hashtextextended(${at.tenantId}, 8202))`;
      expect((await admitted).final_translation).toBe('Bestellung');
      expect((await at.removeGlossary(id)).status).toBe(204);
      const job = at.job(order());
      (await held.next()).succeed();
      expect((await job).final_translation).toBe('«held order»');
    });

    test('of a memory’s id is 404, and the other way round', async () => {
      const memory = await mine.memory([['Hello', 'Bonjour']]);
      const glossary = await mine.glossary(['ledger,grand livre']);
      expect((await mine.removeGlossary(memory.id)).status).toBe(404);
      expect((await mine.removeMemory(glossary.id)).status).toBe(404);
    });
  });

  describe('the entries of a workspace and language pair, across all sets (B 8 "Terminology entries")', () => {
    const exceeded = [422, expect.stringMatching(/^terminology_max_terms_exceeded:/)];
    const put = (name: string, count: number, pair?: [string, string]) =>
      mine.uploadFile(terms(count, `of ${name}`).join('\n'), {
        name,
        ...(pair && { source_lang: pair[0], target_lang: pair[1] }),
      });
    const stored = async () =>
      (await mine.glossaries()).reduce(
        (sum: number, set: { entry_count: number }) => sum + set.entry_count,
        0,
      );
    beforeEach(async () => {
      mine = await openSets(small);
    });

    test('one file may fill it; an entry more is 422, and nothing is stored', async () => {
      expect(refusal(await put('a', 6, ['en', 'fr']))).toEqual(exceeded);
      expect(refusal(await put('a', 6))).toEqual(exceeded);
      expect(await mine.glossaries()).toEqual([]);
      expect((await put('a', 5, ['en', 'fr'])).status).toBe(200);
    });

    test('pairs match on the language that each code stands for', async () => {
      expect((await put('a', 3, ['en', 'fr'])).status).toBe(200);
      expect(refusal(await put('b', 3, ['en-GB', 'fr-FR']))).toEqual(exceeded);
      expect((await put('b', 2, ['en-GB', 'fr-FR'])).status).toBe(200);
      for (const [at, pair] of [
        ['en', 'fr-CA'],
        ['fr', 'en'],
        ['en', 'de'],
      ].entries())
        expect((await put(`other ${at}`, 5, pair as [string, string])).status).toBe(200);
    });

    test('a set without a pair counts against every pair', async () => {
      expect((await put('any', 3)).status).toBe(200);
      expect(refusal(await put('a', 3, ['en', 'fr']))).toEqual(exceeded);
      expect((await put('a', 2, ['en', 'fr'])).status).toBe(200);
      expect((await put('b', 2, ['en', 'de'])).status).toBe(200);
      expect(refusal(await put('any more', 1))).toEqual(exceeded);
    });

    test('and where one pair is too full for it, it is refused', async () => {
      expect((await put('a', 3, ['en', 'fr'])).status).toBe(200);
      expect((await put('b', 1, ['en', 'de'])).status).toBe(200);
      expect(refusal(await put('any', 3))).toEqual(exceeded);
      expect((await put('any', 2)).status).toBe(200);
      expect(refusal(await put('b', 4, ['en', 'de']))).toEqual(exceeded);
      expect((await put('b', 3, ['en', 'de'])).status).toBe(200);
    });

    test('a replacement does not count what it replaces; refused, it leaves the set as it was', async () => {
      expect((await put('a', 5, ['en', 'fr'])).status).toBe(200);
      expect((await put('a', 5, ['en', 'fr'])).status).toBe(200);
      expect(refusal(await put('a', 6, ['en', 'fr']))).toEqual(exceeded);
      expect(await mine.glossaries()).toMatchObject([{ entry_count: 5 }]);
      expect(await final('of a number 4')).toBe('t of a 4');
    });

    test('deleting frees entries; another tenant’s do not count', async () => {
      const { body } = await put('a', 5);
      await mine.removeGlossary(body.id);
      expect((await put('b', 5, ['en', 'fr'])).status).toBe(200);
      mine = await openSets(small);
      expect((await put('b', 5, ['en', 'fr'])).status).toBe(200);
    });

    test('concurrent uploads of different names store no more than the limit', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => put(`${n}`, 2, ['en', 'fr'])));
      for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(exceeded);
      expect([answers.filter(({ status }) => status === 200).length, await stored()]).toEqual([2, 4]);
    });
  });
});

describe('the characters of a language pair’s terms are bounded, across all sets, as the terms are', () => {
  const app = useTestApp({
    env: { AUTH_RATE_LIMIT_ENABLED: 'false', WORKSPACE_LIMITS: '{"glossary_chars":100}' },
  });

  let mine: Sets;
  beforeEach(async () => {
    mine = await openSets(app);
  });

  const exceeded = (count: number, pair: string) => [
    422,
    `terminology_max_characters_exceeded: with this change, the terms that apply to ${pair} would have ${count} characters, counting source and target terms; at most 100 are allowed`,
  ];
  /** Uploads a glossary with this many characters in total. */
  const put = (name: string, characters: number, pair?: [string, string], letter = 'a') =>
    mine.uploadFile(`${letter.repeat(characters - 10)},${letter.repeat(10)}`, {
      name,
      ...(pair && { source_lang: pair[0], target_lang: pair[1] }),
    });

  test('one file may come to the bound; a character more is 422 that names it, and nothing is stored', async () => {
    expect(refusal(await put('a', 101, ['en', 'fr']))).toEqual(exceeded(101, 'en to fr'));
    expect(await mine.glossaries()).toEqual([]);
    expect((await put('a', 100, ['en', 'fr'])).status).toBe(200);
    expect(refusal(await put('b', 20, ['en-GB', 'fr-FR']))).toEqual(exceeded(120, 'en to fr'));
    expect((await put('b', 100, ['en', 'de'])).status).toBe(200);
    expect(await mine.glossaries()).toHaveLength(2);
  });

  test('characters are code points', async () => {
    expect((await put('a', 100, ['ja', 'fr'], '𠮷')).status).toBe(200);
    expect(refusal(await put('a', 101, ['ja', 'fr'], '𠮷'))).toEqual(exceeded(101, 'ja to fr'));
  });
});
