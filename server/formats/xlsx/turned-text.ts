import type { OfficePackage } from '../office/package.ts';
import { writeReference } from './cell-reference.ts';
import { readXmlPart } from './part-stream.ts';
import type { Cell } from './sheet-reader.ts';
import { isSpreadsheet, type Workbook } from './workbook.ts';

/** A cell style whose text is turned. */
export interface TurnedStyle {
  /** The angle between the text and the horizontal, from 0 to 90 degrees; `stacked` if the letters are upright. */
  angle: number | 'stacked';
  /** The size of the font in points. */
  size: number;
  wraps: boolean;
}

/** The maximum height of a row in Excel, in points. */
const maxHeight = 409;
/** The height of a line in relation to the size of the font. */
const lineHeight = 1.25;
/** The widths of characters are approximate, and cells have margins. */
const slack = 1.1;
/** The maximum length of a text that is measured. A longer one needs the maximum height. */
const maxLength = 2_000;

/**
 * Reads the cell styles whose text is turned, by their numbers.
 *
 * @throws {FileError} `unreadable` or `too_large`
 */
export async function readTurnedStyles({ office, path }: Workbook): Promise<Map<number, TurnedStyle>> {
  const styles = new Map<number, TurnedStyle>();
  const part = (await office.relationships(path)).find(({ type }) => type === 'styles')?.target;
  if (part !== undefined) await readStyles(office, part, styles);
  return styles;
}

async function readStyles(
  office: OfficePackage,
  path: string,
  styles: Map<number, TurnedStyle>,
): Promise<void> {
  const sizes: number[] = [];
  const open: string[] = [];
  let number = -1;
  let size = 11;
  await readXmlPart(office, path, {
    openTag: (tag) => {
      open.push(isSpreadsheet(tag) ? tag.local : '');
      const { local, attributes } = tag;
      const place = open.slice(1).join('/');
      if (place === 'fonts/font') sizes.push(11);
      else if (place === 'fonts/font/sz') sizes[sizes.length - 1] = Number(attributes['val']) || 11;
      else if (place === 'cellXfs/xf') {
        number++;
        size = sizes[Number(attributes['fontId'] ?? 0)] ?? 11;
      } else if (local === 'alignment' && place === 'cellXfs/xf/alignment') {
        const angle = angleOf(Number(attributes['textRotation'] ?? 0));
        const wraps = /^(?:1|true)$/.test(attributes['wrapText'] ?? '');
        if (angle !== undefined) styles.set(number, { angle, size, wraps });
      }
    },
    closeTag: () => {
      open.pop();
    },
    text: () => {},
  });
}

/** Values above 90 turn the text clockwise, and 255 stacks its letters. */
function angleOf(rotation: number): TurnedStyle['angle'] | undefined {
  if (rotation === 255) return 'stacked';
  if (!(rotation > 0 && rotation <= 180)) return undefined;
  return rotation > 90 ? rotation - 90 : rotation;
}

/** Collects the heights that the rows of a sheet need after the texts of their turned cells have changed. */
export class TurnedRows {
  readonly #styles: ReadonlyMap<number, TurnedStyle>;
  readonly #cells = new Map<string, { row: number; height: number }>();

  constructor(styles: ReadonlyMap<number, TurnedStyle>) {
    this.#styles = styles;
  }

  add(cell: Cell, old: string, text: string): void {
    const style = this.#styles.get(cell.style);
    const { row, rowHeight } = cell;
    if (!style || rowHeight === undefined || text === old) return;
    const height = neededHeight(style, rowHeight, old.trim(), text.trim());
    if (height > rowHeight) this.#cells.set(writeReference(cell), { row, height });
  }

  /**
   * Returns the new heights in points, by the numbers of the rows.
   *
   * @param tallRanges the first cells of merged ranges with several rows. Each of their rows has only a part of the text,
   *   so they are left out
   */
  heights(tallRanges: ReadonlySet<string>): Map<number, number> {
    const heights = new Map<number, number>();
    for (const [reference, { row, height }] of this.#cells)
      if (!tallRanges.has(reference)) heights.set(row, Math.max(height, heights.get(row) ?? 0));
    return heights;
  }
}

/**
 * Returns the height that a row needs after the text of a turned cell has changed, in points. It is the current height
 * unless the new text is longer than the row is high.
 */
function neededHeight(style: TurnedStyle, height: number, old: string, text: string): number {
  const needed = heightOf(style, height, old, text);
  if (needed <= height) return height;
  // The source fits, as a rule. If it seems not to, its font is narrower than expected, and so is the new text.
  const narrow = Math.min(1, height / heightOf(style, height, old, old));
  return Math.min(Math.max(Math.ceil(needed * narrow), height), maxHeight);
}

function heightOf({ angle, size, wraps }: TurnedStyle, height: number, old: string, text: string): number {
  if (text.length > maxLength) return maxHeight;
  if (angle === 'stacked') return [...text].length * size * lineHeight;
  const sine = Math.sin((angle * Math.PI) / 180);
  const cosine = Math.cos((angle * Math.PI) / 180);
  if (!wraps) return widthOf(text) * size * slack * sine + size * lineHeight * cosine;
  // The column has room for the lines of the source. The new text gets as many.
  const lines = linesOf(old, height / size / slack);
  return shortestLength(text, lines) * size * slack * sine + lines * size * lineHeight * cosine;
}

/** Returns the shortest length of lines such that a text has no more lines than `lines`, in ems. */
function shortestLength(text: string, lines: number): number {
  let low = Math.max(...text.split(/\s+/).map(widthOf));
  let high = Math.max(low, widthOf(text));
  if (linesOf(text, low) <= lines || linesOf(text, high) > lines)
    return linesOf(text, low) <= lines ? low : high;
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    if (linesOf(text, middle) <= lines) high = middle;
    else low = middle;
  }
  return high;
}

/** Returns the number of lines of a text whose lines have at most this length, in ems. */
function linesOf(text: string, length: number): number {
  let lines = 0;
  for (const paragraph of text.split('\n')) {
    lines++;
    let used = 0;
    for (const word of paragraph.split(/\s+/)) {
      const width = widthOf(word);
      if (used > 0 && used + space + width > length) {
        lines++;
        used = width;
      } else used += width + (used > 0 ? space : 0);
    }
  }
  return lines;
}

const space = 0.28;
/** The usual widths of characters in ems, in the order in which they are tried. */
const widths: readonly [pattern: RegExp, width: number][] = [
  [/\p{M}/u, 0],
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff00-\uffef]/u, 1],
  [/[\s.,;:'|!()[\]ijlftr/-]/, space],
  [/[mwMW]/, 0.85],
  [/\p{Lu}/u, 0.67],
];

/** Returns the approximate width of a text on one line, in ems. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widths.find(([pattern]) => pattern.test(character))?.[1] ?? 0.55;
  return width;
}
