import { greatest, least } from '../../statistics.ts';
import type { Piece } from '../pieces.ts';
import { textOf } from './atoms.ts';
import type { Line } from './lines.ts';

/** The minimum size of a large initial, as a factor of the size of the adjacent text. */
const minSize = 1.7;
/** The minimum and maximum number of lines next to an initial. */
const minLines = 2;
const maxLines = 6;
/**
 * The maximum difference between the baselines of the initial and of the last adjacent line, and the maximum difference
 * between their tops, as shares of the text's size.
 */
const offBaseline = 0.35;
const offTop = 0.6;
const capHeight = 0.7;
/** The maximum distance from the initial to the text, as a factor of the text's size. */
const maxTextDistance = 1.5;
/** The maximum number of initials on a page. Only the largest candidates are examined. */
const maxPerPage = 50;

const initial = /^["'“‘„«¿¡]?\p{Lu}$/u;

/** The area of a large initial and of the lines next to it. */
interface DropCap {
  left: number;
  right: number;
  top: number;
  bottom: number;
  size: number;
}

/**
 * Finds large initials. Such a letter is at least two lines high, and its word continues in the first of these lines.
 * The initial gets the baseline and the style of that line, because the translation does not have a large initial.
 *
 * @returns all pieces, and the function `widen`, which extends the lines next to an initial to the initial's left edge,
 *   where the paragraph starts
 */
export function placeDropCaps(pieces: readonly Piece[]): {
  pieces: readonly Piece[];
  widen: (lines: readonly Line[]) => void;
} {
  const candidates = pieces.filter((piece) => initial.test(textOf(piece)));
  const caps: DropCap[] = [];
  const replaced = new Map<Piece, Piece>();
  const largest = candidates.toSorted((one, other) => other.size - one.size).slice(0, maxPerPage);
  for (const piece of largest) {
    const first = firstBeside(piece, pieces);
    if (!first) continue;
    replaced.set(piece, inLineOf(first, piece));
    caps.push({
      left: piece.left,
      right: piece.right,
      top: first.baseline,
      bottom: piece.baseline,
      size: first.size,
    });
  }
  return {
    pieces: pieces.map((piece) => replaced.get(piece) ?? piece),
    widen: (lines) => {
      for (const line of caps.length > 0 ? lines : []) {
        const cap = caps.find((one) => isBilingual(line, one));
        if (cap) line.left = cap.left;
      }
    },
  };
}

/**
 * Returns the first piece of the first line next to a letter. Returns undefined if the adjacent lines together are not
 * as high as the letter.
 */
function firstBeside(cap: Piece, pieces: readonly Piece[]): Piece | undefined {
  const adjacent = pieces.filter(
    (piece) =>
      cap.size >= minSize * piece.size &&
      isBilingual(piece, {
        left: cap.left,
        right: cap.right,
        bottom: cap.baseline,
        top: cap.baseline + capHeight * cap.size,
        size: piece.size,
      }),
  );
  const baselines = new Set(adjacent.map(({ baseline }) => Math.round(baseline)));
  if (baselines.size < minLines || baselines.size > maxLines) return undefined;
  const top = greatest(adjacent.map(({ baseline }) => baseline));
  const [first] = adjacent
    .filter(({ baseline, size }) => baseline > top - 0.1 * size)
    .sort((one, other) => one.left - other.left);
  const last = least(adjacent.map(({ baseline }) => baseline));
  const { size, baseline } = first!;
  const isOnLast = Math.abs(last - cap.baseline) < offBaseline * size;
  const isUpToFirst =
    Math.abs(baseline + capHeight * size - cap.baseline - capHeight * cap.size) < offTop * size;
  const goesOn = /^\p{L}/u.test(textOf(first!).trimStart());
  return isOnLast && isUpToFirst && goesOn ? first : undefined;
}

function isBilingual({ left, baseline }: Pick<Line, 'left' | 'baseline'>, cap: DropCap): boolean {
  return (
    left > cap.right - 0.5 * cap.size &&
    left < cap.right + maxTextDistance * cap.size &&
    baseline > cap.bottom - offBaseline * cap.size &&
    baseline < cap.top + offBaseline * cap.size
  );
}

/** Returns a copy of an initial that is on the line of another piece, directly before this piece. */
function inLineOf(first: Piece, cap: Piece): Piece {
  const { baseline, size, style } = first;
  const placed: Piece = { ...cap, baseline, size, style, right: first.left };
  placed.glyphs = cap.glyphs.map((glyph) => ({ ...glyph, piece: placed, right: first.left }));
  return placed;
}
