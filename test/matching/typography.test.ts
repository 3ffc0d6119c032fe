import { describe, expect, test } from 'vitest';
import { inCapitals, isInCapitals } from '#server/matching/capitals.ts';
import { plainTypography, spellings, withTypographyOf } from '#server/matching/typography.ts';

describe('texts that differ in typography only', () => {
  test.each([
    ['apostrophes', 'en', "Don't", 'Don’t'],
    ['quotation marks', 'en', 'Press "Start"', 'Press “Start”'],
    ['quotation marks of the language', 'de', 'Taste "Start"', 'Taste „Start“'],
    ['spaces in French quotation marks', 'fr', 'Touche "Marche"', 'Touche «\u202fMarche\u202f»'],
    ['single quotation marks', 'en', "the 'hot' side", 'the ‘hot’ side'],
    ['dashes', 'en', 'hot - very hot', 'hot – very hot'],
    ['longer dashes', 'en', 'hot - very hot', 'hot — very hot'],
    ['a range', 'en', '3-5 mm', '3–5 mm'],
    ['hyphens that do not break', 'en', 'non-stop', 'non\u2011stop'],
    ['soft hyphens', 'en', 'container', 'con\u00adtain\u00ader'],
    ['ligatures', 'en', 'office file', 'oﬃce ﬁle'],
    ['an ellipsis', 'en', 'Wait...', 'Wait…'],
    ['several', 'en', `It's "hot" - don't wait...`, 'It’s “hot” – don’t wait…'],
  ])('%s are found from the plain text and from the printed one', (_, language, plain, printed) => {
    expect(plainTypography(printed, language)).toBe(plain);
    expect(spellings(printed, language)).toContain(plain);
    const isMark = !/[\u00ad\ufb00-\ufb06\u2011]/.test(printed);
    if (isMark) expect(spellings(plain, language)).toContain(printed.replaceAll('\u202f', ' '));
  });

  test('a text without such marks has no other spelling', () => {
    expect(spellings('Close the two-way valve 7.', 'en')).toEqual([]);
  });

  test.each([
    ['Don’t', "Don't", "N'arrêtez pas", 'fr', 'N’arrêtez pas'],
    ["Don't", 'Don’t', 'N’arrêtez pas', 'fr', "N'arrêtez pas"],
    ['“Start”', '"Start"', '"Start"', 'de', '„Start“'],
    ['"Start"', '“Start”', '«\u00a0Marche\u00a0»', 'fr', '"Marche"'],
    ['a – b…', 'a - b...', 'c - d...', 'de', 'c – d…'],
    [
      'Don’t “<a href="x">go</a>”',
      'Don\'t "<a href="x">go</a>"',
      '"<a href="x">los</a>"',
      'de',
      '"<a href="x">los</a>"',
    ],
    ['it’s {name}', "it's {name}", "d'{name}", 'fr', "d'{name}"],
  ])('the translation of “%s” gets its typography', (text, sourceText, targetText, language, expected) => {
    expect(withTypographyOf(text, { sourceText, targetText }, language)).toBe(expected);
  });
});

describe('capitals', () => {
  test.each([
    ['SAFETY NOTES', true],
    ['STEP {count} OF <b>TEN</b>', true],
    ['IT', false],
    ['SAFETY notes', false],
    ['安全上のご注意', false],
  ])('%s: %s', (text, is) => expect(isInCapitals(text)).toBe(is));

  test('follow the language and leave code alone', () => {
    expect(inCapitals('iğne {count} <i>adet</i>', 'tr')).toBe('İĞNE {count} <i>ADET</i>');
    expect(inCapitals('安全 %d', 'ja')).toBe('安全 %d');
  });
});
