import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_TERMINOLOGY_TERMS: '10' } });
const term = {
  source_lang: 'en',
  target_lang: 'fr',
  source_term: 'invoice',
  target_term: 'facture',
  case_sensitive: false,
  priority: 0,
};
const order = {
  ...term,
  source_lang: null,
  target_lang: null,
  source_term: 'order',
  target_term: 'commande',
};

let mine: Sets;
let setId: string;
beforeEach(async () => {
  mine = await openSets(app);
  setId = (await mine.glossary(['order,commande', 'bill,addition'])).id;
});

const call = (path: string, input: Fields, headers: Headers = mine.headers) =>
  viaRpc(
    app,
    { path: `terminology.${path}`, type: 'mutation' },
    { input: { set_id: setId, ...input }, headers },
  );
const add = (change: Fields = {}, more: Fields = {}) =>
  call('addTerm', { term: { ...term, ...change }, ...more });
const update = (change: Fields, more: Fields = {}) =>
  call('updateTerm', { entry_no: 1, replaces: order, term: { ...order, ...change }, ...more });
const remove = (more: Fields = {}) => call('deleteTerm', { entry_no: 1, replaces: order, ...more });
const list = async (input: Fields = {}) =>
  viaRpc(
    app,
    { path: 'terminology.terms', type: 'query' },
    { input: { set_id: setId, ...input }, headers: mine.headers },
  );
const listed = async (input: Fields = {}) =>
  (await list(input)).body.entries.map((one: Fields) => [
    one['entry_no'],
    one['source_term'],
    one['target_term'],
  ]);
const usedTerms = async (text: string) =>
  (await mine.job({ source_text: text })).request.metadata.terminology_gate?.matched_source_terms;

describe('terminology.addTerm', () => {
  test('adds a term at the end with its priority, and the next translation uses it', async () => {
    expect(await usedTerms('Pay the order.')).toEqual(['order']);
    const { status, body } = await add({ priority: 5 });
    expect([status, body]).toEqual([
      200,
      {
        set: expect.objectContaining({ id: setId, entry_count: 3 }),
        entry: { ...term, entry_no: 3, priority: 5 },
        added: true,
        other_targets: [],
      },
    ]);
    expect(await usedTerms('Pay the invoice.')).toEqual(['invoice']);
  });

  test('a resend changes nothing, also if several arrive at once', async () => {
    const answers = await Promise.all([add(), add(), add()]);
    expect(answers.map(({ status, body }) => [status, body.entry.entry_no])).toEqual(Array(3).fill([200, 3]));
    expect(answers.filter(({ body }) => body.added)).toHaveLength(1);
    const [set] = await mine.glossaries();
    expect([set.entry_count, (await listed()).length]).toEqual([3, 3]);
  });

  test('the same term and translation with another priority is a conflict that shows the present term', async () => {
    await add();
    const { status, body } = await add({ source_term: 'Invoice', priority: 1 });
    expect([status, body.detail, body.present]).toEqual([
      409,
      'the glossary already has this term and translation',
      { ...term, entry_no: 3 },
    ]);
  });

  test('a term without languages has those of the glossary', async () => {
    const { id } = await mine.glossary(['a,b'], { name: 'Pair', source_lang: 'en-GB', target_lang: 'fr' });
    const { body } = await add({ source_lang: null, target_lang: null }, { set_id: id });
    expect(body.entry).toMatchObject({ source_lang: 'en', target_lang: 'fr' });
    const without = await add({ source_lang: null, target_lang: null });
    expect(without.body.entry).toMatchObject({ source_lang: null, target_lang: null });
  });

  test('a deleted term returns to its place; if the place is taken, to the end', async () => {
    await remove();
    expect((await add({}, { entry_no: 1 })).body.entry.entry_no).toBe(1);
    expect((await add({ source_term: 'rent' }, { entry_no: 1 })).body.entry.entry_no).toBe(3);
  });

  test('a glossary never gets more terms than an upload could give it, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => add({ source_term: `word ${n}`, target_term: 'mot' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(refusal(answer)).toEqual([
        422,
        expect.stringMatching(/^terminology_max_terms_exceeded: with this change, 11 terms /),
      ]);
  });

  test.each([
    ['an empty term', { source_term: ' ' }, 422],
    ['a term on two lines', { target_term: 'a\nb' }, 422],
    ['a line separator', { source_term: 'in\u2028voice' }, 422],
    ['a term that is too long', { target_term: '😀'.repeat(501) }, 422],
    ['a priority beyond 32 bits', { priority: 2 ** 31 }, 422],
    ['an unsupported language', { source_lang: 'tlh' }, 422],
    ['one language twice', { target_lang: 'en-US' }, 400],
  ])('rejects %s', async (_, change, status) => {
    expect((await add(change)).status).toBe(status);
    expect(await listed()).toHaveLength(2);
  });
});

describe('terminology.updateTerm', () => {
  test('replaces a term in its place, and the next translation uses it', async () => {
    expect(await usedTerms('Pay the order.')).toEqual(['order']);
    const { status, body } = await update({ source_term: 'purchase' });
    expect([status, body.entry]).toEqual([200, { ...order, source_term: 'purchase', entry_no: 1 }]);
    expect(await listed()).toEqual([
      [1, 'purchase', 'commande'],
      [2, 'bill', 'addition'],
    ]);
    expect(await usedTerms('Pay the purchase.')).toEqual(['purchase']);
  });

  test('of two members at once one wins, and the other gets the present term', async () => {
    const answers = await Promise.all([update({ target_term: 'ordre' }), update({ target_term: 'achat' })]);
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status) as [
      (typeof answers)[0],
      (typeof answers)[0],
    ];
    expect([won.status, lost.status]).toEqual([200, 409]);
    expect(lost.body).toMatchObject({
      detail: 'another member has changed this term',
      present: won.body.entry,
    });
  });

  test('a resend changes nothing', async () => {
    const first = await update({ target_term: 'ordre' });
    const second = await update({ target_term: 'ordre' });
    expect([second.status, second.body]).toEqual([200, first.body]);
  });

  test('a term cannot become the same as another one', async () => {
    const { status, body } = await update({ source_term: 'Bill', target_term: 'addition' });
    expect([status, body.present.entry_no]).toEqual([409, 2]);
    expect(await listed()).toContainEqual([1, 'order', 'commande']);
  });

  test('a term that an upload has moved is a conflict', async () => {
    await mine.glossary(['rent,loyer', 'order,commande']);
    expect((await update({ target_term: 'ordre' })).body.present).toMatchObject({ source_term: 'rent' });
  });

  test('counts the room of the term that it replaces as free', async () => {
    for (let n = 0; n < 8; n += 1)
      await add({ source_term: `word ${n}`, source_lang: null, target_lang: null });
    expect((await add({ source_term: 'one more' })).status).toBe(422);
    expect((await update({ source_term: 'a longer order', target_lang: 'fr' })).status).toBe(200);
  });

  test('a deleted term is 404', async () => {
    await remove();
    expect(refusal(await update({ target_term: 'ordre' }))).toEqual([404, 'term not found']);
  });
});

describe('terminology.deleteTerm', () => {
  test('deletes a term, and the next translation does not use it; a resend changes nothing', async () => {
    expect(await usedTerms('Pay the order.')).toEqual(['order']);
    expect((await remove()).body).toMatchObject({ deleted: true, set: { entry_count: 1 } });
    expect((await remove()).body).toMatchObject({ deleted: false, set: { entry_count: 1 } });
    expect(await listed()).toEqual([[2, 'bill', 'addition']]);
    expect(await usedTerms('Pay the order.')).not.toEqual(['order']);
  });

  test('a term that another member has changed stays, and the error shows it', async () => {
    const { body } = await update({ target_term: 'ordre' });
    const lost = await remove();
    expect([lost.status, lost.body.present]).toEqual([409, body.entry]);
    expect(await listed()).toHaveLength(2);
  });
});

describe('terminology.terms', () => {
  beforeEach(async () => {
    setId = (await mine.glossary(['b,x', 'C,w', 'a,z', 'c,y'])).id;
  });

  test.each([
    [{}, [1, 2, 3, 4]],
    [{ descending: true }, [4, 3, 2, 1]],
    [{ sort: 'source' }, [3, 1, 2, 4]],
    [{ sort: 'source', descending: true }, [4, 2, 1, 3]],
    [{ sort: 'target' }, [2, 1, 4, 3]],
    [{ sort: 'source', text: 'c' }, [2, 4]],
  ])('sorts the terms by %j without regard to case, page by page', async (input, numbers) => {
    const found: unknown[] = [];
    let cursor: unknown = null;
    do {
      const { body } = await list({ ...input, limit: 1, ...(cursor !== null && { cursor }) });
      found.push(...body.entries.map(({ entry_no }: Fields) => entry_no));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(found).toEqual(numbers);
  });

  test('a page after a change of the glossary is a conflict', async () => {
    const { body } = await list({ sort: 'source', limit: 1 });
    await add();
    expect((await list({ sort: 'source', limit: 1, cursor: body.next_cursor })).status).toBe(409);
  });
});
