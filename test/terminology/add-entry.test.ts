import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_TERMINOLOGY_TERMS: '30' } });
const term = {
  source_lang: 'en',
  target_lang: 'fr',
  source_term: 'invoice',
  target_term: 'facture',
};

let mine: Sets;
let setId: string;
beforeEach(async () => {
  mine = await openSets(app);
  setId = (await mine.glossary(['order,commande', 'bill,addition'])).id;
});

const add = (input: Fields = {}, headers: Headers = mine.headers) =>
  viaRpc(
    app,
    { path: 'terminology.addEntry', type: 'mutation' },
    { input: { set_id: setId, ...term, ...input }, headers },
  );
const listed = async () =>
  (
    await viaRpc(
      app,
      { path: 'terminology.entries', type: 'query' },
      { input: { set_id: setId, limit: 200 }, headers: mine.headers },
    )
  ).body.entries;

describe('terminology.addEntry', () => {
  test('adds a term after the last one, trimmed, for its languages only', async () => {
    const { status, body } = await add({ source_lang: 'en-GB', source_term: ' invoice ' });
    expect(status).toBe(200);
    const entry = { ...term, entry_no: 3, case_sensitive: false, priority: 0 };
    expect(body).toMatchObject({ set: { id: setId, entry_count: 3 }, entry, other_targets: [] });
    const entries = await listed();
    expect(entries).toHaveLength(3);
    expect(entries.at(-1)).toEqual(entry);
    const [set] = await mine.glossaries();
    expect(set).toEqual(body.set);
  });

  test('the next translation uses it, with a glossary that was in use before', async () => {
    const before = await mine.job({ source_text: 'Pay the order.' });
    expect(before.request.metadata.terminology_gate.matched_source_terms).toEqual(['order']);
    await add();
    const after = await mine.job({ source_text: 'Pay the invoice.' });
    expect(after.request.metadata.terminology_gate.matched_source_terms).toEqual(['invoice']);
  });

  test('a term that is there with this translation is refused, and nothing changes', async () => {
    await add();
    const [before] = await mine.glossaries();
    for (const same of [{}, { source_term: 'Invoice' }, { target_term: 'facture ' }])
      expect(refusal(await add(same))).toEqual([409, 'the glossary already has this term and translation']);
    expect(await mine.glossaries()).toEqual([before]);
    expect(await listed()).toHaveLength(3);
  });

  test('a term with another translation is added, and comes before the ones that it names', async () => {
    await add();
    const { status, body } = await add({ target_term: 'note' });
    expect([status, body.other_targets]).toEqual([200, ['facture']]);
    const job = await mine.job({ source_text: 'Pay the invoice.' });
    expect(job.request.metadata.terminology_gate.missing_terms).toEqual(['note']);
  });

  test('a term with case, or for another language, is another one', async () => {
    await add();
    const { status, body } = await add({ source_term: 'Invoice', case_sensitive: true });
    expect([status, body.other_targets]).toEqual([200, []]);
    expect((await add({ target_lang: 'de', target_term: 'facture' })).status).toBe(200);
  });

  test('additions to several glossaries of a pair share its room', async () => {
    const { id } = await mine.glossary(['pay,payer'], { name: 'Another' });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        add({ set_id: n % 2 ? id : setId, source_term: `word ${n}`, target_term: 'mot' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(27);
  });

  test('a glossary that was uploaded for other languages is refused, whatever its tags', async () => {
    const { id } = await mine.glossary(['a,b'], {
      name: 'British',
      source_lang: 'en-GB',
      target_lang: 'fr-FR',
    });
    expect((await add({ set_id: id })).status).toBe(200);
    expect(refusal(await add({ set_id: id, target_lang: 'de' }))).toEqual([
      422,
      'this glossary is for en-GB to fr-FR, not for en to de',
    ]);
  });

  test.each([
    ['a language that is none', { source_lang: 'tlh' }, 422],
    ['one language twice', { target_lang: 'en-US' }, 400],
  ])('refuses %s', async (_, input, status) => {
    expect((await add(input)).status).toBe(status);
    expect(await listed()).toHaveLength(2);
  });

  test('takes a term of 500 characters outside of the basic plane', async () => {
    expect((await add({ target_term: '😀'.repeat(500) })).status).toBe(200);
  });

  test('a deleted glossary is 404', async () => {
    await mine.removeGlossary(setId);
    expect(refusal(await add())).toEqual([404, 'terminology set not found']);
  });

  test('a deletion beside additions leaves no term behind', async () => {
    const [removed, ...added] = await Promise.all([
      mine.removeGlossary(setId),
      ...Array.from({ length: 5 }, (_, n) => add({ source_term: `word ${n}` })),
    ]);
    expect(removed.status).toBe(204);
    for (const { status } of added) expect([200, 404]).toContain(status);
    expect(await mine.glossaries()).toEqual([]);
  });
});
