import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { madePdf } from '#test/formats/pdf-made.ts';
import { cellAt, isCrossed } from './cells.ts';
import { readGraphics } from './graphics.ts';
import { sideBySide } from './pictures.ts';
import { readPpm, writePng } from './png.ts';
import { hasPoppler, readPages, runPoppler } from './poppler.ts';

const directory = mkdtempSync(join(tmpdir(), 'eye-'));
afterAll(() => rmSync(directory, { recursive: true }));

const content = `
0 0 0 RG 1 w
200 0 m 200 400 l S
50 300 300 0.5 re f
42 356 m 46 356 46 351 42 351 c 38 351 38 356 42 356 c f
0.2 0.4 0.6 rg 100 100 60 40 re f
1 1 1 RG 300 0 m 300 400 l S
q 0 0 50 50 re W n 0 0 0 RG 10 0 m 10 400 l S Q
0 0 0 rg
BT /F 10 Tf 50 350 Td (Left words) Tj ET
BT /F 20 Tf 220 350 Td (Right) Tj ET
`;

if (!hasPoppler) console.warn('skipped: poppler-utils is not installed');

describe.skipIf(!hasPoppler)('a page by poppler', async () => {
  const path = join(directory, 'made.pdf');
  writeFileSync(path, await madePdf({ content }));
  const [page] = hasPoppler ? readPages(path, 1) : [];

  it('has its words with their places and sizes', () => {
    expect(page).toMatchObject({ width: 400, height: 400 });
    expect(page!.words.map(({ text }) => text)).toEqual(['Left', 'words', 'Right']);
    expect(page!.words.map(({ order }) => order)).toEqual([0, 1, 2]);
    expect(page!.words.map(({ font }) => Math.round(font!.size))).toEqual([10, 10, 20]);
    expect(page!.words.map(({ box }) => Math.round(box[0]))).toEqual([50, 69, 220]);
  });

  it('has its ruled lines and filled boxes', () => {
    const { rules, fills, marks } = readGraphics(path, 1);
    // A white line is not visible. Only a part of the line at the edge is drawn.
    expect(rules.vertical.map(({ at }) => Math.round(at))).toEqual([200, 10]);
    expect(Math.round(rules.vertical[1]!.from)).toBe(350);
    expect(rules.horizontal.map(({ at }) => Math.round(at))).toEqual([100]);
    expect(fills.map(({ box }) => box.map(Math.round))).toEqual([[100, 260, 160, 300]]);
    expect(marks.map((box) => box.map(Math.round))).toEqual([[38, 44, 46, 49]]);
    const [left, , right] = page!.words.map(({ box }) => box);
    expect(cellAt(rules, left!).map(Math.round)).toEqual([-Infinity, -Infinity, 200, 100]);
    expect(cellAt(rules, right!).map(Math.round)).toEqual([200, -Infinity, Infinity, 100]);
    expect(isCrossed(rules, [190, 40, 210, 50])).toBe(true);
    expect(isCrossed(rules, left!)).toBe(false);
  });

  it('is drawn next to its translation, with frames around faults', () => {
    const box = page!.words[2]!.box;
    const picture = sideBySide(path, path, 1, [{ kind: 'lost', side: 0, box, text: 'Right' }], 72);
    expect([picture.width, picture.height]).toEqual([824, 416]);
    const reds = Array.from({ length: 824 * 416 }, (_, index) => index).filter(
      (index) => picture.pixels[3 * index] === 220 && picture.pixels[3 * index + 1] === 0,
    );
    expect(reds.length).toBeGreaterThan(100);
    expect(Math.max(...reds.map((index) => index % 824))).toBeLessThan(412);
    const file = join(directory, 'both.png');
    writeFileSync(file, writePng(picture));
    expect(writePng(picture).subarray(1, 4).toString()).toBe('PNG');
  });

  it('has the pixels that poppler draws', () => {
    const bytes = runPoppler('pdftoppm', ['-r', '72', '-singlefile', path]);
    expect(readPpm(bytes)).toMatchObject({ width: 400, height: 400 });
    expect(readPpm(bytes).pixels).toHaveLength(400 * 400 * 3);
  });
});
