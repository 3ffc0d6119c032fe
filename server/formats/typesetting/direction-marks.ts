import type { GlyphRun } from './lines.ts';
import type { Cluster } from './shaping.ts';

/**
 * Characters that mark the start of right-to-left text for poppler: RIGHT-TO-LEFT EMBEDDING and then POP DIRECTIONAL
 * FORMATTING, which ends the embedding immediately. The string is in visual order. After poppler has reversed it, it is
 * an empty embedding, which has no effect in pasted text.
 */
export const directionMark = '\u202c\u202b';

/** Where a direction mark is needed: at the left end of a word, or inside a word. */
export type DirectionMarkPosition = 'wordEnd' | 'inWord';

const space = /^\s/;
/** Characters that are right-to-left in poppler's table of character types, which contains only the older letters. */
const rightToLeft = /^[\u05d0-\u05ea\u0620-\u064a\u066e-\u066f\u0671-\u06d3\u06fa-\u06ff\u0710-\u076d]$/;
/** Characters that are left-to-right or numbers in poppler's table, including signs that occur in numbers. */
const leftToRight = /^[\p{L}\p{N}#-%+-/:\u00a0\u00a2-\u00a5\u00b0\u00b1\u060c\u066a-\u066c\u2030-\u2034]$/u;
/**
 * Characters that poppler would separate from their letter. Brackets are not among them, because poppler leaves them at
 * the preceding text.
 */
const belongsToLetter = /^[\p{M}\p{Cf}]$/u;

/**
 * Finds the clusters that need a direction mark before them, that is, to their left.
 *
 * Poppler reads a line in visual order and reverses its right-to-left parts. Its rule is simpler than the Unicode
 * algorithm: characters without a direction (spaces, brackets, combining marks, joiners) are reversed only if
 * right-to-left text is to their left. The resulting order is wrong in two cases:
 * - `pdftotext -raw`, which reads word by word, puts combining marks at the left end of a word before the word.
 * - The default mode puts the space to the left of a number, a full stop or a comma before these characters.
 *
 * The mark solves this, because poppler treats an embedding control as right-to-left, and the control is never visible.
 * Poppler itself writes such a control before all right-to-left text, so comparisons of its output ignore these
 * controls. pdf.js drops a code that has only controls, and PDFium returns it as an invisible character.
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
        // Only spaces in right-to-left text need a mark after them.
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

/**
 * One code of a cluster, with its text and position in thousandths of an em. `offset` is the distance from the
 * cluster's start.
 */
interface Piece {
  text: string;
  offset: number;
  width: number;
}

/**
 * The minimum distance between the starts of two characters, and the maximum gap between characters, at which poppler
 * does not split a word. In thousandths of an em. If two characters start less than a tenth of an em apart, poppler
 * treats them as one character drawn twice, for bold, and ends the word. It also ends the word at a gap of more than a
 * tenth of an em. The parts of a split right-to-left word are then in the wrong order. The values differ slightly from
 * a tenth, for safety.
 */
const minDistance = 102;
const maxGap = 98;

/**
 * The offset and the width of a direction mark, in thousandths of an em. The text of the cluster follows the mark. At
 * the left end of a word, the mark extends into the space before the word.
 */
const markPositions = {
  wordEnd: { offset: -20, width: 120 },
  inWord: { offset: 0, width: 108 },
} as const;

/**
 * Divides the width of a cluster among its codes. Used for text that readers reverse.
 *
 * @param texts the texts of the codes, from left to right
 * @param mark the position of a direction mark before the texts, if it needs one. The mark gets a separate code, unless
 *   the cluster is too narrow
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
 * How much wider a space is than the combining marks that share its width. With this factor the space keeps the 0.15 em
 * that poppler needs to recognize it.
 */
const spaceShare = 4;

/** Divides a width among codes. All codes get the same width, except spaces, which get more. */
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
 * Makes a code narrower if there is enough space. Poppler spreads the characters of a code evenly over its width, so
 * without this the last character could be too close to the next code.
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
