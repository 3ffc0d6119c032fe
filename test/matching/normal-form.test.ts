import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalForm, sourceHash, sourceHashHex } from '#server/matching/normal-form.ts';

describe('the normal form of a source (B 8 "Translation memory at translation time" rule 1)', () => {
  it.each([
    ['NFC', 'Gru\u0308\u00dfe', 'Grüße'],
    ['runs of white space as one space', 'one\t two\r\n\r\nthree', 'one two three'],
    ["Unicode's white space too", 'a\u00a0b\u3000c\u2009\u0085d\u2028e', 'a b c d e'],
    ['none at the ends', '\n  a b \u3000', 'a b'],
    ['nothing of white space alone', ' \t\n', ''],
    ['case as it is', 'USA usa', 'USA usa'],
    ['what has no width is no white space', 'نمی\u200cخواهم \ufeffa\u200bb', 'نمی\u200cخواهم \ufeffa\u200bb'],
  ])('%s', (_, text, normal) => {
    expect(normalForm(text)).toBe(normal);
  });

  it('is its own normal form, whatever the text', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom(' ', '\n', '\u00a0', '\u0301', '\u3099', 'e', 'か', '\ud800', '\u1fef', '\u2000'),
          fc.string({ unit: 'binary', maxLength: 3 }),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (any) => {
        expect(normalForm(normalForm(any))).toBe(normalForm(any));
        expect(normalForm(any)).not.toMatch(/^\s|\s\s|[^\S \ufeff]|[ ]$/u);
      }),
    );
  });
});

it('the hash of a source is the first half of the SHA-256 of its UTF-8', () => {
  expect(sourceHash('')).toEqual(Buffer.from('e3b0c44298fc1c149afbf4c8996fb924', 'hex'));
  expect(sourceHash('Grüße')).toEqual(Buffer.from('f83e039796c6453a10f5519e39fd1139', 'hex'));
  expect(sourceHashHex('Grüße')).toBe('f83e039796c6453a10f5519e39fd1139');
});
