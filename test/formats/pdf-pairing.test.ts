import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextOperator } from '#server/formats/pdf/reading/interpretation.ts';
import { matchCodes, pairTexts } from '#server/formats/pdf/reading/pairing.ts';
import type { PdfjsGlyph, PdfjsText } from '#server/formats/pdf/reading/pdfjs-texts.ts';

const glyph = (code: number): PdfjsGlyph => ({
  originalCharCode: code,
  unicode: String.fromCharCode(code),
  width: 500,
  vmetric: null,
  isSpace: false,
  fontChar: '',
});

const codesOf = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

/** A text operator, of which these tests use only the text. */
const operator = (text: string): TextOperator =>
  ({ pieces: [Uint8Array.from(codesOf(text))] }) as Partial<TextOperator> as TextOperator;

const decoded = (text: string): PdfjsText => ({
  glyphs: codesOf(text).map(glyph),
  font: undefined,
  fill: null,
  stroke: null,
});

/** For each operator, the text with which it is paired. */
const pair = (operators: string[], texts: string[]): (string | undefined)[] =>
  pairTexts(operators.map(operator), texts.map(decoded)).map((found) =>
    found.decoded?.text.glyphs.map((item) => (item as PdfjsGlyph).unicode).join(''),
  );

describe('two readings of a page are paired', () => {
  it.each<[string, string[], string[], (string | undefined)[]]>([
    ['past what only pdf.js has', ['a', 'c'], ['a', 'b', 'x', 'c'], ['a', 'c']],
    ['past what pdf.js does not have', ['a', 'b', 'x', 'c'], ['a', 'c'], ['a', undefined, undefined, 'c']],
    ['past what differs', ['a', 'bb', 'c'], ['a', 'bx', 'c'], ['a', undefined, 'c']],
  ])('%s', (_, operators, texts, expected) => {
    expect(pair(operators, texts)).toEqual(expected);
  });

  it('where each lacks some: what both have is paired with itself, and nothing else', () => {
    const lacking = fc.array(fc.constantFrom('both', 'both', 'both', 'both', 'ours', 'theirs'), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(lacking, (kinds) => {
        const texts = kinds.map((kind, index) => ({ kind, text: `text ${index}` }));
        const ours = texts.filter(({ kind }) => kind !== 'theirs');
        const theirs = texts.filter(({ kind }) => kind !== 'ours');
        const pairs = pair(
          ours.map(({ text }) => text),
          theirs.map(({ text }) => text),
        );
        expect(pairs).toEqual(ours.map(({ kind, text }) => (kind === 'both' ? text : undefined)));
      }),
    );
  });

  it('in time that grows with their number, even if nothing agrees', () => {
    const start = process.cpuUsage().user;
    const count = 16_000;
    const ours = Array.from({ length: count }, (_, index) => `ours ${index}`);
    const theirs = Array.from({ length: count }, (_, index) => `theirs ${index}`);
    expect(pair(ours, theirs).every((text) => text === undefined)).toBe(true);
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(5000);
  }, 60_000);
});

describe('the codes of a string are those of its glyphs', () => {
  const lengths = (bytes: number[], codes: (number | PdfjsGlyph)[]): number[] | undefined => {
    const found = matchCodes([Uint8Array.from(bytes)], codes);
    return found && [...found];
  };

  it('and the same adjustments, even if the readings round them differently', () => {
    const pieces = [Uint8Array.of(65), -45.08333333333333, Uint8Array.of(66)];
    expect([...(matchCodes(pieces, [glyph(65), -45.083333333333336, glyph(66)]) ?? [])]).toEqual([1, 1]);
    expect(matchCodes(pieces, [glyph(65), -45.0834, glyph(66)])).toBeUndefined();
  });

  it.each<[string, number[], number[], number[] | undefined]>([
    ['of one byte', [65, 66], [65, 66], [1, 1]],
    ['of two bytes', [0, 65, 1, 2], [65, 258], [2, 2]],
    ['of one to four bytes', [65, 0x82, 0xa0, 1, 2, 3, 4], [65, 0x82a0, 0x01020304], [1, 2, 4]],
    ['with bytes that begin no code', [0xff, 0, 65], [0, 65], [1, 2]],
    ['of another code', [65], [66], undefined],
    ['of fewer glyphs', [65, 66], [65], undefined],
    ['of more glyphs', [65], [65, 66], undefined],
    ['of nothing', [], [], []],
  ])('%s', (_, bytes, codes, expected) => {
    expect(lengths(bytes, codes.map(glyph))).toEqual(expected);
  });

  it('finds the cut, however many seem possible at first', () => {
    const bytes = new Array<number>(60).fill(0);
    expect(lengths([...bytes, 1], [...new Array<number>(40).fill(0), 2].map(glyph))).toBeUndefined();
  });

  it('has the adjustments of TJ at the same places', () => {
    const pieces = [Uint8Array.of(65), -20, Uint8Array.of(66)];
    expect(matchCodes(pieces, [glyph(65), -20, glyph(66)])).toEqual(Uint8Array.of(1, 1));
    expect(matchCodes(pieces, [glyph(65), -21, glyph(66)])).toBeUndefined();
    expect(matchCodes(pieces, [glyph(65), glyph(66), -20])).toBeUndefined();
  });
});
