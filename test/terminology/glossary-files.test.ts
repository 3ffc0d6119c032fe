import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets, unsupported } from '../translation-memory/sets.ts';
import { tmx } from '../translation-memory/tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const csv = 'invoice,facture\n';
const xml = tmx([['ledger', 'grand livre']]);
const pair = { source_lang: 'en', target_lang: 'fr' };
const final = async (source_text: string) => (await mine.job({ source_text })).final_translation;

const suffix415 = [415, 'terminology_file must be a .csv or .tmx file'];
const csvTypes = ['text/csv', 'text/plain'];
const tmxTypes = ['application/xml', 'application/octet-stream'];

describe('the suffix of a glossary decides how it is read', () => {
  test.each(['terms.xls', 'terms.ods', 'terms.tmx.zip'])(
    '%s is 415, whatever it is declared as',
    async (name) => {
      for (const type of ['text/csv', 'application/xml'])
        expect(refusal(await mine.uploadFile(csv, pair, { name, type }))).toEqual(suffix415);
      expect(await mine.glossaries()).toEqual([]);
    },
  );

  test.each(csvTypes)('%s is a .csv, and never a .tmx; without a suffix it means CSV', async (type) => {
    expect((await mine.uploadFile(csv, {}, { type })).status).toBe(200);
    expect((await mine.uploadFile(xml, pair, { name: 't.tmx', type })).status).toBe(415);
    expect((await mine.uploadFile(csv, {}, { name: 'terms', type })).status).toBe(200);
    expect(await final('invoice')).toBe('facture');
  });

  test.each(tmxTypes)('%s is a .tmx, and never a .csv; without a suffix it means TMX', async (type) => {
    expect((await mine.uploadFile(xml, pair, { name: 't.tmx', type })).status).toBe(200);
    expect((await mine.uploadFile(csv, pair, { type })).status).toBe(415);
    expect((await mine.uploadFile(xml, pair, { name: 'terms', type })).status).toBe(200);
    expect(await final('ledger')).toBe('grand livre');
    expect((await mine.uploadFile(csv, pair, { name: 'terms', type })).status).toBe(400);
  });

  test('another type is accepted for neither', async () => {
    for (const name of ['t.csv', 't.tmx', 'terms'])
      expect((await mine.uploadFile(csv, pair, { name, type: 'application/json' })).status).toBe(415);
  });

  test('letter case and parameters of the type do not matter, and without a type the check is skipped', async () => {
    for (const type of ['TEXT/CSV; charset=utf-8', null, ''])
      expect([type, (await mine.uploadFile(csv, {}, { type })).status]).toEqual([type, 200]);
    expect((await mine.uploadFile(xml, pair, { name: 't.tmx', type: null })).status).toBe(200);
  });
});

describe('the fields of an upload', () => {
  test('a name has 1 to 128 characters, else 400', async () => {
    expect((await mine.uploadFile(csv, { name: '😀'.repeat(128) })).status).toBe(200);
    for (const name of [undefined, '', 'n'.repeat(129)])
      expect((await mine.uploadFile(csv, { name })).status).toBe(400);
  });

  test('languages are required of TMX: 400; of CSV they are not', async () => {
    for (const fields of [{}, { source_lang: 'en' }, { source_lang: 'en', target_lang: '' }])
      expect((await mine.uploadFile(xml, fields, { name: 't.tmx', type: 'text/xml' })).status).toBe(400);
    expect((await mine.uploadFile(csv)).body).toMatchObject({ source_lang: null, target_lang: null });
  });

  test('a declared language that is not supported is 422, the set listed', async () => {
    for (const fields of [
      { ...pair, target_lang: 'pt-AO' },
      { ...pair, source_lang: 'French' },
    ]) {
      expect(await mine.uploadFile(csv, fields)).toMatchObject(unsupported);
      const answer = await mine.uploadFile(xml, fields, { name: 't.tmx', type: 'text/xml' });
      expect(answer).toMatchObject(unsupported);
    }
    expect(await mine.glossaries()).toEqual([]);
  });
});
