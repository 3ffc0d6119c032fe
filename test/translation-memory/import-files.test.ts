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
