import { append, firstFrom, greatest, least, median } from '../../statistics.ts';
import type { DrawnAreas } from '../drawn-areas.ts';
import type { Glyph, Piece } from '../pieces.ts';
import { labelStart, lowerStart, sentenceEnd } from '../sentences.ts';
import {
  type Atom,
  maxLineDistance,
  maxSpaceRatio,
  minColumnGap,
  type RowParts,
  splitAtGaps,
  textOf,
} from './atoms.ts';
import type { Row } from './rows.ts';
import { sameSpace, spreadWords } from './stretched-lines.ts';

/** A connected part of a row: for example a line of a paragraph, a cell or a label. */
export interface Line {
  /** The glyphs from left to right, including blanks within the line; at least one. */
  glyphs: Glyph[];
  left: number;
  right: number;
  baseline: number;
  /** The font size of most letters of the line. */
  size: number;
  rises: Map<Piece, number>;
  /** The index of the row that contains the line. */
  row: number;
}

/** Widths and distances as shares of the font size. */
const minCommonGap = 0.5;
/** The minimum number of rows with the same gap, and of rows that start after it. */
const minRepeated = 3;
/** The minimum width of their labels, as a share of the font size. The numbers of items are narrower, but a year is a label. */
const minRepeatedLabel = 3;
const year = /^\d{4}$/;
const sameEdge = 0.15;
/**
 * The minimum width of a tab, as a factor of the spaces between the words next to it. The second value applies after the
 * end of a sentence. The spaces of a justified line are all equally wide.
 */
const minTab = 3;
const minTabAfterSentence = 4;
const minSpacesOfLine = 3;
/** The usual width of a space in code, as a share of the font size. */
const monoSpace = 0.6;
/** A number, such as those of the axis of a chart, and the minimum number of them in a row without words. */
const minFigures = 3;
const figure = /^[-–−+]?\d[\d.,/]*\s?%?$/u;
const price = /^\p{Sc}?\d[\d.,]*[.,]\d{2}\p{Sc}?$/u;
const bulletStart = /^[•‣◦●■▪◆►➢✓]/u;
/** The minimum width of a tab between short texts, as a share of the font size. */
const minTabOfLabels = 1.2;
/**
 * The maximum distance of the rows that are used to determine whether a gap separates columns, as a factor of the font
 * size.
 */
const maxRowDistance = 2.6;
const maxRowsCompared = 24;

/**
 * Splits rows at the gaps between columns and cells. These are gaps with a vertical rule or a form field, very wide gaps, and narrower
 * gaps at a position where nearby rows also have a gap.
 */
export function splitRows(rows: readonly Row[], parts: RowParts): Line[] {
  const { areas } = parts;
  areas.forgetCrossedRules(rows);
  const split: SplitRow[] = rows.map((row, index) => {
    const atoms = splitAtGaps(row, parts, { above: rows[index - 1], below: rows[index + 1] });
    return { row, atoms, spread: spreadWords(atoms), parts: [] };
  });
  const spaces = split.flatMap(({ atoms }) =>
    atoms.flatMap((atom) => atom.spaces.map((space) => space / atom.size)),
  );
  const repeated = repeatedGaps(split);
  const usualSpace = median(spaces) || Number.POSITIVE_INFINITY;
  for (const [index, own] of split.entries()) {
    const { atoms, spread } = own;
    const columnGaps = findColumnGaps(index, split, areas);
    for (const [at, atom] of atoms.entries()) {
      const last = atoms[at - 1];
      const isBoundary =
        !last ||
        atom.isApart ||
        (!spread.has(atom) &&
          (columnGaps.has(atom) ||
            repeated.has(atom) ||
            isLooseNumber(atoms, at) ||
            isInMargin(index, last, atom, split)));
      if (isBoundary) own.parts.push([]);
      own.parts.at(-1)!.push(atom);
    }
  }
  const lines: Line[] = [];
  for (const [index, { row, parts, spread }] of split.entries())
    for (const part of parts) {
      let open: Atom[] = [];
      for (const [at, atom] of part.entries()) {
        if (
          open.length > 0 &&
          !spread.has(atom) &&
          isTab(index, part, at, open[0]!.left, split, usualSpace)
        ) {
          lines.push(toLine(open, row, index));
          open = [];
        }
        open.push(atom);
      }
      lines.push(toLine(open, row, index));
    }
  return lines;
}

/** A row with its atoms, those after the spaces of a justified line, and all in parts between the gaps that certainly separate. */
type SplitRow = { row: Row; atoms: Atom[]; spread: Set<Atom>; parts: Atom[][] };

/**
 * Returns the atoms of a row that start after a gap between columns. Equally wide gaps in a part of a row are either all
 * between columns, or they are the spaces of a justified line, of which a few are above those of another line by chance.
 */
function findColumnGaps(index: number, rows: readonly SplitRow[], areas: DrawnAreas): Set<Atom> {
  const { atoms } = rows[index]!;
  const found = new Set<Atom>();
  let from = 0;
  for (let to = 1; to <= atoms.length; to++) {
    if (to < atoms.length && !atoms[to]!.isApart) continue;
    const gapBefore = (at: number) => atoms[at]!.left - atoms[at - 1]!.right;
    const starts = Array.from({ length: to - from - 1 }, (_, step) => from + 1 + step);
    const columns = starts.filter((at) => isColumnGap(index, atoms[at - 1]!, atoms[at]!, rows, areas));
    const part = atoms.slice(from, to);
    const spaces = part.flatMap((atom) => atom.spaces);
    const usual = median([...spaces, ...starts.map(gapBefore)]);
    const areEven =
      starts.length > 1 &&
      starts.every((at) => Math.abs(gapBefore(at) - usual) < sameSpace * atoms[at]!.size) &&
      starts.some((at) => isJustified(index, part, at - from, rows));
    const areColumns = columns.length * 2 >= starts.length && !areEven;
    for (const at of columns) {
      const isBetweenWords = [atoms[at - 1]!, atoms[at]!].every((atom) => /\p{L}/u.test(textOf(atom)));
      if (areColumns || !isBetweenWords || gapBefore(at) > maxSpaceRatio * usual) found.add(atoms[at]!);
    }
    from = to;
  }
  return found;
}

/**
 * Returns the atoms after the same gap in several rows, at which other rows start: the texts next to right-aligned labels.
 */
function repeatedGaps(rows: readonly SplitRow[]): Set<Atom> {
  const starts = new Map<number, number>();
  const gaps = new Map<string, Atom[]>();
  for (const { atoms } of rows) {
    const [first, second] = atoms;
    if (!first) continue;
    const start = Math.round(first.left);
    starts.set(start, (starts.get(start) ?? 0) + 1);
    const isLabel = first.right - first.left > minRepeatedLabel * first.size || year.test(textOf(first));
    if (second && isLabel && second.left - first.right > minCommonGap * first.size)
      append(gaps, `${Math.round(first.right)} ${Math.round(second.left)}`, second);
  }
  const isRepeated = (own: Atom[]) =>
    own.length >= minRepeated && (starts.get(Math.round(own[0]!.left)) ?? 0) >= minRepeated;
  return new Set([...gaps.values()].filter(isRepeated).flat());
}

/**
 * Whether a gap separates columns. It does if a side of a filled box is in the gap, or if nearby rows have a gap at the
 * same position. These must be rows both above and below, with text on both sides of the gap; or rows in one direction,
 * with texts that start, end or are centered at the same positions as the texts next to the gap.
 */
function isColumnGap(
  index: number,
  before: Atom,
  after: Atom,
  rows: readonly SplitRow[],
  areas: DrawnAreas,
): boolean {
  if (areas.hasSideIn(before.right, after.left, rows[index]!.row)) return true;
  const above = gapInRows(index, -1, before, after, rows);
  const below = gapInRows(index, 1, before, after, rows);
  const isFreeOnBothSides =
    above.isFree && below.isFree && (above.hasLeft || below.hasLeft) && (above.hasRight || below.hasRight);
  // The wide spaces after two sentences may be above each other by chance.
  const isSpace =
    before.spaces.length >= minSpacesOfLine &&
    sentenceEnd.test(textOf(before)) &&
    after.left - before.right < before.size;
  return isFreeOnBothSides || (!isSpace && (above.isAligned || below.isAligned));
}

/** Describes the rows near a gap at the gap's position, in one direction: upwards (-1) or downwards (1). */
function gapInRows(index: number, direction: number, before: Atom, after: Atom, rows: readonly SplitRow[]) {
  const size = Math.min(before.size, after.size);
  const reach = maxRowDistance * Math.max(before.size, after.size);
  const found = { isFree: true, hasLeft: false, hasRight: false, isAligned: false };
  let [from, to] = [before.right, after.left];
  for (let step = 1; step <= maxRowsCompared; step++) {
    const other = rows[index + direction * step];
    if (!other || Math.abs(other.row.baseline - rows[index]!.row.baseline) > reach) break;
    const at = firstFrom(other.atoms, ({ left }) => left < (before.right + after.left) / 2);
    const [one, two] = [other.atoms[at - 1], other.atoms[at]];
    [from, to] = [Math.max(from, one?.right ?? from), Math.min(to, two?.left ?? to)];
    if (to - from < minCommonGap * size) {
      found.isFree = false;
      break;
    }
    found.hasLeft ||= one !== undefined && before.left < one.right + size;
    found.hasRight ||= two !== undefined && after.right > two.left - size;
    found.isAligned ||=
      one !== undefined && two !== undefined && isAligned(before, one) && isAligned(after, two);
  }
  return found;
}

function isAligned(one: Atom, other: Atom): boolean {
  const near = sameEdge * Math.min(one.size, other.size);
  return [
    one.left - other.left,
    one.right - other.right,
    (one.left + one.right - other.left - other.right) / 2,
  ].some((distance) => Math.abs(distance) < near);
}

/**
 * Whether a gap is much wider than the spaces between the words of its part of the row; or than those of the page if the
 * part has few words. A gap in running text, such as the one after the number of an example, is not a tab: the row above
 * or below starts at the same position and continues over the gap.
 *
 * @param start the left edge of the text before the gap
 * @param usualSpace the usual space of the page, as a share of the font size
 */
function isTab(
  index: number,
  part: readonly Atom[],
  at: number,
  start: number,
  rows: readonly SplitRow[],
  usualSpace: number,
): boolean {
  const [before, after] = [part[at - 1]!, part[at]!];
  const [first, second] = [textOf(before), textOf(after)];
  const areFigures = part.length >= minFigures && part.every((atom) => figure.test(textOf(atom)));
  if (bulletStart.test(second) || areFigures)
    return after.left - before.right >= minTabOfLabels * before.size;
  // The sign of a currency is a part of a label: A. $
  const areWords = [first, second].every((text) => /\p{L}.*[\p{L}\p{Sc}]/u.test(text));
  if (!areWords) return false;
  const spaces = part.flatMap((atom) => atom.spaces);
  const isShort = spaces.length < minSpacesOfLine;
  const gap = after.left - before.right;
  const least = sentenceEnd.test(first) ? minTabAfterSentence : minTab;
  const { size } = before;
  const areLabels = isShort && gap >= minTabOfLabels * size && areInTableRow(rows[index]!.atoms, after);
  const isUnsure = isShort && !areLabels;
  // The space of a font for code is as wide as its letters.
  const isCode = [before.glyphs.at(-1)!, after.glyphs[0]!].every(
    ({ piece }) => piece.style.family === 'mono',
  );
  const space = isUnsure ? greatest([usualSpace * size, ...spaces]) : median(spaces);
  const usual = isCode ? Math.max(space, monoSpace * size) : space;
  if (gap < least * usual) return false;
  if (isUnsure && (gap < minColumnGap * size || isJustified(index, part, at, rows))) return false;
  return ![-3, -2, -1, 1, 2, 3].some((step) =>
    continuesOver(rows[index]!, rows[index + step], start, [before, after]),
  );
}

/** Whether a part of a row ends where another one ends that continues over a gap of it: it is a justified line. */
function isJustified(index: number, part: readonly Atom[], at: number, rows: readonly SplitRow[]): boolean {
  const { left, size } = part[0]!;
  const { right } = part.at(-1)!;
  const [from, to] = [part[at - 1]!.right, part[at]!.left];
  return rows
    .slice(Math.max(0, index - maxRowsCompared), index + maxRowsCompared)
    .some(({ parts }) =>
      parts.some(
        (other) =>
          other[0]!.left < left + size &&
          Math.abs(other.at(-1)!.right - right) < sameEdge * size &&
          other.some((atom) => atom.left < from && atom.right > to),
      ),
    );
}

/**
 * Whether the atoms before and after a gap are two cells of a row with more cells. Many words with wide gaps are a
 * justified line.
 */
function areInTableRow(atoms: readonly Atom[], after: Atom): boolean {
  const at = atoms.indexOf(after);
  const isEnd = (index: number) => index <= 0 || (atoms[index]?.isApart ?? true);
  return atoms.length > 2 && (isEnd(at - 1) || isEnd(at - 2)) && isEnd(at + 1);
}

/** Whether another row starts at the same position as the text before a gap, and continues over the gap in a similar style. */
function continuesOver(
  own: SplitRow,
  other: SplitRow | undefined,
  start: number,
  [before, after]: [Atom, Atom],
): boolean {
  const { size } = before;
  const isBold = ({ glyphs }: Atom) => glyphs[0]!.piece.style.bold;
  if (!other || Math.abs(other.row.baseline - own.row.baseline) > maxLineDistance * size) return false;
  const atom = other.atoms[firstFrom(other.atoms, ({ left }) => left < start - size)];
  return (
    atom !== undefined &&
    atom.left < start + size &&
    (atom.right > before.right + size || lowerStart.test(atom.glyphs[0]!.text)) &&
    Math.abs(atom.size - size) < 0.1 * size &&
    (isBold(atom) === isBold(before) || isBold(atom) === isBold(after)) &&
    !labelStart.test(textOf(atom))
  );
}

/**
 * Whether an atom is the first of the figures in a row of a table, or at the end of a row the number of a field that
 * follows the text of a form, or a price. Such a number has another weight than the text, and a price has a wider gap
 * before it than the words.
 */
function isLooseNumber(atoms: readonly Atom[], at: number): boolean {
  const [before, { glyphs, left }] = [atoms[at - 1]!, atoms[at]!];
  if (atoms[at + 1]?.isApart === false) return false;
  const text = textOf({ glyphs });
  const row = atoms.slice(at, at + minFigures);
  const isInRow = row.length === minFigures && row.every((atom) => figure.test(textOf(atom)));
  if (isInRow || price.test(text)) return left - before.right > 2 * greatest([0, ...before.spaces]);
  const isBold = ({ glyphs }: Atom) => glyphs.at(-1)!.piece.style.bold;
  return /^\d{1,3}[a-z]?$/u.test(text) && isBold(before) !== glyphs[0]!.piece.style.bold;
}

/** Whether an atom is a number in the margin: at the end of a row, behind the edge at which the rows next to it end. */
function isInMargin(index: number, before: Atom, atom: Atom, rows: readonly SplitRow[]): boolean {
  if (atom !== rows[index]!.atoms.at(-1) || !/^\d{1,4}$/u.test(textOf(atom))) return false;
  const near = sameEdge * before.size;
  const even = [-2, -1, 1, 2].filter((step) => {
    const other = rows[index + step];
    const distance = other
      ? Math.abs(other.row.baseline - rows[index]!.row.baseline)
      : Number.POSITIVE_INFINITY;
    const last = other?.atoms.at(-1);
    return distance < 2 * maxRowDistance * before.size && last && Math.abs(last.right - before.right) < near;
  });
  return even.length > 1;
}

function toLine(atoms: readonly Atom[], { baseline, rises }: Row, row: number): Line {
  const glyphs = atoms.flatMap((atom) => atom.glyphs);
  const left = least(atoms.map((atom) => atom.left));
  const right = greatest(atoms.map((atom) => atom.right));
  return {
    glyphs,
    left,
    right,
    // The row's baseline can be that of another column.
    baseline: glyphs.find(({ piece, isBlank }) => !isBlank && !rises.has(piece))?.piece.baseline ?? baseline,
    size: usualSize(glyphs, rises),
    rises,
    row,
  };
}

function usualSize(glyphs: readonly Glyph[], rises: ReadonlyMap<Piece, number>): number {
  const counts = new Map<number, number>();
  let best = 0;
  let most = 0;
  for (const { piece, isBlank } of glyphs) {
    if (isBlank) continue;
    const size = Math.round(piece.size * 20) / 20;
    const count = (counts.get(size) ?? 0) + (rises.has(piece) ? 0.1 : 1);
    counts.set(size, count);
    if (count > most || (count === most && size > best)) [best, most] = [size, count];
  }
  return best;
}
