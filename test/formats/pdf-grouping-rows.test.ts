import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent, Paint, TextFont } from '#server/formats/pdf/page-content.ts';
import { bold, lines, page, plainTexts as read, rule, serif, text, widthOf } from './pdf-page.ts';

const full = 'The committee met in spring and agreed on the plan that its members had discussed';
/** Lines below each other that have the same middle. */
const centred = (values: readonly string[], middle: number, top: number) =>
  values.map((value, row) => text(value, middle - 5 * widthOf(value), top - 12 * row));

/** Lines on a page that is hardly wider than the lines, so that no line ends early. */
const narrowPage = (items: readonly string[]): PageContent => ({
  ...page([lines(items, 20, 700)]),
  box: { left: 0, bottom: 0, right: 40 + 10 * Math.max(...items.map(widthOf)), top: 800 },
});

describe('a new block begins in a table without rules', () => {
  it('at each row, even if all texts of a column are about equally long', () => {
    const events = [
      'Welcome and presentation of tickets in hall 1',
      'Mad physics show with volunteers in hall 2',
      'Finale with a chemistry show by Bob in hall 1',
    ];
    const times = ['11:15 AM - 11:45 AM', '11:45 AM - 12:30 PM', '3:00 PM - 4:30 PM'];
    const content = page([lines(events, 50, 700), lines(times, 330, 700)]);
    expect(read(content).filter((value) => events.includes(value))).toEqual(events);
  });

  it('at the rows after the last row of the other column', () => {
    const names = [
      'Charles Sullivan, Dartmouth',
      'Dragan Maksimovic, Boulder in USA',
      'SY Ron Hui, Singapore',
    ];
    const next = 75 + 10 * widthOf(names[1]!);
    expect(
      read(page([lines(names, 50, 700), lines(['Jon Dupas, Oslo', 'Ann Wang, Rome'], next, 700)])),
    ).toEqual(expect.arrayContaining(names));
  });

  it('at the text next to a date in a smaller size, although only the rows after the next have dates', () => {
    const titles = ['Advisor to the regents', 'Advisor in the office', 'Fellow of the institute'];
    const texts = titles.flatMap((title, row) => [
      text('2017 - 2020', 62, 700 - 24 * row, { size: 7.5 }),
      text(title, 108, 700 - 24 * row),
      text('Group of David Wolpert', 118, 688 - 24 * row),
    ]);
    expect(read(page([texts]))).toEqual(expect.arrayContaining(titles));
  });
});

describe('the price of a dish', () => {
  const prices = [3, 2, 1].map((row) => text(`${row}2.5`, 350, 700 - 24 * row, { font: bold }));
  const dishes = ['Eggs on toast', 'Soup of the day', 'Cake'].map((dish, row) =>
    text(dish, 50, 700 - 24 * (3 - row)),
  );
  const long = 'Poached eggs with tomato, onion and a slice of bacon';
  const menu = (price: string, x: number, font: TextFont) =>
    page([dishes, prices, text(long, x - 5 - 10 * widthOf(long), 604), text(price, x, 604, { font })]);

  it('is a part of its text elsewhere, as are the figures of a text with one weight', () => {
    expect(read(menu('14.0', 330, bold))).toContain(`${long} 14.0`);
    expect(read(menu('14.0', 350, serif))).toContain(`${long} 14.0`);
  });
});

describe('a new block begins in a stack', () => {
  it('at the bullet next to a year, if other items start there', () => {
    const items = [
      'Second prize',
      'Outstanding award',
      'First prize',
      'School prize',
      'No',
      'Third prize',
      'Last prize',
    ];
    const texts = items.map((item, row) => text(`• ${item}`, 121, 700 - 12 * row));
    const years = ['2019', '2018', '2017'].map((year, row) => text(year, 90, 700 - 36 * row));
    expect(read(page([texts, years]))).toEqual(items);
  });

  it('at each number of an axis, and at a label below its middle', () => {
    const ticks = ['0.05', '0.10', '0.15'].map((tick, index) => text(tick, 50 + 35 * index, 700));
    expect(read(page([ticks, centred(['depth (m)'], 85 + 5 * widthOf('0.10'), 688)]))).toEqual(['depth (m)']);
  });

  it('at a bullet after a year, and at ideographs after a bullet', () => {
    const years = ['2019', '2018'].map((year, row) => text(year, 50, 700 - 24 * row));
    const entries = ['first prize', '一等奖学金'].flatMap((entry, row) => [
      text('•', 90, 700 - 24 * row),
      text(entry, 92 + 10 * widthOf('•'), 700 - 24 * row),
    ]);
    expect(read(page([years, entries]))).toEqual(['first prize', '一等奖学金']);
  });

  it('at each text next to a right-aligned label, if other texts start there', () => {
    const rows = ['[04/2022 – 06/2022]', '[2014 – 2015]', '[2013 – 2014]'].flatMap((label, row) => [
      text(label, 194 - 10 * widthOf(label), 700 - 45 * row),
      text('Course of German', 200, 700 - 45 * row),
      text('School of Oslo', 200, 688 - 45 * row),
    ]);
    expect(read(page([rows])).filter((value) => value.includes('Course'))).toEqual(
      Array.from({ length: 3 }, () => 'Course of German'),
    );
  });

  it('at a label in a box that is lower than a line, but not at highlighted words', () => {
    const words = ['Course', 'with', 'wide', 'spaces'].map((word, at) =>
      text(word, 50 + [0, 35, 60, 85][at]!, 700),
    );
    const shown = (inset: number) =>
      read(page([[...words, text('New', 174, 700)]], [rule(174 - inset, 698, 192, 709)]));
    expect(shown(4)).toEqual(['Course with wide spaces', 'New']);
    expect(shown(0)).toEqual(['Course with wide spaces New']);
  });

  it('but not of a table at the headings of sections, which have their numbers next to them', () => {
    const headings = [
      ['4.6', 'Other points'],
      ['4.6.1', 'The house'],
    ];
    const rows = headings.map((pair, row) =>
      pair.map((value, column) => text(value, 50 + 40 * column, 600 - 24 * row)),
    );
    expect(findBlocks(page(rows)).blocks.map(({ kind }) => kind)).not.toContain('table_cell');
  });

  it('after a centered address of a site, although a code follows', () => {
    const stack = ['Hiram, GA 30141', 'www.CouncilOfTheCounty.example', 'W4RSC'];
    const narrow = { left: 0, bottom: 0, right: 200, top: 800 };
    expect(read({ ...page([centred(stack, 100, 700)]), box: narrow })).toEqual([stack[0], stack[2]]);
  });

  it('after a line that ends with an address', () => {
    const stack = ['Email: orders@cafe.example', 'We offer curb service'];
    expect(
      read({ ...page([centred(stack, 100, 700)]), box: { left: 0, bottom: 0, right: 200, top: 800 } }),
    ).toEqual(stack);
  });

  it('at an address after the end of a sentence, also in running text', () => {
    const cited = [
      'Health plants of the world, and how they were',
      'used since. Newsweek Books, New York 1975.',
    ];
    const address = text('http://info.example.org/library', 50, 676);
    const body = lines(Array(4).fill('and others who are in the town of their own'), 50, 664);
    expect(read(page([lines(cited, 50, 700), address, body]))[0]).toBe(cited.join(' '));
  });

  it.each([
    ['with an ideographic comma after its number', ['1、產品概述', '2、注意事項']],
    ['with a Japanese letter in brackets', ['(ア)この文書では', '(イ)開発経緯を']],
    ['with a middle dot', ['・第1の領域では母音', '・第2の領域では全部']],
  ])('at each item %s', (_, items) => {
    expect(read(narrowPage(items))).toEqual(items);
  });

  it('at each distance that is wider than that of all lines in which a text continues', () => {
    const items = [
      'Biological and',
      'others',
      'Humanities &',
      'Arts',
      'Languages &',
      'Literature',
      'Social and other Studies',
      'News',
    ];
    const y = [700, 690.2, 677.6, 667.8, 655.2, 645.4, 632.8, 620.2];
    const narrow = { left: 0, bottom: 0, right: 145, top: 800 };
    const content = page(items.map((item, row) => text(item, 50, y[row]!, { size: 7 })));
    expect(read({ ...content, box: narrow }).slice(-2)).toEqual(['Social and other Studies', 'News']);
  });

  it('at each line that starts with a bold name and ends with regular words', () => {
    const talks = [
      ['Software Design in Our Time', ' by Martin Fowler'],
      ['Retrospectives and Meetings', ' by Jutta Eckstein'],
      ['Continuous Change with Data', ' by Pramod Sadalage'],
    ] as const;
    const shown = talks.flatMap(([title, name], row) => [
      text(title, 50, 700 - 20 * row, { font: bold }),
      text(name, 50 + 10 * widthOf(title), 700 - 20 * row),
    ]);
    const rows = talks.map((talk) => talk.join(''));
    const right = 60 + 10 * Math.max(...rows.map(widthOf));
    expect(read({ ...page(shown), box: { left: 40, bottom: 0, right, top: 800 } })).toEqual(rows);
  });

  it('at a name in capitals that starts with an article', () => {
    const names = ['YOLANDE RIDORE', 'THE LATE JOSEPH RIDORE'];
    expect(read(page([centred(names, 100, 700), text(full, 50, 600)])).slice(0, 2)).toEqual(names);
  });
});

describe('one block stays', () => {
  const paragraph = [
    'The meeting will take place in the town of Orlando',
    'offering an exciting venue to exchange ideas about',
    'developments and experiences with the engineering,',
    'management, integration, and interchange of events',
    'in many open environments.',
  ];
  const body = Array.from({ length: 8 }, () => [full, 'and in winter.']).flat();

  it('a paragraph whose lines are further apart than those of the rest of its page', () => {
    const content = page([lines(paragraph, 50, 700, { leading: 17 }), lines(body, 50, 560)]);
    expect(read(content)[0]).toBe(paragraph.join(' '));
  });

  it('but not a list of short texts in small letters with such distances', () => {
    const types = ['type: token', 'type: code', 'type: text', 'type: token', 'type: code'];
    const content = page([lines(types, 50, 700, { leading: 20 }), lines(body, 50, 560)]);
    expect(read(content).slice(0, 5)).toEqual(types);
  });

  it('the text of the last row of a list of labels, if its first line is full', () => {
    const texts = [
      'Groningen',
      'Teacher of projects',
      'In this time I helped all students with their',
      'Unity and Unreal game development projects.',
    ];
    const labels = ['Place:', 'Function:', 'Work:'];
    const content = narrowPage([full.slice(0, 68)]);
    content.texts = page([lines(labels, 20, 700), lines(texts, 130, 700)]).texts;
    expect(read(content)).toContain(texts.slice(2).join(' '));
  });

  it('a justified line with wide gaps, if most of its words are not labels with equal gaps', () => {
    const spread = (words: readonly string[]) => {
      let x = 50;
      return words.map((word) => {
        const shown = text(word, x, 700);
        x += 10 * widthOf(word) + 12;
        return shown;
      });
    };
    const words = ['Inverter:', 'the', 'inverter', 'accepts', 'this', 'command'];
    const others = lines([full, full.toLowerCase()], 50, 650);
    expect(read(page([spread(words), others]))[0]).toBe(words.join(' '));
    const labels = ['Home', 'Our Services', 'About', 'Contact us', 'Imprint'];
    expect(read(page([spread(labels), others])).slice(0, 5)).toEqual(labels);
  });

  it('a justified line with many equal gaps, although most of its words have capitals', () => {
    const words = 'Post 05 (General Ecology): Experience in Research, Reading, English and Spanish'.split(
      ' ',
    );
    let x = 50;
    const spread = words.map((word) => {
      const shown = text(word, x, 700);
      x += 10 * widthOf(word) + 9;
      return shown;
    });
    expect(read(page([spread, lines([full, full.toLowerCase()], 50, 650)]))[0]).toBe(words.join(' '));
  });

  it('a sentence that continues with a name, although another text has lines at the same heights', () => {
    const left = ['you roll and find the same sign on the Dice', 'Values Board, which shows how to go on'];
    const right = ['the next player in turn has to draw a Market', 'Square Card and reads it to the others'];
    const readColumns = (...columns: string[][]) => {
      const box = { left: 0, bottom: 0, right: 295 + 10 * widthOf(right[0]!), top: 800 };
      return read({ ...page([lines(columns[0]!, 50, 700), lines(columns[1]!, 275, 700)]), box });
    };
    expect(readColumns(left, right)).toEqual([left, right].map((own) => own.join(' ')));
    const names = [left, right].map((own) =>
      own.map((line) => line.replace(/^.*(?=Dice|Values Board|Market|Square Card)/, '')),
    );
    expect(readColumns(names[0]!, names[1]!)).toHaveLength(4);
  });

  it('a justified text next to a picture, whose lines are at the heights of those of another column', () => {
    const values = [
      'The launch was meant for all people who live near',
      'Papua and for those who came to the town from all',
      'sides of the land, as did the late head of a bank',
      'Dillon and the late leader of another one, who is',
      'known to all of them.',
    ];
    const justified = values.map((value, row) =>
      text(value, 140, 700 - 12 * row, { spacing: row < 4 ? (26 - widthOf(value)) / (value.length - 1) : 0 }),
    );
    const aside = ['Launch of the', 'Plan of Papua', 'Cold in Harlem', 'Governor Dix'];
    const wide = Array.from({ length: 3 }, () => `${full} and shown`);
    const content = page([lines(aside, 40, 700), justified, lines(wide, 140, 640)]);
    expect(read(content)).toContain(values.join(' '));
  });

  it('a text over the side of a box that is hidden by a larger one', () => {
    const small = rule(40, 680, 320, 695);
    const large = { ...rule(40, 640, 560, 720), order: 1, color: '1 g' };
    const shown = (boxes: Paint[]) =>
      read(page([lines([full, 'and in all of the summer.'], 50, 700)], boxes));
    expect(shown([small, large])).toEqual([`${full} and in all of the summer.`]);
    expect(shown([large, { ...small, order: 2 }])).toHaveLength(2);
  });

  it('a centered paragraph, some lines of which are almost equally wide', () => {
    const whole = [
      'She served as the head of',
      'their institute for',
      'development. In prior',
      'years, she held the',
      'position in the office of',
      'the foundation.',
    ];
    const texts = whole.map((value, row) => centred([value], row === 3 ? 101.4 : 100, 700 - 12 * row));
    const narrow = { left: 0, bottom: 0, right: 200, top: 800 };
    expect(read({ ...page(texts), box: narrow })).toEqual([whole.join(' ')]);
  });
});

it('an indented line starts a block even if it has the middle of the next line by chance', () => {
  const above = [
    'The checklist would be revised to align with',
    'all the others, and is used in all of them.',
  ];
  const rest = ['changes proposed by this new rule is that', 'all operators now act on all the new plans.'];
  const first = 'Among those discussed, one of the many';
  const inset = (10 * (widthOf(rest[0]!) - widthOf(first))) / 2;
  const content = page([lines(above, 50, 700), text(first, 50 + inset, 676), lines(rest, 50, 664)]);
  const narrow = { left: 0, bottom: 0, right: 100 + 10 * widthOf(above[0]!), top: 800 };
  expect(read({ ...content, box: narrow })).toEqual([above.join(' '), [first, ...rest].join(' ')]);
});
