import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', WORKSPACE_LIMITS: '{"glossaries":3}' } });
const brand = { name: 'Brand', source_lang: 'en', target_lang: 'fr-FR' };
const term = { source_lang: 'en', target_lang: 'fr', source_term: 'invoice', target_term: 'facture' };

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const call = (path: string, input: Fields, headers: Headers = mine.headers) =>
  viaRpc(app, { path: `terminology.${path}`, type: 'mutation' }, { input, headers });
const create = (input: Fields = {}, headers?: Headers) => call('create', { ...brand, ...input }, headers);

describe('terminology.create', () => {
  test('creates a glossary without terms, to which terms can be added, and which translations use', async () => {
    const { status, body: set } = await create({ name: '  Brand ' });
    expect([status, set]).toMatchObject([
      200,
      { name: 'Brand', source_lang: 'en', target_lang: 'fr-FR', entry_count: 0, stub_embeddings: true },
    ]);
    expect(await mine.glossaries()).toEqual([set]);
    const { body } = await call('addEntry', { set_id: set.id, ...term });
    expect(body).toMatchObject({ set: { id: set.id, entry_count: 1 }, entry: { entry_no: 1 } });
    const { body: job } = await app.json('POST', '/api/translations', {
      headers: mine.headers,
      body: { source_text: 'Pay the invoice.', target_lang: 'fr' },
    });
    expect(job.request.metadata.terminology_gate.matched_source_terms).toEqual(['invoice']);
    const other = await call('addEntry', { set_id: set.id, ...term, target_lang: 'de' });
    expect(other.status).toBe(422);
  });

  test('sent twice, also at the same time, creates one glossary', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => create()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await mine.glossaries()).toHaveLength(1);
  });

  test('never replaces a glossary with terms, or of other languages', async () => {
    const set = await mine.glossary(['order,commande'], brand);
    const taken = [409, 'another glossary has this name'];
    expect(refusal(await create())).toEqual(taken);
    await create({ name: 'Empty' });
    expect(refusal(await create({ name: 'Empty', target_lang: 'de' }))).toEqual(taken);
    expect((await mine.glossaries()).find(({ id }: Fields) => id === set.id)).toEqual(
      expect.objectContaining({ entry_count: 1, updated_at: set.updated_at }),
    );
  });

  test('is separate for each workspace', async () => {
    const neighbor = await openSets(app);
    const [own, theirs] = [await create(), await create({}, neighbor.headers)];
    expect([own.status, theirs.status]).toEqual([200, 200]);
    expect(theirs.body.id).not.toBe(own.body.id);
    expect(await neighbor.glossaries()).toEqual([theirs.body]);
  });

  test.each<[string, Fields, [number, unknown]]>([
    ['an empty name', { name: ' ' }, [400, 'name is required']],
    ['a long name', { name: 'x'.repeat(129) }, [400, 'name must have at most 128 characters']],
    ['a name on two lines', { name: 'a\nb' }, [400, 'name must not contain control characters']],
    ['no language', { target_lang: '' }, [400, 'target_lang is required']],
    [
      'an unknown language',
      { source_lang: 'xx' },
      [422, expect.stringContaining('unsupported source_lang "xx"')],
    ],
    ['one language twice', { source_lang: 'fr' }, [400, 'source_lang and target_lang are the same language']],
  ])('rejects %s', async (_, input, expected) => {
    expect(refusal(await create(input))).toEqual(expected);
    expect(await mine.glossaries()).toEqual([]);
  });

  test('stops at the limit of glossaries, but repeats the last creation', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    expect(refusal(await create({ name: 'd' }))).toEqual([
      422,
      'terminology_max_sets_exceeded: there are 3 glossaries; at most 3 are allowed, delete one first',
    ]);
    expect((await create({ name: 'c' })).status).toBe(200);
  });
});
