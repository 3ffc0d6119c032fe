import { greatest } from './statistics.ts';
import { TextArea } from './text-area.ts';
import type { TextLine } from './text-lines.ts';

/** The maximum width of such lines, as a factor of the size. Longer lines are running text. */
const maxLineWidth = 24;
/** The minimum free space next to lines with hard line breaks, as a factor of the size. */
const minRoom = 12;
/** The number of rows above and below a line that may extend to its height. */
const nearbyRows = 2;
/** Limits the work on a row with very many texts. */
const maxCompared = 200;
/** The minimum indent of the second of two right-aligned lines, apart from the width of its first word. */
const minIndent = 3;
const sameEdge = 0.2;

const start = /^["'“‘(«]*[\p{Lu}\p{Nd}]/u;
const openEnd = /[-.;:!?…]["'”’)]?$/u;
const label = /^\p{Lu}[\p{L}\p{M} .]{1,24}:\s\S/u;

/**
 * Finds lines that look like a paragraph but have hard line breaks, although they are almost equally long: an address, labels
 * with their values, the end of a letter. Each of them starts like a sentence, none ends like one, and there is free space next
 * to them.
 */
export class HardLineBreaks {
  readonly #rows = new Map<number, TextLine[]>();
  readonly #area: TextArea;

  /** @param lines of the page */
  constructor(lines: readonly TextLine[]) {
    this.#area = new TextArea(lines);
    for (const line of lines) {
      const row = this.#rows.get(line.row);
      if (row) row.push(line);
      else this.#rows.set(line.row, [line]);
    }
  }

  /** Splits a paragraph into its lines, if they have hard line breaks. */
  split(paragraph: TextLine[]): TextLine[][] {
    const isSplit = areLikeAddress(paragraph) && paragraph.every((line) => this.#hasRoom(line));
    return isSplit ? paragraph.map((line) => [line]) : [paragraph];
  }

  /** Whether there is much free space to the right of a line, or to its left if the line is at the right edge. */
  #hasRoom(line: TextLine): boolean {
    const { left, right, row, size } = line;
    let [from, to] = [this.#area.left, this.#area.right];
    for (let at = row - nearbyRows; at <= row + nearbyRows; at++)
      for (const other of this.#rows.get(at)?.slice(0, maxCompared) ?? []) {
        if (other === line || Math.abs(other.baseline - line.baseline) > size) continue;
        if (other.left >= right) to = Math.min(to, other.left);
        if (other.right <= left) from = Math.max(from, other.right);
      }
    return Math.max(to - right, left - from) > minRoom * size;
  }
}

function areLikeAddress(lines: readonly TextLine[]): boolean {
  if (lines.length < 2 || !lines.every(({ style, text }) => start.test(text) && !style.bold)) return false;
  if (lines.slice(0, -1).some(({ text }) => openEnd.test(text))) return false;
  if (lines.length === 2 && isEndOfLetter(lines[0]!, lines[1]!)) return true;
  const size = lines[0]!.size;
  // Lines with a common middle are the label of a drawing.
  if (!areEven(lines, ({ left }) => left) && !areEven(lines, ({ right }) => right)) return false;
  if (greatest(lines.map(({ left, right }) => right - left)) > maxLineWidth * size) return false;
  const withNumber = lines.filter(({ text }) => /\p{Nd}/u.test(text)).length;
  if (lines.length > 2) return withNumber > 0;
  return withNumber === 2 || lines.every(({ text }) => label.test(text));
}

function areEven(lines: readonly TextLine[], placeOf: (line: TextLine) => number): boolean {
  return lines.every((line) => Math.abs(placeOf(line) - placeOf(lines[0]!)) < sameEdge * line.size);
}

/** Whether two lines are right-aligned, and the first has room for words of the second. */
function isEndOfLetter(first: TextLine, second: TextLine): boolean {
  const room = first.left - second.left;
  const { size } = first;
  return (
    Math.abs(first.right - second.right) < sameEdge * size &&
    room > Math.max(minIndent * size, second.firstWordWidth + 0.5 * size)
  );
}
