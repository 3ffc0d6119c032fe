import type { DrawnAreas } from './drawn-areas.ts';
import type { FormFields } from './form-fields.ts';
import { startsWithBox } from './item-signs.ts';
import type { Glyph, Piece } from './pieces.ts';
import type { Row } from './rows.ts';
import { labelStart, lowerStart, sentenceEnd } from './sentences.ts';
import { greatest, least, median } from './statistics.ts';
import { hasSymbolBetween } from './symbols-between.ts';

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
const minColumnGap = 0.8;
const maxWordGap = 2;
const minCommonGap = 0.5;
const sameEdge = 0.15;
const maxDotGap = 0.6;
const minFieldGap = 0.3;
const minSpace = 0.15;
/**
 * The minimum width of a tab, as a factor of the spaces between the words next to it. The second value applies after the
 * end of a sentence. The spaces of a justified line are all equally wide.
 */
const minTab = 3;
const minTabAfterSentence = 4;
const minSpacesOfLine = 3;
/**
 * The minimum ratio of two font sizes from which adjacent texts are separated, even if their gap is only as wide as a
 * space.
 */
const maxSizeRatio = 1.5;
/**
 * The maximum distance of the rows that are used to determine whether a gap separates columns, as a factor of the font
 * size.
 */
const maxRowDistance = 2.6;
const maxRowsCompared = 24;
/** The maximum distance between the lines of a text, as a factor of the font size. */
const maxLineDistance = 1.7;

/** A part of a row that contains no wide gap. */
interface Atom {
  glyphs: Glyph[];
  left: number;
  right: number;
  size: number;
  /**
   * Whether the gap before the atom always separates: it contains a rule or a form field, it is very wide, the font sizes differ, or
   * dot leaders start or end there.
   */
  isApart: boolean;
  /** Whether the atom consists of dots or underscores that only fill the space before the next text. */
  isLeader: boolean;
  /** The widths of the spaces between the words of the atom. */
  spaces: number[];
}

/**
 * Splits rows at the gaps between columns and cells. These are gaps with a vertical rule or a form field, very wide gaps, and narrower
 * gaps at a position where nearby rows also have a gap.
 */
export function splitRows(rows: readonly Row[], areas: DrawnAreas, fields: FormFields): Line[] {
  areas.forgetCrossedRules(rows);
  const split = rows.map((row) => ({ row, atoms: splitAtGaps(row, areas, fields) }));
  const lines: Line[] = [];
  for (const [index, { row, atoms }] of split.entries()) {
    const sides = atoms.length > 1 ? areas.filledSides(row.baseline, row.size) : [];
    let open: Atom[] = [];
    for (const [at, atom] of atoms.entries()) {
      const last = open.at(-1);
      const isBoundary =
        last &&
        (atom.isApart ||
          isColumnGap(index, last, atom, split, sides) ||
          isTab(index, open[0]!.left, last, atom, split) ||
          isLooseNumber(last, atom, atoms[at + 1]) ||
          hasSymbolBetween(index, last.right, atom.left, rows));
      if (isBoundary) {
        lines.push(toLine(open, row, index));
        open = [];
      }
      open.push(atom);
    }
    if (open.length > 0) lines.push(toLine(open, row, index));
  }
  return lines;
}

function splitAtGaps(row: Row, areas: DrawnAreas, fields: FormFields): Atom[] {
  const { baseline, size, glyphs } = row;
  const rules = areas.verticalRules(baseline, size);
  const leaders = findLeaders(glyphs);
  // A single box before a small letter is in a sentence: check the box ☐ if it applies.
  const boxes = glyphs.filter((_, index) => isBoxAt(glyphs, index)).length;
  const atoms: Atom[] = [];
  let atom: Atom | undefined;
  let isLastLeader = false;
  let lastSize = 0;
  let blanks: Glyph[] = [];
  /** The gaps between the glyphs of the atom so far. Their median shows whether the letters have wide spacing. */
  let gaps: number[] = [];
  for (const [index, glyph] of glyphs.entries()) {
    if (glyph.isBlank) {
      blanks.push(glyph);
      continue;
    }
    const isLeader = leaders.has(glyph);
    const gap = atom ? glyph.left - atom.right : 0;
    const em = atom
      ? Math.max(glyph.piece.size, Math.min(atom.size, 1.5 * glyph.piece.size))
      : glyph.piece.size;
    const isRuled =
      atom !== undefined &&
      gap > -0.3 * em &&
      hasBetween(rules, atom.right - 0.1 * em, glyph.left + 0.1 * em);
    const smaller = Math.min(em, glyph.piece.size, atom?.size ?? em);
    const isField = gap > minFieldGap * em && fields.isInGap(atom!.right, glyph.left, row);
    // The letter spacing is only computed for gaps that are wide enough to end an atom, because there are few of them.
    const mayEnd = gap > Math.min(maxWordGap * em, minColumnGap * smaller);
    const spacing = mayEnd && gaps.length >= 3 ? Math.max(0, median(gaps)) : 0;
    const isWide = gap > Math.max(maxWordGap * em, 4 * spacing);
    // Letters of different scripts look equally large at different font sizes. A text that becomes smaller is therefore
    // separated only at a wider gap than a text that becomes larger.
    const isOtherSize =
      (em > maxSizeRatio * smaller && gap > 0.3 * em) ||
      (lastSize > maxSizeRatio * glyph.piece.size && gap > minColumnGap * em);
    const isBox =
      gap > minFieldGap * em &&
      isBoxAt(glyphs, index) &&
      (boxes > 1 || /\p{Lu}/u.test(textFrom(glyphs, index)));
    const isApart = isRuled || isField || isBox || isWide || isOtherSize || isLeader !== isLastLeader;
    if (!atom || isApart || (gap > Math.max(minColumnGap * smaller, 3 * spacing) && !isLeader)) {
      atom = {
        glyphs: [],
        left: glyph.left,
        right: glyph.right,
        size: glyph.piece.size,
        isApart,
        isLeader,
        spaces: [],
      };
      atoms.push(atom);
      gaps = [];
    } else {
      for (const between of blanks) atom.glyphs.push(between);
      gaps.push(gap);
      if (blanks.length > 0 || gap > minSpace * em) atom.spaces.push(gap);
    }
    blanks = [];
    atom.glyphs.push(glyph);
    atom.right = Math.max(atom.right, glyph.right);
    atom.left = Math.min(atom.left, glyph.left);
    atom.size = Math.max(atom.size, glyph.piece.size);
    isLastLeader = isLeader;
    lastSize = glyph.piece.size;
  }
  return atoms;
}

/** Whether a box to check starts at a glyph of a row. */
function isBoxAt(glyphs: readonly Glyph[], index: number): boolean {
  const { text } = glyphs[index]!;
  const mayStart = text > '~' || text === '[' || text === '(';
  return mayStart && startsWithBox(textFrom(glyphs, index));
}

/** Returns the next few characters of a row. */
function textFrom(glyphs: readonly Glyph[], index: number): string {
  return glyphs
    .slice(index, index + 6)
    .map(({ text, isBlank }) => (isBlank ? ' ' : text))
    .join('');
}

/** Returns the dots and underscores that fill space: runs of four or more, and runs of any length with wide spacing. */
function findLeaders(glyphs: readonly Glyph[]): Set<Glyph> {
  const leaders = new Set<Glyph>();
  let last: Glyph | undefined;
  const gapBefore = new Map<Glyph, number>();
  let run: Glyph[] = [];
  const close = () => {
    const isApart = run.every((dot) => gapBefore.get(dot)! >= maxDotGap * dot.piece.size);
    if (run.length >= 4 || (run.length > 0 && isApart)) for (const glyph of run) leaders.add(glyph);
    run = [];
  };
  for (const glyph of glyphs) {
    if (glyph.isBlank) continue;
    if (run.length > 0 && run[0]!.text !== glyph.text) close();
    if (/^[._·․…‥~]+$/u.test(glyph.text)) {
      gapBefore.set(glyph, last ? glyph.left - last.right : 0);
      run.push(glyph);
    }
    last = glyph;
  }
  close();
  return leaders;
}

type SplitRow = { row: Row; atoms: Atom[] };

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
  sides: readonly number[],
): boolean {
  if (hasBetween(sides, before.right, after.left)) return true;
  const above = gapInRows(index, -1, before, after, rows);
  const below = gapInRows(index, 1, before, after, rows);
  const isFreeOnBothSides =
    above.isFree && below.isFree && (above.hasLeft || below.hasLeft) && (above.hasRight || below.hasRight);
  return isFreeOnBothSides || above.isAligned || below.isAligned;
}

/** Describes the rows near a gap at the gap's position, in one direction: upwards (-1) or downwards (1). */
function gapInRows(index: number, direction: number, before: Atom, after: Atom, rows: readonly SplitRow[]) {
  const size = Math.min(before.size, after.size);
  const found = { isFree: true, hasLeft: false, hasRight: false, isAligned: false };
  let [from, to] = [before.right, after.left];
  for (let step = 1; step <= maxRowsCompared; step++) {
    const other = rows[index + direction * step];
    if (!other || Math.abs(other.row.baseline - rows[index]!.row.baseline) > maxRowDistance * size) break;
    const at = firstFrom(other.atoms, (before.right + after.left) / 2);
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
 * Whether the gap between two texts is much wider than the spaces between their words. A gap in running text,
 * such as the one after the number of an example, is not a tab: the row above or below starts at the same position and
 * continues over the gap.
 *
 * @param start the left edge of the text before the gap
 */
function isTab(index: number, start: number, before: Atom, after: Atom, rows: readonly SplitRow[]): boolean {
  const spaces = [...before.spaces, ...after.spaces];
  const glyphs = before.glyphs.length + after.glyphs.length;
  // Letters that are set apart have gaps between all of them.
  if (spaces.length < minSpacesOfLine || spaces.length > glyphs / 3) return false;
  const [first, second] = [textOf(before), textOf(after)];
  if (![first, second].every((text) => /\p{L}.*\p{L}/u.test(text))) return false;
  const least = sentenceEnd.test(first) ? minTabAfterSentence : minTab;
  if (after.left - before.right < least * median(spaces)) return false;
  return ![-3, -2, -1, 1, 2, 3].some((step) =>
    continuesOver(rows[index]!, rows[index + step], start, [before, after]),
  );
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
  const atom = other.atoms[firstFrom(other.atoms, start - size)];
  return (
    atom !== undefined &&
    atom.left < start + size &&
    (atom.right > before.right + size || lowerStart.test(atom.glyphs[0]!.text)) &&
    Math.abs(atom.size - size) < 0.1 * size &&
    (isBold(atom) === isBold(before) || isBold(atom) === isBold(after)) &&
    !labelStart.test(textOf(atom))
  );
}

function textOf({ glyphs }: Atom): string {
  return glyphs.map(({ text }) => text).join('');
}

/**
 * Whether an atom is the number of a field that follows the text of a form. Such a number has another weight than the
 * text, and nothing follows it.
 */
function isLooseNumber(before: Atom, { glyphs }: Atom, after: Atom | undefined): boolean {
  if (after && !after.isApart) return false;
  const isBold = ({ glyphs }: Atom) => glyphs.at(-1)!.piece.style.bold;
  const text = glyphs.map((glyph) => glyph.text).join('');
  return /^\d{1,3}[a-z]?$/u.test(text) && isBold(before) !== glyphs[0]!.piece.style.bold;
}

/** Returns the index of the first atom that starts at or after a position. */
function firstFrom(atoms: readonly Atom[], place: number): number {
  let low = 0;
  let high = atoms.length;
  while (low < high) {
    const at = (low + high) >> 1;
    if (atoms[at]!.left < place) low = at + 1;
    else high = at;
  }
  return low;
}

function toLine(atoms: readonly Atom[], { baseline, rises }: Row, row: number): Line {
  const glyphs = atoms.flatMap((atom) => atom.glyphs);
  const left = least(atoms.map((atom) => atom.left));
  const right = greatest(atoms.map((atom) => atom.right));
  return {
    glyphs,
    left,
    right,
    baseline: baselineOf(glyphs, baseline, rises),
    size: usualSize(glyphs, rises),
    rises,
    row,
  };
}

/**
 * Returns the baseline of a line. It may differ slightly from the row's baseline, which can be that of another column.
 */
function baselineOf(
  glyphs: readonly Glyph[],
  rowBaseline: number,
  rises: ReadonlyMap<Piece, number>,
): number {
  return glyphs.find(({ piece, isBlank }) => !isBlank && !rises.has(piece))?.piece.baseline ?? rowBaseline;
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

function hasBetween(places: readonly number[], from: number, to: number): boolean {
  return places.some((place) => place >= from && place <= to);
}
