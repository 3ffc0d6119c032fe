import type { GlyphRun } from './lines.ts';
import type { Cluster } from './shaping.ts';

/**
 * What tells poppler that right-to-left text begins here: RIGHT-TO-LEFT EMBEDDING, and POP DIRECTIONAL FORMATTING that
 * ends it at once. In visual order: turned around it is an empty embedding, which changes nothing where it is pasted.
 */
export const directionMark = '\u202c\u202b';

/** Where a turning mark is needed: at the left end of a word, or with something of the word to its left. */
export type DirectionMarkPlace = 'wordEnd' | 'inWord';

const space = /^\s/;
/** What poppler's table of character types has as right-to-left: the older letters. */
const rightToLeft = /^[\u05d0-\u05ea\u0620-\u064a\u066e-\u066f\u0671-\u06d3\u06fa-\u06ff\u0710-\u076d]$/;
/** What the table has as left-to-right or as numbers, among them signs that stand in numbers. */
const leftToRight = /^[\p{L}\p{N}#-%+-/:\u00a0\u00a2-\u00a5\u00b0\u00b1\u060c\u066a-\u066c\u2030-\u2034]$/u;
/** What would be torn from its letter, other than brackets, which stay with what is before them. */
const belongsToLetter = /^[\p{M}\p{Cf}]$/u;

/**
 * The clusters that need a turning mark before them, that is, to their left.
 *
 * Poppler finds a line in visual order and turns its right-to-left stretches around. By its rule, one that is simpler
 * than Unicode's, what is of neither direction (spaces, brackets, combining marks, joiners) isn't turned around where
 * nothing right-to-left is to the left of it, which mistakes two things:
 * - with `pdftotext -raw`, which goes word by word, the combining marks at the left end of a word: they would come
 *   before the word that they end;
 * - by default, the space to the left of a number, a full stop or a comma: it would come before them.
 *
 * An embedding control is right-to-left, and the one character that goes unseen in any case: poppler writes it before
 * all right-to-left text by itself, so that whoever compares its output leaves it out. Others drop a code that stands
 * for controls alone (pdf.js), or give it out as the invisible that it is (PDFium).
 */
export function directionMarkPlaces(runs: readonly GlyphRun[]): ReadonlyMap<Cluster, DirectionMarkPlace> {
  const points = new Map<Cluster, DirectionMarkPlace>();
  let wordEnd = true;
  let afterSpace = false;
  let turning = false;
  let waiting: (() => void) | undefined;
  for (const { clusters, rightToLeft: backward } of runs)
    for (const cluster of clusters) {
      const characters = [...cluster.text];
      if (space.test(cluster.text)) {
        wordEnd = true;
        // Spaces inside a left-to-right phrase stay where they are.
        afterSpace = backward;
        turning = false;
        waiting = undefined;
        continue;
      }
      if (backward) characters.reverse();
      if (afterSpace && !rightToLeft.test(characters[0]!)) {
        points.set(cluster, 'wordEnd');
        turning = true;
      }
      const point: DirectionMarkPlace = wordEnd ? 'wordEnd' : 'inWord';
      wordEnd = false;
      afterSpace = false;
      for (const character of characters) {
        if (rightToLeft.test(character)) {
          waiting?.();
          waiting = undefined;
          turning = true;
        } else if (leftToRight.test(character)) {
          waiting = undefined;
          turning = false;
        } else if (!turning && backward && (point === 'wordEnd' || belongsToLetter.test(character))) {
          waiting ??= () => points.set(cluster, point);
        }
      }
    }
  return points;
}

/** What one code of a cluster stands for, and its place. In thousandths of an em; `offset` from the cluster's start. */
interface Piece {
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
export function reorderedPieces(
  texts: readonly string[],
  width: number,
  turns: DirectionMarkPlace | undefined,
): Piece[] {
  if (turns) {
    const mark = { text: directionMark, ...markPlaces[turns] };
    const start = mark.offset + mark.width;
    const pieces = [mark, ...sideBySide(texts, start, width - start)];
    if (pieces.every(fits)) return pieces.map(narrowed);
  }
  const [first, ...rest] = texts;
  return sideBySide(turns ? [directionMark + first!, ...rest] : texts, 0, width).map(narrowed);
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
