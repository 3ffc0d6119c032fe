import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LanguageCode,
  languageCodes,
  languageOfName,
  readDeclaredVariant,
  readLanguage,
  supportedLanguages,
} from '#server/languages.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

describe('B 4.4 "Language code reading"', () => {
  it.each(languageCodes)('%s reads as itself in any case', (code) => {
    expect([code, code.toLowerCase(), code.toUpperCase()].map(readLanguage)).toEqual([code, code, code]);
  });

  it.each<[tag: string, code: LanguageCode]>([
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['ZH-mo', 'zh-Hant'],
    ['zh-Hant-HK', 'zh-Hant'],
    ['zh-hant-CN', 'zh-Hant'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-my', 'zh-Hans'],
    ['zh-Hans-TW', 'zh-Hans'],
    ['zh-Hans-CN-x-own', 'zh-Hans'],
    ['no', 'nb'],
    ['no-NO', 'nb'],
    ['NOB', 'nb'],
    ['nb-NO', 'nb'],
    ['en-US', 'en'],
    ['en-us', 'en'],
    ['fr-FR', 'fr'],
    ['fr-BE', 'fr'],
    ['fr-CA-x-own', 'fr-CA'],
    ['FR-ca', 'fr-CA'],
    ['pt-BR-x-own', 'pt-BR'],
    ['pt-PT-1990', 'pt-PT'],
    ['es-MX', 'es'],
    ['es-419', 'es'],
    ['de-CH-1996', 'de'],
    ['ur-Arab-PK', 'ur'],
    ['ja-JP-u-ca-japanese', 'ja'],
    ['en_US', 'en'],
    ['zh_CN', 'zh-Hans'],
    ['zh_hant_TW', 'zh-Hant'],
    ['pt_br', 'pt-BR'],
  ])('%s reads as %s', (tag, code) => {
    expect(readLanguage(tag)).toBe(code);
  });

  it.each([
    'zh',
    'ZH',
    'pt',
    'pt-AO',
    'pt-MO',
    'pt-Latn',
    'zh-Latn',
    'zh-US',
    'zh-yue',
    'yue-HK',
    'ar-arz',
    'no-nyn',
    'nn',
    'nn-NO',
    'sr',
    'xx-US',
    'eng',
    'fra-FR',
    'english',
    '',
    '-',
    'en-',
    '-US',
    'en--US',
    'en-US-',
    'en US',
    ' en',
    'en\n',
    'en;q=0.9',
    'en-ÜS',
    'ｅｎ',
    'constructor',
    '__proto__',
    '*all*',
    `en-${'a'.repeat(9)}`,
    `en-${'x-'.repeat(60)}x`,
  ])('%j reads as no language', (tag) => {
    expect(readLanguage(tag)).toBeUndefined();
  });

  it('variants never mix: a tag reads as at most one language, and it is of its base', () => {
    const subtag = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
    const tag = fc
      .tuple(
        fc.constantFrom('en', 'fr', 'pt', 'zh', 'nb', 'no', 'xx'),
        fc.array(fc.oneof(subtag, fc.constantFrom('CA', 'BR', 'PT', 'Hans', 'TW'))),
      )
      .map(([base, subtags]) => [base, ...subtags].join('-'));
    fc.assert(
      fc.property(tag, (written) => {
        const read = readLanguage(written);
        const base = written.split('-')[0]!.replace('no', 'nb');
        expect(read === undefined || read === base || read.startsWith(`${base}-`)).toBe(true);
        expect(readLanguage(written.toUpperCase())).toBe(read);
      }),
    );
  });

  it('a tag of megabytes is refused at once', async () => {
    const tag = `en-${'a-'.repeat(5_000_000)}`;
    expect(await cpuTime(() => expect(readLanguage(tag)).toBeUndefined())).toBeLessThan(100);
  });
});

describe('C 7: a variant that names only the base of a split language is the declared one', () => {
  it.each<[tag: string, declared: LanguageCode, read: LanguageCode | undefined]>([
    ['zh', 'zh-Hans', 'zh-Hans'],
    ['ZH', 'zh-Hant', 'zh-Hant'],
    ['pt', 'pt-BR', 'pt-BR'],
    ['PT', 'pt-PT', 'pt-PT'],
    ['pt', 'zh-Hans', undefined],
    ['zh', 'en', undefined],
    // A tag that names a variant matches only this variant.
    ['zh-TW', 'zh-Hans', 'zh-Hant'],
    ['pt-PT', 'pt-BR', 'pt-PT'],
    ['pt-AO', 'pt-BR', undefined],
    // French without a region is a supported language itself.
    ['fr', 'fr-CA', 'fr'],
    ['fr-CA', 'fr', 'fr-CA'],
    ['en-US', 'en', 'en'],
    ['', 'pt-BR', undefined],
  ])('%j beside %s reads as %s', (tag, declared, read) => {
    expect(readDeclaredVariant(tag, declared)).toBe(read);
  });
});

describe('B 4.4: the English name of a language in any case', () => {
  it.each(Object.entries(supportedLanguages))('%s is %s', (code, name) => {
    expect(
      [name, name.toLowerCase(), name.toUpperCase(), ` ${name.replace(' ', '\u00a0 ')} `].map(languageOfName),
    ).toEqual(Array(4).fill(code));
  });

  it('French means French of France', () => {
    expect(languageOfName('FRENCH')).toBe('fr');
  });

  it.each(['Chinese', 'Portuguese', 'Norsk', 'Klingon', '', 'toString', 'French (Belgium)'])(
    '%j is not one',
    (name) => {
      expect(languageOfName(name)).toBeUndefined();
    },
  );
});
