import { beforeAll, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_SOURCE_CHARS: '20000' } });
const pair = { source_lang: 'en', target_lang: 'fr' };

const ask = (input: Fields, headers: Headers) =>
  viaRpc(app, { path: 'terminology.matches', type: 'mutation' }, { input: { ...pair, ...input }, headers });

async function matchesOf(source_text: string, input: Fields = {}, of = mine) {
  const { status, body } = await ask({ source_text, ...input }, of.headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

let mine: Sets;
let set: { id: string };
beforeAll(async () => {
  mine = await openSets(app);
  set = await mine.glossary(['invoice,facture', 'bill,facture', 'net total,total net', 'SAP,SAP'], {
    name: 'Terms',
  });
});

const shortOf = ({ terms, passed }: { terms: Fields[]; passed: boolean | null }) => [
  passed,
  terms.map(({ source_term, found, missing }) => [source_term, found, missing]),
];

describe('terminology.matches', () => {
  test('returns the terms of a text in its order, with their targets and where they stand', async () => {
    expect(await matchesOf('😀 Net total of the invoice. Invoice!')).toEqual({
      terms: [
        {
          source_term: 'net total',
          target_terms: ['total net'],
          case_sensitive: false,
          set_id: set.id,
          set_name: 'Terms',
          count: 1,
          spans: [{ start: 3, end: 12 }],
          found: null,
          missing: null,
        },
        expect.objectContaining({
          source_term: 'invoice',
          count: 2,
          spans: [
            { start: 20, end: 27 },
            { start: 29, end: 36 },
          ],
        }),
      ],
      passed: null,
    });
  });

  test('says which targets a translation has, inflected ones included, and which it misses', async () => {
    const source = 'The net total of the invoice';
    expect(shortOf(await matchesOf(source, { target_text: 'Le total net des factures' }))).toEqual([
      true,
      [
        ['net total', 1, false],
        ['invoice', 1, false],
      ],
    ]);
    expect(shortOf(await matchesOf(source, { target_text: 'Le total de la facture' }))).toEqual([
      false,
      [
        ['net total', 0, true],
        ['invoice', 1, false],
      ],
    ]);
  });

  test('an empty translation misses all; without terms, any passes', async () => {
    expect(shortOf(await matchesOf('An invoice', { target_text: '' }))).toEqual([
      false,
      [['invoice', 0, true]],
    ]);
    expect(shortOf(await matchesOf('Nothing', { target_text: '' }))).toEqual([true, []]);
    const { terms, passed } = await matchesOf('An invoice', { target_text: 'x' }, await openSets(app));
    expect([terms, passed]).toEqual([[], true]);
  });

  test('a term of two glossaries has the targets of both; either counts', async () => {
    const other = await openSets(app);
    await other.glossary(['stock,stock'], { name: 'Old' });
    const newer = await other.glossary(['stock,inventaire'], { name: 'New' });
    const { terms } = await matchesOf('The stock', { target_text: 'Le stock' }, other);
    expect(terms).toMatchObject([
      { target_terms: ['inventaire', 'stock'], set_id: newer.id, found: 1, missing: false },
    ]);
  });

  test('in HTML a term is found across tags, and not within one', async () => {
    const source = '<p data-note="pay an invoice here">The <b>net</b> total</p>';
    const target_text = '<p class="facture">Le total <b>net</b></p>';
    const html = await matchesOf(source, { target_text, text_type: 'Html' });
    expect(shortOf(html)).toEqual([true, [['net total', 1, false]]]);
    expect(html.terms[0].spans).toEqual([]);
    expect(shortOf(await matchesOf(source))).toEqual([null, []]);
  });

  test('applies the terms of the language pair only', async () => {
    const other = await openSets(app);
    await other.glossary(['invoice,Rechnung'], { source_lang: 'en', target_lang: 'de' });
    expect((await matchesOf('An invoice', {}, other)).terms).toEqual([]);
    expect((await matchesOf('An invoice', { target_lang: 'de-AT' }, other)).terms).toHaveLength(1);
  });

  test('a new upload holds at once', async () => {
    const other = await openSets(app);
    await other.glossary(['invoice,facture']);
    expect((await matchesOf('An invoice', {}, other)).terms).toHaveLength(1);
    await other.glossary(['receipt,reçu']);
    expect((await matchesOf('An invoice', {}, other)).terms).toEqual([]);
  });

  test('long texts full of terms, and names of an object’s own, are terms like others', async () => {
    const other = await openSets(app);
    await other.glossary(['a,__proto__', 'constructor,prototype']);
    const { terms } = await matchesOf('a '.repeat(10_000), { target_text: '__proto__ '.repeat(4000) }, other);
    expect(terms).toMatchObject([{ target_terms: ['__proto__'], count: 10_000, found: 4000, missing: true }]);
    expect(terms[0].spans).toHaveLength(10_000);
    expect((await matchesOf('constructor', { target_text: 'x' }, other)).terms).toMatchObject([
      { found: 0, missing: true },
    ]);
  });

  test.each([
    ['a text that no job may have', { source_text: 'x'.repeat(20_001) }, 413],
    ['a translation four times as long', { source_text: 'x', target_text: 'x'.repeat(80_001) }, 413],
  ])('refuses %s', async (_, input, status) => {
    expect((await ask(input, mine.headers)).status).toBe(status);
  });
});

describe('terminology.matchesOfTexts', () => {
  const askAll = (source_texts: string[], of = mine, input: Fields = {}) =>
    viaRpc(
      app,
      { path: 'terminology.matchesOfTexts', type: 'mutation' },
      { input: { ...pair, source_texts, ...input }, headers: of.headers },
    );

  test('returns the same terms as a request for each text, in their order', async () => {
    const texts = ['The bill', '', 'Nothing', 'Net total of the invoice. Invoice!', 'a bill '.repeat(2000)];
    const { status, body } = await askAll(texts);
    expect(status).toBe(200);
    const single = await Promise.all(
      texts.map(async (text) => (text === '' ? [] : (await matchesOf(text)).terms)),
    );
    expect(body.results).toEqual(single);
    expect(body.results[0]).toMatchObject([{ source_term: 'bill', target_terms: ['facture'] }]);
    const html = await askAll(['<b>net</b> total'], mine, { text_type: 'Html' });
    expect(html.body.results).toMatchObject([[{ source_term: 'net total', spans: [] }]]);
  });

  test('rejects more than 100 texts, a text that no job may have, and too many characters together', async () => {
    const longest = 'x'.repeat(20_000);
    expect((await askAll([longest, longest, 'x'.repeat(10_000)])).status).toBe(200);
    expect((await askAll(Array.from({ length: 101 }, () => 'x'))).status).toBe(422);
    expect((await askAll([])).status).toBe(422);
    expect((await askAll([`${longest}x`])).status).toBe(413);
    expect((await askAll([longest, longest, 'x'.repeat(10_001)])).status).toBe(413);
  });
});
