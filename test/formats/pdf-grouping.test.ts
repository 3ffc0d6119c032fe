import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import { bold, lines, page, plainTexts as read, rule, serif, text, widthOf } from './pdf-page.ts';

/** Adds form fields to a page; each is given by its left, bottom, right and top edge. */
const withFields = (content: PageContent, ...fields: [number, number, number, number][]): PageContent => ({
  ...content,
  annotations: fields.map(([left, bottom, right, top]) => ({
    kind: 'widget',
    box: { left, bottom, right, top },
  })),
});
/** Texts on one baseline, each `gap` points after the one before it. */
const onOneLine = (values: readonly string[], gap: number, y: number) => {
  let x = 50;
  return values.map((value) => {
    const shown = text(value, x, y);
    x += 10 * widthOf(value) + gap;
    return shown;
  });
};
const full = 'The committee met in spring and agreed on the plan that its members had discussed';

describe('a new block begins', () => {
  it('at a remark in brackets for which the line above had room', () => {
    expect(read(page(lines(['by Arlene Hutton', '(Co-production)'], 50, 700)))).toHaveLength(2);
  });

  it('but not within a quotation, between items that start farther right', () => {
    const content = (start: string) =>
      page([
        lines(['• We met in spring.'], 70, 712),
        lines(
          [`The help of a member in the section for the ${start}Development:`, 'Tests and reports“'],
          50,
          700,
        ),
        lines(['• We met in autumn.'], 70, 676),
      ]);
    expect(read(content('„'))).toHaveLength(3);
    expect(read(content(''))).toHaveLength(4);
  });

  it('at a price after a gap that is wider than the spaces of a text with letter spacing', () => {
    const withEnd = (end: string) => {
      const shown = text('Cheese from the farm', 50, 700, { spacing: 0.08 });
      const { x, advance } = shown.glyphs.at(-1)!;
      return read(page([shown, text(end, 59 + 10 * (x + advance), 700, { spacing: 0.08 })]));
    };
    expect(withEnd('for two')).toEqual(['Cheese from the farm for two']);
    expect(withEnd('15,00')).toEqual(['Cheese from the farm']);
  });

  it('on the other side of a form field', () => {
    const content = page([onOneLine(['Male', 'Female'], 12, 700)]);
    expect(read(content)).toEqual(['Male Female']);
    expect(read(withFields(content, [71, 698, 80, 707]))).toEqual(['Male', 'Female']);
  });

  it('on both sides of a sign with a form field over it, like the box that shows where to check', () => {
    const content = page([text('Surface: \uf06f Glass \uf06f Fabric', 50, 700)]);
    expect(read(content)).toHaveLength(1);
    const field = (after: string): [number, number, number, number] => {
      const left = 50 + 10 * widthOf(after);
      return [left - 2, 698, left + 7, 707];
    };
    const [first, second] = [field('Surface: '), field('Surface: \uf06f Glass ')];
    expect(read(withFields(content, first, second))).toEqual(['Surface:', 'Glass', 'Fabric']);
    const wide = page([text('Name ~ of the applicant', 50, 700)]);
    expect(read(withFields(wide, [40, 690, 300, 710]))).toEqual(['Name ~ of the applicant']);
  });

  it('but not at the second line of a title whose second line has a field on its left', () => {
    const title = lines(['Petition to Expunge Juvenile Court', 'Records'], 330, 700);
    const right = 340 + 10 * widthOf('Petition to Expunge Juvenile Court');
    const content = { ...page([title]), box: { left: 0, bottom: 0, right, top: 800 } };
    expect(read(withFields(content, [50, 685, 322, 697]))).toHaveLength(1);
    expect(read(withFields(content, [310, 685, 320, 695]))).toHaveLength(2);
  });

  it('at each label that has its own field', () => {
    const labels = [
      'Totally and permanently disabled',
      'Issued an identity number',
      'Owners of digital assets',
    ];
    const fields = labels.map((_, row) => [260, 698 - 12 * row, 268, 706 - 12 * row] as const);
    const content = page([lines(labels, 50, 700)]);
    expect(
      read(withFields(content, ...fields.map((field): [number, number, number, number] => [...field]))),
    ).toEqual(labels);
  });

  it('at each check box, drawn as a field, as a sign, or with brackets', () => {
    const options = ['refused to file a claim', 'unable to file a claim'];
    const boxes = [0, 1].map((row): [number, number, number, number] => [
      50,
      698 - 12 * row,
      58,
      706 - 12 * row,
    ]);
    expect(read(withFields(page([lines(options, 65, 700)]), ...boxes))).toEqual(options);
    expect(read(page([lines(['☐ Left at home', '☐ Left at work'], 50, 700)]))).toHaveLength(2);
    expect(read(page([onOneLine(['[ ] Petitioner', '[ ] Attorney'], 6, 700)]))).toEqual([
      'Petitioner',
      'Attorney',
    ]);
    const wide = lines(['[      ] Petitioner', '[      ] Attorney'], 50, 700);
    expect(read(page([wide]))).toEqual(['Petitioner', 'Attorney']);
  });

  it('at each line with a label and a colon, even if the line above has no room for the label', () => {
    const narrow = { left: 0, bottom: 0, right: 150, top: 800 };
    for (const labels of [
      ['Cashier: Emily Porter', 'Register: number seven'],
      ['Billing contact:', 'Applicant of the form'],
      ['cpu_time = 1', 'age = 12'],
    ])
      expect(read({ ...page([lines(labels, 50, 700)]), box: narrow })).toEqual(labels);
  });

  it('at the first line of a paragraph whose indent a paragraph of one line above it has too', () => {
    const rest = lines([full, 'in the winter before.'], 50, 676);
    const texts = [lines([full, 'and no more.'], 50, 724), text('They agreed on it.', 60, 700)];
    expect(read(page([...texts, text(`Later ${full.slice(0, 74)}`, 60, 688), rest]))).toHaveLength(3);
  });

  it('at a date after a short line in a script without spaces, and at each item with a circled number', () => {
    const date = '2025年7月8日，市场监督管理局的执法人员依法对当事人的经营场所';
    const rest = '进行检查，发现当事人发布的线上团购项目的价格与实际价格不一致';
    expect(read(page([lines(['公民身份号码：3307', date, rest], 50, 700)]))).toEqual([
      '公民身份号码：3307',
      `${date}${rest}`,
    ]);
    const items = [
      '①掲示板は一枚を団体用とし、もう一枚を自由に使います。',
      '②掲示板には何でも自由に掲示できますが、許可が必要です。',
    ];
    expect(read(page([lines(items, 50, 700)]))).toEqual(items);
  });

  it('after a line that ends before the lines of paragraphs at the same indent, on the far side of a list', () => {
    const short = 'The members met in the spring of that year, and agreed on the plan.';
    const next = 'At the top of the list is the general situation, which has:';
    const item = (row: number) => [
      text('•', 66, 680 - 30 * row),
      ...lines([`${full} in`, 'spring of that year and after it.'], 82, 680 - 30 * row),
    ];
    const rest = [full, full.toLowerCase(), full.toLowerCase(), full.toLowerCase()];
    const content = page([
      text(short, 50, 714),
      text(next, 50, 700),
      ...[0, 1, 2, 3].map(item),
      lines(
        rest.map((value) => `${value} in the`),
        50,
        560,
      ),
    ]);
    expect(read(content).slice(0, 2)).toEqual([short, next]);
  });

  it('at each bullet, also one from a symbol font', () => {
    for (const sign of ['•', '▪', '➤', '', '–', '**'])
      expect(
        read(page([lines([`${sign} Not a valid invoice at all`, `${sign} Check the statement`], 50, 700)])),
      ).toHaveLength(2);
  });

  it('at the number of each item, also of the first one after a full line', () => {
    const rules = 'The rules of the house are stated below.';
    for (const [one, two] of [
      ['1.', '2.'],
      ['①', '②'],
    ])
      expect(
        read(
          page([
            lines([rules, `${one} Guests of the house may not stay here.`, `${two} Each one.`], 50, 700),
          ]),
        ),
      ).toHaveLength(3);
  });

  it('at each line that starts with the mark of a note', () => {
    const notes = [0, 1].flatMap((row) => [
      text('ab'[row]!, 50, 704 - 12 * row, { size: 6 }),
      text('School of Forest Studies, University', 53.2, 700 - 12 * row),
    ]);
    expect(read(page([notes]))).toHaveLength(2);
  });

  it('at a change of the color, the size or the face', () => {
    for (const change of [{ color: '1 0 0 rg' }, { size: 12 }, { font: bold }])
      expect(
        read(page([text('Supply and demand', 50, 712, change), text('Exhibits of the year', 50, 700)])),
      ).toHaveLength(2);
    const employer = (y: number) => [
      text('Bank of the city', 50, y, { font: bold }),
      text('- Spain', 136, y, { color: '1 0 0 rg' }),
    ];
    const items = lines([full, full, full, full, full], 60, 676);
    const role = text('Head of it', 50, 700);
    expect(read(page([employer(712), role, items]))).toContain('Head of it');
  });

  it('at each short line of a stack, even after its longest line', () => {
    const stacks = [
      ['MALE', 'FEMALE'],
      ['Mechanical Labor', 'Supplies'],
      ['Jim Bainbridge', 'Hernando Bedoya', 'Rob Bestgen'],
      ['4567 Innovation Boulevard', 'San Francisco'],
    ];
    for (const stack of stacks)
      expect(read(page([lines(stack, 50, 700), text(full, 50, 600)]))).toEqual([...stack, full]);
  });
});

it('a new block begins at a wider distance than that of the sentences next to it', () => {
  const rows = [
    ['Cumulative effects of', 'changes in accounting'],
    ['Adjusted balance at', 'beginning of year'],
    ['Reclassification', 'to retained earnings'],
    ['Comprehensive income'],
    ['Net profit of the year'],
  ];
  let y = 700;
  const texts = rows.flatMap((row) => {
    const shown = lines(row, 50, y, { leading: 11 });
    y -= 11 * row.length + 6;
    return shown;
  });
  expect(read(page([texts]))).toEqual(rows.map((row) => row.join(' ')));
});

it('a new block begins at a line that is only an address', () => {
  const email = text('jane@example.org', 50, 688);
  const { kept } = findBlocks(page([text('The office of Jane', 50, 700), email]));
  expect(kept).toMatchObject([{ text: 'jane@example.org' }]);
});

describe('one block stays', () => {
  const whole = (values: readonly string[], x = 50) =>
    read(page([lines(values, x, 700), text(full, 50, 600)]))[0];

  it('a sentence that continues at an indent, with much space after its first line', () => {
    const entry = [text('Factors with an impact in the event', 50, 700), text('of a public offer', 60, 688)];
    expect(read(page([entry, text(full, 50, 600)]))[0]).toBe(
      'Factors with an impact in the event of a public offer',
    );
  });

  it('a hanging entry whose first line ends before the number of its volume', () => {
    const entry = (y: number, end: string, next: string) => [
      text(`${full} as stated in ${end}`, 50, y),
      text(next, 60, y - 12),
    ];
    const others = [700, 676, 628, 604].map((y) =>
      entry(y, 'the town of', 'the committee, with all of its examples'),
    );
    const numbered = entry(652, 'Vol. 7, No.', '1, pp. 1–26, with all of its examples');
    expect(read(page([...others.slice(0, 2), numbered, ...others.slice(2)]))).toHaveLength(5);
  });

  it('a title over two lines', () => {
    const title = lines(['Practical Attacks Against Code', 'Completion Engines'], 50, 700, {
      size: 18,
      leading: 21,
    });
    expect(read(page([title, lines([full, full], 50, 600)]))[0]).toBe(
      'Practical Attacks Against Code Completion Engines',
    );
  });

  it('a text whose line ends with a word or a sign after which a text continues', () => {
    for (const open of [
      'Refund or',
      'Copy A for',
      'Patrick Lewis, Ledell Wu,',
      'Research &',
      'Taxes (see the',
    ])
      expect(whole([open, 'Amount Owed'])).toBe(`${open} Amount Owed`);
  });

  it('a sentence over a wide distance, a wider line and a change of the indent, if its line is full', () => {
    const narrow = lines(
      ['Take the first road to the left and go', 'on until the end of the wood, where you'],
      250,
      700,
    );
    const wide = text(
      'will find a house with a red door and a garden in front of the long white wall',
      50,
      676,
    );
    expect(read(page([narrow, wide]))).toHaveLength(1);
    expect(read(page([narrow, { ...wide, font: bold }]))).toHaveLength(2);
  });

  it('a text in small letters in a narrow frame', () => {
    const caption = ['production in Israel is powered', 'by two of the new', 'fields as of this year'];
    expect(whole(caption)).toBe(caption.join(' '));
  });

  const column = [
    'The committee met in spring and agreed on',
    'United plans that the members from all the',
    'States had discussed in the long winter on',
    'these matters, with the following addition:',
    'Members of the board may speak to the rest.',
  ];
  it('a paragraph with lines that start with capitals or end with a colon', () => {
    expect(whole(column)).toBe(column.join(' '));
  });

  it('a sentence with a citation at the start of a line, after an abbreviation', () => {
    const cited = [
      column[0]!.replace(/\S+ \S+$/, 'as in Lee et al.'),
      column[1]!.replace(/^\S+/, '[20] says,'),
    ];
    expect(whole([...cited, ...column.slice(2)])).toBe([...cited, ...column.slice(2)].join(' '));
  });

  it('a paragraph with bold words, a colored link, and the mark of a note', () => {
    const [first, second, third, ...rest] = column as [string, string, string, ...string[]];
    const place = (value: string, before: string, y: number, options = {}) =>
      text(value, 50 + 10 * widthOf(before), y, options);
    const texts = [
      text('The committee', 50, 700, { font: bold }),
      place(first.slice(13), 'The committee', 700),
      text(second, 50, 688, { color: '0 0 1 rg' }),
      text(third, 50, 676),
      place('7', third, 680, { size: 6 }),
      lines(rest, 50, 664),
    ];
    expect(read(page(texts))[0]).toBe([first, second, `${third}7`, ...rest].join(' '));
  });

  it('a line of justified text with wide spaces', () => {
    const words = ['every', 'tuft', 'that', 'you', 'trod', 'upon'];
    expect(read(page([onOneLine(words, 9, 700), lines(column, 50, 688)]))[0]).toContain(words.join(' '));
  });

  it('a line of few words with equal and very wide spaces, if its end is that of a line over these spaces', () => {
    const words = ['traditional', 'products', 'of', 'the'];
    const shown = onOneLine(words, 13, 688);
    const end = 50 + 10 * widthOf(words.join('')) + 3 * 13;
    const above = (value: string) => text(value, end - 10 * widthOf(value), 700);
    const wide = above('the committee agreed in that');
    expect(read(page([[text('a', 50, 700)], wide, shown, text('village.', 50, 676)]))).toHaveLength(1);
    // The cells of a table end there too, but no line continues over their gaps.
    expect(read(page([onOneLine(words, 13, 700), shown, onOneLine(words, 13, 676)]))).not.toHaveLength(1);
  });

  it('a text next to a number in the margin, and a sentence with a sign over another one', () => {
    const even = [full, full.replace('committee', 'countries'), full.replace('plan', 'date')];
    const number = text('12', 62 + 10 * widthOf(full), 688);
    const blocks = read(page([lines(even, 50, 700), number, text('in the winter.', 50, 664)]));
    expect(blocks).toEqual([[...even, 'in the winter.'].join(' ')]);
    const sign = [
      text('The share is R = 1 there.', 50, 600),
      text('∼', 50 + 10 * widthOf('The share is R '), 603.3),
    ];
    const shown = findBlocks(page([sign]));
    expect([shown.blocks.length, shown.kept]).toEqual([1, []]);
  });

  it('a text that starts on the right of a picture and continues below it', () => {
    const words = 'members council harbor reports';
    const under = `Members ${words} of gardens`;
    const beside = (x: number) => lines([words, words, words], x, 700);
    const below = lines([under, 'in the spring.'], 50, 664);
    const { blocks } = findBlocks(page([beside(50 + 10 * (widthOf(under) - widthOf(words))), below]));
    expect(blocks.map(({ alignment, indent }) => [alignment, indent])).toEqual([['justified', 0]]);
    // The lines below a list whose items end elsewhere are another text.
    expect(findBlocks(page([beside(80), below])).blocks).toHaveLength(2);
  });
});

it('a small raised bullet is the label of the text after it, and a raised dash is not', () => {
  const labelOf = (sign: string) =>
    findBlocks(page([text(sign, 50, 701.2, { size: 6 }), lines([full, 'in the winter.'], 60, 700)]))
      .blocks[0]!.label?.text;
  expect([labelOf('•'), labelOf('–')]).toEqual(['•', undefined]);
});

describe('a table', () => {
  const grid = (columns: readonly number[], rows: readonly number[]) => [
    ...rows.map((y) => rule(columns[0]!, y, columns.at(-1)!, y + 0.5)),
    ...columns.map((x) => rule(x, rows.at(-1)!, x + 0.5, rows[0]!)),
  ];

  it('has a text of several lines in each cell between rules', () => {
    const heads = [
      ['Number of', 'months in', '2025'],
      ['U.S.', 'Citizen'],
      ['Resident of', 'U.S. or', 'Mexico'],
    ];
    const texts = heads.flatMap((head, index) => lines(head, 52 + 60 * index, 700));
    expect(read(page([texts], grid([50, 110, 170, 230], [712, 670])))).toEqual(
      heads.map((head) => head.join(' ')),
    );
  });

  it('has a text in each row between rules', () => {
    const texts = ['Subtotal', 'Tax', 'Total'].map((cell, row) => text(cell, 52, 700 - 14 * row));
    expect(read(page([texts], grid([50, 110], [711, 697, 683, 669])))).toEqual(['Subtotal', 'Tax', 'Total']);
  });

  it('has two rows between rules if each of many cells has a line in both', () => {
    const rows = [
      ['Tempora', 'Neque', 'Aliquam', 'Quaerat', 'Magnam'],
      ['Volupta', 'Dolor', 'Quiquia', 'Amet', 'Labore'],
    ];
    const texts = rows.flatMap((cells, row) =>
      cells.map((cell, index) => text(cell, 52 + 60 * index, 700 - 12 * row)),
    );
    expect(read(page([texts], grid([50, 110, 170, 230, 290, 350], [712, 682])))).toEqual(rows.flat());
  });

  it('has columns of texts that start at the same positions', () => {
    const rows = [
      ['Apples', 'Spain', 'ripe'],
      ['Pears', 'Chile', 'green'],
      ['Plums', 'Italy', 'ripe'],
    ];
    const texts = rows.flatMap((cells, row) =>
      cells.map((cell, index) => text(cell, 50 + 45 * index + (index === 2 ? 15 : 0), 700 - 12 * row)),
    );
    expect(read(page([texts]))).toEqual(rows.flat());
  });

  it('has cells on both sides of a tab', () => {
    const row = [
      text('Total amount of all goods', 50, 700),
      text('Net price', 50 + 10 * widthOf('Total amount of all goods') + 14, 700),
    ];
    expect(read(page([row]))).toEqual(['Total amount of all goods', 'Net price']);
  });
});

describe('a page of contents', () => {
  const entry = (title: string, y: number) => [
    text(title, 50, y),
    text('. . . . . . . . . . . .', 60 + 10 * widthOf(title), y),
    text('17', 400, y),
  ];

  it('has each entry apart, whatever their lengths', () => {
    const titles = ['Block ciphers and their use', 'substitution networks', 'Results of'];
    expect(read(page(titles.map((title, row) => entry(title, 700 - 12 * row))))).toEqual(titles);
  });

  it('has an entry of two lines as one', () => {
    const content = page([
      text('Non-discrimination policy and diversity', 50, 700),
      entry('in Top Management', 688),
    ]);
    expect(read(content)).toEqual(['Non-discrimination policy and diversity in Top Management']);
  });
});

it('titles on one baseline in different sizes are apart', () => {
  const titles = [
    text('1040', 50, 700, { size: 24, font: bold }),
    text('U.S. Individual Income Tax Return', 120, 700, { size: 14, font: bold }),
    text('Department of the Treasury', 370, 700, { size: 8, font: serif }),
  ];
  expect(read(page([titles]))).toEqual(['U.S. Individual Income Tax Return', 'Department of the Treasury']);
});
