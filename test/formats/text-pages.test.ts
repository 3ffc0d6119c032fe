import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCodePoints } from '#server/formats/text.ts';
import { pagesOf } from '#server/formats/text-pages.ts';

const split = (text: string, max: number, language = 'en'): string[] => [...pagesOf(text, max, language)];
const withoutBlanks = (text: string): string => text.replace(/\s/gu, '');

describe('where a page ends', () => {
  it.each<[rule: string, text: string, max: number, pages: string[]]>([
    ['a text that fits is one page', 'One. Two.\n\nThree.', 17, ['One. Two.\n\nThree.']],
    ['a blank line comes first', 'aa bb.\ncc dd.\n\nee ff. gg', 19, ['aa bb.\ncc dd.', 'ee ff. gg']],
    ['then a line end', 'aa bb. cc\ndd ee. ff gg', 19, ['aa bb. cc', 'dd ee. ff gg']],
    ['then a sentence', 'Aa bb. Cc dd. Ee ff gg.', 19, ['Aa bb. Cc dd.', 'Ee ff gg.']],
    ['then a word', 'aa bb cc dd ee ff', 10, ['aa bb cc', 'dd ee ff']],
    ['then a character', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['a blank line with spaces in it is one', 'aa bb\n \t\ncc dd', 10, ['aa bb', 'cc dd']],
    ['whitespace at the edges is dropped', '\n\n  ab  \n\n\n\n  cd  \n', 2, ['ab', 'cd']],
    ['whitespace is no page', ' \n\t\n ', 5, []],
  ])('%s', (_, text, max, pages) => {
    expect(split(text, max)).toEqual(pages);
  });

  it('a paragraph that fits no page whole starts on the page of its heading', () => {
    expect(split('Heading\n\nOne two three. Four five six. Seven eight nine.', 32)).toEqual([
      'Heading\n\nOne two three.',
      'Four five six. Seven eight nine.',
    ]);
  });

  it('a paragraph that fits the next page is not cut', () => {
    expect(split('Short.\n\nOne two. Three four. Five six seven.', 36)).toEqual([
      'Short.',
      'One two. Three four. Five six seven.',
    ]);
  });

  it('sentences and words are those of the language', () => {
    expect(split('今日は天気がいい。明日は雨が降る。', 12, 'ja')).toEqual([
      '今日は天気がいい。',
      '明日は雨が降る。',
    ]);
    // 'I love Thailand'. Thai has no spaces between words.
    expect(split('ฉันรักประเทศไทย', 10, 'th')).toEqual(['ฉันรัก', 'ประเทศไทย']);
  });

  it('a limit counts code points, not UTF-16 units', () => {
    expect(split('🌍🌍🌍🌍', 2)).toEqual(['🌍🌍', '🌍🌍']);
  });

  it('a grapheme cluster is not cut', () => {
    const family = '👨‍👩‍👧';
    expect(split(family.repeat(3), 7)).toEqual([family, family, family]);
    expect(split('e\u0301e\u0301e\u0301', 3)).toEqual(['e\u0301', 'e\u0301', 'e\u0301']);
  });

  it('a space that carries a mark is no gap between words', () => {
    expect(split('abc \u0301def', 5)).toEqual(['abc \u0301', 'def']);
  });

  it('a cluster longer than a page is cut between code points', () => {
    expect(split(`a${'\u0301'.repeat(7)}`, 4)).toEqual(['a\u0301\u0301\u0301', '\u0301\u0301\u0301\u0301']);
  });

  it('a page without room for a code point is refused', () => {
    expect(() => split('a', 0)).toThrow(RangeError);
  });
});

/**
 * Texts of characters that determine where a page ends: letters, combining marks, joined emoji, dense scripts, spaces,
 * ends of lines and sentences.
 */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'b.', 'C', ' ', '  ', '\n', '\n\n', '. ', '! ', '\r\n', '\t', '\u00a0', '\u3000'),
      fc.constantFrom(...'\u0301 \u200d 🏽 👨‍👩‍👧 🇫🇷 한 각 क्षि ำ ไทย 語 。 \u0600'.split(' '), '\ud83d'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 120 },
  )
  .map((pieces) => pieces.join(''));

const languages = fc.constantFrom('en', 'ja', 'th', 'zh-Hans', 'ar', 'hi');

describe('any text, any page size, any language', () => {
  it('loses nothing but whitespace, and no page is blank, over the limit, or ends in whitespace', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), languages, (text, max, language) => {
        const pages = split(text, max, language);
        expect(withoutBlanks(pages.join(''))).toBe(withoutBlanks(text));
        for (const page of pages) {
          expect(page).not.toMatch(/^\s*$|\s$/u);
          expect(countCodePoints(page)).toBeLessThanOrEqual(max);
        }
      }),
      { numRuns: 700 },
    );
  });

  it('a cluster is cut only where it is longer than a page', () => {
    const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(texts, fc.integer({ min: 12, max: 40 }), languages, (text, max, language) => {
        const whole = [...clusters.segment(text)].map(({ segment }) => segment);
        fc.pre(whole.every((cluster) => countCodePoints(cluster) <= max));
        const inPages = split(text, max, language).flatMap((page) =>
          [...clusters.segment(page)].map(({ segment }) => segment),
        );
        const visible = (all: string[]): string[] => all.map((cluster) => cluster.trim()).filter(Boolean);
        expect(visible(inPages)).toEqual(visible(whole));
      }),
      { numRuns: 700 },
    );
  });

  it('a page has no room for the paragraph that follows it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,20}$/), { maxLength: 40 }),
        fc.integer({ min: 20, max: 60 }),
        (paragraphs, max) => {
          const pages = split(paragraphs.join('\n\n'), max);
          expect(pages.join('\n\n')).toBe(paragraphs.join('\n\n'));
          for (const [index, page] of pages.slice(0, -1).entries()) {
            const [following] = pages[index + 1]!.split('\n\n');
            expect(`${page}\n\n${following}`.length).toBeGreaterThan(max);
          }
        },
      ),
    );
  });
});

describe('a hostile text', () => {
  it.each<[what: string, text: string]>([
    ['of marks', `a${'\u0301'.repeat(1_000_000)}`],
    ['of sentence ends', '. '.repeat(1_000_000)],
    ['of blank runs', `a${' '.repeat(20_000)}`.repeat(50)],
  ])('%s is split whole', (_, text) => {
    const pages = split(text, 5000);
    expect(withoutBlanks(pages.join('')).length).toBe(withoutBlanks(text).length);
  });
});
