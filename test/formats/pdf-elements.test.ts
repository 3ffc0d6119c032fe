import { PDFDocument, PDFName, type PDFObject, type PDFRef, StandardFonts } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import type { ShownText, StructureElement } from '#server/formats/pdf/page-content.ts';
import { bold, page, rule, text, widthOf } from './pdf-page.ts';

const read = (texts: ShownText[]): string[] =>
  findBlocks(page(texts)).blocks.map((block) => plainText(block.content));
const of = (element: StructureElement | undefined, ...texts: ShownText[]) =>
  texts.map((shown) => ({ ...shown, element }));
const tag = (type: string): StructureElement => ({ type });

describe('the declared elements of a tagged PDF', () => {
  const menu = [
    'lingonberry, banana and oat milk',
    'ginger, carrot and orange juice',
    'blueberry and cashew',
  ];
  const rows = menu.map((value, index) => text(value, 50, 700 - 12 * index));

  it('separate lines that would else be one text', () => {
    expect(read(rows)).toHaveLength(1);
    expect(read(rows.flatMap((row) => of(tag('P'), row)))).toEqual(menu);
  });

  it('separate the options of a form, although some of them look like a sentence', () => {
    const options = [
      'more than one year of college, but no degree',
      'associate’s degree of a state university or',
      'professional degree of any kind',
    ].map((value, index) => text(value, 50, 700 - 12 * index));
    expect(read(options.flatMap((row) => of(tag('P'), row)))).toHaveLength(3);
  });

  it('separate texts on one baseline', () => {
    const [first, second] = [text('London', 50, 700), text('Cushion', 50 + 10 * widthOf('London ') + 2, 700)];
    expect(read([first, second])).toEqual(['London Cushion']);
    expect(read([...of(tag('TH'), first), ...of(tag('TH'), second)])).toEqual(['London', 'Cushion']);
  });

  it('keep the lines of a paragraph together when the style changes and after a wide distance', () => {
    const lines = [
      text('The government of Manitoba repealed the Act of the former one in May.', 50, 700),
      text('Unfortunately it returned with a longer one, which was in effect until', 50, 682, { font: bold }),
      text('another government was elected, and repealed that Act in the next May.', 50, 664, { font: bold }),
    ];
    expect(read(lines).length).toBeGreaterThan(1);
    expect(read(of(tag('P'), ...lines))).toHaveLength(1);
    // A cell may contain several texts.
    expect(read(of(tag('TD'), ...lines)).length).toBeGreaterThan(1);
  });

  it('keep the lines of a paragraph together over a box, such as a letter of a watermark', () => {
    const lines = [
      text('The government of Manitoba repealed the Act, which was in effect for years', 50, 700),
      text('until then', 50, 688),
    ];
    const letter = rule(40, 680, 200, 696);
    const found = (texts: ShownText[]) => findBlocks(page(texts, [letter])).blocks;
    expect(found(lines)).toHaveLength(2);
    expect(found(of(tag('P'), ...lines))).toHaveLength(1);
  });

  it('do not keep lines together that the author has broken', () => {
    const address = [
      'Discovery Partners Institute, all rooms',
      'Wacker Drive',
      'Chicago, Illinois, at the lake',
    ];
    const lines = address.map((value, index) => text(value, 50, 700 - 12 * index));
    expect(read(of(tag('P'), ...lines)).length).toBeGreaterThan(1);
  });

  it('do not keep a heading together with its text', () => {
    const heading = text('OBJECTIVES OF THE WORKSHOP AND OF THE DAYS', 50, 700, { font: bold });
    expect(
      read(of(tag('P'), heading, text('The objectives of the workshop are these and those', 50, 686))),
    ).toHaveLength(2);
  });

  it('do not keep paragraphs together that have a blank line between them', () => {
    const first = [
      'They keep the wild places of the mountain, and',
      'the life in them is ever more of a treasure now.',
    ];
    const second = [
      'Beyond the roads and the lots is wild land that',
      'the law protects, and it is free for all people.',
    ];
    const shown = (gap: number) =>
      of(
        tag('P'),
        ...first.map((value, row) => text(value, 50, 700 - 12 * row)),
        ...second.map((value, row) => text(value, 50, 688 - gap - 12 * row)),
      );
    expect(read(shown(24))).toEqual([first.join(' '), second.join(' ')]);
    expect(read(shown(15))).toHaveLength(1);
  });

  it('do not keep lines together at a wide distance at which no sentence continues', () => {
    const lines = [
      text('Tag us on the wall of our house in the town', 50, 700),
      text('Tell us what made your day at our house', 50, 675),
    ];
    expect(read(of(tag('P'), ...lines))).toHaveLength(2);
  });

  it('do not keep lines together if several texts of the element are on one baseline', () => {
    const rows = ['Did you drink any water?', 'Did you read any books?', 'Did you walk anywhere?'].flatMap(
      (question, index) => [
        text(question, 50, 700 - 12 * index),
        text('yes', 300, 700 - 12 * index),
        text('no', 340, 700 - 12 * index),
      ],
    );
    expect(read(of(tag('P'), ...rows))).toHaveLength(9);
  });

  it('do not divide a sentence that continues from a full line', () => {
    const values = [
      'From the bed, is it close to a fan of the kind that you have, or to a duct or a wide',
      'opening that may be cold',
    ];
    // The second distance is that of one and a half lines.
    for (const step of [12, 18]) {
      const lines = values.map((value, index) => text(value, 50, 700 - step * index));
      expect(read(lines.flatMap((line) => of(tag('P'), line)))).toEqual([values.join(' ')]);
    }
  });

  it('do not divide a sentence after an article, although the next word had room', () => {
    const values = [
      'It is possible to pay for the offers of the house in parts or at the',
      'start of the year, but only if the whole amount is known to all of the members by then',
    ];
    const shown = ([first, second]: string[]) =>
      read([first!, second!].flatMap((value, row) => of(tag('P'), text(value, 50, 700 - 12 * row))));
    expect(shown(values)).toEqual([values.join(' ')]);
    expect(shown([values[0]!.replace(/ the$/, ' once'), values[1]!])).toHaveLength(2);
  });

  it('do not divide a sentence in widely spaced lines, if the lines of a declared text are as widely spaced', () => {
    const at = (top: number, step: number, values: string[]) =>
      values.map((value, index) => text(value, 50, top - step * index));
    const values = [
      'From the bed, is it close to a fan of the kind that you have, or to a duct or a wide',
      'opening that may be cold in the nights of the winter and the spring of the next year',
    ];
    const sentence = at(700, 20, values).flatMap((line) => of(tag('P'), line));
    for (const [step, count] of [
      [20, 2],
      [12, 3],
    ] as const)
      expect(read([...sentence, ...of(tag('P'), ...at(640, step, values))])).toHaveLength(count);
  });

  it('do not divide a sentence in a narrow column, whose lines have few words', () => {
    const values = [
      'From the bed, is it close',
      'to any fan of the kind',
      'that you may have, or to',
      'a duct that is cold',
    ];
    const shown = values.map((value, index) => text(value, 50, 700 - 12 * index));
    const elements = [...of(tag('P'), ...shown.slice(0, 3)), ...of(tag('P'), shown[3]!)];
    expect(read(elements)).toEqual([values.join(' ')]);
    expect(read([...of(tag('P'), shown[2]!), ...of(tag('P'), shown[3]!)])).toHaveLength(2);
  });

  it.each([
    ['a sentence of few words', true, ['• The cost of all the hours', 'of the winter']],
    ['a title after an article', true, ['A new report about the', 'Fellowship of the Valley']],
    ['four words', false, ['The cost of work', 'of the winter']],
    ['code', false, ['Call the function open() or', 'close(file) at the end']],
    ['items with small letters', false, ['carrots and many other vegetables', 'apples and other fruit']],
    ['items with the same word', false, ['Das Recht auf eine Auskunft über', 'Das Recht auf eine']],
    [
      'a full line of ideographs',
      true,
      ['当事人一方因不可抗力不能履行合同的应当立即通知对方，', '说明不可抗力的日期。'],
    ],
    [
      'a long line of ideographs without a comma',
      false,
      ['当事人一方因不可抗力不能履行合同的应当立即通知对方', '说明不可抗力的日期'],
    ],
    ['a short line of ideographs', false, ['数据的可视化结果', '新食谱的生成']],
    [
      'a line after which one had room',
      false,
      ['当事人一方因不可抗力不能履行合同的应当立', '说明不可抗力的发生日期和事件的性质以及其他的情况。'],
    ],
  ])('and %s in two paragraphs: one text is %s', (_name, isOne, values) => {
    const shown = values.flatMap((value, row) => of(tag('P'), text(value, 50, 700 - 12 * row)));
    expect(read(shown)).toEqual(isOne ? [values.join(/\p{Lo}/u.test(values[0]!) ? '' : ' ')] : values);
  });

  it('do not divide a centered sentence, whose lines end where its author has broken them', () => {
    const values = [
      'to all the makers of boxes for food under the rules',
      'and, at the same time, to every office',
    ];
    const centered = (row: string, index: number) => text(row, 300 - 5 * widthOf(row), 700 - 12 * index);
    const shown = (rows: string[]) => read(rows.flatMap((row, index) => of(tag('P'), centered(row, index))));
    expect(shown(values)).toEqual([values.join(' ')]);
    expect(shown([`${values[0]!}.`, values[1]!])).toHaveLength(2);
  });

  it('are not used if they are only the lines of paragraphs', () => {
    const prose = [
      'The committee met in spring and agreed on the plan that its members',
      'had discussed with everybody in the town before the long and cold win',
      'ter of that year, and nobody was against it when the people who had to',
      'pay for it were asked in the autumn, which was warm and dry this time.',
    ];
    const lines = prose.map((value, index) => text(value, 50, 700 - 12 * index));
    expect(read(lines.flatMap((line) => of(tag('P'), line)))).toHaveLength(1);
  });

  it('are not used if they are only the words of texts', () => {
    const words = 'The committee met in spring and agreed on the plan'.split(' ');
    let x = 50;
    const texts = words.map((word) => {
      const shown = text(word, x, 700);
      x += 10 * widthOf(`${word} `);
      return shown;
    });
    expect(read(texts.flatMap((word) => of(tag('P'), word)))).toEqual([words.join(' ')]);
  });
});

/** A page with a structure tree. Each element is its type and that of the elements around it, innermost first. */
async function tagged(
  content: string,
  elements: readonly (readonly string[])[],
  { roles = {}, marked = true, loops = false } = {},
): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const { context } = document;
  const font = await document.embedFont(StandardFonts.Helvetica);
  const added = document.addPage([300, 300]);
  added.node.set(...entry('Contents', context.register(context.stream(content))));
  added.node.set(...entry('Resources', context.obj({ Font: { F: font.ref } })));
  added.node.set(...entry('StructParents', context.obj(0)));
  const leaves = elements.map((types) => {
    let parent: PDFRef | undefined;
    for (const type of types.toReversed()) {
      const element = context.obj({ Type: 'StructElem', S: type });
      const ref = context.register(element);
      element.set(...entry('P', parent ?? (loops ? ref : context.obj({}))));
      parent = ref;
    }
    return parent!;
  });
  const root = { Type: 'StructTreeRoot', RoleMap: roles, ParentTree: { Nums: [0, leaves] } };
  document.catalog.set(...entry('StructTreeRoot', context.obj(root)));
  document.catalog.set(...entry('MarkInfo', context.obj({ Marked: marked })));
  return document.save();

  function entry(key: string, value: PDFObject) {
    return [PDFName.of(key), value] as const;
  }
}

async function typesOf(bytes: Uint8Array): Promise<(string | undefined)[]> {
  const pdf = await openPdf(bytes);
  const { texts } = await pdf.readPage(1);
  await pdf.close();
  return texts.map(({ element }) => element?.type);
}

const shown = (id: number | null, value: string) =>
  `${id === null ? '/Artifact BMC' : `/P <</MCID ${id}>> BDC`} BT /F 12 Tf 20 ${200 - 20 * (id ?? 5)} Td (${value}) Tj ET EMC`;

describe('the structure tree', () => {
  it('gives each text the element around it, and artifacts none', async () => {
    const content = [shown(0, 'Title'), shown(1, 'Name'), shown(null, 'Page 1'), shown(2, 'Value')].join(
      '\n',
    );
    const elements = [['H1'], ['Span', 'Link', 'P', 'TD'], ['Normal']];
    expect(await typesOf(await tagged(content, elements, { roles: { Normal: 'P' } }))).toEqual([
      'H1',
      'P',
      undefined,
      'P',
    ]);
  });

  it('is ignored if the file is not marked as tagged, or if its elements lead nowhere', async () => {
    const content = shown(0, 'Title');
    expect(await typesOf(await tagged(content, [['H1']], { marked: false }))).toEqual([undefined]);
    expect(await typesOf(await tagged(content, [['Span']], { loops: true }))).toEqual([undefined]);
    expect(await typesOf(await tagged(shown(7, 'Title'), [['H1']]))).toEqual([undefined]);
    expect(
      await typesOf(await tagged(content, [['Odd']], { roles: { Odd: 'Other', Other: 'Odd' } })),
    ).toEqual([undefined]);
  });

  it('treats a label and a figure as part of any text', async () => {
    const content = [shown(0, '1.'), shown(1, 'A chart')].join('\n');
    expect(
      await typesOf(
        await tagged(content, [
          ['Lbl', 'LI'],
          ['Span', 'Figure'],
        ]),
      ),
    ).toEqual([undefined, undefined]);
  });
});
