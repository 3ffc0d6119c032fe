import { execFileSync, spawnSync } from 'node:child_process';
import { type Box, centerOf, contains, grow } from './geometry.ts';

/** A word that poppler reads on a page. */
export interface Word {
  text: string;
  box: Box;
  /** The numbers of its block and of its line, from 0 on each page, as poppler finds them from the layout. */
  block: number;
  line: number;
  /** Its place in the order of the content, from 0 on each page. */
  order: number;
  /** Null if poppler lists no line of text here. */
  font: Font | null;
}

/** The size is in points. */
export interface Font {
  size: number;
  /** The name of the font without the prefix of a subset. */
  name: string;
}

/** A page as poppler shows it. Width and height are in points. */
export interface Page {
  width: number;
  height: number;
  words: Word[];
}

export const hasPoppler = ['pdftotext', 'pdftohtml', 'pdftocairo', 'pdftoppm'].every(
  (program) => spawnSync(program, ['-v']).error === undefined,
);

/** Runs a program of poppler on the first pages of a file. */
export function runPoppler(program: string, args: readonly string[]): Buffer {
  return execFileSync(program, args, { maxBuffer: 1 << 29, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Reads the words of a PDF. @param last the number of the last page that is read */
export function readPages(path: string, last: number): Page[] {
  const range = ['-l', `${last}`, '-enc', 'UTF-8'];
  const layout = runPoppler('pdftotext', [...range, '-bbox-layout', path, '-']).toString('utf8');
  const raw = runPoppler('pdftotext', [...range, '-raw', '-bbox', path, '-']).toString('utf8');
  const orders = raw.split('<page ').slice(1).map(orderOf);
  const pages = layout.split('<page ').slice(1);
  const fonts = readFonts(path, last, pages.map(longerSide));
  return pages.map((xml, index) =>
    readPage(xml, orders[index]!, fonts[index] ?? { lines: [], isWide: null }),
  );
}

const box = 'xMin="([\\d.-]+)" yMin="([\\d.-]+)" xMax="([\\d.-]+)" yMax="([\\d.-]+)"';
const layoutPattern = new RegExp(`<(block|line|word) ${box}>(?:(.*?)</word>)?`, 'g');
const rawPattern = new RegExp(`<word ${box}>(.*?)</word>`, 'g');

function readPage(xml: string, orders: Map<string, number[]>, { lines, isWide }: FontPage): Page {
  const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(xml)!;
  const words: Word[] = [];
  let [block, line] = [-1, -1];
  for (const [, kind, left, top, right, bottom, written] of xml.matchAll(layoutPattern)) {
    if (kind === 'block') block++;
    else if (kind === 'line') line++;
    else if (written?.trim()) {
      const text = decode(written);
      const place: Box = [Number(left), Number(top), Number(right), Number(bottom)];
      const order = orders.get(keyOf(text, left!, top!))?.shift() ?? -1;
      const font = fontAt(lines, place);
      words.push({ text, box: withHeight(place, font), block, line, order, font });
    }
  }
  fillOrder(words);
  const size: [number, number] = [Number(width), Number(height)];
  // pdftotext gives the size before the page is turned.
  const [shownWidth, shownHeight] =
    (isWide ?? size[0] > size[1]) === size[0] > size[1] ? size : size.toReversed();
  return { width: shownWidth!, height: shownHeight!, words: inReadingOrder(words) };
}

/** Some fonts say that their letters have no height. */
function withHeight([left, top, right, bottom]: Box, font: Font | null): Box {
  const size = font?.size ?? 8;
  return bottom - top > 0.4 * Math.min(size, 8)
    ? [left, top, right, bottom]
    : [left, bottom - 0.75 * size, right, bottom + 0.2 * size];
}

/** Poppler lists the words of a line from left to right. */
function inReadingOrder(words: readonly Word[]): Word[] {
  const lines = [...Map.groupBy(words, ({ line }) => line).values()];
  return lines.flatMap((line) => (isRightToLeft(line) ? line.toReversed() : line));
}

export function isRightToLeft(line: readonly Word[]): boolean {
  return line.filter(({ text }) => rightToLeft.test(text)).length > line.length / 2;
}

/** A word that is read differently in the order of the content follows the word before it. */
function fillOrder(words: Word[]): void {
  let previous = -0.5;
  for (const word of words) {
    if (word.order === -1) word.order = previous + 0.001;
    previous = word.order;
  }
  const sorted = words.toSorted((one, other) => one.order - other.order);
  for (const [index, word] of sorted.entries()) word.order = index;
}

function orderOf(xml: string): Map<string, number[]> {
  const orders = new Map<string, number[]>();
  let index = 0;
  for (const [, left, top, , , written] of xml.matchAll(rawPattern)) {
    const key = keyOf(decode(written!), left!, top!);
    const list = orders.get(key);
    if (list) list.push(index);
    else orders.set(key, [index]);
    index++;
  }
  return orders;
}

const keyOf = (text: string, left: string, top: string): string => `${text} ${left} ${top}`;

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Resolves entities, leaves out direction marks, and turns words that poppler writes from left to right. */
function decode(written: string): string {
  const text = written
    .replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) =>
      code ? String.fromCodePoint(Number(code)) : (entities[name] ?? all),
    )
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '');
  if (!rightToLeft.test(text)) return text;
  const turned = [...text].reverse().join('');
  return turned.replace(/[\p{N}\p{Script=Latin}]+/gu, (run) => [...run].reverse().join(''));
}

interface FontLine {
  box: Box;
  font: Font;
}

/** pdftohtml rounds sizes to whole pixels, so the page is enlarged. It enlarges less if the page would be too large. */
const zoom = 10;

/** pdftohtml refuses files whose owner does not allow to copy text. Their fonts stay unknown. */
function readHtml(args: readonly string[]): string {
  try {
    return runPoppler('pdftohtml', args).toString('utf8');
  } catch {
    return '';
  }
}

interface FontPage {
  /** From top to bottom. */
  lines: FontLine[];
  /** Whether the page is wider than high as it is shown; null if unknown. */
  isWide: boolean | null;
}

function longerSide(page: string): number {
  const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(page)!;
  return Math.max(Number(width), Number(height));
}

/** The lines of text of each page with their fonts. @param sides the longer side of each page, in points */
function readFonts(path: string, last: number, sides: readonly number[]): FontPage[] {
  const args = ['-l', `${last}`, '-xml', '-i', '-hidden', '-zoom', `${zoom}`, '-enc', 'UTF-8', '-stdout'];
  const xml = readHtml([...args, path]);
  const fonts = new Map<string, Font>();
  return xml
    .split('<page ')
    .slice(1)
    .map((page, index) => {
      const [, height, width] = / height="(\d+)" width="(\d+)"/.exec(page)!.map(Number);
      const scale = Math.max(width!, height!) / sides[index]!;
      for (const [, id, size, name] of page.matchAll(/<fontspec id="(\d+)" size="(-?\d+)" family="([^"]*)"/g))
        fonts.set(id!, { size: Math.abs(Number(size)) / scale, name: name!.replace(/^[A-Z]{6}\+/, '') });
      const pattern = /<text top="(-?\d+)" left="(-?\d+)" width="(-?\d+)" height="(-?\d+)" font="(\d+)"/g;
      const lines: FontLine[] = [];
      for (const match of page.matchAll(pattern)) {
        const [top, left, width, height] = match.slice(1, 5).map((value) => Number(value) / scale);
        const font = fonts.get(match[5]!);
        if (font && font.size > 0 && width! > 0)
          lines.push({ box: [left!, top!, left! + width!, top! + height!], font });
      }
      return { lines: lines.sort((one, other) => one.box[1] - other.box[1]), isWide: width! > height! };
    });
}

/** The font of the smallest line around the middle of a word. */
function fontAt(lines: readonly FontLine[], word: Box): Font | null {
  const middle = centerOf(word);
  let best: FontLine | null = null;
  for (const line of lines) {
    if (line.box[1] > middle[1] + 1) break;
    if (!contains(grow(line.box, 1), middle)) continue;
    if (!best || line.box[3] - line.box[1] < best.box[3] - best.box[1]) best = line;
  }
  return best?.font ?? null;
}
