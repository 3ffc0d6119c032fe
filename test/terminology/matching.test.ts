import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeAll(async () => {
  mine = await openSets(app);
});

/** The targets that a translation must have according to these lines, each with its count. */
async function expected(
  lines: string[],
  source_text: string,
  target_lang = 'fr',
  source_lang = 'en',
): Promise<Record<string, number>> {
  await mine.glossary(lines);
  const { request } = await mine.job({ source_text, target_lang, source_lang });
  return request.metadata.terminology_gate?.expected_target_counts ?? {};
}

describe('Glossary matching: terms in running text', () => {
  test('once for each occurrence, at both ends of the text too', async () => {
    const counts = await expected(['order,commande'], 'Order after order: (order) “order” order-book order');
    expect(counts).toEqual({ commande: 6 });
  });

  test.each([
    ['in a word', 'cat', 'concatenate the catalogue'],
    ['before a letter', 'cat', 'cats'],
    ['with digits', 'A4', 'A42 and BA4'],
  ])('not %s', async (_, term, text) => {
    expect(await expected([`${term},cible`], text)).toEqual({});
  });

  test('of several words, over any white space', async () => {
    expect(
      await expected(['purchase order,bon'], 'A purchase order, a purchase  order, a purchase\norder.'),
    ).toEqual({
      bon: 3,
    });
  });

  test('of characters that are no letters', async () => {
    expect(await expected(['C++,C plus plus', 'R&D,recherche'], 'R&D in C++, not C.')).toEqual({
      'C plus plus': 1,
      recherche: 1,
    });
  });

  test('in any case, unless the entry is case-sensitive', async () => {
    const lines = ['source,target,case_sensitive', 'apple,pomme,', 'Orange,Orange SA,yes'];
    const counts = await expected(lines, 'APPLE Apple apple; Orange orange ORANGE');
    expect(counts).toEqual({ pomme: 3, 'Orange SA': 1 });
  });

  test('in either normal form', async () => {
    expect(await expected(['Caf\u00e9,bistro'], 'The cafe\u0301 and the caf\u00e9.')).toEqual({ bistro: 2 });
    expect(await expected(['Cafe\u0301,bistro'], 'The cafe\u0301 and the caf\u00e9.')).toEqual({ bistro: 2 });
  });

  test.each([
    ['ja', '請求書,invoice', '請求書を送ってください。請求書です。', 2],
    ['zh-Hans', '合同,contract', '请签署合同并寄回合同。', 2],
    ['th', 'ใบแจ้งหนี้,invoice', 'กรุณาส่งใบแจ้งหนี้ให้เรา', 1],
    ['ko', '계약,contract', '계약 서명', 1],
    ['ar', 'فاتورة,invoice', 'هذه فاتورة جديدة', 1],
    ['hi', 'अनुबंध,contract', 'यह अनुबंध नया है', 1],
    ['ru', 'договор,contract', 'Это новый договор.', 1],
  ])('in the script of %s', async (lang, line, text, count) => {
    expect(Object.values(await expected([line], text, 'en', lang))).toEqual([count]);
  });
});

describe('B 4.4: overlapping spans', () => {
  test('of equal priority: the longest', async () => {
    const lines = ['order,commande', 'purchase order,bon', 'purchase order form,formulaire'];
    expect(await expected(lines, 'A purchase order form, a purchase order, an order.')).toEqual({
      formulaire: 1,
      bon: 1,
      commande: 1,
    });
  });

  test('the higher priority wins, though it is shorter', async () => {
    const lines = ['order,commande,,,,5', 'purchase order,bon,,,,1'];
    expect(await expected(lines, 'A purchase order.')).toEqual({ commande: 1 });
  });

  test('that only touch at a part', async () => {
    const lines = ['net total,total net,,,,1', 'total amount,montant total,,,,2'];
    expect(await expected(lines, 'The net total amount.')).toEqual({ 'montant total': 1 });
  });

  test('across sets', async () => {
    const other = await mine.glossary(['purchase order,bon,,,,9'], { name: 'Another' });
    expect(await expected(['order,commande,,,,5'], 'A purchase order, an order.')).toEqual({
      bon: 1,
      commande: 1,
    });
    await mine.removeGlossary(other.id);
  });
});
