import { describe, expect, it } from 'vitest';
import { formatTagged, plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { readMade } from './pdf-made.ts';
import { bold, keptOf, lines, page, prose, read, rule, text, widthOf } from './pdf-page.ts';

describe('order of reading', () => {
  it('reads columns one after the other, below a title over both', () => {
    const left = lines([...prose, ...prose], 50, 700);
    const right = lines(
      [...prose, ...prose].map((line) => line.replace('The', 'Another')),
      300,
      700,
    );
    // The lines are painted across both columns.
    const mixed = left.flatMap((line, index) => [line, right[index]!]);
    const blocks = read(page([mixed, text('A title over both of the columns', 150, 740, { size: 18 })]));
    expect(blocks[0]).toBe('A title over both of the columns');
    expect(blocks.slice(1).join(' ')).toMatch(/^The committee.*Another committee/);
    expect(blocks.slice(1).join(' ').split('Another')[0]).toBe(`${[...prose, ...prose].join(' ')} `);
  });

  it('reads a table by rows', () => {
    const cells = ['one', 'two', 'three', 'four', 'five', 'six'];
    const texts = cells.map((cell, index) =>
      text(cell, 52 + 100 * (index % 2), 700 - 20 * Math.floor(index / 2)),
    );
    const rules = [0, 1, 2, 3].map((row) => rule(50, 714 - 20 * row, 250, 714.5 - 20 * row));
    const sides = [50, 150, 250].map((x) => rule(x, 654, x + 0.5, 714));
    // Some programs paint a table column by column.
    const painted = [0, 2, 4, 1, 3, 5].map((index) => texts[index]!);
    const { blocks } = findBlocks(page([painted], [...rules, ...sides]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual(cells);
    expect(new Set(blocks.map(({ kind }) => kind))).toEqual(new Set(['table_cell']));
    expect(blocks[3]!.container).toEqual({ left: 150.5, right: 250, bottom: 674.5, top: 694 });
  });
});

describe('lines', () => {
  it('has a space where a gap is, with or without a glyph for it', () => {
    expect(read(page([text('two', 50, 700), text('words', 68, 700)]))).toEqual(['two words']);
    expect(read(page([text('one', 50, 700), text('word', 65.2, 700)]))).toEqual(['oneword']);
  });

  it('has no space at a blank that kerning cancels, but has one at a blank under later text', () => {
    const kerned = text('The fi rst of the items', 50, 700);
    for (const glyph of kerned.glyphs.slice(7)) glyph.x -= 0.25;
    const over = [text('The e ', 50, 600), text('ffects', 50 + 10 * widthOf('The e'), 600)];
    expect(read(page([kerned, over]))).toEqual(['The first of the items', 'The e ffects']);
  });

  it('has a space at a blank that another operator draws, unless the next text touches the text before it', () => {
    const next = (value: string, x: number) => [
      text('Delhi', 50, 700),
      text(' ', 75, 700),
      text(value, x, 700),
    ];
    expect(read(page(next('Metro', 75.8)))).toEqual(['Delhi Metro']);
    expect(read(page([text('Delhi', 50, 700), text('Metro', 75.8, 700)]))).toEqual(['DelhiMetro']);
    expect(read(page([...next('Metro', 75.8), text(' ', 100.8, 700)]))).toEqual(['Delhi Metro']);
    expect(read(page(next('. Metro', 75.1)))).toEqual(['Delhi. Metro']);
    const spread = [...'clauses'].flatMap((letter, at) => [
      text(letter, 50 + 9 * at, 700),
      text(' ', 55 + 9 * at, 700),
    ]);
    expect(read(page(spread))).toEqual(['clauses']);
  });

  it('has two ideographs that blanks spread over the width of a longer label, but not two headings', () => {
    const spread = (blanks: string, ...labels: [string, string][]) =>
      read(
        page(
          labels.map(([one, other], row) => [
            text(one, 50, 700 - 20 * row),
            text(blanks, 60, 700 - 20 * row),
            text(other, 80, 700 - 20 * row),
          ]),
        ),
      );
    const labels: [string, string][] = [
      ['姓', '名：隆'],
      ['民', '族：汉'],
    ];
    expect(spread(' '.repeat(8), ...labels)).toEqual(['姓 名：隆', '民 族：汉']);
    expect(spread(' ', ...labels)).toHaveLength(4);
    expect(spread(' '.repeat(8), ['年', '月'], ['男', '女'])).toHaveLength(4);
    const days = [700, 680].map((y) =>
      ['一', '二', '三'].flatMap((day, at) => [
        text(day, 50 + 30 * at, y),
        text(' '.repeat(8), 60 + 30 * at, y),
      ]),
    );
    expect(read(page(days))).toHaveLength(6);
  });

  it('has no spaces without a width, at which lines would break before a comma', () => {
    expect(read(page([text('the Bureau\u200b, which has', 50, 700)]))).toEqual(['the Bureau, which has']);
  });

  it('has the spaces without a width that divide the words of Khmer', () => {
    const khmer = 'មនុស្ស\u200bទាំងអស់\u200bកើតមក';
    expect(read(page([text(khmer, 50, 700)]))).toEqual([khmer.normalize()]);
  });

  it('has no space at a blank below the ligature before it', () => {
    const ligature = text('ver\ufb02', 50, 700);
    const later = text(' ung', 50 + 10 * widthOf('ver\ufb02') - 2.5, 700);
    expect(read(page([[ligature, later]]))).toEqual(['verflung']);
  });

  it('takes letters set apart for one word', () => {
    const heading = [
      text('Chapter', 50, 700, { spacing: 0.3 }),
      text('Three', 50 + 59 + 7, 700, { spacing: 0.3 }),
    ];
    expect(read(page([heading]))).toEqual(['Chapter Three']);
  });

  it('has superscripts and subscripts within its text, tagged with their rise', () => {
    const { blocks } = findBlocks(
      page([
        text('as shown', 50, 700),
        text('12', 50 + 10 * widthOf('as shown'), 704, { size: 6 }),
        text('before', 98, 700),
      ]),
    );
    expect(blocks.map(({ content }) => formatTagged(content))).toEqual(['as shown<1>12</1> before']);
    expect(blocks[0]!.spans.get(1)).toMatchObject({ rise: 4, size: 6 });
    // A letter of a name, as in TeX, is lowered, but not smaller.
    for (const [size, tagged] of [
      [6, 'the value S<1>p</1>O is high'],
      [10, 'the value SpO is high'],
    ] as const) {
      const [start, end] = [text('the value S', 50, 700), text('O is high', 100 + size / 2, 700)];
      const word = page([start, text('p', 100, 698, { size }), end]);
      expect(formatTagged(findBlocks(word).blocks[0]!.content)).toBe(tagged);
    }
    expect(blocks[0]!.lines).toEqual([{ left: 50, right: 128, baseline: 700 }]);
  });

  it('joins an accent with the letter under it', () => {
    // TeX draws the accent, moves back, and then draws the letter.
    expect(
      read(page([text('caf', 50, 700), text('´', 66.3, 700), text('e', 65, 700), text(' noir', 70, 700)])),
    ).toEqual(['café noir']);
  });

  it.each([
    ['a combining mark after a letter without a dot', ['ı', 50, '\u0301', 50.2], 'í'],
    ['a spacing accent before it', ['´', 49.6, 'ı', 50], 'í'],
    ['a spacing accent that is a space with a mark', ['ı', 50, ' \u0301', 50.2], 'í'],
    ['a modifier letter', ['e', 50, 'ˋ', 50.2], 'è'],
    ['a j without a dot', ['ȷ', 50, '\u0302', 50.2], 'ĵ'],
    ['a dot', ['ı', 50, '\u0307', 50.2], 'i'],
    ['both in one glyph', ['ı\u0308', 50, 'x', 55], 'ïx'],
    ['a mark below, which replaces no dot', ['ı', 50, '\u0323', 50.2], 'ı\u0323'],
  ] as const)('composes a letter with %s, as a person types it', (_, [one, x, other, x2], composed) => {
    const single = (letter: string, at: number) => {
      const shown = text('x', at, 700);
      shown.glyphs[0]!.text = letter;
      return shown;
    };
    const shown = page([text('ab', 40, 700), single(one, x), single(other, x2), text('cd', 61, 700)]);
    expect(read(shown).join('')).toContain(composed);
  });

  it('joins a lowered letter with its word', () => {
    const logo = [text('the BIBT', 50, 700), text('E', 86, 696.8), text('X styles', 90, 700)];
    expect(read(page([logo]))).toEqual(['the BIBTEX styles']);
  });

  it('has a text once that is drawn twice to look bold, and removes both', () => {
    const { blocks } = findBlocks(page([text('Summary', 50, 700), text('Summary', 50.3, 700)]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual(['Summary']);
    expect(blocks[0]!.style.bold).toBe(true);
    expect(blocks[0]!.glyphs.map(({ from, to }) => [from, to])).toEqual([
      [0, 7],
      [0, 7],
    ]);
  });

  it('has a letter once that one operator draws again to look bold, and removes all its drawings', async () => {
    const content = 'BT /F 10 Tf 50 300 Td [(Sum) 2 (m) 813 (m) 813 (m) (ary)] TJ ET';
    const { blocks } = findBlocks(await readMade({ content }));
    expect(blocks.map(({ content }) => plainText(content))).toEqual(['Summary']);
    expect(blocks[0]!.style.bold).toBe(true);
    expect(blocks[0]!.glyphs.map(({ from, to }) => [from, to])).toEqual([[0, 9]]);
  });

  it('is not bold if it is drawn twice at the same position', () => {
    const { blocks } = findBlocks(page([text('Summary', 50, 700), text('Summary', 50.05, 700)]));
    expect(blocks.map(({ style }) => style.bold)).toEqual([false]);
  });

  it('does not take double letters for a text drawn twice', () => {
    expect(read(page([...'kettle'].map((letter, index) => text(letter, 50 + 5 * index, 700))))).toEqual([
      'kettle',
    ]);
  });

  it('has right-to-left text in the order of reading, however it is painted', () => {
    const logical = 'שלום עולם 2024 טוב';
    const visual = 'בוט 2024 םלוע םולש';
    expect(read(page([text(visual, 50, 700)]))).toEqual([logical]);
    const backwards = [...visual].map((letter, index) =>
      text(letter, 50 + 10 * widthOf([...visual].slice(0, index).join('')), 700),
    );
    expect(read(page([backwards.reverse()]))).toEqual([logical]);
    expect(findBlocks(page([text(visual, 50, 700)])).blocks[0]!.alignment).toBe('right');
  });

  it('of any direction are blocks of that direction', () => {
    const { blocks } = findBlocks(
      page([
        lines(prose, 50, 700),
        text('Printed on recycled paper', 30, 100, { degrees: 90 }),
        text('DRAFT COPY', 200, 200, { degrees: 45, size: 40 }),
      ]),
    );
    expect(blocks.map(({ content }) => plainText(content))).toEqual([
      prose.join(' '),
      'Printed on recycled paper',
      'DRAFT COPY',
    ]);
    expect(blocks[1]!.matrix).toEqual([0, 1, -1, 0, 0, 0]);
    expect(blocks[1]!.box).toMatchObject({
      left: 100,
      right: 100 + 10 * widthOf('Printed on recycled paper'),
    });
    expect(blocks[2]!.style.size).toBeCloseTo(40);
  });
});

describe('paragraphs', () => {
  it('end at a short line, before an indented line, and at a wider gap', () => {
    const short = [...prose.slice(0, 2), 'and agreed.'];
    expect(read(page([lines([...short, ...prose], 50, 700)]))).toEqual([short.join(' '), prose.join(' ')]);
    const indented = [
      ...lines([prose[0]!, `${prose[1]!.slice(0, -2)}now`], 50, 700),
      text(`And ${prose[0]!.slice(4)}`, 65, 676),
      text(prose[1]!, 50, 664),
    ];
    expect(read(page([indented]))).toHaveLength(2);
    expect(read(page([lines(prose, 50, 700), lines(prose, 50, 640)]))).toEqual([
      prose.join(' '),
      prose.join(' '),
    ]);
  });

  it('are apart from their heading, which is bold or larger', () => {
    const { blocks } = findBlocks(page([text('Results', 50, 712, { font: bold }), lines(prose, 50, 700)]));
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph']);
    expect(blocks[0]!.style.bold).toBe(true);
  });

  it('go on where a rule does not separate them, and an underline does not', () => {
    const underline = rule(50, 698, 50 + 10 * widthOf(prose[0]!), 698.5);
    expect(read(page([lines(prose, 50, 700)], [underline]))).toHaveLength(1);
    expect(read(page([lines(prose, 50, 700)], [rule(30, 697, 400, 697.5)]))).toHaveLength(2);
  });

  it('join words that a hyphen divides, and keep the hyphens of compounds', () => {
    const divided = (first: string, second: string, ...more: string[]) =>
      read(
        page([
          lines(
            [`The engine works with a long ${first}`, `${second} of the usual kind and more`, ...more],
            50,
            700,
          ),
        ]),
      ).join(' ');
    expect(divided('represen-', 'tation')).toContain('long representation of');
    expect(divided('self-', 'test')).toContain('long self-test of');
    expect(divided('Kosten-', 'und Zeitplan')).toContain('long Kosten- und Zeitplan of');
    expect(divided('repre\u00ad', 'sentation')).toContain('long representation of');
    expect(divided('2010-', '2011')).toContain('long 2010-2011 of');
  });

  it('of Chinese have no spaces between their lines', () => {
    expect(read(page([lines(['委员会在春季开会讨论了计划并', '同意了该计划'], 50, 700)]))).toEqual([
      '委员会在春季开会讨论了计划并同意了该计划',
    ]);
  });

  it('leave the labels of lists where they are, if the text hangs beside them', () => {
    const content = page([
      text('•', 50, 700),
      lines(['The first item goes over two lines, of which', 'the second hangs.'], 65, 700),
      text('•', 50, 670),
      lines(['The second item.'], 65, 670),
    ]);
    expect(read(content)).toEqual([
      'The first item goes over two lines, of which the second hangs.',
      'The second item.',
    ]);
    expect(keptOf(content)).toEqual([
      ['label', '•'],
      ['label', '•'],
    ]);
  });

  it('leave a number where it is if the text goes on right of it, though the gap is one between words', () => {
    const item = ['[7] Dynamo, a dynamic', 'optimization system'];
    const { blocks, kept } = findBlocks(page([text(item[0]!, 50, 700), text(item[1]!, 67.5, 688)]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual([
      'Dynamo, a dynamic optimization system',
    ]);
    expect(kept).toMatchObject([{ text: '[7]' }]);
    expect(blocks[0]!.label).toMatchObject({ text: '[7]', left: 50, glyphs: [{ from: 0, to: 4 }] });
  });

  it.each(['o', 'O'])(
    'leave only the lowercase letter that Word writes as a bullet in its place: %s',
    (sign) => {
      const item = ['Patients who wish to monitor their levels', 'can buy the strips.'];
      const content = page([text(sign, 50, 700), lines(item, 65, 700)]);
      expect([read(content), keptOf(content)]).toEqual(
        sign === 'o' ? [[item.join(' ')], [['label', 'o']]] : [[`O ${item.join(' ')}`], []],
      );
    },
  );

  it('leave a box to check that is written with brackets in its place', () => {
    const content = page([text('[ ]  I request that the judge waives it.', 50, 700)]);
    expect(read(content)).toEqual(['I request that the judge waives it.']);
    expect(keptOf(content)).toEqual([['label', '[ ]']]);
  });

  it('leave each number of a list in its place if one is farther away from its text', () => {
    const first = text('8. Neither party receives assistance.', 50, 700);
    const second = [text('9.', 50, 670), text('Subject to the provisions of item 4.', 65, 670)];
    expect(read(page([first]))).toHaveLength(1);
    expect(keptOf(page([first]))).toEqual([]);
    expect(keptOf(page([first, second]))).toEqual([
      ['label', '8.'],
      ['label', '9.'],
    ]);
  });

  it('leave a longer number in its place too, after which the text starts at the next tab', () => {
    const own = (second: number) =>
      keptOf(
        page([
          text('99.', 50, 700),
          lines(['Institutions should use reverse tests to', 'find near-default scenarios.'], 70, 700),
          text('100.     Institutions should use reverse tests', 50, 660),
          text('to identify the factors of the risk.', second, 648),
        ]),
      );
    expect(own(70)).toEqual([
      ['label', '99.'],
      ['label', '100.'],
    ]);
    expect(own(50)).toEqual([['label', '99.']]);
  });

  it('begin at each bullet, also of a list within a list', () => {
    const items = ['Metals', 'Iron and its alloys', 'Copper', 'Wood'];
    const content = page(
      items.flatMap((item, row) => {
        const indent = row === 1 || row === 2 ? 40 : 0;
        return [
          text(indent ? '○' : '•', 50 + indent, 700 - 12 * row),
          text(item, 65 + indent, 700 - 12 * row),
        ];
      }),
    );
    expect(read(content)).toEqual(items);
    expect(findBlocks(content).blocks.map(({ kind }) => kind)).toEqual(items.map(() => 'paragraph'));
  });

  it('begin at each drawn bullet, also before one line that is indented less', () => {
    const items = [`the ${prose[0]}`, `also ${prose[1]}`, prose[2]!];
    const texts = items.map((item, row) => text(item, row === 1 ? 62 : 68, 700 - 12 * row));
    const dots = items.map((_, row) => rule(50, 702 - 12 * row, 53, 705 - 12 * row));
    expect(read(page([texts]))).toHaveLength(1);
    expect(read(page([texts], dots))).toEqual(items);
    // The letters of a vertical label are shapes too.
    const letters = Array.from({ length: 15 }, (_, row) => rule(50, 670 + 4 * row, 53, 673 + 4 * row));
    expect(read(page([texts], letters))).toHaveLength(1);
  });

  it('have the marks of Arabic letters, which fonts draw without width', () => {
    const mark = (value: string, x: number, y: number) => {
      const shown = text(value, x, y);
      for (const glyph of shown.glyphs) glyph.advance = 0;
      return shown;
    };
    const letters = [...'طوشلا'].map((letter, at) => text(letter, 50 + 5 * at, 700));
    const content = page([...letters, mark('ر', 63, 703), mark(' ', 51, 697), mark(' ', 52, 699.5)]);
    expect(read(content)).toEqual(['الشروط']);
    expect(keptOf(content)).toEqual([]);
  });

  it('have a mark that starts at the edge of two letters after the letter before it in painting order', () => {
    for (const x of [64.5, 65.2])
      for (const isReversed of [false, true]) {
        const mark = text('\u064f', x, 700);
        for (const glyph of mark.glyphs) glyph.advance = 0;
        const [alef, sheen, noon, teh] = [...'أشنت'].map((letter, at) => text(letter, 50 + 5 * at, 700));
        const painted = [alef!, sheen!, noon!, mark, teh!];
        expect(read(page(isReversed ? painted.reverse() : painted))).toEqual(['تُنشأ']);
      }
  });

  it('are the single lines of an address', () => {
    const address = [
      'Department of Agriculture and Trade',
      '210 Walnut Street, Room 767',
      'Des Moines, Iowa 50309',
    ];
    expect(read(page([lines(address, 50, 700)]))).toEqual(address);
  });

  it('end before each row of a table without rules', () => {
    const names = ['Iowa', 'Minnesota', 'Nebraska', 'South Dakota'];
    const content = page(
      names.flatMap((name, row) => [
        text(name, 50, 700 - 12 * row),
        text('1.35', 200, 700 - 12 * row),
        text('2.48', 260, 700 - 12 * row),
      ]),
    );
    expect(read(content)).toEqual(names);
    expect(findBlocks(content).blocks.map(({ kind }) => kind)).toEqual(names.map(() => 'table_cell'));
    expect(keptOf(content)).toHaveLength(8);
  });

  it('are split at a vertical rule, even without a gap', () => {
    expect(read(page([text('left', 50, 700), text('right', 71, 700)], [rule(70.2, 690, 70.6, 715)]))).toEqual(
      ['left', 'right'],
    );
  });

  it('that are flush right are whole, whatever the lengths of their lines', () => {
    const flushRight = (values: readonly string[], top: number) =>
      values.map((value, index) => text(value, 400 - 10 * widthOf(value), top - 12 * index));
    const first = [
      'In the days of my Granny, long, long ago,',
      'the marshland was a collection of bogs, with',
      'great pools of black water in all of the hollows, and',
      'green rivulets hurried away, here and there, like',
      'long lizards trying to escape from their tails, and so',
      'every tuft that you trod upon would squirt at you.',
    ];
    const { blocks } = findBlocks(page([flushRight(first, 700)]));
    expect(blocks).toMatchObject([{ content: [first.join(' ')], alignment: 'right' }]);
  });

  it('keep a period and an ellipsis at their end', () => {
    const end = 'on the following platforms . . . .';
    expect(
      read(page([text('The contractor must certify this software', 50, 712), text(end, 50, 700)]))[0],
    ).toContain(end);
  });

  it('leave out the dots up to a page number', () => {
    const content = page([
      text('Introduction', 50, 700),
      text('..............', 115, 700),
      text('17', 400, 700),
    ]);
    expect(read(content)).toEqual(['Introduction']);
    expect(new Set(keptOf(content))).toEqual(
      new Set([
        ['leader', '..............'],
        ['number', '17'],
      ]),
    );
  });
});
