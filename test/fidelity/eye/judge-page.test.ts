import { describe, expect, it } from 'vitest';
import { figuresOf } from './figures.ts';
import type { Box } from './geometry.ts';
import { type Graphics, noGraphics } from './graphics.ts';
import { type FaultKind, judgePage, type Knowledge, type PageFigures } from './judge-page.ts';
import { judgeMade, type MadeLine, madePage, mapOfEqualLength, translated } from './made-page.ts';

const texts = (page: PageFigures, kind: FaultKind): number =>
  page.faults.filter((fault) => fault.kind === kind).length;

/** The kinds of all faults, each once. */
const kinds = (page: PageFigures): FaultKind[] => [...new Set(page.faults.map(({ kind }) => kind))];

const form: MadeLine[] = [
  { text: 'Surname', x: 50, y: 100 },
  { text: 'Address', x: 300, y: 100 },
  { text: 'Telephone', x: 50, y: 200 },
  { text: 'Employer', x: 300, y: 200 },
];

const replace = (lines: MadeLine[], index: number, change: Partial<MadeLine>): MadeLine[] =>
  lines.with(index, { ...lines[index]!, ...change });

describe('a translation at the places of its source', () => {
  const page = judgeMade(form, (lines) => lines);

  it('has no faults, the same areas and the same order', () => {
    expect(page).toMatchObject({ words: 4, iou: 1, tau: 1, size: 1, untranslatedLetters: 0, faults: [] });
  });
});

describe('position', () => {
  it('is a third if each text is half of its height lower', () => {
    const page = judgeMade(form, (lines) => lines.map((line) => ({ ...line, y: line.y + 5 })));
    expect(page.iou).toBeCloseTo(1 / 3);
  });

  it('finds the two labels that have changed their places', () => {
    const page = judgeMade(form, (lines) =>
      replace(replace(lines, 0, { x: 300 }), 1, { x: 50 }).map((line, index) =>
        index < 2 ? { ...line, x: index === 0 ? 300 : 50 } : line,
      ),
    );
    expect(kinds(page)).toEqual(['moved']);
    expect(texts(page, 'moved')).toBe(2);
  });

  it('finds a word that is far from its place, on an empty part of the page', () => {
    const page = judgeMade(form, (lines) => replace(lines, 3, { y: 600 }));
    expect(page.faults.map(({ kind, box }) => [kind, box[1]])).toEqual([['moved', 600]]);
  });

  it('is not wrong if a paragraph is lower because the one above it is longer', () => {
    const paragraphs: MadeLine[] = [
      { text: 'The first paragraph ends here.', x: 50, y: 100 },
      { text: 'Another one follows below it.', x: 50, y: 130 },
    ];
    const page = judgeMade(paragraphs, ([first, second]) => [
      { ...first!, text: first!.text.slice(0, 20) },
      { ...first!, text: first!.text.slice(20), y: 130 },
      { ...second!, y: 160 },
    ]);
    expect(kinds(page)).toEqual([]);
  });
});

it('a paragraph with much space between its lines is one text', () => {
  const lines: MadeLine[] = [
    { text: 'The first line of a text', x: 50, y: 100 },
    { text: 'that has much space below', x: 50, y: 122 },
  ];
  const page = judgeMade(lines, ([first, second]) => [
    { ...first!, text: first!.text.slice(0, 14) },
    { ...second!, text: first!.text.slice(15) },
    { ...second!, y: 144 },
  ]);
  // Each made line is a segment.
  expect(kinds(page)).toEqual(['split sentence']);
  expect(page.tau).toBeNull();
});

describe('reading order', () => {
  it('is -1 if the content is in the opposite order', () => {
    expect(judgeMade(form, (lines) => lines.toReversed()).tau).toBe(-1);
  });

  it('is a third if one of four texts is first instead of third', () => {
    expect(judgeMade(form, ([a, b, c, d]) => [c!, a!, b!, d!]).tau).toBeCloseTo(1 / 3);
  });
});

describe('words on words', () => {
  it('counts both words if one is on top of the other', () => {
    const page = judgeMade(form, (lines) => replace(lines, 1, { x: 75 }));
    expect(texts(page, 'words on words')).toBe(2);
    expect(figuresOf([page]).wordsOnWords).toBe(0.5);
  });

  it('does not count what is so in the source', () => {
    const shadow: MadeLine[] = [...form, { text: 'Surname', x: 51, y: 101 }];
    expect(
      texts(
        judgeMade(shadow, (lines) => lines),
        'words on words',
      ),
    ).toBe(0);
  });
});

describe('missing words', () => {
  it('finds a lost word', () => {
    const page = judgeMade(form, (lines) => lines.slice(1));
    expect(page.faults).toEqual([{ kind: 'lost', side: 0, box: [50, 100, 85, 110], text: 'Surname' }]);
  });

  it('finds a word that is written twice', () => {
    const page = judgeMade(form, (lines) => [...lines, { ...lines[0]!, y: 400 }]);
    expect(page.faults.map(({ kind, box }) => [kind, box[1]])).toEqual([['twice', 400]]);
  });

  const source = madePage([...form, { text: 'Help: help@example.org', x: 50, y: 300 }]);
  const map = mapOfEqualLength();
  const names = form.map(({ text }) => text);
  const result = madePage([
    ...form.map((line, index) =>
      index === 0 ? line : { ...line, text: map.translate([line.text]).join('') },
    ),
    { text: 'Help: help@example.org', x: 50, y: 300 },
  ]);

  it('counts the letters of words that are not translated, but not those of addresses', () => {
    const page = judgePage(1, source, result, noGraphics, map);
    expect(page.faults.map(({ kind, text }) => [kind, text])).toEqual([
      ['untranslated', 'Surname'],
      ['untranslated', 'Help:'],
    ]);
    expect(page.untranslatedLetters).toBe('SurnameHelp'.length);
    expect(page.letters).toBe(`${names.join('')}Help`.length);
  });

  it('does not count the value of a form field', () => {
    const fields: Graphics = { ...noGraphics, fields: [[40, 90, 100, 120]] };
    const page = judgePage(1, source, result, fields, map);
    expect(page.faults.map(({ text }) => text)).toEqual(['Help:']);
  });

  it('finds a word that the source divides at the end of a line', () => {
    const words = mapOfEqualLength();
    const before = madePage([
      { text: 'We speak of trans-', x: 50, y: 100 },
      { text: 'lations of texts', x: 50, y: 112 },
    ]);
    const text = words.translate(['We speak of translations of texts']).join('');
    const page = judgePage(1, before, madePage([{ text, x: 50, y: 100 }]), noGraphics, words);
    expect(page.faults.filter(({ kind }) => kind !== 'moved')).toEqual([]);
    expect(page.words).toBe(6);
  });
});

describe('texts that run together', () => {
  const boxes: MadeLine[] = [
    { text: 'Male', x: 50, y: 100 },
    { text: 'Female', x: 50, y: 112 },
    { text: 'Unknown', x: 50, y: 124 },
  ];

  it('finds labels of a stack that are on one line', () => {
    const page = judgeMade(boxes, ([male, female, unknown]) => [
      { ...male!, text: `${male!.text} ${female!.text}` },
      unknown!,
    ]);
    expect(page.borders).toBe(2);
    expect(texts(page, 'run together')).toBe(1);
  });

  it('finds the columns of a table without a gap', () => {
    const row: MadeLine[] = [{ text: 'Name          Amount', x: 50, y: 100 }];
    expect(
      texts(
        judgeMade(row, (lines) => lines),
        'run together',
      ),
    ).toBe(0);
    const page = judgeMade(row, ([line]) => [{ ...line!, text: line!.text.replace(/ +/, ' '), x: 100 }]);
    expect(texts(page, 'run together')).toBe(0);
    const near = judgeMade(row, ([line]) => [{ ...line!, text: line!.text.replace(/ +/, '·') }]);
    expect(texts(near, 'run together')).toBe(1);
  });
});

describe('cells', () => {
  const ruled: Graphics = {
    rules: { vertical: [{ at: 200, from: 0, to: 800 }], horizontal: [] },
    fills: [{ box: [300, 190, 400, 220], color: 'rgb(0%,0%,0%)' }],
    pictures: [[50, 400, 100, 450]],
    marks: [],
    fields: [],
  };

  it('finds a word on a ruled line, and a word in another cell', () => {
    const page = judgeMade(form, (lines) => replace(replace(lines, 0, { x: 180 }), 2, { x: 210 }), ruled);
    expect(texts(page, 'leaves its cell')).toBe(2);
    expect(
      texts(
        judgeMade(form, (lines) => lines, ruled),
        'leaves its cell',
      ),
    ).toBe(0);
  });

  it('finds a word that has left its filled box', () => {
    const page = judgeMade(form, (lines) => replace(lines, 3, { y: 230 }), ruled);
    expect(texts(page, 'on another color')).toBe(1);
  });

  it('finds a word on a picture', () => {
    const page = judgeMade(form, (lines) => replace(lines, 2, { y: 420 }), ruled);
    expect(texts(page, 'on a picture')).toBe(1);
  });

  it('finds a word beyond the edge of the page', () => {
    const page = judgeMade(form, (lines) => replace(lines, 3, { x: 580 }));
    expect(texts(page, 'off the page')).toBe(1);
  });
});

describe('size', () => {
  it('counts words that are smaller than 84% of their source', () => {
    const page = judgeMade(form, (lines) => replace(replace(lines, 0, { size: 8 }), 1, { size: 8.5 }));
    expect(texts(page, 'small')).toBe(1);
    expect(figuresOf([page]).small).toBe(0.25);
  });
});

describe('a page looks restless', () => {
  const row: MadeLine[] = ['Surname', 'Given', 'Street', 'Country'].map((text, index) => ({
    text,
    x: 50 + 120 * index,
    y: 100,
  }));
  const list: MadeLine[] = ['One thing', 'Two things', 'Three', 'Four'].map((text, index) => ({
    text,
    x: 80,
    y: 100 + 26 * index,
  }));
  const bullets = list.map(({ y }): MadeLine => ({ text: '•', x: 60, y }));

  it('if one text of a row is smaller than the others', () => {
    const page = judgeMade(row, (lines) => replace(lines, 2, { size: 9 }));
    expect(page.faults.map(({ kind, box }) => [kind, box[0]])).toEqual([['uneven size', 290]]);
  });

  it('if one heading of a page is smaller than the others', () => {
    const headings = [100, 300, 500].map((y): MadeLine => ({ text: 'A heading', x: 50, y, size: 14 }));
    const below = [120, 320, 520].map((y): MadeLine => ({ text: 'Some words of the body', x: 50, y }));
    const page = judgeMade([...headings, ...below], (lines) => replace(lines, 1, { size: 12 }));
    expect(page.faults.map(({ kind, box }) => [kind, box[1]])).toEqual([['uneven size', 300]]);
  });

  it('but not if the whole row is smaller', () => {
    const page = judgeMade(row, (lines) => lines.map((line) => ({ ...line, size: 9 })));
    expect(kinds(page)).toEqual([]);
  });

  it('if the gap between two texts changes', () => {
    const page = judgeMade(list, (lines) =>
      lines.map((line, index) => (index < 2 ? line : { ...line, y: line.y + 9 })),
    );
    expect(page.faults.map(({ kind, box }) => [kind, box[1]])).toEqual([['changed gap', 161]]);
  });

  it('if a bullet stays where its text was', () => {
    const lower = (line: MadeLine): MadeLine => ({ ...line, y: line.y + 15 });
    const parted = judgeMade([...list, ...bullets], (lines) => [
      ...lines.slice(0, 4).map(lower),
      ...lines.slice(4),
    ]);
    expect(texts(parted, 'parted label')).toBe(4);
    const moved = judgeMade([...list, ...bullets], (lines) => lines.map(lower));
    expect(texts(moved, 'parted label')).toBe(0);
  });

  it('but not if a list with repeated words moves', () => {
    const items = ['Enter a name', 'Enter an age', 'Enter a street'].map(
      (text, index): MadeLine => ({ text, x: 80, y: 100 + 26 * index }),
    );
    const labels = items.map(({ y }): MadeLine => ({ text: '•', x: 60, y }));
    const page = judgeMade([...items, ...labels], (lines) =>
      lines.map((line) => ({ ...line, y: line.y + 26 })),
    );
    expect(kinds(page)).toEqual([]);
  });

  it('if a drawn bullet stays where its text was, but not if both move', () => {
    const lower = (line: MadeLine): MadeLine => ({ ...line, y: line.y + 15 });
    const drawn: Graphics = { ...noGraphics, marks: list.map(({ y }) => [60, y + 3, 64, y + 7]) };
    const staying = judgeMade(list, (lines) => lines.map(lower), drawn, { marks: drawn.marks });
    expect(texts(staying, 'parted label')).toBe(4);
    const marks = list.map(({ y }): Box => [60, y + 18, 64, y + 22]);
    const moving = judgeMade(list, (lines) => lines.map(lower), drawn, { marks });
    expect(texts(moving, 'parted label')).toBe(0);
  });

  it('if a blank becomes shorter', () => {
    const lines: MadeLine[] = [{ text: 'Initials: __________', x: 50, y: 100 }];
    expect(kinds(judgeMade(lines, (all) => all))).toEqual([]);
    const page = judgeMade(lines, ([only]) => [{ ...only!, text: only!.text.replace(/_+/, '_____') }]);
    expect(kinds(page)).toEqual(['short blank']);
    const leader: MadeLine[] = [{ text: 'Total ............', x: 50, y: 100 }];
    const moved = judgeMade(leader, ([only]) => [{ ...only!, text: only!.text.replace('...', '   ') }]);
    expect(kinds(moved)).toEqual([]);
    const cut = judgeMade(leader, ([only]) => [{ ...only!, text: only!.text.slice(0, -3) }]);
    expect(kinds(cut)).toEqual(['short blank']);
  });

  it('if a text leaves the edge that it shares with others', () => {
    const page = judgeMade(list, (lines) => replace(lines, 1, { x: 84 }));
    expect(page.faults.map(({ kind, box }) => [kind, box[0]])).toEqual([['lost edge', 84]]);
  });

  it('if a ruled line crosses a text', () => {
    const rules = { vertical: [], horizontal: [{ at: 120, from: 40, to: 560 }] };
    const page = judgeMade(row, (lines) => replace(lines, 1, { y: 115 }), { ...noGraphics, rules });
    expect(texts(page, 'crossed by a rule')).toBe(1);
  });
});

describe('the text of the source', () => {
  const lines: MadeLine[] = [
    { text: 'A sentence that continues', x: 50, y: 100 },
    { text: 'in the line below it.', x: 50, y: 112 },
    { text: 'Another one is short.', x: 50, y: 124 },
  ];
  const judge = (segments: string[], knowledge: Knowledge = {}, source = lines): PageFigures => {
    const map = mapOfEqualLength();
    for (const segment of segments) map.translate([segment]);
    return judgePage(1, madePage(source), madePage(translated(source, map)), noGraphics, map, knowledge);
  };
  const whole = `${lines[0]!.text} ${lines[1]!.text}`;

  it('has a split sentence if its lines are two segments', () => {
    const page = judge(lines.map(({ text }) => text));
    expect(page.faults).toMatchObject([{ kind: 'split sentence', side: 0, text: 'in' }]);
    expect(kinds(judge([whole, lines[2]!.text]))).toEqual([]);
  });

  it('has no split sentence if a line ends it, or is in another style', () => {
    const ended = lines.with(0, { ...lines[0]!, text: 'A sentence that ends.' });
    expect(
      kinds(
        judge(
          ended.map(({ text }) => text),
          {},
          ended,
        ),
      ),
    ).toEqual([]);
    const styled = lines.with(1, { ...lines[1]!, font: 'Times-Italic' });
    expect(
      kinds(
        judge(
          styled.map(({ text }) => text),
          {},
          styled,
        ),
      ),
    ).toEqual([]);
  });

  it('has no split sentence in a list of numbers with units, or of addresses', () => {
    for (const items of [
      ['28,965 websites here', '1,440 domains here'],
      ['look at example.org/one', 'example.org/two'],
    ]) {
      const list = items.map((text, index): MadeLine => ({ text, x: 50, y: 100 + 12 * index }));
      expect(kinds(judge(items, {}, list))).not.toContain('split sentence');
    }
  });

  const dictionary = new Set('sentence that goes line below another short definition software'.split(' '));
  const withWord = (word: string): MadeLine[] =>
    lines.with(2, { ...lines[2]!, text: `Another ${word} short.` });
  const wrong = (word: string, known = dictionary): string[] =>
    judge([whole, `Another ${word} short.`], { dictionary: known }, withWord(word))
      .faults.filter(({ kind }) => kind === 'wrong characters')
      .map(({ text }) => text);

  it('has wrong characters if a letter stands for a ligature', () => {
    expect(wrong('deinition')).toEqual(['deinition']);
    expect(wrong('SoHware')).toEqual(['SoHware']);
    expect(wrong('definition')).toEqual([]);
    expect(wrong('Quxville')).toEqual([]);
  });

  it('is not compared with a dictionary of another language', () => {
    expect(wrong('deinition', new Set(['definition']))).toEqual([]);
  });

  it('is linked if only poppler reads one letter for a ligature', () => {
    const map = mapOfEqualLength();
    const texts = [whole, 'Another definition short.'];
    const after = texts.map((text, index) => ({ ...lines[index]!, text: map.translate([text]).join('') }));
    const page = judgePage(1, madePage(withWord('deinition')), madePage(after), noGraphics, map);
    expect(kinds(page)).not.toContain('lost');
  });
});
