import { type TurningPoint, turningMark } from './turning-marks.ts';

/** What one code of a cluster stands for, and its place. In thousandths of an em; `offset` from the cluster's start. */
export interface Piece {
  text: string;
  offset: number;
  width: number;
}

/**
 * Distances at which poppler keeps a word together. Where two characters start at less than a tenth of an em from each
 * other, it takes them for one that is there twice, for bold, and ends the word; it does so, too, where a gap between
 * two characters is wider than that. The parts of a right-to-left word that it has cut come out in the wrong order.
 * These keep clear of a tenth.
 */
const leastDistance = 102;
const widestGap = 98;

/** Where a turning mark stands, and where the cluster's text comes after it: at a word's left end in the space before. */
const markPlaces = {
  wordEnd: { offset: -20, width: 120 },
  inWord: { offset: 0, width: 108 },
} as const;

/**
 * Divides a cluster's width among the codes that it is copied out by, for text that readers turn around.
 * @param texts from left to right
 * @param turns whether a turning mark comes before them: as a code of its own, unless the cluster is too narrow
 */
export function turnedPieces(
  texts: readonly string[],
  width: number,
  turns: TurningPoint | undefined,
): Piece[] {
  if (turns) {
    const mark = { text: turningMark, ...markPlaces[turns] };
    const start = mark.offset + mark.width;
    const pieces = [mark, ...sideBySide(texts, start, width - start)];
    if (pieces.every(fits)) return pieces.map(narrowed);
  }
  const [first, ...rest] = texts;
  return sideBySide(turns ? [turningMark + first!, ...rest] : texts, 0, width).map(narrowed);
}

/** A mark that stands alone on a space leaves it what poppler needs to see of a space: 0.15 em. */
const spaceShare = 4;

/** Divides a width evenly among codes. */
export function sideBySide(texts: readonly string[], start: number, width: number): Piece[] {
  const total = texts.reduce((sum, text) => sum + shareOf(text), 0);
  let share = 0;
  return texts.map((text) => {
    const left = Math.floor((width * share) / total);
    share += shareOf(text);
    return { text, offset: start + left, width: Math.floor((width * share) / total) - left };
  });
}

function shareOf(text: string): number {
  return text.trim() === '' ? spaceShare : 1;
}

/**
 * Poppler spreads the characters of a code evenly over its width: the last of them may come too near to what follows.
 * This is the piece, narrow enough to keep it away; as it was where it has no room for that.
 */
function narrowed(piece: Piece): Piece {
  return fits(piece) ? { ...piece, width: Math.min(piece.width, mostWidth(piece)) } : piece;
}

function fits(piece: Piece): boolean {
  const most = mostWidth(piece);
  return piece.width >= leastDistance && most > 0 && piece.width - most <= widestGap;
}

function mostWidth({ text, width }: Piece): number {
  const count = [...text].length;
  return count === 1 ? width : Math.floor(((width - leastDistance) * count) / (count - 1));
}
