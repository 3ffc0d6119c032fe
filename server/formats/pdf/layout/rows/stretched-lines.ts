import type { StructureElement } from '../../page-content.ts';
import { append, firstFrom, greatest, least, median, runsOf } from '../../statistics.ts';
import { type Elements, isOneText } from '../elements.ts';
import { continues, lowerStart } from '../sentences.ts';
import { type Atom, maxLineDistance, minSpace, textOf } from './atoms.ts';

/** The maximum difference between the spaces of a justified line, as a share of the font size. */
export const sameSpace = 0.05;
/** The minimum number of equal gaps in a row that are its spaces, whatever the other rows show. */
const minSpread = 4;
/** The same if less than half of the words after them start with small letters. */
const manySpread = 8;
/** The maximum difference between the ends of the lines of a column, in points. */
const sameEdge = 2;
/** A bullet or a number before a line. */
const itemLabel = /^(?:[^\p{L}\p{N}]|[([]?(?:\d{1,3}|\p{L}|[ivx]{1,4})[.)\]])$/u;
/** The width of a space that is not stretched, in em. */
const space = 0.33;
/** The width of a column whose justified lines may have very wide spaces, in em. */
const stretched = { least: 5, most: 24 };

/**
 * Returns the atoms of a row that start after the spaces of a justified line: these are all equally wide, and most words
 * after them start with small letters, or there are many. Labels in one row may have equal gaps, too.
 */
export function spreadWords(atoms: readonly Atom[]): Set<Atom> {
  const found = new Set<Atom>();
  for (const part of runsOf(atoms, (_, atom) => !atom.isApart)) {
    const gaps = part.slice(1).map((atom, at) => atom.left - part[at]!.right);
    const areEqual = greatest(gaps) - least(gaps) < sameSpace * part[0]!.size;
    const small = part.slice(1).filter((atom) => lowerStart.test(textOf(atom))).length;
    const areWords = small * 2 > gaps.length || (small > 0 && gaps.length >= manySpread);
    if (gaps.length >= minSpread && areEqual && areWords) for (const atom of part.slice(1)) found.add(atom);
  }
  return found;
}

/** The maximum gap in a sentence that is declared as one text, in em, and the minimum number of words before the gap. */
const [maxDeclaredGap, minDeclaredWords] = [3, 3];

/**
 * Returns the atoms that continue the sentence of their row after a wide gap, by the elements that the file declares: an
 * element of one text that has no other row, or that the row above or below continues over the gap. A paragraph may be in
 * two columns.
 */
export function declaredWords(rows: readonly { atoms: Atom[] }[], elements: Elements): Set<Atom> {
  const found = new Set<Atom>();
  const last = new Map<StructureElement | undefined, number>();
  const severalRows = new Set<StructureElement | undefined>();
  for (const [index, { atoms }] of rows.entries())
    for (const atom of atoms) {
      const element = elements.ofLine(atom);
      if ((last.get(element) ?? index) !== index) severalRows.add(element);
      last.set(element, index);
    }
  for (const [index, { atoms }] of rows.entries()) {
    let [text, words] = ['', 0];
    for (const [at, atom] of atoms.entries()) {
      const before = atoms[at - 1];
      const element = elements.ofLine(atom);
      const middle = before ? (before.right + atom.left) / 2 : 0;
      const isOver = (other: Atom) =>
        other.left < middle && other.right > middle && elements.ofLine(other) === element;
      const isWord =
        before !== undefined &&
        element !== undefined &&
        isOneText.test(element.type) &&
        elements.ofLine(before) === element &&
        (!atom.isApart || atom.isOnlyWide) &&
        atom.left - before.right < maxDeclaredGap * atom.size &&
        words >= minDeclaredWords &&
        continues(text, textOf(atom)) &&
        (!severalRows.has(element) || [index - 1, index + 1].some((near) => rows[near]?.atoms.some(isOver)));
      if (isWord) found.add(atom);
      [text, words] = [textOf(atom), (isWord ? words : 0) + atom.spaces.length + 1];
    }
  }
  return found;
}

/** The maximum distance of texts that start at one tab, in points. */
const sameTab = 0.5;
/** The maximum number of lines that are compared in each direction, and the maximum number of parts of such a line. */
const [maxCompared, maxParts] = [24, 40];
/** The maximum width of a space of a line, as a factor of their median. A wider one is a place to write. */
const maxOfSpaces = 3;

/**
 * Returns the parts of full lines that start after very wide spaces, by the elements that the file declares: of an element
 * of one text, the line is not the last one, it reaches the end of another line, and other lines continue over its spaces
 * and have no text at the same tab. A place to write is not such a space.
 */
export function declaredLines(rows: readonly AtomRow[], elements: Elements): Set<Atom> {
  const lines = new Map<StructureElement, Atom[][]>();
  for (const { atoms } of rows)
    for (const part of runsOf(atoms, (run, atom) => elements.ofLine(run[0]!) === elements.ofLine(atom))) {
      const element = elements.ofLine(part[0]!);
      if (element && isOneText.test(element.type)) append(lines, element, part);
    }
  const found = new Set<Atom>();
  for (const own of lines.values())
    for (const [index, line] of own.entries()) {
      const next = own[index + 1];
      if (line.length < 2 || line.length > maxParts || !next || !line.slice(1).every(isGap)) continue;
      const { right } = line.at(-1)!;
      const near = own.slice(Math.max(0, index - maxCompared), index + maxCompared);
      const others = near.filter((other) => other !== line && other.length <= maxParts);
      const isFull = others.some((other) => Math.abs(other.at(-1)!.right - right) < sameEdge);
      const isCovered = gapsOf(line).every((gap) =>
        others.some((other) =>
          other.some((atom) => 2 * atom.left < gap.left + gap.right && 2 * atom.right > gap.left + gap.right),
        ),
      );
      const starts = others.flatMap((other) => other.slice(1).map(({ left }) => left));
      const isTab = line
        .slice(1)
        .some(({ left }) => starts.some((start) => Math.abs(start - left) < sameTab));
      const spaces = [
        ...line.flatMap((atom) => atom.spaces),
        ...gapsOf(line).map((gap) => gap.right - gap.left),
      ];
      const isBlank = greatest(spaces) > maxOfSpaces * median(spaces);
      if (isFull && isCovered && !isTab && !isBlank) for (const atom of line.slice(1)) found.add(atom);
    }
  return found;
}

/**
 * The minimum number of equal spaces of a line, the number from which the line needs not be full, because a break may end
 * it, and the number from which no other line needs to continue over the spaces.
 */
const [minEven, manyEven, certain] = [2, 3, 4];
/** The minimum number of spaces of an unstretched line, which shows the edges of a column. */
const minSpacesOfLine = 2;
/** The maximum indent of the first line of a paragraph, in em. */
const maxIndent = 4;

interface Line {
  parts: Atom[];
  baseline: number;
  left: number;
  right: number;
  size: number;
}

type AtomRow = { row: { baseline: number }; atoms: Atom[] };

/**
 * Returns the parts of rows that start after the very wide spaces of a justified line. The line has the start and the end
 * of other lines, it had no room for the next word, and the line above or below it continues over these spaces, or is such
 * a line. The spaces are equal, or most of them, in a narrow column, are before small letters.
 */
export function stretchedWords(rows: readonly AtomRow[]): Set<Atom> {
  const columns = new ColumnEdges(rows.flatMap(({ atoms }) => atoms));
  /** Whether the first word of the next line had no room. */
  const isFull = ({ baseline, left, parts, right, size }: Line, index: number): boolean => {
    const next = rows
      .slice(index + 1, index + 3)
      .flatMap(({ atoms, row }) => (row.baseline < baseline - 0.5 * size ? atoms : []))
      .find((other) => other.left < right && other.right > left);
    const widths = parts.map((atom) => atom.right - atom.left + space * size);
    return next !== undefined && sum(widths) + firstWordWidth(next) > right - left;
  };
  const wide = rows.map((row, index) =>
    columns
      .linesOf(row)
      .filter((line) => (hasSmall(line) && evenSpaces(line) >= manyEven) || isFull(line, index)),
  );
  const isNear = (line: Line, { baseline }: { baseline: number }) =>
    Math.abs(baseline - line.baseline) < maxLineDistance * line.size;
  const nearTo = (index: number) => [index - 2, index - 1, index + 1, index + 2];
  const found = wide.map((lines, index) =>
    lines.filter(
      (line) =>
        (hasSmall(line) && evenSpaces(line) >= certain) ||
        nearTo(index).some((at) => rows[at] && isNear(line, rows[at].row) && isOver(line, rows[at].atoms)),
    ),
  );
  const next = wide.map((lines, index) =>
    lines.filter(
      (line) =>
        hasSmall(line) &&
        nearTo(index).some((at) =>
          found[at]?.some((other) => isNear(line, other) && haveSameEnds(line, other)),
        ),
    ),
  );
  return new Set([...found, ...next].flat().flatMap(({ parts }) => parts.slice(1)));
}

/** The maximum number of starts, and of ends of a start, that are compared with a row. Real pages have few columns. */
const maxEdges = 20;

/** The starts and the ends of the lines with usual spaces on a page, in whole points. */
class ColumnEdges {
  /** The starts in ascending order, each with the places near which most of its lines end. */
  readonly #starts: [start: number, ends: number[]][];

  constructor(atoms: readonly Atom[]) {
    const starts = new Map<number, Map<number, number>>();
    for (const { left, right, size, spaces } of atoms) {
      if (spaces.length < minSpacesOfLine || right - left < stretched.least * size) continue;
      const [start, end] = [Math.round(left), Math.round(right)];
      const ends = starts.get(start) ?? new Map<number, number>();
      starts.set(start, ends.set(end, (ends.get(end) ?? 0) + 1));
    }
    this.#starts = [...starts]
      .map(([start, ends]): [number, number[]] => [start, commonEnds(ends)])
      .sort(([one], [other]) => one - other);
  }

  /** Returns the parts of a row that reach from the start to the end of two or more lines, and have wide spaces. */
  linesOf({ atoms, row: { baseline } }: AtomRow): Line[] {
    const lines: Line[] = [];
    if (atoms.length < 2) return lines;
    const at = new Map(atoms.map(({ right }, index) => [Math.round(right), index]));
    for (let from = 0; from < atoms.length - 1; from++) {
      const { left, size } = atoms[from]!;
      if (itemLabel.test(textOf(atoms[from]!))) continue;
      const before = atoms[from - 1];
      const indent = !before || left - before.right > size ? maxIndent * size : 0;
      const ends = this.#endsFrom(left - indent, left).flatMap((end) => at.get(end) ?? []);
      const line = ends
        .filter((to) => to > from)
        .sort((one, other) => one - other)
        .map(
          (to): Line => ({ parts: atoms.slice(from, to + 1), baseline, left, right: atoms[to]!.right, size }),
        )
        .find((found) => found.parts.slice(1).every(isGap) && areSpaces(found));
      if (!line) continue;
      lines.push(line);
      from += line.parts.length - 1;
    }
    return lines;
  }

  /** Returns the places, in whole points, at which two or more lines end that start in a range. */
  #endsFrom(least: number, greatest: number): number[] {
    const first = firstFrom(this.#starts, ([start]) => start < Math.round(least) - sameEdge);
    const places = new Set<number>();
    const end = firstFrom(this.#starts, ([start]) => start <= Math.round(greatest) + sameEdge);
    for (const [, ends] of this.#starts.slice(Math.max(first, end - maxEdges), end))
      for (const near of ends)
        for (let place = near - sameEdge; place <= near + sameEdge; place++) places.add(place);
    return [...places];
  }
}

/** Returns the places near which two or more lines end, those of the most lines first. */
function commonEnds(ends: ReadonlyMap<number, number>): number[] {
  return [...ends.keys()]
    .map((end) => ({ end, count: linesAt(ends, end) }))
    .filter(({ count }) => count > 1)
    .sort((one, other) => other.count - one.count)
    .slice(0, maxEdges)
    .map(({ end }) => end);
}

/** Returns the number of lines that end near a place. */
function linesAt(ends: ReadonlyMap<number, number>, place: number): number {
  let count = 0;
  for (let at = place - sameEdge; at <= place + sameEdge; at++) count += ends.get(at) ?? 0;
  return count;
}

/** Whether a word of a line after its first one starts with a small letter. Others may be the labels of a row. */
function hasSmall({ parts }: Line): boolean {
  return parts.slice(1).some((atom) => lowerStart.test(textOf(atom)));
}

function isGap({ isApart, isOnlyWide }: Atom): boolean {
  return !isApart || isOnlyWide;
}

/** Returns the number of spaces of a line if these are equally wide, and words are on their sides; 0 otherwise. */
function evenSpaces({ parts, size }: Line): number {
  const gaps = [
    ...gapsOf(parts).map(({ left, right }) => right - left),
    ...parts.flatMap(({ spaces }) => spaces),
  ];
  const words = parts.filter((atom) => /\p{L}/u.test(textOf(atom))).length;
  return greatest(gaps) - least(gaps) < sameSpace * size && words * 2 > parts.length ? gaps.length : 0;
}

/** Whether the gaps between the parts of a line may be its spaces. */
function areSpaces(line: Line): boolean {
  if (evenSpaces(line) >= minEven) return true;
  const { left, parts, right, size } = line;
  const words = parts.slice(1);
  const small = words.filter((atom) => lowerStart.test(textOf(atom))).length;
  if (!words.some(({ isOnlyWide }) => isOnlyWide) || 2 * small <= words.length) return false;
  return right - left > stretched.least * size && right - left < stretched.most * size;
}

function gapsOf(parts: readonly Atom[]): { left: number; right: number }[] {
  return parts.slice(1).map((atom, at) => ({ left: parts[at]!.right, right: atom.left }));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function firstWordWidth({ glyphs: [first, ...others], left }: Atom): number {
  let right = first!.right;
  for (const glyph of others) {
    if (glyph.isBlank || glyph.left - right > minSpace * glyph.piece.size) break;
    right = glyph.right;
  }
  return right - left;
}

function haveSameEnds(one: Line, other: Line): boolean {
  return Math.abs(other.left - one.left) < sameEdge && Math.abs(other.right - one.right) < sameEdge;
}

/** Whether texts of another row continue over all spaces of a line; over one of them if these are equal. */
function isOver(line: Line, atoms: readonly Atom[]): boolean {
  const isOne = ({ left, right }: { left: number; right: number }) =>
    atoms.some((atom) => 2 * atom.left < left + right && 2 * atom.right > left + right);
  const gaps = gapsOf(line.parts);
  return evenSpaces(line) >= minEven ? gaps.some(isOne) : gaps.every(isOne);
}
