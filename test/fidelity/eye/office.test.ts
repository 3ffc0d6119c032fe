import { expect, it } from 'vitest';
import { type MadeLine, madePage, mapOfEqualLength, translated } from './made-page.ts';
import { judgeDocument, type ShownDocument } from './office.ts';

const shown = (...pages: MadeLine[][]): ShownDocument => ({
  pages: pages.map(madePage),
  pictures: 0,
  blankPages: 0,
  crossed: 0,
});

const lines: MadeLine[] = [
  { text: 'A bold heading', x: 50, y: 100, font: 'Carlito-Bold', size: 14 },
  { text: 'Some words of the text', x: 50, y: 140, font: 'Carlito' },
  { text: 'Another sentence follows', x: 50, y: 180, font: 'Carlito' },
];

it('finds words on later pages, and counts those with another font', () => {
  const map = mapOfEqualLength();
  const [heading, first, second] = translated(lines, map);
  const after = shown(
    [
      { ...heading!, font: 'Carlito' },
      { ...first!, font: 'Tinos' },
    ],
    [{ ...second!, y: 50, size: 9 }],
  );
  expect(judgeDocument(shown(lines), after, map)).toMatchObject({
    pages: [1, 2],
    words: 11,
    lost: 0,
    untranslatedLetters: 0,
    style: 3,
    face: 5,
    size: 3,
  });
});

it('counts lost and untranslated words', () => {
  const map = mapOfEqualLength();
  const [heading, first] = translated(lines, map);
  const figures = judgeDocument(
    shown(lines),
    shown([heading!, first!, { ...lines[2]!, text: 'Another' }]),
    map,
  );
  expect(figures).toMatchObject({ words: 8, lost: 2, untranslatedLetters: 'Another'.length, style: 0 });
});
