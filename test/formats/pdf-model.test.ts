import { describe, expect, it } from 'vitest';
import type { Segment } from '#server/formats/document.ts';
import type { Frame } from '#server/formats/pdf/fitting/fit.ts';
import type { TextRotation } from '#server/formats/pdf/fitting/frames.ts';
import { movableLabels } from '#server/formats/pdf/fitting/moved-labels.ts';
import type { KeptText } from '#server/formats/pdf/layout/content/kept-text.ts';
import { groupsOf } from '#server/formats/pdf/model/groups.ts';
import { marksOf } from '#server/formats/pdf/model/marks.ts';
import { PageModel } from '#server/formats/pdf/model/page-model.ts';
import { normalize } from '#server/formats/pdf/normalize.ts';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import type { Paint, ShownText } from '#server/formats/pdf/page-content.ts';
import type { TextBlock } from '#server/formats/pdf/text-block.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';
import { blockOf, pageOf, rectangle, widthOf } from './pdf-blocks.ts';
import { at, form, madePdf, object, readMade } from './pdf-made.ts';
import { shownLines, shownTexts } from './pdf-shown.ts';

const sentence = 'The quick brown fox jumps over the lazy dog';

/** Returns the texts that move together and the texts with a common size, by their ids. */
function regionsOf(blocks: readonly TextBlock[]): { columns: string[][]; groups: string[][] } {
  const items = blocks.map((block) => ({ block, target: block.content }));
  const model = new PageModel(pageOf(), items, { sourceLanguage: 'en', targetLanguage: 'en' }, []);
  const { columns } = model.regions(model.directions[0]!, true);
  const ids = (frames: readonly { id: string }[]) => frames.map(({ id }) => id);
  return {
    columns: columns.filter(({ length }) => length > 1).map(ids),
    groups: groupsOf(columns.filter(({ length }) => length === 1).flat()).map(ids),
  };
}

/** Moves a block to the right. */
function shifted({ box, lines }: TextBlock, by: number): Pick<TextBlock, 'box' | 'lines'> {
  const move = <T extends { left: number; right: number }>(area: T): T => ({
    ...area,
    left: area.left + by,
    right: area.right + by,
  });
  return { box: move(box), lines: lines.map(move) };
}

const seeds = Array.from({ length: 30 }, (_, index) => index + 1);

describe.each(seeds)('the model of made page %i', (seed) => {
  const random = seededRandom(seed);
  const from = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));

  it('has each column of text as one column', () => {
    // Two columns whose texts begin on the same lines look like a table.
    const starts = new Set<number>();
    const count = from(1, 2);
    const columns = Array.from({ length: count }, (_, column) => {
      let y = 740 - 3 * column - from(0, 3) * 5;
      return Array.from({ length: from(3, 6) }, (_, index) => {
        const isHeading = index % 3 === 0;
        const lines = isHeading ? ['A heading'] : Array.from({ length: from(3, 5) }, () => sentence);
        const block = blockOf({
          id: `p1.b${100 * column + index}`,
          lines,
          x: 60 + 270 * column,
          y,
          style: isHeading ? { bold: true, size: from(10, 14) } : {},
        });
        starts.add(y);
        y = block.lines.at(-1)!.baseline - from(16, 20);
        while ([...starts].some((other) => Math.abs(other - y) < 2)) y -= 1;
        return block;
      });
    });
    const truth = columns.map((column) => column.map(({ id }) => id));
    expect(regionsOf(columns.flat())).toEqual({ columns: truth, groups: [] });
  });

  it('has the cells of each column of a table as one group, and its head as another one', () => {
    const [rows, columns] = [from(3, 9), from(2, 5)];
    const width = 480 / columns;
    const cells = Array.from({ length: rows + 1 }, (_, row) =>
      Array.from({ length: columns }, (_, column) => {
        const [left, y] = [60 + column * width, 700 - 24 * row];
        return {
          ...blockOf({
            id: `p1.b${100 * row + column}`,
            lines: [row === 0 ? 'Head' : `Cell ${'x'.repeat(from(1, 5))}`],
            x: left + 4,
            y,
            style: { bold: row === 0 },
            container: rectangle(left, y - 8, left + width, y + 16),
          }),
          kind: 'table_cell' as const,
        };
      }),
    );
    const idsOf = (blocks: readonly TextBlock[]) => blocks.map(({ id }) => id);
    const body = Array.from({ length: columns }, (_, column) =>
      idsOf(cells.slice(1).map((row) => row[column]!)),
    );
    const { columns: flowing, groups } = regionsOf(cells.flat());
    expect(flowing).toEqual([]);
    expect(new Set(groups.map((group) => group.toSorted().join()))).toEqual(
      new Set([idsOf(cells[0]!), ...body].map((group) => group.toSorted().join())),
    );
  });

  it('has each text in one region', () => {
    const blocks = Array.from({ length: from(5, 40) }, (_, index) => ({
      ...blockOf({
        id: `p1.b${index}`,
        lines: Array.from({ length: from(1, 4) }, () => 'Some words'),
        x: from(20, 500),
        y: from(60, 760),
        style: { size: from(8, 12), bold: random() < 0.3 },
      }),
      kind: random() < 0.3 ? ('table_cell' as const) : ('paragraph' as const),
    }));
    const { columns, groups } = regionsOf(blocks);
    const found = [...columns, ...groups].flat();
    // A text that moves with the text before it on its line is in the region of that text.
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBeLessThanOrEqual(blocks.length);
  });
});

describe('what belongs to a text', () => {
  it('are the lines next to the items of an entry and the label before it: they move with its first line', () => {
    const entries = [700, 652].map((y, index) => [
      blockOf({ id: `p1.b${index}0`, lines: ['BS'], x: 40, y }),
      blockOf({ id: `p1.b${index}1`, lines: ['A company, engineer'], y }),
      blockOf({ id: `p1.b${index}2`, lines: [sentence, 'and more'], x: 82, y: y - 12 }),
      blockOf({ id: `p1.b${index}3`, lines: ['A city'], x: 500, y, alignment: 'right' as const }),
      blockOf({ id: `p1.b${index}4`, lines: ['May'], x: 500, y: y - 12, alignment: 'right' as const }),
    ]);
    const [right] = entries.map(([, , , city]) => city!.box.right);
    const blocks = entries.flatMap((entry) =>
      entry.map((block) =>
        block.alignment === 'right' ? { ...block, ...shifted(block, right! - block.box.right) } : block,
      ),
    );
    const model = new PageModel(
      pageOf(),
      blocks.map((block) => ({ block, target: block.content })),
      { sourceLanguage: 'en', targetLanguage: 'es' },
      [],
    );
    const [column, ...others] = model.regions(model.directions[0]!, true).columns;
    expect(others).toEqual([]);
    expect(column!.map(({ id, mates = [] }) => [id, ...mates.map((mate) => mate.id)])).toEqual([
      ['p1.b01', 'p1.b03', 'p1.b04', 'p1.b00'],
      ['p1.b02'],
      ['p1.b11', 'p1.b13', 'p1.b14', 'p1.b10'],
      ['p1.b12'],
    ]);
  });

  it('are texts at the right whose further lines keep their distance from the paragraph next to them', () => {
    const right = (id: string, text: string, y: number) => {
      const block = blockOf({ id, lines: [text], y, alignment: 'right' as const });
      return { ...block, ...shifted(block, 500 - block.box.right) };
    };
    const blocks = [
      blockOf({ id: 'p1.b1', lines: ['Sold by'], x: 40, y: 700 }),
      right('p1.b2', 'Billing address', 700),
      right('p1.b3', 'House no. 102, an old street of the town', 688),
      blockOf({ id: 'p1.b4', lines: [sentence, sentence], x: 40, y: 688 }),
      right('p1.b5', 'A city', 676),
    ];
    const model = new PageModel(
      pageOf(),
      blocks.map((block) => ({ block, target: block.content })),
      { sourceLanguage: 'en', targetLanguage: 'es' },
      [],
    );
    const frames = model.regions(model.directions[0]!, true).columns.flat();
    const paragraph = frames.find(({ id }) => id === 'p1.b4')!;
    expect(frames.find(({ id }) => id === 'p1.b1')?.mates?.map(({ id }) => id)).toContain('p1.b3');
    expect(paragraph.bounds.right).toBeLessThan(blocks[2]!.box.left - 10);
  });

  const prose = `${sentence} and runs away into the wood`;

  /** Translates a page, on which the first text becomes longer by lines. Returns the shown lines and the painted boxes. */
  async function translated(content: string, first = `${prose}. ${prose}. ${prose}.`) {
    const bullet = form('0 0 4 4 re W n /S sh', {}, { BBox: [0, 0, 4, 4] });
    const bytes = await madePdf({ content, resources: { XObject: { bullet } } });
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId, source }, index) => ({
      regionId,
      cellId,
      target: index === 0 ? [first] : source,
    }));
    const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const pdf = await openPdf(await normalize(result.bytes));
    const { paints } = await pdf.readPage(1);
    await pdf.close();
    const shown = await shownTexts(result.bytes);
    return { lines: await shownLines(result.bytes), shown, boxes: paints.map(({ box }) => box), paints };
  }

  it.each([
    ['drawn', '0 0 4 4 re f', '0 0 1 rg'],
    ['a triangle', '0 0 m 4 2 l 0 4 l f', '0 0 1 rg'],
    ['drawn, and colors the next objects', '0 0 4 4 re 1 0 0 rg f', '1 0 0 rg'],
    ['a form with a shading', '/bullet Do', '0 0 1 rg'],
  ])('moves with it: each bullet that is %s', async (_, drawn, color) => {
    const items = [0, 1, 2].map((index) => {
      const y = 300 - 28 * index;
      return `${at(55, y, sentence)} ${at(55, y - 12, 'and on')} q 0 0 1 rg 1 0 0 1 42 ${y + 2} cm ${drawn} 300 0 4 4 re f Q`;
    });
    const { lines, paints } = await translated(items.join(' '));
    const [boxes, next] = [0, 1].map((side) => paints.filter((_, index) => index % 2 === side)) as [
      Paint[],
      Paint[],
    ];
    expect(next.map((paint) => paint.color)).toEqual([color, color, color]);
    const starts = lines.filter(({ text }) => text.startsWith('The quick')).map(({ y }) => y);
    expect(boxes).toHaveLength(3);
    expect(starts.at(-1)).toBeLessThan(240);
    for (const [index, { box }] of boxes.entries())
      expect(box.bottom).toBeCloseTo([300, ...starts.slice(1)][index]! + 2, 1);
  });

  it.each([
    ['on paper', ''],
    ['on the painted ground of the page', '1 1 0.9 rg 0 0 612 792 re f 0 g'],
  ])('moves with it: the rule below a heading %s', async (_, ground) => {
    const content = [
      ground,
      at(40, 300, sentence) + at(40, 288, 'and on and on.'),
      `/F1 14 Tf ${at(40, 262, 'Experience')} q 40 257 200 1 re f Q /F1 10 Tf`,
      at(40, 240, sentence) + at(40, 228, 'and on and on.'),
    ].join(' ');
    const { lines, boxes } = await translated(content);
    const heading = lines.find(({ text }) => text.startsWith('Experience'))!;
    expect(heading.y).toBeLessThan(255);
    expect(boxes.at(-1)!.bottom).toBeCloseTo(heading.y - 5, 1);
  });

  it('keeps its length: the rule below a paragraph whose last line is short', async () => {
    const content = at(40, 300, sentence) + at(40, 288, sentence) + at(40, 276, 'and on.');
    const [{ rectangles }] = (await extract(await madePdf({ content }))).segments as [Segment];
    const [left, , right] = rectangles![0]!;
    const { boxes } = await translated(`${content} q ${left} 264 ${right - left} 0.5 re f Q`);
    expect(boxes[0]!.right - boxes[0]!.left).toBeCloseTo(right - left);
  });

  it('moves with it: an address below it, with its underline', () => {
    const identity = [1, 0, 0, 1, 0, 0] as const;
    const underline = {
      kind: 'fill',
      box: rectangle(40, 235.8, 144, 236.4),
      order: 0,
      opaque: true,
      ctm: identity,
    } as Paint;
    const glyphs = [{ text: { font: { ascent: 0.9, descent: 0.2 } } }];
    const address = { reason: 'address', box: rectangle(40, 236, 144, 247), glyphs } as unknown as KeptText;
    const heading = {
      ...{ id: 'b1', baseline: 262, size: 12, descent: 2, alignment: 'left', flows: true, singleLine: true },
      box: rectangle(40, 260, 140, 272),
    } as unknown as Frame;
    const marks = marksOf([underline], [address], [heading], {
      fromPage: identity,
    } as unknown as TextRotation);
    expect(marks.get('b1')!.map(({ object }) => object)).toEqual([address, underline]);
  });

  it.each([
    ['moves with an item that looks like a cell', true, 1],
    ['stays in the cell of a table', false, 0],
  ])('includes a drawn bullet: it %s', (_, flows, count) => {
    const identity = [1, 0, 0, 1, 0, 0] as const;
    const box = rectangle(30, 264, 34, 268);
    const bullet = { kind: 'fill', box, order: 0, opaque: true, ctm: identity } as Paint;
    const item = {
      ...{ id: 'b1', baseline: 262, size: 12, descent: 2, alignment: 'left', flows, isCell: true },
      ...{ singleLine: true, box: rectangle(40, 260, 140, 272) },
    } as unknown as Frame;
    const marks = marksOf([bullet], [], [item], { fromPage: identity } as unknown as TextRotation);
    expect(marks.get('b1') ?? []).toHaveLength(count);
  });

  it('moves with it: a date above it that starts before it', async () => {
    const content = [
      at(55, 300, sentence) + at(55, 288, 'and on and on.'),
      at(30, 276, '05/04'),
      at(55, 264, sentence) + at(55, 252, 'and on and on.'),
    ].join(' ');
    const { lines } = await translated(content);
    const [date, next] = ['05/04', 'The quick'].map((text) =>
      lines.findLast((line) => line.text.startsWith(text)),
    );
    expect(next!.y).toBeLessThan(250);
    expect(date!.y).toBeCloseTo(next!.y + 12, 1);
  });

  it('moves with it: the year before it, in a column of years', async () => {
    const texts = [300, 264].flatMap((y) => [at(80, y, sentence), at(80, y - 12, 'and on and on.')]);
    const years = [300, 264].map((y) => at(15, y, `${2000 + y}`));
    const { lines } = await translated([...texts, ...years].join(' '));
    const [year, next] = ['2264', 'The quick'].map((text) =>
      lines.findLast((line) => line.text.includes(text)),
    );
    expect(next!.y).toBeLessThan(250);
    expect(year!.y).toBeCloseTo(next!.y, 1);
  });

  it('is not covered by it: a date before a right-aligned heading', async () => {
    const right = (y: number, text: string) =>
      at(360 - widthOf(text, { family: 'sans', bold: false, italic: false, size: 10 }), y, text);
    const content = [
      at(268, 300, '05/04'),
      right(300, 'Bird Box'),
      right(280, sentence) + right(268, 'over and over again, on and on,') + right(256, 'and on.'),
    ].join(' ');
    const { shown } = await translated(content, 'Une cabane bleue');
    const date = shown.find(({ text }) => text === '05/04');
    const heading = shown.find(({ text }) => text.startsWith('Une'));
    expect(heading!.right).toBeCloseTo(360, 0);
    expect(heading!.x).toBeGreaterThan(date!.right);
  });

  it.each([
    ['ON', 0],
    ['OFF', 1],
  ])('includes a form of one object as a whole only without a hidden layer in it: %s', async (state, use) => {
    const layer = { Properties: { L: object({ Type: 'OCG' }) } };
    const bullet = form(`0 0 4 4 re f ${use === 1 ? '/OC /L BDC 0 9 4 4 re f EMC' : ''}`, layer);
    const { paints } = await readMade({
      content: '/bullet Do',
      resources: { XObject: { bullet } },
      catalog: { OCProperties: object({ D: { BaseState: state } }) },
    });
    expect(paints.map(({ place }) => place?.use)).toEqual([use]);
  });

  it('does not include a side of a frame, whose corners are drawn apart', async () => {
    const content = [
      at(40, 300, sentence) + at(40, 288, 'and on and on.'),
      at(40, 266, sentence) + at(40, 254, 'and on and on.'),
      'q 40 247 200 1 re f 37.5 244 1 4 re f Q',
    ].join(' ');
    const { boxes } = await translated(content);
    expect(boxes.map(({ bottom }) => Math.round(bottom))).toEqual([247, 244]);
  });

  it('moves with it: the date at the end of its line', async () => {
    const content = [
      at(40, 300, sentence) + at(40, 288, 'and on and on.'),
      at(40, 266, 'An employer of many people') + at(320, 266, 'May of the year'),
      at(40, 250, sentence) + at(40, 238, 'and on and on.'),
    ].join(' ');
    const { lines } = await translated(content);
    const [employer, date] = ['An employer', 'May of'].map((text) =>
      lines.find((line) => line.text.includes(text)),
    );
    expect(employer!.y).toBeLessThan(260);
    expect(date!.y).toBeCloseTo(employer!.y, 1);
  });

  it('moves with it: a short heading, whose number is outside of the text below it', async () => {
    const content = [
      at(80, 300, sentence) + at(80, 288, 'and on and on.'),
      at(40, 262, '8.') + at(80, 262, 'Leave'),
      at(80, 236, sentence) + at(80, 224, 'and on and on.'),
    ].join(' ');
    const { lines } = await translated(content);
    const [heading, text] = ['Leave', 'The quick'].map((text) =>
      lines.findLast((line) => line.text.includes(text)),
    );
    expect(heading!.y).toBeLessThan(255);
    expect(heading!.y - text!.y).toBeGreaterThan(20);
  });

  it('moves with it: the period in front of its first line', async () => {
    const content = [
      at(100, 300, sentence) + at(100, 288, 'and on and on.'),
      at(40, 266, '11/2009') + at(100, 266, sentence) + at(100, 254, 'and on and on.'),
    ].join(' ');
    const { lines } = await translated(content);
    const [period, entry] = ['11/2009', 'The quick'].map((text) =>
      lines.findLast((line) => line.text.includes(text)),
    );
    expect(entry!.y).toBeLessThan(260);
    expect(period!.y).toBeCloseTo(entry!.y, 1);
  });

  it.each([
    ['that its clip would hide', 'q 30 252 300 9 re W n 40 257 200 1 re f Q'],
    ['that its clip cuts', 'q 30 257.4 300 40 re W n 40 257 200 1 re f Q'],
  ])('does not move with it: a rule %s', async (_, drawn) => {
    const content = [
      at(40, 300, sentence) + at(40, 288, 'and on and on.'),
      `${at(40, 262, 'Experience')} ${drawn}`,
      at(40, 240, sentence) + at(40, 228, 'and on and on.'),
    ].join(' ');
    const { lines, boxes } = await translated(content);
    expect(lines.find(({ text }) => text.startsWith('Experience'))!.y).toBeLessThan(255);
    expect(boxes.map(({ bottom }) => Math.round(bottom))).toEqual([257]);
  });

  it('is not a rule in a much larger space, which would not move exactly', async () => {
    const drawn = 'q 2000 0 0 2000 0 0 cm 0.02 0.1285 0.1 0.0005 re f Q';
    const { boxes } = await translated(
      `${at(40, 300, sentence)} ${at(40, 288, 'and on and on.')} ${at(40, 262, 'Experience')} ${drawn}`,
    );
    expect(boxes.map(({ bottom }) => Math.round(bottom))).toEqual([257]);
  });

  it('does not move with it: the bullet of a scanned page, whose glyphs have no font', () => {
    const block = blockOf({ id: 'p1.b1', lines: [sentence] });
    const { text } = block.glyphs[0]!;
    const label = (glyphs: ShownText) => ({
      ...block,
      label: { text: '•', style: block.style, left: 60, glyphs: [{ text: glyphs, from: 0, to: 0 }] },
    });
    expect(movableLabels([label(text)], []).size).toBe(0);
    expect(movableLabels([label({ ...text, operator: {} } as ShownText)], []).size).toBe(1);
  });

  it('does not move with it: the rules of a table, and boxes to check', async () => {
    const content = [
      at(40, 300, sentence) + at(40, 288, 'and on and on.'),
      `${at(55, 262, sentence)} ${at(55, 250, 'and on.')} q 40 260 8 8 re S Q`,
      'q 40 244 200 1 re f 40 200 1 44 re f Q',
    ].join(' ');
    const { boxes } = await translated(content);
    expect(boxes.map(({ bottom }) => Math.round(bottom))).toEqual([260, 244, 200]);
  });
});
