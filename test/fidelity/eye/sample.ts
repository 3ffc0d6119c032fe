import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sideBySide } from './pictures.ts';
import { writePng } from './png.ts';
import type { FileResult } from './run-file.ts';

/** A generator of numbers from 0 to 1, always the same for a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface DrawnPage {
  file: FileResult;
  target: string;
  page: number;
}

/** Draws pages at random, none twice. First a file is drawn, so that long files do not hide the others. */
export function drawPages(results: readonly FileResult[], count: number, seed: number): DrawnPage[] {
  const random = randomNumbers(seed);
  const take = <T>(list: T[]): T => list.splice(Math.floor(random() * list.length), 1)[0]!;
  const files = results
    .map((file) => ({ file, pages: file.judged[0]?.pages.filter(({ words }) => words > 0) ?? [] }))
    .filter(({ pages }) => pages.length > 0);
  const drawn: DrawnPage[] = [];
  let left = [...files];
  while (drawn.length < count) {
    if (left.length === 0) left = files.filter(({ pages }) => pages.length > 0);
    if (left.length === 0) break;
    const { file, pages } = take(left);
    if (pages.length === 0) continue;
    const { page } = take(pages);
    drawn.push({ file, page, target: file.judged[Math.floor(random() * file.judged.length)]!.target });
  }
  return drawn;
}

/** In dots per inch, so that small print can be read. */
const resolution = 110;

/** Writes a numbered picture of each drawn page, and the list of them. */
export function writeSample(
  results: readonly FileResult[],
  output: string,
  count: number,
  seed: number,
): void {
  const folder = join(output, 'sample');
  mkdirSync(folder, { recursive: true });
  const lines = drawPages(results, count, seed).map(({ file, target, page }, index) => {
    const number = `${index + 1}`.padStart(2, '0');
    const picture = sideBySide(file.path, join(output, `${file.name}-${target}.pdf`), page, [], resolution);
    writeFileSync(join(folder, `${number}.png`), writePng(picture));
    return `${number}\t${basename(file.path)}\tpage ${page}\t${target}`;
  });
  writeFileSync(join(folder, 'LIST.txt'), `seed ${seed}\n${lines.join('\n')}\n`);
}
