import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { Rectangle } from '#server/formats/pdf/geometry.ts';
import type { Paint } from '#server/formats/pdf/page-content.ts';
import { object, readMade } from './pdf-made.ts';
import { lines, page, rule, text, widthOf } from './pdf-page.ts';

const row = { left: 50.5, right: 250, bottom: 680.5, top: 712 };
const rules = [
  ...[680, 712].map((y) => rule(50, y, 250.5, y + 0.5)),
  ...[50, 250].map((x) => rule(x, 680, x + 0.5, 712.5)),
];

/** The container of a text in a ruled cell, with a fill of a color behind its letters. */
function containerWith(
  color: string,
  behind: (text: Rectangle) => Rectangle = (box) => box,
  ground: Paint[] = [],
): unknown {
  const value = 'Analysis of results';
  const letters = { left: 80, right: 80 + 10 * widthOf(value), bottom: 688, top: 701 };
  const { left, bottom, right, top } = behind(letters);
  const fill = { ...rule(left, bottom, right, top), color };
  const { blocks } = findBlocks(page([text(value, 80, 690)], [...ground, ...rules, { ...fill, order: 1 }]));
  return blocks[0]!.container;
}

describe('a fill behind the letters of a cell', () => {
  it('is not the area of the text if it is white', () => {
    for (const color of ['1 g', '1 1 1 rg', '0 0 0 0 k', '/DeviceRGB cs 1 1 1 scn'])
      expect(containerWith(color)).toEqual(row);
  });

  it('is the area of the text if it has a color or is wider than the text', () => {
    expect(containerWith('0 g')).toMatchObject({ left: 80 });
    const ground = { ...rule(40, 670, 260, 720), color: '0.9 g' };
    const wide = (box: Rectangle) => ({ ...box, left: 60, right: 240 });
    expect(containerWith('1 g', wide, [ground])).toMatchObject({ left: 60 });
  });

  it('is not the area of the text if it is white on the white page', () => {
    expect(containerWith('1 g', (box) => ({ ...box, left: 60, right: 240 }))).toEqual(row);
  });
});

it('a fill or a stroke without any opacity is not an area of the page', async () => {
  const { paints } = await readMade({
    content: '/T gs 0 0 200 200 re f 0 0 200 200 re S /V gs 10 10 20 20 re f',
    resources: { ExtGState: { T: object({ ca: 0, CA: 0 }), V: object({ ca: 0.5, CA: 0.5 }) } },
  });
  expect(paints.map(({ box }) => box)).toEqual([{ left: 10, bottom: 10, right: 30, top: 30 }]);
});

it('a sloped line has boxes along it, and only one if the page has very many such lines', async () => {
  const { paints } = await readMade({ content: '0 0 m 30 40 l S '.repeat(5001) });
  expect([paints[0]!.parts!.length, paints.at(-1)!.parts!.length]).toEqual([8, 1]);
});

it('a filled shape is not an area around texts if most of its box is free, as that of a triangle', async () => {
  const sentence = ['The words of this text are over the end of a very very very', 'large triangle.'];
  const textsOver = async (path: string) => {
    const { paints } = await readMade({ content: path });
    return findBlocks(page([lines(sentence, 40, 100)], paints)).blocks.length;
  };
  expect(await textsOver('0 0 150 200 re f')).toBe(2);
  expect(await textsOver('0 0 m 150 0 l 0 200 l f')).toBe(1);
  expect(await textsOver('0 0 m 150 0 l 150 20 l 0 200 30 0 0 200 c h f')).toBe(1);
  expect(
    await textsOver('0 20 m 0 200 l 150 200 l 150 20 l 150 0 150 0 130 0 c 20 0 l 0 0 0 0 0 20 c f'),
  ).toBe(2);
});

it('a filled shape is the area of a text that is in it, such as an arrow or a speech bubble', async () => {
  const areaIn = async (path: string) => {
    const { paints } = await readMade({ content: path });
    const [block] = findBlocks(
      page([text('Order now', 60, 98), text('Other words of the page', 20, 20)], paints),
    ).blocks;
    return block!.container && Math.round(block!.container.right);
  };
  expect(await areaIn('20 90 m 150 90 l 150 70 l 190 101 l 150 132 l 150 112 l 20 112 l f')).toBe(190);
  expect(await areaIn('82 20 m 170 101 l 82 182 l 0 101 l f')).toBe(170);
  expect(await areaIn('0 20 m 170 20 l 0 182 l f')).toBe(null);
});

it('a text does not avoid the free part of the box of a filled shape', async () => {
  const { paints } = await readMade({ content: '0 0 m 150 0 l 0 200 l f' });
  const [triangle] = paints;
  const widths = triangle!.parts!.map(({ left, right }) => right - left);
  expect(widths[0]).toBeCloseTo(150);
  expect(widths.at(-1)).toBeLessThan(10);
  expect(triangle!.parts!.at(-1)!.top).toBeCloseTo(200);
});

it('a closed curve of many parts is not the frame of an area, but a rounded rectangle is', async () => {
  const right = 60 + 10 * widthOf('Course certificate') + 1;
  const wave = (count: number) =>
    `${right} 9 m ${Array.from({ length: count }, (_, at) => `40 ${at} ${right} 95 ${at % 2 ? right : 40} ${at + 60} c`).join(' ')} h S`;
  const textsWith = async (path: string) => {
    const { paints } = await readMade({ content: path });
    return findBlocks(page([text('Course certificate', 60, 50), text('of the month', right + 2, 50)], paints))
      .blocks.length;
  };
  expect(await textsWith(wave(20))).toBe(1);
  expect(
    await textsWith(`90 20 m 95 20 l ${right} 20 ${right} 20 ${right} 30 c ${right} 90 l 90 90 l h S`),
  ).toBeGreaterThan(1);
});

it('a filled shape of many curves behind the second line of a text does not end the text', async () => {
  const values = [
    'The committee met in the spring of that year',
    'and agreed on the plan that they had made.',
  ];
  const textsOn = async (content: string) => {
    const { paints } = await readMade({ content });
    return findBlocks(page([lines(values, 20, 50)], paints)).blocks.length;
  };
  const wave = Array.from({ length: 20 }, (_, at) => `0 ${at} 300 45 ${at % 2 ? 300 : 0} ${at + 20} c`);
  expect(await textsOn(`0 0 m ${wave.join(' ')} f`)).toBe(1);
  expect(await textsOn('0 0 300 45 re f')).toBe(2);
  const round = Array.from({ length: 20 }, (_, at) => `${15 * at} 45 ${15 * at} 45 ${15 * (at + 1)} 45 c`);
  expect(await textsOn(`0 0 m 0 45 l ${round.join(' ')} 300 0 l h f`)).toBe(2);
});
