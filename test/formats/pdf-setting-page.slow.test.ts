import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rectangle, transformRectangle } from '#server/formats/pdf/geometry.ts';
import type { Paint } from '#server/formats/pdf/page-content.ts';
import { blockOf, pageOf, paint, rectangle, render, type Source, widthOf } from './pdf-blocks.ts';
import { shownLines, shownTexts } from './pdf-shown.ts';

const english = [
  'The quick brown fox jumps over the lazy dog and runs',
  'away into the forest, where it finds a place to',
  'sleep.',
];
const french =
  'Le renard brun et rapide saute par-dessus le chien paresseux et s’enfuit dans la forêt, où il trouve un endroit pour dormir.';
const arabic = 'يقفز الثعلب البني السريع فوق الكلب الكسول ويهرب إلى الغابة، حيث يجد مكانا هادئا لينام فيه.';

const edgesOf = async (source: Source, target: string, targetLanguage = 'fr', sourceLanguage = 'en') => {
  const block = blockOf(source);
  const { bytes, places } = await render([{ source: block, target }], { sourceLanguage, targetLanguage });
  return { lines: await shownLines(bytes), place: places.get(block.id)!, box: block.box };
};

describe('the alignment of a block', () => {
  it('to the right has all lines end at its right edge', async () => {
    const { lines, box } = await edgesOf({ lines: english, alignment: 'right' }, french);
    for (const { right } of lines) expect(right).toBeCloseTo(box.right, 0);
  });
  it('on both sides has all lines but the last end at its right edge', async () => {
    const { lines, box } = await edgesOf({ lines: english, alignment: 'justified' }, french);
    for (const { right } of lines.slice(0, -1)) expect(right).toBeCloseTo(box.right, 0);
    expect(lines.at(-1)!.right).toBeLessThan(box.right - 5);
    for (const { x } of lines) expect(x).toBeCloseTo(box.left, 1);
  });

  it('on both sides stretches Chinese between its characters', async () => {
    const { lines, box } = await edgesOf(
      { lines: english, alignment: 'justified' },
      '敏捷的棕色狐狸跳过懒惰的狗，跑进森林，在那里找到一个安静的地方睡觉。',
      'zh-Hans',
    );
    expect(lines[0]!.right).toBeCloseTo(box.right, 0);
  });

  it('on both sides becomes that to the left in a narrow column with few spaces', async () => {
    const lines = ['Number of all the guests', 'of the event and', 'of others'];
    const target = 'Tous les invités de la soirée de la ville et des environs de la mer';
    const { lines: shown } = await edgesOf({ lines, alignment: 'justified' }, target);
    const ragged = await edgesOf({ lines, alignment: 'left' }, target);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.map(({ right }) => right)).toEqual(ragged.lines.map(({ right }) => right));
  });

  it('on both sides widens the letters too if the spaces of a line would become too wide', async () => {
    const lines = [
      'The quick brown fox jumps over the lazy dog',
      'and runs away into the forest, where it has',
      'a place to sleep and to eat all the winter',
      'with its friends and children.',
    ];
    const target = `Le renard saute par-dessus les heureuses internationalisations ${'et il court dans la forêt '.repeat(4)}fin.`;
    const { lines: shown, box } = await edgesOf({ lines, alignment: 'justified' }, target);
    const ragged = await edgesOf({ lines, alignment: 'left' }, target);
    expect(ragged.lines[0]!.right).toBeLessThan(box.right - 5 * 0.3 * 10);
    for (const { right } of shown.slice(0, -1)) expect(right).toBeCloseTo(box.right, 0);
  });

  it('on both sides widens the spaces again if the letters cannot become wider', async () => {
    const lines = [
      'The quick brown fox jumps over the lazy dog and',
      'runs away into the forest, where it has a place',
      'to sleep and to eat all the winter with its',
      'children.',
    ];
    const target = `Dont internationalisationsmechanismes internationalisationsmechanismes ${'et il court dans la forêt '.repeat(4)}`;
    const { lines: shown, box } = await edgesOf({ lines, alignment: 'justified' }, target);
    expect(shown[0]!.text).toBe('Dont internationalisationsmechanismes');
    for (const { right } of shown.slice(0, -1)) expect(right).toBeCloseTo(box.right, 0);
  });

  it('keeps the indent of its first line', async () => {
    const { lines, box } = await edgesOf({ lines: english, indent: 15 }, french);
    expect(lines[0]!.x).toBeCloseTo(box.left + 15, 1);
    for (const { x } of lines.slice(1)) expect(x).toBeCloseTo(box.left, 1);
  });

  it('keeps the indent of a list item, and its text begins where the lines below begin', async () => {
    const source = {
      lines: ['• First item of a list that goes on', 'on a second line of text'],
      indent: -14,
    };
    const block = blockOf(source);
    const { bytes } = await render([
      { source: block, target: '• Premier élément d’une liste qui se poursuit' },
    ]);
    const pieces = await shownTexts(bytes);
    expect(pieces.find(({ text }) => text.startsWith('•'))!.x).toBeCloseTo(block.box.left, 1);
    expect(pieces.find(({ text }) => text.includes('Premier'))!.text).not.toContain('•');
    const [first, second] = [pieces.find(({ text }) => text.includes('Premier')), pieces.at(-1)];
    expect(first!.x).toBeCloseTo(block.box.left + 14, 0);
    expect(second!.x).toBeCloseTo(block.box.left + 14, 0);
  });
});

it('a paragraph that grows upwards in a frame keeps half of the gap to the rule above', async () => {
  const container = rectangle(60, 640, 330, 790);
  const block = blockOf({ lines: english, container });
  const gap = 20;
  const { bottom, top } = block.box;
  const rule = paint(rectangle(60, top + gap, 330, top + gap + 1));
  const wall = paint(rectangle(60, bottom - 6, 330, bottom - 5));
  const { places } = await render([{ source: block, target: `${french} ${french} ${english[1]}` }], {
    page: pageOf({ paints: [rule, wall] }),
  });
  const place = places.get(block.id)!;
  expect(place.top).toBeGreaterThan(top + 2);
  expect(place.top).toBeLessThan(top + gap / 2 + 0.5);
});

it('a list item of one line that needs a second has it begin after its bullet, but not after a formula', async () => {
  const wall = paint(rectangle(220, 600, 300, 750));
  const { bytes } = await render(
    [
      {
        source: { lines: ['• A short list item'] },
        target: '• Un élément de liste bien plus long que la ligne de la source',
      },
    ],
    { page: pageOf({ paints: [wall] }) },
  );
  const [first, second] = await shownLines(bytes);
  expect(first!.x).toBeCloseTo(72, 1);
  const style = { family: 'serif', bold: false, italic: false, size: 10 } as const;
  const bullet = widthOf('• U', style) - widthOf('U', style);
  expect(second!.x).toBeCloseTo(72 + bullet, 1);
  const source = blockOf({ lines: ['is a short list item'] });
  source.moved.set(1, { parts: [], width: 5 });
  const target = [{ tag: 1, type: 'void' as const }, ' est un élément de liste bien plus long que sa source'];
  const formula = await render([{ source, target }], { page: pageOf({ paints: [wall] }) });
  expect((await shownLines(formula.bytes))[1]!.x).toBeCloseTo(72, 1);
});

describe('right-to-left text of a left-to-right source', () => {
  it('is set flush right with the box of its source', async () => {
    const { lines, place, box } = await edgesOf({ lines: english }, arabic, 'ar');
    expect(lines.length).toBeGreaterThan(1);
    for (const { right } of lines) expect(right).toBeCloseTo(box.right, 0);
    expect(place.right).toBeCloseTo(box.right, 1);
  });

  it('grows to the left', async () => {
    const { lines, place, box } = await edgesOf({ lines: ['Name'], x: 300 }, arabic.slice(0, 30), 'ar');
    expect(lines).toHaveLength(1);
    expect(place.right).toBeCloseTo(box.right, 1);
    expect(place.left).toBeLessThan(box.left - 10);
  });

  it('has the indent of its first line on the right', async () => {
    const { lines, box } = await edgesOf({ lines: english, indent: 15 }, arabic, 'ar');
    expect(lines[0]!.right).toBeCloseTo(box.right - 15, 0);
    expect(lines[1]!.right).toBeCloseTo(box.right, 0);
  });

  const column = (first: string[]) =>
    [first, ['Short heading'], ['A line of some more words']].map((lines, index) =>
      blockOf({ lines, y: 700 - 50 * index, id: `b${index}` }),
    );
  const setColumn = async (sources: ReturnType<typeof column>, links: Rectangle[] = []) => {
    const items = sources.map((source) => ({ source, target: 'عنوان قصير' }));
    const page = pageOf({ annotations: links.map((box) => ({ kind: 'link', box })) });
    const { places } = await render(items, { targetLanguage: 'ar', page });
    return [...places.values()].map(({ right }) => Math.round(right));
  };

  it('has one right edge in a column with a paragraph', async () => {
    const sources = column(english);
    const edge = Math.round(sources[0]!.box.right);
    expect(await setColumn(sources)).toEqual([edge, edge, edge]);
  });

  it('stays where it is among labels with one left edge', async () => {
    const labels = column(['A label']);
    expect(await setColumn(labels)).toEqual(labels.map(({ box }) => Math.round(box.right)));
  });

  it('is flush with the right edge of its table cell, as far from it as its source was from the left', async () => {
    const container = { left: 70, right: 170, bottom: 690, top: 715 };
    const { place } = await edgesOf({ lines: ['Name'], x: 73, container }, 'اسم', 'ar');
    expect(place.right).toBeCloseTo(167, 0);
  });
});

it('a left-to-right text of a right-to-left source is set flush left', async () => {
  const { lines, box } = await edgesOf({ lines: english, alignment: 'right' }, french, 'fr', 'ar');
  for (const { x } of lines) expect(x).toBeCloseTo(box.left, 1);
});

describe('a turned block', () => {
  it.each<[degrees: number, turn: readonly [number, number, number, number]]>([
    [90, [0, 1, -1, 0]],
    [45, [Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2, Math.SQRT1_2]],
  ])('by %i degrees is set in its direction, from where its source begins', async (_, [a, b, c, d]) => {
    const source = { lines: ['Label'], x: 0, y: 0, matrix: [a, b, c, d, 300, 400] as const };
    const { bytes } = await render([{ source, target: 'Étiquette' }]);
    const [piece] = await shownTexts(bytes);
    expect(piece!.text).toBe('Étiquette');
    for (const [index, value] of [a, b, c, d].entries())
      expect(piece!.turn[index]! / 10).toBeCloseTo(value, 3);
    expect([piece!.x, piece!.y]).toEqual([expect.closeTo(300, 1), expect.closeTo(400, 1)]);
  });
});

function overlapOf(one: Rectangle, other: Rectangle): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  return Math.max(0, width) * Math.max(0, height);
}

function contains({ left, bottom, right, top }: Rectangle, x: number, y: number): boolean {
  return x > left - 1 && x < right + 1 && y > bottom - 1 && y < top + 1;
}

describe('a page', () => {
  const anyTarget = fc.array(fc.constantFrom(...french.split(' '), ...arabic.split(' ')), {
    minLength: 1,
    maxLength: 40,
  });
  const anyBlock = fc.record({
    column: fc.integer({ min: 0, max: 2 }),
    row: fc.integer({ min: 0, max: 13 }),
    lines: fc.integer({ min: 1, max: 3 }),
    alignment: fc.constantFrom('left' as const, 'right' as const, 'center' as const, 'justified' as const),
    size: fc.integer({ min: 5, max: 10 }),
    turned: fc.boolean(),
    target: anyTarget,
  });

  it('never has two translations over each other, nor one over an image or beyond the edge', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyBlock, {
          maxLength: 20,
          selector: ({ column, row }) => `${column} ${row}`,
        }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 13 })), { maxLength: 4 }),
        fc.constantFrom('fr', 'ar'),
        async (blocks, images, targetLanguage) => {
          const taken = new Set(blocks.map(({ column, row }) => `${column} ${row}`));
          const paints: Paint[] = images
            .filter(([column, row]) => !taken.has(`${column} ${row}`))
            .map(([column, row]) =>
              paint(rectangle(40 + 180 * column, 40 + 50 * row, 200 + 180 * column, 84 + 50 * row)),
            );
          const items = blocks.map(({ column, row, lines, alignment, size, turned, target }, index) => {
            const [x, y] = [40 + 180 * column, 75 + 50 * row];
            const source = blockOf({
              id: `b${index}`,
              lines: english.slice(0, lines).map((line) => line.slice(0, turned ? 6 : 30)),
              style: { size },
              alignment,
              ...(turned ? { x: 0, y: 0, matrix: [0, 1, -1, 0, x + 10, y - 30] } : { x, y }),
            });
            return { source, target: target.join(' ') };
          });
          const { bytes, places } = await render(items, { page: pageOf({ paints }), targetLanguage });
          expect(places.size).toBe(items.length);
          const boxes = [...places.values()];
          for (const { x, y } of await shownTexts(bytes))
            expect(boxes.some((box) => contains(box, x, y))).toBe(true);
          for (const [index, box] of boxes.entries()) {
            const source = items[index]!.source;
            const own = transformRectangle(source.matrix, source.box);
            for (const other of [...boxes.slice(index + 1), ...paints.map((paint) => paint.box)])
              expect(overlapOf(box, other)).toBeLessThan(1);
            expect(box.left).toBeGreaterThan(Math.min(own.left, 0) - 1);
            expect(box.right).toBeLessThan(613);
            expect(box.bottom).toBeGreaterThan(-1);
          }
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);

  it('with 8,000 drawings and 300 labels is set in time that grows with them, not with their product', async () => {
    const paints = Array.from({ length: 8000 }, (_, index) => {
      const [x, y] = [(index % 160) * 3.8, Math.floor(index / 160) * 7.9];
      return paint(rectangle(x, y, x + 3, y + 1), 'stroke');
    });
    const items = Array.from({ length: 300 }, (_, index) => ({
      source: blockOf({
        lines: ['Label'],
        x: 10 + 60 * (index % 10),
        y: 20 + 12.5 * Math.floor(index / 10),
        style: { size: 6 },
      }),
      target: 'Étiquette',
    }));
    const timeOf = async (some: typeof items, drawings: Paint[]): Promise<number> => {
      const { user } = process.cpuUsage();
      await render(some, { page: pageOf({ paints: drawings }) });
      return process.cpuUsage().user - user;
    };
    await timeOf(items, paints);
    const few = await timeOf(items.slice(0, 75), paints.slice(0, 2000));
    const many = await timeOf(items, paints);
    expect(many / few).toBeLessThan(10);
  });
});
