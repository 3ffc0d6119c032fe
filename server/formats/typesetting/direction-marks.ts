import type { GlyphRun } from './lines.ts';
import type { Cluster } from './shaping.ts';

/**
 * Marks the start of right-to-left text for poppler: RIGHT-TO-LEFT EMBEDDING, immediately ended by POP DIRECTIONAL FORMATTING.
 * It is in visual order. Reversed, it is an empty embedding, which has no effect in pasted text.
 */
export const directionMark = '\u202c\u202b';

/** The position of a required direction mark: at the left end of a word, or inside a word. */
export type DirectionMarkPosition = 'wordEnd' | 'inWord';

const space = /^\s/;
/** The characters that poppler's table of character types lists as right-to-left: the older letters. */
const rightToLeft = /^[\u05d0-\u05ea\u0620-\u064a\u066e-\u066f\u0671-\u06d3\u06fa-\u06ff\u0710-\u076d]$/;
/** The characters that the table lists as left-to-right or as numbers, including signs that occur in numbers. */
const leftToRight = /^[\p{L}\p{N}#-%+-/:\u00a0\u00a2-\u00a5\u00b0\u00b1\u060c\u066a-\u066c\u2030-\u2034]$/u;
/**
 * Characters that poppler would separate from their letter. Brackets are not included, because they stay with the preceding
 * text.
 */
const belongsToLetter = /^[\p{M}\p{Cf}]$/u;

/**
 * Finds the clusters that need a direction mark before them, that is, to their left.
 *
 * Poppler reads a line in visual order and reverses its right-to-left parts. Its rule is simpler than Unicode's: characters
 * without a direction (spaces, brackets, combining marks, joiners) are reversed only if right-to-left text is to their left.
 * This gives a wrong order in two cases:
 * - `pdftotext -raw`, which reads word by word, puts combining marks at the left end of a word before the word;
 * - the default mode puts the space to the left of a number, a full stop or a comma before them.
 *
 * An embedding control counts as right-to-left and is never visible. Poppler also writes one before all right-to-left text, so
 * comparisons of its output ignore it. Other readers drop a code with only controls (pdf.js) or return it as an invisible
 * character (PDFium).
 */
export function findDirectionMarks(runs: readonly GlyphRun[]): ReadonlyMap<Cluster, DirectionMarkPosition> {
  const points = new Map<Cluster, DirectionMarkPosition>();
  let wordEnd = true;
  let afterSpace = false;
  let turning = false;
  let waiting: (() => void) | undefined;
  for (const { clusters, rightToLeft: backward } of runs)
    for (const cluster of clusters) {
      const characters = [...cluster.text];
      if (space.test(cluster.text)) {
        wordEnd = true;
        // Spaces inside a left-to-right phrase need no mark.
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
      const point: DirectionMarkPosition = wordEnd ? 'wordEnd' : 'inWord';
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

/** The text and position of one code of a cluster. In thousandths of an em; `offset` is from the cluster's start. */
interface Piece {
  text: string;
  offset: number;
  width: number;
}

/**
 * Distances within which poppler keeps a word together. If two characters start less than a tenth of an em apart, poppler reads
 * them as one character drawn twice, for bold, and ends the word. It also ends the word at a gap wider than a tenth of an em.
 * The parts of a split right-to-left word are then in the wrong order. These values keep a margin around a tenth.
 */
const minDistance = 102;
const maxGap = 98;

/**
 * The position of a direction mark; the cluster's text follows it. At a word's left end it extends into the preceding space.
 */
const markPositions = {
  wordEnd: { offset: -20, width: 120 },
  inWord: { offset: 0, width: 108 },
} as const;

/**
 * Divides a cluster's width among its codes, for text that readers reverse.
 * @param texts from left to right
 * @param mark the position of a direction mark before them. The mark has a separate code, unless the cluster is too narrow
 */
export function reorderedPieces(
  texts: readonly string[],
  width: number,
  mark: DirectionMarkPosition | undefined,
): Piece[] {
  if (mark) {
    const piece = { text: directionMark, ...markPositions[mark] };
    const start = piece.offset + piece.width;
    const pieces = [piece, ...sideBySide(texts, start, width - start)];
    if (pieces.every(fits)) return pieces.map(narrowed);
  }
  const [first, ...rest] = texts;
  return sideBySide(mark ? [directionMark + first!, ...rest] : texts, 0, width).map(narrowed);
}

/**
 * A space's share of the width, which combining marks divide with it. It keeps the 0.15 em that poppler needs to recognize a
 * space.
 */
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
 * Narrows a piece if it has room. Poppler spreads the characters of a code evenly over its width, so the last one could be too
 * close to the next piece.
 */
function narrowed(piece: Piece): Piece {
  return fits(piece) ? { ...piece, width: Math.min(piece.width, maxWidth(piece)) } : piece;
}

function fits(piece: Piece): boolean {
  const widest = maxWidth(piece);
  return piece.width >= minDistance && widest > 0 && piece.width - widest <= maxGap;
}

function maxWidth({ text, width }: Piece): number {
  const count = [...text].length;
  return count === 1 ? width : Math.floor(((width - minDistance) * count) / (count - 1));
}
