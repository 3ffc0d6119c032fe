import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from './sets.ts';
import { tmx, tmxOf, unit } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const file = tmx([['Hello', 'Bonjour']]);

describe('which files are imported', () => {
  test.each(['m.csv', 'm.tmx.zip', 'tmx'])('%s is 415 tmx_file must be a .tmx file', async (name) => {
    expect(refusal(await mine.importFile(file, {}, { name }))).toEqual([415, 'tmx_file must be a .tmx file']);
    expect(await mine.memories()).toEqual([]);
  });

  test('one declared as text/csv is 415 tmx_file must be XML (TMX 1.4b)', async () => {
    const answer = await mine.importFile(file, {}, { type: 'text/csv' });
    expect(refusal(answer)).toEqual([415, 'tmx_file must be XML (TMX 1.4b)']);
  });

  test.each(['application/xml', 'text/xml', 'application/x-tmx+xml', 'application/octet-stream'])(
    'one declared as %s is read, whatever the letter case and the parameters',
    async (type) => {
      expect((await mine.importFile(file, {}, { type })).status).toBe(200);
      const declared = `${type.toUpperCase()}; charset=utf-8`;
      expect((await mine.importFile(file, {}, { type: declared })).status).toBe(200);
    },
  );

  test.each([
    ['empty', ''],
    ['without a unit', tmxOf('')],
    ['in another language', tmx([['Hello', 'Hallo']], 'en', 'de')],
  ])('one that is %s is 400, and leaves the set of that name as it was', async (_, content) => {
    await mine.memory([['Hello', 'Bonjour']]);
    const answer = await mine.importFile(content);
    expect([answer.status, typeof answer.body.detail]).toEqual([400, 'string']);
    expect(await mine.memories()).toMatchObject([{ entry_count: 1 }]);
    expect((await mine.job()).final_translation).toBe('Bonjour');
  });
});

test('a unit that lacks a side, or has a blank one, is skipped and counted', async () => {
  const body = [
    unit({ en: 'Hello', fr: 'Salut' }),
    unit({ en: 'No French', de: 'Kein Französisch' }),
    unit({ fr: 'Sans anglais' }),
    unit({ en: 'Blank', fr: ' \n ' }),
    unit({ en: '<ph>only a tag</ph>', fr: 'Rien' }),
  ];
  expect((await mine.importFile(tmxOf(body.join('\n')))).body).toMatchObject({
    total_units: 5,
    imported: 1,
    skipped_units: 4,
    duplicates_dropped: 0,
    entry_count: 1,
  });
});

const counts = { total_units: 1, imported: 1, skipped_units: 0, duplicates_dropped: 0 };

test('an import returns the set, with its counts', async () => {
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

describe('the fields of an import (B 4.5)', () => {
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

  test('a name has 1 to 128 characters, which are code points', async () => {
    for (const name of ['n', 'n'.repeat(128), '😀'.repeat(128)]) {
      const { status, body } = await mine.importFile(file, { name });
      expect([status, body.name]).toEqual([200, name]);
    }
    for (const name of ['n'.repeat(129), '😀'.repeat(129)])
      expect((await mine.importFile(file, { name })).status).toBe(400);
    expect(await mine.memories()).toHaveLength(3);
  });

  test('a name in golden-approved-* is 400', async () => {
    for (const name of ['golden-approved-en-fr', 'golden-approved-', 'golden-approved-anything'])
      expect((await mine.importFile(file, { name })).status).toBe(400);
    expect((await mine.importFile(file, { name: 'golden-approved' })).status).toBe(200);
  });
});
