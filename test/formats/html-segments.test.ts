import { describe, expect, it } from 'vitest';
import { extractHtml } from '#server/formats/html-segments.ts';
import { casesOf } from './cases.ts';
import { texts } from './markup-files.ts';

/** The parts of the source that a translation would replace. */
const slices = (source: string): string[] =>
  extractHtml(source).map(({ start, end }) => source.slice(start, end));

describe('segments', () => {
  it.each<[rule: string, source: string, expected: string[]]>(casesOf('html-segments.yaml', 'segments'))(
    '%s',
    (_rule, source, expected) => {
      expect(texts(source)).toEqual(expected);
    },
  );

  it('names the element, the attribute and its quote', () => {
    const source = `out<svg><foreignObject title='A'>B<img alt=C><p title="D">`;
    expect(extractHtml(source)).toEqual([
      { kind: 'text', start: 0, end: 3, text: 'out', element: 'body' },
      {
        kind: 'attribute',
        start: 30,
        end: 31,
        text: 'A',
        element: 'foreignObject',
        attribute: 'title',
        quote: "'",
      },
      { kind: 'text', start: 33, end: 34, text: 'B', element: 'foreignObject' },
      { kind: 'attribute', start: 43, end: 44, text: 'C', element: 'img', attribute: 'alt', quote: '' },
      { kind: 'attribute', start: 55, end: 56, text: 'D', element: 'p', attribute: 'title', quote: '"' },
    ]);
  });
});

describe('translate="no"', () => {
  it.each<[rule: string, source: string, expected: string[]]>(
    casesOf('html-segments.yaml', 'translate="no"'),
  )('%s', (_rule, source, expected) => {
    expect(texts(source)).toEqual(expected);
  });
});

describe('the position of a segment', () => {
  it.each<[rule: string, source: string, expected: string[]]>(
    casesOf('html-segments.yaml', 'the position of a segment'),
  )('%s', (_rule, source, expected) => {
    expect(slices(source)).toEqual(expected);
  });
});
