import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from './sets.ts';
import { tmx } from './tmx.ts';

const operatorKey = 'an-operator-key-of-some-length-0123456789';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const file = tmx([['Hello', 'Bonjour']]);
const counts = { total_units: 1, imported: 1, skipped_units: 0, duplicates_dropped: 0 };

describe('B 2.9: the set object', () => {
  test('of an import, with the counts of that import', async () => {
    const { status, body } = await mine.importFile(file, { name: 'Manuals' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...counts,
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'Manuals',
      source_lang: 'en',
      target_lang: 'fr',
      origin: 'tmx_import',
      entry_count: 1,
      stub_embeddings: true,
    });
    expect([null, 'string']).toContain(body.embedding_model && typeof body.embedding_model);
  });
});

describe('B 4.5, C 6: the fields of an import', () => {
  test.each(['name', 'source_lang', 'target_lang'])(
    'without %s, or with an empty one, it is 400',
    async (field) => {
      for (const value of [undefined, '']) {
        const { status } = await mine.importFile(file, { [field]: value });
        expect([value, status]).toEqual([value, 400]);
      }
      expect(await mine.memories()).toEqual([]);
    },
  );

  test('B 8: a name has 1 to 128 characters, which are code points', async () => {
    for (const name of ['n', 'n'.repeat(128), '😀'.repeat(128)]) {
      const { status, body } = await mine.importFile(file, { name });
      expect([status, body.name]).toEqual([200, name]);
    }
    for (const name of ['n'.repeat(129), '😀'.repeat(129)])
      expect((await mine.importFile(file, { name })).status).toBe(400);
    expect(await mine.memories()).toHaveLength(3);
  });

  test('C 7: a name in golden-approved-* is 400', async () => {
    for (const name of ['golden-approved-en-fr', 'golden-approved-', 'golden-approved-anything'])
      expect((await mine.importFile(file, { name })).status).toBe(400);
    expect((await mine.importFile(file, { name: 'golden-approved' })).status).toBe(200);
  });
});
