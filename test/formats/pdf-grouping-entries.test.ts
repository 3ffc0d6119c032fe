import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import { bold, lines, page, plainTexts as read, rule, serif, text, widthOf } from './pdf-page.ts';

/** Lines on a page that is hardly wider than the lines, so that no line ends early. */
const narrow = (values: readonly string[]): PageContent => {
  const width = Math.max(...values.map((value) => 10 * widthOf(value)));
  return { ...page([lines(values, 20, 700)]), box: { left: 0, bottom: 0, right: width + 40, top: 800 } };
};
const full = 'The committee met in spring and agreed on the plan that its members had discussed';

describe('a new block begins in a stack without room at the ends of its lines', () => {
  it('at lines that start with the same word, or with numbers of the same form', () => {
    for (const stack of [
      ['Based on the latest estimate', 'Remains at seven or eight', 'Remains at five or six'],
      ['For an empowered workforce', 'For a much greener planet'],
      ['12,270 lb of weight', '12,320 lb of weight'],
    ])
      expect(read(narrow(stack))).toEqual(stack);
    const continued = ['The planet and', 'The workforce'];
    expect(read(narrow(continued))).toEqual([continued.join(' ')]);
  });

  it('after an amount, and before and after a line of figures', () => {
    expect(read(narrow(['Member Discount $66.23', 'Sales Tax of the State']))).toHaveLength(2);
    expect(read(narrow(['Small Cable of six feet', 'CABLE-7789 2 @ $24.99', 'Large Cable Set']))).toEqual([
      'Small Cable of six feet',
      'Large Cable Set',
    ]);
    expect(read(narrow(['Balance as of 31 December', '2015']))).toEqual(['Balance as of 31 December 2015']);
  });

  it('at a word in small letters after a line in capitals, but not after abbreviations', () => {
    const heads = ['VOLUNTEER BRIGADE OF LARGETOWN', 'Invitation to an evening in May'];
    expect(read(narrow(heads))).toEqual(heads);
    const product = ['USB AND HDMI ADAPTER', 'Cable of two metres'];
    expect(read(narrow(product))).toEqual([product.join(' ')]);
  });

  it('at an indented line after which the next word would fit', () => {
    const heads = ['Ministry of Corporate Affairs', 'Receipt', 'Invoice'];
    const shown = heads.map((head, row) => text(head, row === 0 ? 20 : 50, 700 - 12 * row));
    expect(read({ ...narrow(heads), texts: page([shown]).texts })).toEqual(heads);
  });

  it('at a short label before a telephone number or an address, also in small letters', () => {
    const contact = ['503-555-0166 in Portland', 'fax: 503-555-0169', 'e-mail: info@alliance.example'];
    expect(read(narrow(contact))).toEqual(contact);
    expect(read(narrow(['515202 Port of Oslo', 'tel.+40756810059']))).toEqual(['515202 Port of Oslo']);
    const sentence = ['The committee explains its', 'plan: 503 members will meet'];
    expect(read(narrow(sentence))).toEqual([sentence.join(' ')]);
  });

  it('not at a colon if the line above ends with an article or a preposition', () => {
    const note = ['Please note: the file has a space in place of the', 'Yes/No answer:'];
    expect(read(page([lines(note, 50, 700)]))).toEqual([note.join(' ')]);
    const labels = ['Name: the same as in the form', 'Answer: none'];
    expect(read(page([lines(labels, 50, 700)]))).toEqual(labels);
  });

  it('not at an initial below a full line of a hanging item, but at the next item', () => {
    const items = [
      ['Miller, A. Odors change the memory of honey bees in the wide fields of', 'J. Meadow. A journal.'],
      ['Pavlov, I. Reflexes of dogs, and of other animals. University Press.'],
      ['Pearce, J. A selective review of models, from the oldest one to', 'the newest. A journal.'],
    ];
    const rows = items.flatMap((item) => item.map((value, line) => [value, 20 + 12 * line] as const));
    const content = page(rows.map(([value, left], row) => text(value, left, 700 - 12 * row)));
    const right = 20 + 10 * Math.max(...items.map(([first]) => widthOf(first!)));
    expect(read({ ...content, box: { left: 0, bottom: 0, right: right + 20, top: 800 } })).toEqual(
      items.map((item) => item.join(' ')),
    );
  });

  it('at a line in a slightly smaller size, but not in the middle of a sentence', () => {
    const readBelow = (below: string) =>
      read(
        page([
          text('OPEN SOURCE CONTRIBUTOR AND TEAM LEADER', 50, 700, { size: 10.9 }),
          text(below, 50, 688, { size: 9.9 }),
          text(full, 50, 600),
        ]),
      );
    expect(readBelow('Jan 2013 – May 2013 | Palo Alto in the North')).toHaveLength(3);
    expect(readBelow('and the author of several books of this kind')).toHaveLength(2);
  });

  it('at a line after a price that ends with a dash, but not after a hyphen', () => {
    expect(read(page([lines(['Price pr. person : 149,-', 'Price of a child: 69,-'], 50, 700)]))).toHaveLength(
      2,
    );
    expect(read(page([lines(['Price of a person of a non-', 'Profit club: 69,-'], 50, 700)]))).toHaveLength(
      1,
    );
  });

  it('at each price, and at each article next to its own price', () => {
    const articles = [
      'silk dress of a woman, shorten sleeves',
      'coat, shorten',
      'jacket, zip',
      'shirt, collar',
    ];
    const prices = ['from € 20,00', 'from € 20,00', 'from € 9,50', 'from € 8,00'];
    const shown = read(page([lines(articles, 50, 700), lines(prices, 300, 700)]));
    expect(shown.toSorted()).toEqual([...articles, ...prices].toSorted());
    // Only one line of an article has its price.
    const one = read(page([lines(articles.slice(0, 2), 50, 700), lines(prices.slice(2, 3), 300, 700)]));
    expect(one).toContain(articles.slice(0, 2).join(' '));
  });

  it('at the number of a chapter after a full line that ends a sentence', () => {
    const items = ['手数料は成否にかかわらずお返しいたしません。', '第３ 求職'];
    expect(read(narrow(items))).toEqual(items);
    expect(read(narrow([items[0]!, '第３条にも規定']))).toHaveLength(1);
  });

  it('at a short label with its value', () => {
    expect(read(narrow(['Visa Card ending in 4782', 'Auth: of the bank 8473']))).toHaveLength(2);
  });

  it('at a label with a number, also in the size of a title', () => {
    const title = ['Main Street 123', 'Phone: 425 000'];
    const titles = lines(title, 50, 700, { size: 18, leading: 21 });
    expect(read(page([titles, lines([full, full], 50, 600)])).slice(0, 2)).toEqual(title);
    const pins = ['V5: from the battery and its', 'charger at the default rate', '3V3: from a regulator too'];
    expect(read(narrow(pins))).toEqual([`${pins[0]} ${pins[1]}`, pins[2]]);
    const named = lines(['Transformers in use', 'Summary: a view'], 50, 700, { size: 18, leading: 21 });
    expect(read(page([named, lines([full, full], 50, 600)]))[0]).toBe('Transformers in use Summary: a view');
  });

  it('at an address, and after it', () => {
    const contacts = ['Council of the North', 'cancer.example', 'Cancer Society'];
    expect(read(narrow(contacts))).toEqual(contacts);
    expect(read(narrow(['For more information:', 'cancer.example.org']))).toEqual(['For more information:']);
    const listed = ['example.com | cancer.example', 'of@cancer.example | 607 379'];
    expect(read(page([lines(listed, 50, 700), text(full, 50, 600)])).slice(0, 2)).toEqual(listed);
  });

  it('but not in an address of which a line has few words before its comma', () => {
    const address = ['209-214, Kailash Building, Kasturba Gandhi Marg,', 'New Delhi,', 'Delhi - 110001'];
    expect(read(page([lines(address, 50, 700), text(full, 50, 600)]))[0]).toBe(address.join(' '));
  });

  it('at a bullet directly before its text', () => {
    const items = ['·Access to resources', '·Advocacy'];
    expect(read(narrow(items))).toEqual(items);
  });
});

it('numbers of items that are apart from their texts are not one text', () => {
  const numbers = ['b.', 'c.'].map((number, row) => text(number, 50, 700 - 14 * row));
  const items = ['The second item ends here.', 'The third item is a sentence that'].map((item, row) =>
    text(item, 75, 700 - 14 * row),
  );
  const { blocks, kept } = findBlocks(page([numbers, items, text('goes on in another line.', 75, 672)]));
  expect(kept.map((label) => label.text)).toEqual(['b.', 'c.']);
  expect(blocks.map(({ label }) => label?.text)).toEqual(['b.', 'c.']);
});

describe('a line without a bullet continues the item above it', () => {
  const values = [
    'Agile methods and workshops for customers of large banks',
    'Classic Patterns of Object Design, Domain Driven',
    'Development of Enterprise Software',
    'Integration',
    'Test Automation',
    'Interviews',
  ];
  const list = (labels: readonly number[]) =>
    read(page([lines(values, 60, 700), ...labels.map((index) => text('•', 44, 700 - 12 * index))]));

  it('if its first word does not fit in a list that is narrower than the page', () => {
    const [first, upper, lower, ...others] = values;
    expect(list([0, 1, 3, 4, 5])).toEqual([first, `${upper} ${lower}`, ...others]);
    expect(list([0, 1, 2, 3, 4, 5])).toEqual(values);
  });
});

describe('a line with room for the next word ends its text, although a small letter follows', () => {
  const [upper, lower] = ['born in the town', 'since May in this large country'];
  const stack = [text(upper, 100, 700), text(lower, 100, 686)];
  const joined = [`${upper} ${lower}`];

  it('next to two bold labels, but not next to one of two lines', () => {
    const labels = ['Place', 'Stays'].map((label, row) => text(label, 60, 700 - 14 * row, { font: bold }));
    expect(read(page([...stack, ...labels]))).toEqual(expect.arrayContaining([upper, lower]));
    expect(read(page([...stack, labels[0]!]))).toContain(joined[0]);
  });
});

describe('one block stays', () => {
  it('a centred text in a cell that has no room for its next word, above a wider line', () => {
    const cell = ['Inspection of the documents of Keystone', 'Realtors of Largetown'];
    const right = 60 + 10 * widthOf(cell[0]!);
    const centred = cell.map((line, row) => text(line, (50 + right) / 2 - 5 * widthOf(line), 700 - 12 * row));
    const rules = [712, 680, 650].map((y) => rule(50, y, y === 712 ? right : 500, y + 0.5));
    const sides = [50, right, 500].map((x) => rule(x, x === 500 ? 650 : 680, x + 0.5, x === 500 ? 680 : 712));
    const content = page([[...centred, text(full, 60, 662)]], [...rules, ...sides, rule(50, 650, 50.5, 680)]);
    expect(read(content)).toEqual([cell.join(' '), full]);
  });

  it('a cell whose background is painted line by line', () => {
    const cell = ['Nations establishing open', 'data sites'];
    const strips = (...colors: string[]) =>
      colors.map((color, row) => ({ ...rule(45, 697 - 12 * row, 300, 709 - 12 * row), color }));
    const content = (...colors: string[]) => page([lines(cell, 50, 700)], strips(...colors));
    expect(read(content('0 0 1 rg', '0 0 1 rg'))).toEqual([cell.join(' ')]);
    expect(read(content('0 0 1 rg', '1 0 0 rg'))).toEqual(cell);
  });

  it('a paragraph whose last line is shorter than an underline above it', () => {
    const [first, last] = [full, 'in March.'];
    // Browsers draw underlines far below the words.
    for (const below of [2, 3.3]) {
      const underline = rule(50, 700 - below, 50 + 10 * widthOf('The committee met'), 700.5 - below);
      expect(read(page([lines([first, last], 50, 700)], [underline]))).toEqual([`${first} ${last}`]);
    }
  });

  it('a sentence that continues in a part of another style', () => {
    const red = { color: '1 0 0 rg' };
    const [above, start, rest] = ['From this gift each of us is defined as one', 'person', ' of its own'];
    const texts = [
      text(above, 50, 700),
      text(start, 50, 688, red),
      text(rest, 50 + 10 * widthOf(start), 688, { font: serif }),
    ];
    expect(read(page([texts, text(full, 50, 676)]))[0]).toContain(`${above} ${start}${rest}`);
  });
});
