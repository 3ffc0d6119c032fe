import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { alignPassages, cutText } from '#server/platform/engines/chat/long-texts.ts';
import { units } from '../live-engine.ts';

describe('a cut', () => {
  const words = fc.constantFrom(
    'a',
    'word. ',
    'Dr. ',
    '\n\n',
    '\n \n',
    ' ',
    '👨‍👩‍👧‍👦',
    'e\u0301',
    '🇩🇪',
    'ก็',
    '한',
    'क्षि',
    '。',
    '\r\n',
    '\u0301',
    '\ud83d\ude00',
  );
  const text = fc.array(words, { maxLength: 200 }).map((parts) => parts.join(''));

  it('loses nothing, and splits no grapheme', () => {
    const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(...languageCodes),
        (whole, most, language) => {
          const pieces = cutText(whole, most, language);
          expect(pieces.join('')).toBe(whole);
          let at = 0;
          for (const piece of pieces) {
            const clusters = [...graphemes.segment(piece)];
            // A piece may exceed the limit only if it is a single grapheme.
            if (piece.length > most) expect(clusters).toHaveLength(1);
            if (at > 0) expect(graphemes.segment(whole).containing(at)!.index).toBe(at);
            at += piece.length;
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('prefers the end of a paragraph to that of a sentence, then of a word, then of a letter', () => {
    const ends = (whole: string, most: number) => cutText(whole, most, 'en')[0];
    expect(ends('One two.\n\nThree. Four five six.', 20)).toBe('One two.\n\n');
    expect(ends('One two three. Four five six.', 20)).toBe('One two three. ');
    expect(ends('One two three four five six.', 20)).toBe('One two three four ');
    expect(ends('Onetwothreefourfivesix.', 20)).toBe('Onetwothreefourfives');
  });

  it('does not hang on a grapheme without end', () => {
    const zalgo = `a${'\u0301'.repeat(49_000)}`;
    expect(cutText(`${zalgo} b`, 6000, 'en')).toEqual([zalgo, ' b']);
  });
});

describe('aligned passages', () => {
  const line = fc.constantFrom('one', 'two words', '  indented', 'e\u0301nd.');
  const gap = fc.constantFrom('\n', '\n\n', '\n \n', '\r\n', '\n\n\n');
  const version = fc
    .array(fc.tuple(line, gap), { minLength: 1, maxLength: 30 })
    .map((parts) => parts.flat().join(''));

  it('are rows whose columns joined are the versions to the letter', () => {
    fc.assert(
      fc.property(version, version, fc.integer({ min: 1, max: 200 }), (source, other, most) => {
        const rows = alignPassages([source, other], units, most);
        expect([0, 1].map((column) => rows.map((row) => row[column]).join(''))).toEqual([source, other]);
      }),
    );
  });

  it('are cut where both have a line, however many blank lines follow it', () => {
    const rows = alignPassages(['\none\n\ntwo\nthree\n', 'eins\nzwei\n\n\ndrei'], units, 1);
    expect(rows).toEqual([
      ['\none\n\n', 'eins\n'],
      ['two\n', 'zwei\n\n\n'],
      ['three\n', 'drei'],
    ]);
  });

  it('are the whole if nothing matches', () => {
    expect(alignPassages(['one\n\ntwo', 'eins zwei'], units, 1)).toEqual([['one\n\ntwo', 'eins zwei']]);
  });
});
