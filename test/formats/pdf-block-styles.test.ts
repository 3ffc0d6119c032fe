import { describe, expect, it } from 'vitest';
import { formatTagged } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { markRunningHeaders } from '#server/formats/pdf/running-headers.ts';
import { bold, keptOf, lines, page, prose, read, serif, text, widthOf } from './pdf-page.ts';

describe('styles', () => {
  it('that differ are tagged spans', () => {
    const { blocks } = findBlocks(
      page([text('Press ', 50, 700), text('Start', 77.5, 700, { font: bold }), text(' now.', 102.5, 700)]),
    );
    expect(formatTagged(blocks[0]!.content)).toBe('Press <1>Start</1> now.');
    expect(blocks[0]!.spans.get(1)).toMatchObject({ bold: true, size: 10 });
  });

  it('are italic if their letters are drawn slanted', () => {
    const slanted = text('Start', 77.5, 700);
    slanted.matrix = [10, 0, 2.5, 10, 77.5, 700];
    const { blocks } = findBlocks(page([text('Press ', 50, 700), slanted, text(' now.', 102.5, 700)]));
    expect(formatTagged(blocks[0]!.content)).toBe('Press <1>Start</1> now.');
    expect(blocks[0]!.spans.get(1)).toMatchObject({ italic: true });
  });

  it('say what they change, so that an editor can show it and a model may leave it out', () => {
    const styles = [
      ['bold', { font: bold }, 0],
      ['superscript', { size: 6 }, 4],
      ['subscript', { size: 6 }, -2],
      ['other', { color: '1 0 0 rg' }, 0],
    ] as const;
    for (const [format, style, rise] of styles) {
      const number = text('12', 77.5, 700 + rise, style);
      const after = text(' now and then.', 77.5 + number.matrix[0], 700);
      const [block] = findBlocks(page([text('Press ', 50, 700), number, after])).blocks;
      expect(block!.content).toEqual([
        'Press ',
        { tag: 1, type: 'open', format },
        '12',
        { tag: 1, type: 'close', format },
        ' now and then.',
      ]);
    }
  });

  it('of a word whose start has another color is that of most letters, or of its end', () => {
    const styleOf = (start: string, end: string) => {
      const first = text(start, 50, 700, { color: '1 0 0 rg' });
      const [block] = findBlocks(page([first, text(end, 50 + 5 * start.length, 700)])).blocks;
      expect(formatTagged(block!.content)).toBe(start + end);
      return block!.style.color;
    };
    expect(styleOf('Edu', 'cation')).toBe('');
    expect(styleOf('Ski', 'lls')).toBe('');
    expect(styleOf('Proj', 'ect')).toBe('1 0 0 rg');
  });

  it('of the parts of a name are kept', () => {
    const name = page([text('Lingua', 50, 700, { color: '1 0 0 rg' }), text('Loop', 80, 700)]);
    expect(findBlocks(name).blocks[0]!.content).toHaveLength(4);
  });

  it('of a whole block, of spaces and of signs are not tagged', () => {
    expect(read(page([text('All of it', 50, 700, { font: bold })]))).toEqual(['All of it']);
    const noise = page([
      text('Press', 50, 700),
      text(' ', 75, 700, { font: bold }),
      text('Start', 77.5, 700),
      text(',', 102.5, 700, { font: bold }),
      text(' now', 105, 700),
    ]);
    expect(read(noise)).toEqual(['Press Start, now']);
  });

  it('have the size of the level characters, even if most are raised', () => {
    const [block] = findBlocks(page([text('1', 50, 700), text('st', 55, 704, { size: 6 })])).blocks;
    expect(block).toMatchObject({ content: ['1', { tag: 1 }, 'st', { tag: 1 }], style: { size: 10 } });
  });

  it('are equal for all letters of a word, apart from superscripts', () => {
    const red = { color: '1 0 0 rg' };
    const [heading] = findBlocks(page([text('Sum', 50, 700, red), text('mary', 65, 700)])).blocks;
    expect(formatTagged(heading!.content)).toBe('Summary');
    expect(heading!.style.color).toBe('');
    const words = page([
      text('We saw un', 50, 700),
      text('believable art', 90, 700, red),
      text('9', 157.5, 704, { size: 6, ...red }),
      text(' today in the museum', 160.5, 700),
    ]);
    expect(read(words)).toEqual(['We saw <1>unbelievable art</1><2>9</2> today in the museum']);
    const capitals = [text('N', 85, 700, { font: bold }), text('ASA', 90, 700, { font: bold, size: 8 })];
    expect(read(page([text('We met ', 50, 700), ...capitals, text(' there', 102, 700)]))).toEqual([
      'We met <1>NASA</1> there',
    ]);
  });

  it('are left out if there are too many', () => {
    const words = Array.from({ length: 40 }, (_, index) =>
      text('word', 50 + 22.5 * (index % 20), 700 - 12 * Math.floor(index / 20), {
        font: index % 2 ? bold : serif,
      }),
    );
    const { blocks } = findBlocks(page([words]));
    expect(blocks).toHaveLength(1);
    expect(blocks[0]!.spans.size).toBe(0);
  });

  it('of one line have the alignment of their column, the longest too', () => {
    const centered = (value: string, y: number) => text(value, 300 - 5 * widthOf(value), y);
    const title = centered('The longest line is here', 700);
    const { blocks } = findBlocks(page([title, centered('Some author', 670), centered('A Monday', 640)]));
    expect(blocks.map((block) => block.alignment)).toEqual(['center', 'center', 'center']);
  });

  it('have the alignment of their lines', () => {
    const widths = ['A title that is long', 'and one that is', 'set in the middle of it'];
    const alignmentOf = (place: (width: number) => number) =>
      findBlocks(page(widths.map((line, row) => text(line, place(10 * widthOf(line)), 700 - 12 * row))))
        .blocks[0]!.alignment;
    expect(alignmentOf((width) => 300 - width / 2)).toBe('center');
    expect(alignmentOf((width) => 300 - width)).toBe('right');
    expect(alignmentOf(() => 100)).toBe('left');
    const even = [
      'aaaa bbbb cccc dddd eeee ffff',
      'gggg hhhh iiii jjjj kkkk llll',
      'mmmm nnnn oooo pppp qqqq rrrr',
      'ssss tttt',
    ];
    const { alignment, indent } = findBlocks(
      page([text(even[0]!.slice(5), 72.5, 712), lines(even.slice(1), 50, 700)]),
    ).blocks[0]!;
    expect([alignment, indent]).toEqual(['justified', 22.5]);
  });
});

describe('what stays as it is', () => {
  it.each([
    ['number', '1,234.50 €'],
    ['number', '12/31/2024'],
    ['identifier', 'DHAW20190001'],
    ['label', 'A,B,C,A'],
    ['address', 'https://example.org/a?b=c'],
    ['address', 'jane.doe@example.org'],
    ['formula', 'f(x) = sin x + 2y'],
    ['label', 'b'],
    ['label', '(iii)'],
    ['label', 'VI.'],
  ])('a %s: %s', (reason, value) => {
    expect(keptOf(page([text(value, 50, 700)]))).toEqual([[reason, value]]);
  });

  it('a paragraph of which a letter is not known', () => {
    const broken = text('The com\ufffdittee met in spring', 50, 700);
    broken.glyphs[7]!.symbol = 7;
    const content = page([broken, text('Elsewhere', 50, 600)]);
    expect(read(content)).toEqual(['Elsewhere']);
    expect(keptOf(content).map(([reason]) => reason)).toEqual(['undecodable']);
  });
});

describe('all pages', () => {
  it('give each glyph to one block or to one kept text, spaces too', () => {
    const content = page([
      text('  two words  17 ', 50, 700),
      text('   ', 50, 650),
      text('hidden', 50, 600, { kept: 'invisible' }),
    ]);
    const owned = content.texts.map(({ glyphs }) => glyphs.map(() => 0));
    const { blocks, kept } = findBlocks(content);
    for (const { glyphs } of [...blocks, ...kept])
      for (const { text: shown, from, to } of glyphs)
        for (let index = from; index < to; index++) owned[content.texts.indexOf(shown)]![index]!++;
    expect(new Set(owned.flat())).toEqual(new Set([1]));
    expect(kept.map(({ reason }) => reason)).toEqual(['blank', 'invisible']);
  });

  it('have headers and footers: texts at one place in the margins, the same but for numbers', () => {
    const pages = [1, 2, 3].map((number) => {
      const content = page(
        [
          text('Annual report', 50, 770),
          lines(prose, 50, 500),
          text(`Page ${number} of 3`, 280, 30),
          text(`Only on ${'abc'[number - 1]}`, 50, 50),
        ],
        [],
        number,
      );
      return { ...content, blocks: findBlocks(content).blocks };
    });
    markRunningHeaders(pages);
    for (const { blocks } of pages)
      expect(blocks.map(({ kind }) => kind)).toEqual(['header', 'paragraph', 'paragraph', 'footer']);
  });
});
