import type { Line } from './lines.ts';
import type { Piece } from './pieces.ts';
import { greatest, least } from './statistics.ts';

/** As a multiple of the size of the text beside it. */
const leastSize = 1.7;
/** The lines beside it. */
const fewestLines = 2;
const mostLines = 6;
/** As shares of the text's size: how far the last baseline and the top of the first line may be off. */
const offBaseline = 0.35;
const offTop = 0.6;
const capHeight = 0.7;
/** As a multiple of the text's size, from the letter to the text. */
const furthestText = 1.5;
/** A page with more such letters has a reason of its own for them. */
const mostPerPage = 50;

const initial = /^["'“‘„«¿¡]?\p{Lu}$/u;

/** A large initial with the lines that run beside it. */
interface DropCap {
  left: number;
  right: number;
  top: number;
  bottom: number;
  size: number;
}

/**
 * Finds large initials: letters over the height of two lines or more whose word goes on in the first of these. Each is put on the
 * baseline of that line, in its style, as the paragraph is translated and set at the size of its text.
 *
 * @returns all pieces, and a function that makes the lines beside an initial begin at its left edge, as the paragraph does
 */
export function placeDropCaps(pieces: readonly Piece[]): {
  pieces: readonly Piece[];
  widen: (lines: readonly Line[]) => void;
} {
  const candidates = pieces.filter((piece) => initial.test(textOf(piece)));
  const caps: DropCap[] = [];
  const replaced = new Map<Piece, Piece>();
  const largest = candidates.toSorted((one, other) => other.size - one.size).slice(0, mostPerPage);
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
        const cap = caps.find((one) => isBeside(line, one));
        if (cap) line.left = cap.left;
      }
    },
  };
}

/** The first piece of the first line beside a letter, if the lines there are as high as it. */
function firstBeside(cap: Piece, pieces: readonly Piece[]): Piece | undefined {
  const beside = pieces.filter(
    (piece) =>
      cap.size >= leastSize * piece.size &&
      isBeside(piece, {
        left: cap.left,
        right: cap.right,
        bottom: cap.baseline,
        top: cap.baseline + cap.size,
        size: piece.size,
      }),
  );
  const baselines = new Set(beside.map(({ baseline }) => Math.round(baseline)));
  if (baselines.size < fewestLines || baselines.size > mostLines) return undefined;
  const top = greatest(beside.map(({ baseline }) => baseline));
  const [first] = beside
    .filter(({ baseline, size }) => baseline > top - 0.1 * size)
    .sort((one, other) => one.left - other.left);
  const last = least(beside.map(({ baseline }) => baseline));
  const { size, baseline } = first!;
  const isOnLast = Math.abs(last - cap.baseline) < offBaseline * size;
  const isUpToFirst =
    Math.abs(baseline + capHeight * size - cap.baseline - capHeight * cap.size) < offTop * size;
  const goesOn = /^\p{L}/u.test(textOf(first!).trimStart());
  return isOnLast && isUpToFirst && goesOn ? first : undefined;
}

function isBeside({ left, baseline }: Pick<Line, 'left' | 'baseline'>, cap: DropCap): boolean {
  return (
    left > cap.right - 0.5 * cap.size &&
    left < cap.right + furthestText * cap.size &&
    baseline > cap.bottom - offBaseline * cap.size &&
    baseline < cap.top + offBaseline * cap.size
  );
}

/** A piece that stands on the line of another, right before it. */
function inLineOf(first: Piece, cap: Piece): Piece {
  const { baseline, size, style } = first;
  const placed: Piece = { ...cap, baseline, size, style, right: first.left };
  placed.glyphs = cap.glyphs.map((glyph) => ({ ...glyph, piece: placed, right: first.left }));
  return placed;
}

function textOf({ glyphs }: Piece): string {
  return glyphs.map(({ text }) => text).join('');
}
