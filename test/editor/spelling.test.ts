import { expect, test } from 'vitest';
import { wordsToCheck } from '#web/app/editor/spelling/words.ts';

const checked = (text: string, allowed: { source?: string; terms?: string[]; isHtml?: boolean } = {}) =>
  wordsToCheck(text, { source: '', terms: [], language: 'en', isHtml: false, ...allowed }).map(
    (word) => word.text,
  );

test('words are checked with their apostrophes and accents, at their places', () => {
  expect(checked('I don’t like naïve re-entries')).toEqual(['don’t', 'like', 'naïve', 're', 'entries']);
  const [word] = wordsToCheck('😀 teh end', { source: '', terms: [], language: 'en', isHtml: false });
  expect(word).toEqual({ text: 'teh', start: 3, end: 6 });
});

test('placeholders, tags, addresses, numbers and capitals are not', () => {
  expect(
    checked('Pay {customr_name} or %s to %(acount)s via https://exmple.org/pth and me@exmple.org'),
  ).toEqual(['Pay', 'or', 'to', 'via', 'and']);
  expect(checked('<spn class="wrng">Pay</spn> now', { isHtml: true })).toEqual(['Pay', 'now']);
  expect(checked('Order A4x, 12kgs and file_nme for UNICEF at setings.json')).toEqual([
    'Order',
    'and',
    'for',
    'at',
  ]);
});

test('names of the source and words of its glossary terms are not, but other words of the source are', () => {
  const source = 'Herr Krüger zahlt die Kaution bei Immoqel';
  expect(checked('Mr Krüger pays the kaution to Immoqel', { source, terms: ['Kaution deposit'] })).toEqual([
    'Mr',
    'pays',
    'the',
    'to',
  ]);
  expect(checked('He zahlt it', { source })).toEqual(['He', 'zahlt', 'it']);
});
