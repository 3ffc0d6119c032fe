import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import {
  fieldPart,
  filePart,
  openSets,
  refusal,
  type Sets,
  TERMINOLOGY,
  unsupported,
} from '../translation-memory/sets.ts';
import { tmx } from '../translation-memory/tmx.ts';

const operatorKey = 'an-operator-key-of-some-length-0123456789';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const csv = 'invoice,facture\n';
const xml = tmx([['ledger', 'grand livre']]);
const pair = { source_lang: 'en', target_lang: 'fr' };
const final = async (source_text: string) => (await mine.job({ source_text })).final_translation;

const suffix415 = [415, 'terminology_file must be a .csv or .tmx file'];
const csvTypes = ['text/csv', 'application/vnd.ms-excel', 'text/plain'];
const tmxTypes = ['application/xml', 'text/xml', 'application/x-tmx+xml', 'application/octet-stream'];

describe('B 4.4: the suffix decides', () => {
  test.each(['terms.xlsx', 'terms.txt', 'terms.tsv', 'terms.xml', 'terms.csv.gz', 'terms.tmx.zip'])(
    '%s is 415, whatever it is declared as',
    async (name) => {
      for (const type of ['text/csv', 'application/xml'])
        expect(refusal(await mine.uploadFile(csv, pair, { name, type }))).toEqual(suffix415);
      expect(await mine.glossaries()).toEqual([]);
    },
  );

  test.each(csvTypes)('a .csv may be declared as %s, which a .tmx may not', async (type) => {
    expect((await mine.uploadFile(csv, {}, { type })).status).toBe(200);
    expect((await mine.uploadFile(xml, pair, { name: 't.tmx', type })).status).toBe(415);
    expect(await mine.glossaries()).toHaveLength(1);
  });

  test.each(tmxTypes)('a .tmx may be declared as %s, which a .csv may not', async (type) => {
    expect((await mine.uploadFile(xml, pair, { name: 't.tmx', type })).status).toBe(200);
    expect((await mine.uploadFile(csv, pair, { type })).status).toBe(415);
    expect(await final('ledger')).toBe('grand livre');
  });

  test.each(['application/json', 'application/pdf', 'text/html', 'application/x-unknown'])(
    '%s is accepted for neither',
    async (type) => {
      expect((await mine.uploadFile(csv, {}, { type })).status).toBe(415);
      expect((await mine.uploadFile(xml, pair, { name: 't.tmx', type })).status).toBe(415);
    },
  );

  test('parameters of the content type are ignored, and so is its case', async () => {
    const types = ['text/csv; charset=utf-8', 'text/csv;header=present', 'TEXT/CSV'];
    for (const type of types)
      expect([type, (await mine.uploadFile(csv, {}, { type })).status]).toEqual([type, 200]);
    const declared = { name: 't.tmx', type: 'application/xml; charset=utf-8' };
    expect((await mine.uploadFile(xml, pair, declared)).status).toBe(200);
  });

  test.each([
    ['without a', null],
    ['with an empty', ''],
  ])('%s content type the check is skipped', async (_, type) => {
    expect((await mine.uploadFile(csv, {}, { type })).status).toBe(200);
    expect((await mine.uploadFile(xml, pair, { name: 't.tmx', type })).status).toBe(200);
  });

  test.each(tmxTypes)('without a suffix, %s means TMX', async (type) => {
    expect((await mine.uploadFile(xml, pair, { name: 'terms', type })).status).toBe(200);
    expect(await final('ledger')).toBe('grand livre');
    expect((await mine.uploadFile(csv, pair, { name: 'terms', type })).status).toBe(400);
  });

  test.each(csvTypes)('without a suffix, %s means CSV', async (type) => {
    expect((await mine.uploadFile(csv, {}, { name: 'terms', type })).status).toBe(200);
    expect(await final('invoice')).toBe('facture');
  });

  test('without a suffix, what means CSV must be declared as CSV', async () => {
    expect((await mine.uploadFile(csv, {}, { name: 'terms', type: 'application/json' })).status).toBe(415);
  });
});

describe('B 4.4: the fields of an upload', () => {
  test('terminology_csv is the older name of the file, and the fallback', async () => {
    expect((await mine.uploadFile(csv, {}, { field: 'terminology_csv' })).status).toBe(200);
    const both = [
      fieldPart('name', 'Both'),
      filePart('terminology_csv', { name: 'a.csv', type: 'text/csv' }, 'debit,ancien'),
      filePart('terminology_file', { name: 'b.csv', type: 'text/csv' }, 'debit,nouveau'),
    ];
    expect((await mine.post(TERMINOLOGY, both)).status).toBe(200);
    expect([await final('invoice'), await final('debit')]).toEqual(['facture', 'nouveau']);
    const old = { name: 't.tmx', type: 'text/xml', field: 'terminology_csv' };
    expect((await mine.uploadFile(xml, pair, old)).status).toBe(200);
  });

  test('without a file, or with a text in its place, it is 400', async () => {
    const name = fieldPart('name', 'A glossary');
    for (const parts of [[name], [name, fieldPart('terminology_file', csv)]])
      expect((await mine.post(TERMINOLOGY, parts)).status).toBe(400);
    expect((await mine.uploadFile(csv, {}, { field: 'tmx_file' })).status).toBe(400);
  });

  test('a name has 1 to 128 characters, else 400', async () => {
    for (const name of ['n', 'é'.repeat(128), '😀'.repeat(128)])
      expect((await mine.uploadFile(csv, { name })).body.name).toBe(name);
    for (const name of [undefined, '', 'n'.repeat(129), '😀'.repeat(129)])
      expect((await mine.uploadFile(csv, { name })).status).toBe(400);
    expect(await mine.glossaries()).toHaveLength(3);
  });

  test('C 7: languages are required of TMX: 400; of CSV they are not', async () => {
    for (const fields of [
      {},
      { source_lang: 'en' },
      { target_lang: 'fr' },
      { source_lang: 'en', target_lang: '' },
    ])
      expect((await mine.uploadFile(xml, fields, { name: 't.tmx', type: 'text/xml' })).status).toBe(400);
    expect((await mine.uploadFile(csv)).body).toMatchObject({ source_lang: null, target_lang: null });
  });

  test.each(['xx', 'zh', 'pt', 'pt-AO', 'French'])(
    'a declared %s stands for no language: 422, the set listed',
    async (code) => {
      for (const fields of [
        { ...pair, target_lang: code },
        { ...pair, source_lang: code },
      ]) {
        expect(await mine.uploadFile(csv, fields)).toMatchObject(unsupported);
        expect(await mine.uploadFile(xml, fields, { name: 't.tmx', type: 'text/xml' })).toMatchObject(
          unsupported,
        );
      }
      expect(await mine.glossaries()).toEqual([]);
    },
  );
});

describe('B 5: the callers', () => {
  test('without a usable tenant credential, the operator key included: 401', async () => {
    const { id } = await mine.glossary(csv);
    const wrong = [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': operatorKey }, mine.cookie];
    for (const headers of wrong)
      for (const answer of [
        await app.json('GET', TERMINOLOGY, { headers }),
        await mine.uploadFile(csv, {}, {}, headers),
        await mine.removeGlossary(id, headers),
      ])
        expect(refusal(answer)).toEqual([401, 'missing or invalid tenant credentials']);
    expect(await mine.glossaries()).toHaveLength(1);
  });

  test('a member’s session is accepted as well as the tenant’s key', async () => {
    const { status, body } = await mine.uploadFile(csv, {}, {}, mine.admin);
    expect(status).toBe(200);
    expect((await mine.removeGlossary(body.id, mine.admin)).status).toBe(204);
  });
});
