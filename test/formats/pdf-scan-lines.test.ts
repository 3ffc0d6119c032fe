import { expect, test } from 'vitest';
import { asBullet, isSteep, turnOf } from '#server/formats/pdf/scans/recognize-page.ts';

const box = (x0: number, y0: number, x1: number, y1: number) => ({ x0, y0, x1, y1 });
const lineOf = (baseline: ReturnType<typeof box>, confidence = 95) => ({
  bbox: baseline,
  baseline,
  rowAttributes: { rowHeight: 30, descenders: 6, ascenders: 6 },
  words: [{ text: 'sequence', confidence, bbox: baseline }],
});
const level = box(100, 200, 700, 203);
const rising = box(200, 900, 202, 300);
const falling = box(200, 300, 202, 900);

test('a line is steep if its baseline is closer to the vertical', () => {
  expect([level, rising, falling].map((baseline) => isSteep({ baseline }))).toEqual([false, true, true]);
});

test.each([
  ['not turned for level lines', [lineOf(level), lineOf(level)], 0],
  ['not turned for one vertical text next to others', [lineOf(level), lineOf(level), lineOf(rising)], 0],
  ['turned clockwise for steep lines', [lineOf(rising), lineOf(rising), lineOf(level)], 90],
  ['turned counterclockwise for steep lines that are upside down', [lineOf(rising, 30)], 270],
  ['not turned without lines', [], 0],
] as const)('a page is %s', (_, lines, turn) => {
  expect(turnOf([{ lines: [...lines] }])).toBe(turn);
});

test.each([
  ['¢', 12, '•'],
  ['®', 12, '•'],
  ['©', 21, '©'],
  ['-', 4, '-'],
])('the first word %s with a height of %i pixels is %s', (text, height, read) => {
  expect(asBullet(text, box(0, 0, 13, height), 28)).toBe(read);
});
