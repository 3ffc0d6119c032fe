import { turningMark } from './turning-marks.ts';

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

/** A turning mark starts a little before its cluster, and takes this much of the cluster's room besides. */
const overhang = 20;
const markRoom = 100;

/**
 * Divides a cluster's width among the codes that it is copied out by.
 * @param texts from left to right
 * @param turns whether a turning mark comes before them: as a code of its own, unless the cluster is too narrow
 */
export function piecesOf(texts: readonly string[], width: number, turns: boolean): Piece[] {
  if (!turns) return sideBySide(texts, 0, width);
  const mark = narrowed({ text: turningMark, offset: -overhang, width: overhang + markRoom })!;
  const rest = sideBySide(texts, markRoom, width - markRoom);
  if (rest.every((piece) => piece.width >= leastDistance && narrowed(piece))) return [mark, ...rest];
  return sideBySide([turningMark + texts[0]!, ...texts.slice(1)], 0, width);
}

function sideBySide(texts: readonly string[], start: number, width: number): Piece[] {
  const offset = (index: number): number => start + Math.floor((width * index) / texts.length);
  return texts.map((text, index) => {
    const piece = { text, offset: offset(index), width: offset(index + 1) - offset(index) };
    return narrowed(piece) ?? piece;
  });
}

/**
 * Poppler spreads the characters of a code evenly over its width, the last of which may so come too near to what
 * follows. This is the piece, narrow enough to keep it away; undefined where that would leave too wide a gap.
 */
function narrowed(piece: Piece): Piece | undefined {
  const count = [...piece.text].length;
  if (count === 1) return piece;
  const width = Math.floor(((piece.width - leastDistance) * count) / (count - 1));
  if (width >= piece.width) return piece;
  return width > 0 && piece.width - width <= widestGap ? { ...piece, width } : undefined;
}
