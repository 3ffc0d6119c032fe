import { describe, expect, it } from 'vitest';
import type { Matrix } from '#server/formats/pdf/geometry.ts';
import { commonSize } from '#server/formats/pdf/model/groups.ts';
import type { Paint } from '#server/formats/pdf/page-content.ts';
import type { TextBlock } from '#server/formats/pdf/text-block.ts';
import { blockOf, pageOf, paint, rectangle, render, widthOf } from './pdf-blocks.ts';
import { shownLines } from './pdf-shown.ts';

describe('a headline', () => {
  it('has no second line over the text below, even if its box is over this text', async () => {
    const headline = blockOf({ lines: ['We care'], style: { size: 60 }, y: 600 });
    const below = blockOf({ lines: ['For an inclusive economy'], y: 582 });
    expect(below.box.top).toBeGreaterThan(headline.box.bottom);
    const { right, top } = headline.box;
    const paints = [paint(rectangle(right + 5, 500, 612, 700)), paint(rectangle(20, top + 5, 612, top + 50))];
    const { bytes } = await render(
      [
        { source: headline, target: 'Nous aidons' },
        { source: below, target: 'Pour une économie inclusive' },
      ],
      { page: pageOf({ paints }) },
    );
    const [first, ...others] = await shownLines(bytes);
    expect([first!.text, first!.y]).toEqual(['Nous aidons', 600]);
    expect(others.map(({ text, y }) => [text, y])).toEqual([['Pour une économie inclusive', 582]]);
  });

  it('of two lines gets narrow letters before small ones, if a word is too wide for its box', async () => {
    const container = rectangle(60, 480, 250, 660);
    const source = blockOf({
      lines: ['Food', 'Menu'],
      style: { size: 40 },
      y: 600,
      alignment: 'center',
      container,
    });
    const heading = { ...source, kind: 'heading' as const };
    const { bytes } = await render([{ source: heading, target: 'Cartes alimentaires' }]);
    const lines = await shownLines(bytes);
    expect(lines.map(({ text }) => text)).toEqual(['Cartes', 'alimentaires']);
    for (const { size, turn } of lines) expect(turn[0]! / size).toBeCloseTo(0.85);
  });

  it('grows down into free space', async () => {
    const headline = blockOf({ lines: ['We care'], style: { size: 40 }, y: 600 });
    const paints = [paint(rectangle(headline.box.right + 5, 500, 612, 700))];
    const { bytes, findings } = await render([{ source: headline, target: 'Nous prenons soin' }], {
      page: pageOf({ paints }),
    });
    expect((await shownLines(bytes)).map(({ text, y }) => [text, y])).toEqual([
      ['Nous', 600],
      ['prenons', 552],
      ['soin', 504],
    ]);
    expect(findings).toEqual([]);
  });
});

describe('a line that fills the rest of the line of a heading', () => {
  const block = blockOf({ lines: ['Skills'], style: { size: 20, bold: true }, y: 600 });
  const heading = { ...block, kind: 'heading' as const };
  const line = {
    ...paint(rectangle(heading.box.right + 4, 598, 540, 599), 'fill'),
    color: '1 0 0 rg',
    place: { use: 0, start: 0, end: 9 },
    ctm: [1, 0, 0, 1, 0, 0] as const satisfies Matrix,
    clip: rectangle(0, 0, 612, 792),
  };
  const set = (target: string, source: TextBlock = heading, paints: Paint[] = [line]) =>
    render([{ source, target }], { page: pageOf({ paints }) });
  const drawn = (operators: string) =>
    /1 0 0 rg ([\d.]+) [\d.]+ m ([\d.]+) /.exec(operators)?.slice(1).map(Number);

  it('becomes shorter if the heading becomes longer', async () => {
    const { bytes, findings, operators, rules } = await set('Compétences et expérience');
    expect(findings).toEqual([]);
    const [shown, ...others] = await shownLines(bytes);
    expect([others, shown!.size]).toEqual([[], 20]);
    expect(rules).toEqual([line]);
    expect(drawn(operators)![0]).toBeGreaterThan(shown!.right + 2);
    expect(drawn(operators)![1]).toBeCloseTo(540);
  });

  it('leaves most of its length free if it is the blank of a label, and may start below the colon', async () => {
    const label = blockOf({ lines: ['Email:'], y: 600 });
    const from = label.box.right - 3;
    const blank = { ...line, box: rectangle(from, 598, 540, 598.7) };
    for (const source of [label, { ...label, kind: 'table_cell' as const }])
      for (const target of [
        'Adresse électronique :',
        'Adresse électronique du représentant légal '.repeat(6),
      ]) {
        const { bytes, operators } = await set(target, source, [blank]);
        const [left, right] = drawn(operators) as [number, number];
        const ends = (await shownLines(bytes)).filter(({ y }) => y > 595).map(({ right }) => right);
        expect(left + 0.01).toBeGreaterThan(Math.max(...ends));
        expect([right, right - left >= 0.6 * (540 - from) - 0.01]).toEqual([540, true]);
      }
  });

  it('stays if there is enough room, or if it cannot be drawn again', async () => {
    expect((await set('Arts')).rules).toEqual([]);
    const { place: _, ...fixed } = line;
    expect((await set('Compétences et expérience', heading, [fixed])).rules).toEqual([]);
  });
});

it('a word that is too wide for its place has narrower letters before it is broken', async () => {
  const source = blockOf({ lines: ['PhD'], x: 72, y: 600 });
  const around = [paint(rectangle(20, 590, 70, 620)), paint(rectangle(source.box.right + 16, 590, 300, 620))];
  const { bytes } = await render([{ source, target: 'Doctorado' }], { page: pageOf({ paints: around }) });
  expect((await shownLines(bytes)).map(({ text }) => text)).toEqual(['Doctorado']);
});

it.each([
  ['centered over it', 30, 30],
  ['left-aligned', 2, 40],
])('a title over a longer rule, %s, stays so if it becomes longer', async (_, before, after) => {
  const title = blockOf({ lines: ['Simple interface'], x: 200, y: 600, style: { size: 20, bold: true } });
  const source = { ...title, kind: 'heading' as const };
  const { left, right } = title.box;
  const [from, to] = [left - before, right + after];
  const paints = [paint(rectangle(from, 590, to, 592), 'fill')];
  const { bytes } = await render([{ source, target: 'Simple interfaces now' }], { page: pageOf({ paints }) });
  const [shown, ...others] = await shownLines(bytes);
  expect(others).toEqual([]);
  expect(shown!.right).toBeLessThan(to + 1);
  if (before === after) expect(shown!.x + shown!.right).toBeCloseTo(from + to, 0);
  else expect(shown!.x).toBeCloseTo(left);
});

it('a cell is as wide as its container, whose rules are further away', async () => {
  const line = 'Goods that touch the food they hold';
  const block = blockOf({ lines: [line, line], y: 700, style: { size: 10 } });
  const { left, bottom, right, top } = block.box;
  const container = rectangle(left - 3, bottom - 1, right + 11, top + 1);
  const source = { ...block, kind: 'table_cell' as const, container };
  const paints = [paint(rectangle(right + 11, 600, right + 12, 800), 'fill')];
  const target = `${line} a ${line} a`;
  const { bytes } = await render([{ source, target }], { page: pageOf({ paints }) });
  const shown = await shownLines(bytes);
  expect(shown.map(({ size, text }) => [size, text])).toEqual([
    [10, `${line} a`],
    [10, `${line} a`],
  ]);
  expect(shown[0]!.right).toBeCloseTo(left + widthOf(`${line} a`, block.style), 0);
});

describe('the common size of like texts', () => {
  const needs = (...scales: number[]) => scales.map((scale) => ({ scale, width: 1, weight: 1 }));

  it('is the smallest one that they need', () => {
    expect(commonSize(needs(0.9, 0.92, 1, 1), 'group')).toEqual({ scale: 0.9, width: 1 });
    expect(commonSize(needs(0.7, 0.66, 0.94, 1), 'group')).toEqual({ scale: 0.66, width: 1 });
  });

  it('has one width of the letters', () => {
    const label = (width: number) => ({ scale: 1, width, weight: 1 });
    expect(commonSize([label(0.85), label(1), label(0.95), label(1)], 'group')).toEqual({
      scale: 1,
      width: 0.85,
    });
  });

  it('has wider letters if they are smaller', () => {
    const one = { scale: 1, width: 0.85, weight: 1 };
    const { scale, width } = commonSize([one, { scale: 0.94, width: 1, weight: 1 }], 'group');
    expect([scale, width]).toEqual([0.94, expect.closeTo(0.85 / 0.94)]);
  });

  it('leaves out a text that would make many others much smaller', () => {
    expect(commonSize(needs(0.6, 0.9, ...new Array(12).fill(1)), 'group')).toEqual({ scale: 0.9, width: 1 });
    expect(commonSize(needs(0, 1, 1), 'group')).toEqual({ scale: 1, width: 1 });
    expect(commonSize(needs(0.65, 0.66, 0.7, 0.9), 'page', 0.85)).toEqual({ scale: 0.9, width: 1 });
  });

  it('leaves out one of two texts earlier than one of many', () => {
    expect(commonSize(needs(0.55, 1), 'group')).toEqual({ scale: 1, width: 1 });
    expect(commonSize(needs(0.8, 1), 'group')).toEqual({ scale: 0.8, width: 1 });
    expect(commonSize(needs(0.55, 0.6, 0.6, 0.6, 1), 'group')).toEqual({ scale: 0.55, width: 1 });
  });
});
