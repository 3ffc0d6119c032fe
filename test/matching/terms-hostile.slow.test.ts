import { describe, expect, it } from 'vitest';
import type { LanguageCode } from '#server/languages.ts';
import { checkTerms, compileTerms, type GlossaryEntry } from '#server/matching/terms/index.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

/**
 * Milliseconds. Each case takes far less (at most 0.5 s on a busy machine), and any quadratic algorithm would take far
 * more.
 */
const limit = 4000;

function entries(terms: readonly string[]): GlossaryEntry[] {
  return terms.map((sourceTerm, at) => ({
    sourceTerm,
    targetTerm: `t${at}`,
    caseSensitive: at % 2 === 0,
    priority: at % 5,
  }));
}

const repeats = (unit: string, most: number): string[] =>
  Array.from({ length: most }, (_, at) => unit.repeat(at + 1).trim());

/** 2,000 terms of 500 letters whose beginnings all differ. */
const longTerms = Array.from({ length: 2000 }, (_, at) =>
  Array.from({ length: 500 }, (_, letter) =>
    String.fromCharCode(97 + ((at * 31 + letter * (at + 7)) % 26)),
  ).join(''),
);

describe('a glossary and a text built to be slow', () => {
  it.each<[what: string, language: LanguageCode, terms: string[], text: string]>([
    ['a, aa, aaa in a word', 'en', repeats('a', 2000), 'a'.repeat(50_000)],
    ['the same in kana', 'ja', repeats('あ', 500), 'あ'.repeat(50_000)],
    ['in Arabic, with particles before', 'ar', repeats('ب', 500), 'ب'.repeat(50_000)],
    ['long terms', 'en', longTerms, `${longTerms[7]} `.repeat(100)],
    ['one term 2000 times', 'en', Array(2000).fill('a'), 'a '.repeat(25_000)],
    ['marks without end', 'en', ['a', 'a\u0301'], `a${'\u0301\u0316'.repeat(25_000)}`],
    ['marks on a term', 'en', [`a${'\u0301\u0316'.repeat(25_000)}`], 'a'],
    ['halves of pairs', 'en', ['\ud800', '\udc00'], '\udc00\ud800'.repeat(25_000)],
    ['apostrophes', 'fr', ['a'], "a'".repeat(25_000)],
    ['hyphens', 'id', ['a'], 'a-'.repeat(25_000)],
    ['more addresses', 'en', ['a'], 'a://'.repeat(12_500)],
    ['markup', 'en', ['a'], '<a'.repeat(25_000)],
    ['placeholders', 'en', ['a'], '{a'.repeat(25_000)],
    ['messages', 'en', ['a'], '{a, date'.repeat(6_000)],
    ['tags of templates', 'en', ['a'], '{% a <% a [% a '.repeat(3_000)],
    ['names', 'en', ['a'], '$t(a %aaa :aaa @aaa '.repeat(2_500)],
  ])('%s', async (_, language, terms, text) => {
    const ms = await cpuTime(() => {
      const matches = compileTerms(entries(terms), language).find(text);
      expect(matches.length).toBeLessThanOrEqual(text.length);
    });
    expect(ms).toBeLessThan(limit);
  });

  it('of many terms that end at one position, the shorter ones are left out', () => {
    const [match] = compileTerms(entries(repeats('a ', 200)), 'en').find('a '.repeat(200));
    expect(match).toMatchObject({ start: 0 });
    expect(match!.end).toBeGreaterThan(2 * 184);
  });
});

describe('a translation built to be slow', () => {
  const words = Array.from(
    { length: 2000 },
    (_, at) => `Wort${String.fromCharCode(97 + (at % 26))}${at.toString(36)}`,
  );

  it.each<[what: string, language: LanguageCode, terms: string[], target: string]>([
    ['a, aa, aaa in a word', 'de', repeats('a', 1000), 'a'.repeat(50_000)],
    ['joined by hyphens', 'fi', repeats('a ', 500), 'a-'.repeat(25_000)],
    ['in Arabic, with particles before', 'ar', repeats('ب ', 500), 'ب '.repeat(25_000)],
    ['in kana, cut anywhere', 'ja', repeats('あ', 500), 'あ'.repeat(50_000)],
    ['2000 terms', 'de', words, words.join(' ')],
    ['one word as long', 'de', ['Wort'], `Wort${'e'.repeat(50_000)}`],
    ['a term as long', 'fi', [`${'a'.repeat(50_000)}b`], 'a'],
  ])('%s', async (_, language, terms, target) => {
    const expected = terms.map((term) => ({
      sourceTerm: term,
      targetTerms: [term] as [string],
      caseSensitive: false,
      count: 3,
    }));
    expect(await cpuTime(() => checkTerms(expected, target, language))).toBeLessThan(limit);
  });

  it('alternatives of alternatives', async () => {
    const expected = Array.from({ length: 500 }, (_, at) => ({
      sourceTerm: `s${at}`,
      targetTerms: ['x', ...Array.from({ length: 50 }, (_, other) => `y${at} ${other}`)] as [
        string,
        ...string[],
      ],
      caseSensitive: false,
      count: 10,
    }));
    const ms = await cpuTime(() => {
      expect(checkTerms(expected, 'x '.repeat(5000), 'en').passed).toBe(true);
      expect(checkTerms(expected, 'x '.repeat(4999), 'en').passed).toBe(false);
    });
    expect(ms).toBeLessThan(limit);
  });
});
