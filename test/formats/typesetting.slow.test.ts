import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latinFont } from '#server/formats/typesetting/font-style.ts';
import { fontOf } from '#server/formats/typesetting/languages.ts';
import {
  breakLines,
  countLines,
  type Line,
  singleLine,
  widestWord,
} from '#server/formats/typesetting/lines.ts';
import { type Paragraph, shapeParagraph } from '#server/formats/typesetting/paragraph.ts';
import { languageCodes } from '#server/languages.ts';
import { declaration } from './golden-declaration.ts';

const clusters = (text: string, language = 'en'): Paragraph['clusters'] =>
  shapeParagraph(text, { language }).clusters;

const glyphIds = (text: string, language = 'en'): number[] =>
  clusters(text, language).flatMap(({ glyphs }) => glyphs.map(({ id }) => id));

const linesOf = (text: string, language: string, width: number): string[] => {
  const paragraph = shapeParagraph(text, { language });
  return breakLines(paragraph, width).map(({ start, end }) => paragraph.text.slice(start, end));
};

/** The runs in the only line of a text, and the clusters of each run, both from left to right. */
const runs = (text: string, language: string): string[] =>
  singleLine(shapeParagraph(text, { language })).runs.map(
    ({ rightToLeft, clusters }) =>
      `${rightToLeft ? '<' : '>'}${clusters.map((cluster) => cluster.text).join('')}`,
  );

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(...'aعहिกが한12( )\t-\u0301\u094d\u200d\u200c\u2067\u202e\u00ad😀\ud83d'),
  }),
);
const anyLanguage = fc.constantFrom('en', 'ar', 'hi', 'th', 'ja', 'ko', 'zh-Hans', 'zh-Hant', 'xx');

describe('a shaped paragraph', () => {
  it('has all of its text in its clusters, in order, whatever its spans', () => {
    const plain = { family: 'serif', italic: false } as const;
    fc.assert(
      fc.property(anyText, anyLanguage, fc.array(fc.nat(20)), (text, language, lengths) => {
        let end = 0;
        const spans = [...lengths, text.length].map((length, index) => {
          end += length;
          return { ...plain, bold: index % 2 === 1, end, scale: 1 + (index % 3) / 2 };
        });
        const paragraph = shapeParagraph(text, lengths.length > 0 ? { language, spans } : { language });
        expect(paragraph.text).toBe(text.toWellFormed());
        expect(paragraph.clusters.map((cluster) => cluster.text).join('')).toBe(paragraph.text);
        for (const { text, start, end } of paragraph.clusters)
          expect(text).toBe(paragraph.text.slice(start, end));
      }),
    );
  });

  it('joins Arabic letters, across a change of font too', () => {
    expect(new Set(glyphIds('ههه', 'ar')).size).toBe(3);
    expect(new Set(glyphIds('ه ه ه', 'ar')).size).toBe(2);
  });

  it("has each language's own forms of shared characters", () => {
    const fonts = ['zh-Hans', 'zh-Hant', 'ja', 'ko'].map((language) => clusters('骨', language)[0]!.font);
    expect(fonts).toEqual(['simplifiedChinese', 'traditionalChinese', 'japanese', 'korean']);
    expect(clusters('骨', 'zh-TW')[0]!.font).toBe('traditionalChinese');
    expect(glyphIds('ल', 'mr')).not.toEqual(glyphIds('ल', 'hi'));
    expect(glyphIds('۴', 'ur')).not.toEqual(glyphIds('۴', 'fa'));
  });

  it('finds a font for what its own lacks, and keeps spaces and digits in the font before them', () => {
    expect(
      clusters('aяω 1→∑☎😀नก日한ع')
        .map(({ font }) => font)
        .join(' '),
    ).toBe('sans sans sans sans sans math math moreSymbols emoji devanagari thai japanese korean arabic');
    expect(new Set(clusters('حي Latin 12', 'ar').map(({ font }) => font))).toEqual(
      new Set(['arabic', 'sans']),
    );
    expect(clusters('Latin 12', 'ar').every(({ font }) => font === 'sans')).toBe(true);
  });

  it.each(languageCodes)('shows each letter of %s within French and Arabic, too', (code) => {
    // The declaration contains no Katakana, so some is added.
    const text = declaration(code) + (code === 'ja' ? 'カタカナガパヴーｶﾞ' : '');
    const letters = [...new Set(text)].filter((letter) => /\p{L}/u.test(letter)).join(' ');
    for (const language of [code, 'fr', 'ar']) {
      const missing = clusters(letters, language).filter(({ glyphs }) => glyphs.some(({ id }) => id === 0));
      expect(missing.map(({ text }) => text)).toEqual([]);
    }
  });
});

describe('a line', () => {
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
  const logical = (line: Line): string =>
    line.runs
      .flatMap(({ clusters }) => clusters)
      .sort((a, b) => a.start - b.start)
      .map(({ text }) => text)
      .join('');

  it('has its text from the end of the previous line, without whitespace at its end, and fits unless it is one visible grapheme', () => {
    fc.assert(
      fc.property(anyText, anyLanguage, fc.integer({ min: 0, max: 12 }), (text, language, width) => {
        const paragraph = shapeParagraph(text, { language });
        let end = 0;
        for (const line of breakLines(paragraph, width)) {
          expect(line.start).toBe(end);
          end = line.end;
          const whole = paragraph.text.slice(line.start, line.end);
          expect(whole.startsWith(logical(line))).toBe(true);
          expect(whole.slice(logical(line).length)).toMatch(/^\s*$/);
          const count = [...graphemes.segment(whole)].filter(({ segment }) =>
            /[^\p{Cf}\s]/u.test(segment),
          ).length;
          if (count > 1 && width > 0 && !/[\u00ad\u202e]/.test(text))
            expect(line.width).toBeLessThan(width + 1e-3);
        }
        expect(end).toBe(paragraph.text.length);
      }),
    );
  });

  it('starts with a whole grapheme', () => {
    fc.assert(
      fc.property(anyText, anyLanguage, (text, language) => {
        const paragraph = shapeParagraph(text, { language });
        const starts = new Set([...graphemes.segment(paragraph.text)].map(({ index }) => index));
        for (const { start } of breakLines(paragraph, 0.1))
          expect(starts.has(start) || start === 0).toBe(true);
      }),
    );
  });

  it.each<[rule: string, language: string, text: string, width: number, lines: string[]]>([
    ['between words', 'en', 'one two three', 4, ['one two ', 'three']],
    ['after a hyphen', 'en', 'well-known', 4, ['well-', 'known']],
    ['inside a word only where it fits no line', 'en', 'a mmmmmm', 3, ['a ', 'mmm', 'mmm']],
    ['between Thai words', 'th', 'ประเทศไทยเป็นประเทศ', 5, ['ประเทศไทย', 'เป็นประเทศ']],
    ['not before Japanese closing signs', 'ja', 'あああ。い', 3, ['ああ', 'あ。い']],
    ['not before small kana', 'ja', 'あああっい', 3, ['ああ', 'あっい']],
    ['between conjuncts at most', 'hi', 'क्षक्ष', 0.1, ['क्ष', 'क्ष']],
  ])('breaks %s', (_, language, text, width, lines) => {
    expect(linesOf(text, language, width)).toEqual(lines);
  });

  it('shows a soft hyphen where it ends with one, and only there', () => {
    const paragraph = shapeParagraph('Donau\u00addampf', { language: 'en' });
    const [first, second] = breakLines(paragraph, 4) as [Line, Line];
    const hyphen = glyphIds('\u2010')[0];
    expect(first.runs[0]!.clusters.at(-1)).toMatchObject({ text: 'u\u00ad', glyphs: [{}, { id: hyphen }] });
    expect(first.width).toBeGreaterThan(singleLine(shapeParagraph('Donau', { language: 'en' })).width);
    expect(second.runs[0]!.clusters.map(({ text }) => text).join('')).toBe('dampf');
    expect(breakLines(paragraph, 20)[0]!.runs[0]!.clusters[4]!.glyphs).toHaveLength(1);
  });

  it('takes a tab to the next stop', () => {
    const at = (text: string): number => singleLine(shapeParagraph(text, { language: 'en' })).width;
    expect(at('a\tx')).toBeCloseTo(at('mm\tx'));
    expect(at('a\t\tx')).toBeCloseTo(at('mmmm\tx'));
  });

  it.each<[rule: string, language: string, text: string, runs: string[]]>([
    ['Arabic from the right', 'ar', 'حب', ['<بح']],
    ['Latin words in Arabic from the left', 'ar', 'حب abc', ['>abc', '< بح']],
    ['Arabic inside English', 'en', 'ab حب cd', ['>ab ', '<بح', '> cd']],
    ['an emoji as no letter', 'ar', 'حب 😀', ['<😀', '< بح']],
    ['a Persian joiner with its letter', 'fa', 'می\u200cشد', ['<دشی\u200cم']],
  ])('reads %s', (_, language, text, expected) => {
    expect(runs(text, language)).toEqual(expected);
  });

  it('keeps Latin phrases together in right-to-left paragraphs of any length', () => {
    const words = 'كلمة '.repeat(180);
    const paragraph = `${words}${'one two three four five '.repeat(12)}${words}`;
    const line = singleLine(shapeParagraph(paragraph, { language: 'ar' }));
    expect(line.runs.filter(({ rightToLeft }) => !rightToLeft)).toHaveLength(1);
  });

  it('mirrors parentheses that are read from the right', () => {
    const unmirrored = shapeParagraph('()', { language: 'ar', direction: 'ltr' }).clusters;
    const [opening, closing] = unmirrored.map(({ glyphs }) => glyphs[0]!.id);
    expect(glyphIds('ح(', 'ar').at(-1)).toBe(closing);
    expect(glyphIds('ح)', 'ar').at(-1)).toBe(opening);
    expect(clusters('ح(', 'ar').at(-1)!.text).toBe('(');
  });
});

describe('a paragraph with spans', () => {
  const plain = { family: 'serif', bold: false, italic: false } as const;

  it('changes font, width and size at their ends, and nowhere else', () => {
    const spans = [
      { ...plain, end: 3, scale: 1 },
      { ...plain, bold: true, end: 6, scale: 1 },
      { ...plain, end: 9, scale: 0.5 },
    ];
    const { clusters, ...paragraph } = shapeParagraph('abcabcabc', { language: 'en', spans });
    expect(clusters.map(({ font, span, scale }) => [font, span, scale])).toEqual([
      ...Array.from({ length: 3 }, () => ['tinos', 0, 1]),
      ...Array.from({ length: 3 }, () => ['tinosBold', 1, 1]),
      ...Array.from({ length: 3 }, () => ['tinos', 2, 0.5]),
    ]);
    const line = singleLine({ ...paragraph, clusters });
    expect(line.runs.map(({ span }) => span)).toEqual([0, 1, 2]);
    const alone = (text: string, bold: boolean): number =>
      singleLine(shapeParagraph(text, { language: 'en', spans: [{ ...plain, bold, end: 3, scale: 1 }] }))
        .width;
    expect(line.width).toBeCloseTo(alone('abc', false) * 1.5 + alone('abc', true));
  });

  it('breaks where the whole text may break, and fills lines with what is narrower', () => {
    const text = 'one two three four';
    const spans = [
      { ...plain, end: 5, scale: 1 },
      { ...plain, end: text.length, scale: 0.5 },
    ];
    const paragraph = shapeParagraph(text, { language: 'en', spans });
    const lines = breakLines(paragraph, 4).map(({ start, end }) => text.slice(start, end));
    expect(lines).toEqual(['one two three ', 'four']);
    expect(linesOf(text, 'en', 4)[0]).toBe('one two ');
    expect(countLines(paragraph, 4)).toBe(2);
  });

  it('tells its widest word, within which no rule breaks', () => {
    const paragraph = shapeParagraph('a Dampfschiff b', { language: 'de' });
    const widest = widestWord(paragraph);
    expect(widest).toBeCloseTo(singleLine(shapeParagraph('Dampfschiff', { language: 'de' })).width);
    expect(breakLines(paragraph, widest + 0.01)).toHaveLength(3);
  });

  it('is in the font of its style alone in every language with Latin, Greek or Cyrillic letters', () => {
    const languages = languageCodes.filter((language) => fontOf(language) === 'sans');
    expect(languages).toContain('vi');
    for (const language of languages)
      for (const family of ['serif', 'sans', 'mono'] as const)
        for (const [bold, italic] of [
          [false, false],
          [true, false],
          [false, true],
          [true, true],
        ] as const) {
          const style = { family, bold, italic };
          // Of all fonts, only the typewriter font has no typographic hyphens.
          const text = [...new Set(declaration(language))].join('').replace(/[\u2010\u2011]/g, '-');
          const { clusters } = shapeParagraph(text, {
            language,
            spans: [{ ...style, end: text.length, scale: 1 }],
          });
          expect(new Set(clusters.map(({ font }) => font))).toEqual(new Set([latinFont(style)]));
        }
  });
});
