import { firstFrom, greatest } from '../../statistics.ts';
import { isSign } from '../item-signs.ts';
import { type Glyph, type Piece, plainTextOf } from '../pieces.ts';

/** The pieces with one baseline over the whole width of the page, including their superscripts and subscripts. */
export interface Row {
  baseline: number;
  /** The largest font size in the row, without superscripts and subscripts. */
  size: number;
  /** The glyphs from left to right, including blanks. */
  glyphs: Glyph[];
  /** The rises in points of the pieces that are not on the baseline. */
  rises: Map<Piece, number>;
}

/** The maximum difference between baselines that count as equal, as a share of the font size. */
const sameBaseline = 0.12;
/** The maximum and minimum size of a superscript or subscript, as shares of the adjacent text's size. */
const maxScript = 0.86;
const minScriptSize = 0.42;
/** The maximum and minimum rise of a superscript or subscript, as shares of the adjacent text's size. */
const maxScriptRise = 0.75;
const minScriptRise = -0.5;
/**
 * The maximum rise, and the maximum distance from the adjacent text, of shifted letters of full size, such as the E of
 * TeX, which is lowest in IEEE's BibTeX: by 0.7 of the height of an x. As shares of the adjacent text's size.
 */
const maxShift = 0.34;
const maxShiftDistance = 0.4;
/**
 * The maximum distance of a superscript or subscript from the adjacent text, as a share of the script's own size. Small
 * text at a greater distance from large text is something else, for example a title next to a number.
 */
const maxDistanceOfOwnSize = 0.55;
const minDistanceOfOwnSize = -0.45;
/** The maximum gap between the pieces of a superscript or subscript, as a share of their size. Words have wider gaps. */
const maxGapInScript = 0.3;
/**
 * The maximum number of rows that are compared with a piece. It limits the time for a page whose texts all have
 * different baselines.
 */
const maxRowsCompared = 60;

const accent = /^[\p{M}\p{Sk}]$/u;
const arabic = /\p{Script=Arabic}/u;
/** The lowest position of the dots of an Arabic letter, as a share of its size. */
const minMarkRise = -0.4;

interface OpenRow {
  baseline: number;
  size: number;
  pieces: Piece[];
  isSorted: boolean;
}

/** Groups the pieces of a page into rows, from the top of the page. */
export function groupRows(pieces: readonly Piece[]): Row[] {
  const rows: OpenRow[] = [];
  for (const piece of [...pieces].sort((one, other) => other.baseline - one.baseline)) {
    const row = rows.at(-1);
    if (row && row.baseline - piece.baseline <= sameBaseline * Math.min(row.size, piece.size)) {
      row.pieces.push(piece);
      row.size = Math.max(row.size, piece.size);
    } else rows.push({ baseline: piece.baseline, size: piece.size, pieces: [piece], isSorted: false });
  }
  for (const row of rows) row.pieces.sort((one, other) => one.left - other.left);
  const hosts = findHosts(rows);
  const placed = rows.map((row) => ({ ...row, pieces: [] as Piece[], rises: new Map<Piece, number>() }));
  for (const [index, row] of rows.entries())
    for (const piece of row.pieces) {
      // A mark on the baseline of its letter has no host.
      const isLoose = !hosts.has(piece) && /^\s+$/.test(plainTextOf(piece.shown));
      if (isLoose && !around(piece, row).some((other) => isMarkOf(piece, other, 0))) continue;
      const own = placed[rootOf(piece, index, hosts)]!;
      own.pieces.push(piece);
      if (own !== placed[index]) own.rises.set(piece, piece.baseline - own.baseline);
    }
  return placed
    .filter((row) => row.pieces.length > 0)
    .map(({ baseline, pieces: own, rises }) => ({
      baseline,
      size:
        Math.max(0, greatest(own.filter((piece) => !rises.has(piece)).map((piece) => piece.size))) ||
        own[0]!.size,
      glyphs: own.flatMap((piece) => piece.glyphs).sort(byPlace),
      rises,
    }));
}

/**
 * Compares the positions of two glyphs by their middles, because an accent is within the width of its letter. Glyphs at
 * the same position keep their painting order.
 */
export function byPlace(one: Glyph, other: Glyph): number {
  return one.left + one.right - other.left - other.right;
}

interface Host {
  row: number;
  piece: Piece;
}

/** Finds the superscripts and subscripts, each with the text that it belongs to. */
function findHosts(rows: readonly OpenRow[]): Map<Piece, Host> {
  const hosts = new Map<Piece, Host>();
  for (const [index, row] of rows.entries())
    for (const piece of row.pieces) {
      let best: { host: Host; gap: number } | undefined;
      for (const direction of [1, -1]) {
        for (let step = 1; step <= maxRowsCompared; step++) {
          const at = index + direction * step;
          const other = rows[at];
          if (!other) break;
          const rise = piece.baseline - other.baseline;
          if (Math.abs(rise) > 2.5 * piece.size) break;
          const neighbors = neighborsOf(piece, other).map((neighbor) => ({
            neighbor,
            gap: Math.max(neighbor.left - piece.right, piece.left - neighbor.right),
          }));
          const over = neighbors.find(
            ({ neighbor }) => isStacked(piece, neighbor, rise) || isMarkOf(piece, neighbor, rise),
          );
          if (over) best = { host: { row: at, piece: over.neighbor }, gap: 0 };
          if (neighbors.some(({ neighbor, gap }) => gap < minDistanceOfOwnSize * neighbor.size)) continue;
          for (const { neighbor, gap } of neighbors) {
            if (!isScriptOf(piece, neighbor, rise, gap)) continue;
            if (!best || gap < best.gap - 0.05 * piece.size)
              best = { host: { row: at, piece: neighbor }, gap };
          }
        }
      }
      if (best) hosts.set(piece, best.host);
    }
  for (const { pieces } of rows) {
    extendScripts(pieces, hosts);
    extendScripts(pieces.toReversed(), hosts);
  }
  return hosts;
}

/** Adds the pieces that continue a superscript or subscript on its baseline, such as the second sign of an exponent. */
function extendScripts(pieces: readonly Piece[], hosts: Map<Piece, Host>): void {
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1];
    const host = before && hosts.get(before);
    if (
      !host ||
      hosts.has(piece) ||
      piece.size > 1.05 * before.size ||
      piece.size > maxScript * host.piece.size
    )
      continue;
    const gap = Math.max(piece.left - before.right, before.left - piece.right);
    if (gap < maxGapInScript * piece.size) hosts.set(piece, host);
  }
}

/** Whether a sign is drawn exactly above another one, with which it is one sign, such as a tilde above an equals sign. */
function isStacked({ glyphs, left, right, size }: Piece, host: Piece, rise: number): boolean {
  const near = sameBaseline * size;
  const isEven = (glyph: Glyph) => Math.abs(glyph.left - left) < near && Math.abs(glyph.right - right) < near;
  const [only] = glyphs.filter(({ isBlank }) => !isBlank);
  if (!only || glyphs.length > 1 || !/^\p{S}$/u.test(only.text)) return false;
  return (
    rise > 0 &&
    rise < maxScriptRise * host.size &&
    host.glyphs.some((glyph) => /^\p{S}$/u.test(glyph.text) && isEven(glyph))
  );
}

/** Whether a glyph without width, such as the dots of an Arabic letter, is over or below a letter of a text. */
function isMarkOf({ left, right }: Piece, { glyphs, size }: Piece, rise: number): boolean {
  const isNear = left === right && rise <= maxScriptRise * size && rise >= minMarkRise * size;
  return isNear && glyphs.some((glyph) => glyph.left < left && glyph.right > left && arabic.test(glyph.text));
}

function isScriptOf(piece: Piece, host: Piece, rise: number, gap: number): boolean {
  const { size } = host;
  // A check mark, a bullet or an accent has no superscripts.
  const [only] = host.glyphs;
  if (host.left === host.right) return false;
  if (host.glyphs.length === 1 && (isSign(only!.text) || accent.test(only!.text))) return false;
  if (gap > Math.min(maxShiftDistance * size, maxDistanceOfOwnSize * piece.size)) return false;
  if (piece.size <= maxScript * size)
    return rise <= maxScriptRise * size && rise >= minScriptRise * size && piece.size >= minScriptSize * size;
  // The piece may also be a shifted letter within a word.
  const isShort = piece.glyphs.filter(({ isBlank }) => !isBlank).length <= 2;
  return (
    isShort &&
    piece.size < 1.05 * size &&
    Math.abs(rise) <= maxShift * size &&
    gap <= 0.12 * size &&
    host.glyphs.length > 0 &&
    piece.glyphs.length < host.glyphs.length + (piece.baseline < host.baseline ? 1 : 0)
  );
}

/** Returns the pieces of a row that are directly to the left and to the right of a piece. */
function neighborsOf({ left, right }: Pick<Piece, 'left' | 'right'>, { pieces }: OpenRow): Piece[] {
  const low = firstFrom(pieces, (piece) => piece.left + piece.right <= left + right);
  return pieces.slice(Math.max(0, low - 1), low + 1);
}

/** Returns the pieces of a row on both sides of a piece in it. */
function around({ left, right }: Piece, row: OpenRow): Piece[] {
  return [-0.01, 0.01].flatMap((step) => neighborsOf({ left: left + step, right: right + step }, row));
}

function rootOf(piece: Piece, index: number, hosts: ReadonlyMap<Piece, Host>): number {
  let row = index;
  const seen = new Set<Piece>();
  for (let host = hosts.get(piece); host && !seen.has(host.piece); host = hosts.get(host.piece)) {
    seen.add(host.piece);
    row = host.row;
  }
  return row;
}
