import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { detectLanguage } from '#server/translation/plausibility/detect-language.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { declaration } from '../../formats/golden-declaration.ts';

/** The code that is detected for a language. Varieties that cannot be distinguished have the same code. */
const detectedAs = (language: string): string =>
  ({ 'fr-CA': 'fr', 'pt-PT': 'pt-BR', pt: 'pt-BR', no: 'nb' })[language] ?? language;

interface Sample {
  language: string;
  text: string;
}

/** The shares of samples whose language is detected, and detected wrongly. */
function measure(samples: readonly Sample[]) {
  const found = samples.map(({ language, text }) => ({ language, found: detectLanguage(text).language }));
  const wrong = found.filter((one) => one.found !== null && one.found !== detectedAs(one.language));
  const right = found.filter((one) => one.found === detectedAs(one.language));
  return { right: right.length / samples.length, wrong: wrong.length / samples.length };
}

/** Paragraphs of the Universal Declaration of Human Rights. */
const paragraphs = (language: LanguageCode, from = 40): Sample[] =>
  declaration(language)
    .split('\n')
    .filter((text) => [...text.trim()].length >= from)
    .map((text) => ({ language, text }));

const units = JSON.parse(readFileSync(new URL('./real-units.json', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, string>[]
>;
const messages = Object.values(units)
  .flat()
  .flatMap((unit) => Object.entries(unit).map(([language, text]): Sample => ({ language, text })));

describe('the language of a text', () => {
  test.each(languageCodes)('%s: some pages are detected', (language) => {
    expect(detectLanguage(declaration(language))).toEqual({
      language: detectedAs(language),
      confidence: expect.closeTo(0.99, 2),
    });
  });

  test('of 100 real paragraphs in all languages 96 are detected, and hardly any wrongly', () => {
    const { right, wrong } = measure(languageCodes.flatMap((language) => paragraphs(language)));
    expect(right).toBeGreaterThan(0.96);
    expect(wrong).toBeLessThan(0.003);
  });

  test('of messages of programs, short ones are left open rather than guessed', () => {
    const long = measure(messages.filter(({ text }) => text.length >= 80));
    expect(long.right).toBeGreaterThan(0.95);
    expect(long.wrong).toBe(0);
    expect(measure(messages.filter(({ text }) => text.length < 40)).wrong).toBeLessThan(0.005);
  });

  test.each([
    ['too short', 'Das ist gut', 'de'],
    ['Danish that is Norwegian, too', 'Han kommer hver dag fra byen til stranden', 'nb'],
  ])('%s: no language, but those that it may be', (_why, text, candidate) => {
    const found = detectLanguage(text);
    expect(found.language).toBeNull();
    expect((found as { candidates: string[] }).candidates).toContain(candidate);
  });

  test.each([
    ['no letters', '12345 -- 67'],
    ['a language that is not supported', 'שלום עולם, איך אתם היום? אנחנו כאן.'],
    ['one like a supported one', 'Dnes je pekný deň a ideme do lesa, aby sme nazbierali huby a maliny.'],
    ['code', 'user_id=42; x.y(z); --source_lang=de'],
    [
      'two languages',
      'Please save your changes before you leave this page, or they will be lost. Запишите изменения перед уходом.',
    ],
  ])('%s: no language', (_what, text) => {
    expect(detectLanguage(text).language).toBeNull();
  });

  test('names of products in Latin letters, tags and messages with branches do not mislead', () => {
    expect(detectLanguage('AWS Lambda と Amazon S3 を使用してデータを処理します').language).toBe('ja');
    expect(
      detectLanguage('<section class="main content"><p>Bitte speichern Sie Ihre Änderungen.</p></section>')
        .language,
    ).toBe('de');
    expect(
      detectLanguage(
        '{count, plural, one {# fichier a été enregistré} other {# fichiers ont été enregistrés}}',
      ).language,
    ).not.toBe('en');
  });

  test('a megabyte of anything takes no longer than a few pages', async () => {
    const texts = ['<'.repeat(1e6), 'a '.repeat(5e5), '\u0301'.repeat(1e6), 'é'.repeat(1e6)];
    expect(await cpuTime(() => texts.map(detectLanguage))).toBeLessThan(3000);
  });
});
