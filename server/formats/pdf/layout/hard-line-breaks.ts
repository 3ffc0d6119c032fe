import { greatest } from './statistics.ts';
import { TextArea } from './text-area.ts';
import type { TextLine } from './text-lines.ts';

/** The maximum width of lines with hard line breaks, as a factor of the font size. Wider lines are running text. */
const maxLineWidth = 24;
/** The minimum free space next to each line with a hard line break, as a factor of the font size. */
const minRoom = 12;
/** How many rows above and below a line are searched for texts next to the line. */
const nearbyRows = 2;
/** The maximum number of texts of a row that are compared. It limits the time for rows with very many texts. */
const maxCompared = 200;
/**
 * The minimum indent of the first line relative to the second, at the right-aligned end of a letter, as a factor of the
 * font size.
 */
const minIndent = 3;
const sameEdge = 0.2;

const start = /^["'“‘(«]*[\p{Lu}\p{Nd}]/u;
const openEnd = /[-.;:!?…]["'”’)]?$/u;
const label = /^\p{Lu}[\p{L}\p{M} .]{1,24}:\s\S/u;

/**
 * Finds lines that look like a paragraph but have hard line breaks: an address, labels with their values, or the end of
 * a letter. Such lines may be almost equally long. Each of them starts like a sentence, no line before the last one
 * ends like a sentence, and there is free space next to the lines.
 */
export class HardLineBreaks {
  readonly #rows = new Map<number, TextLine[]>();
  readonly #area: TextArea;

  /** @param lines all lines of the page */
  constructor(lines: readonly TextLine[]) {
    this.#area = new TextArea(lines);
    for (const line of lines) {
      const row = this.#rows.get(line.row);
      if (row) row.push(line);
      else this.#rows.set(line.row, [line]);
    }
  }

  /**
   * Returns each line of a paragraph as a separate text if the paragraph has hard line breaks; otherwise the whole
   * paragraph as one text.
   */
  split(paragraph: TextLine[]): TextLine[][] {
    const isSplit = areLikeAddress(paragraph) && paragraph.every((line) => this.#hasRoom(line));
    return isSplit ? paragraph.map((line) => [line]) : [paragraph];
  }

  /** Whether there is much free space to the right or to the left of a line. */
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
  // If only the middles of the lines are aligned, they are the label of a drawing.
  if (!areEven(lines, ({ left }) => left) && !areEven(lines, ({ right }) => right)) return false;
  if (greatest(lines.map(({ left, right }) => right - left)) > maxLineWidth * size) return false;
  const withNumber = lines.filter(({ text }) => /\p{Nd}/u.test(text)).length;
  if (lines.length > 2) return withNumber > 0;
  return withNumber === 2 || lines.every(({ text }) => label.test(text));
}

function areEven(lines: readonly TextLine[], placeOf: (line: TextLine) => number): boolean {
  return lines.every((line) => Math.abs(placeOf(line) - placeOf(lines[0]!)) < sameEdge * line.size);
}

/** Whether two lines are right-aligned although the first one has enough space for the first word of the second one. */
function isEndOfLetter(first: TextLine, second: TextLine): boolean {
  const room = first.left - second.left;
  const { size } = first;
  return (
    Math.abs(first.right - second.right) < sameEdge * size &&
    room > Math.max(minIndent * size, second.firstWordWidth + 0.5 * size)
  );
}
