import type { StructureElement } from '../page-content.ts';
import { type Atom, maxLineDistance, minSpace, textOf } from './atoms.ts';
import { type Elements, isOneText } from './elements.ts';
import { continues, lowerStart } from './sentences.ts';
import { append, greatest, least, runsOf } from './statistics.ts';

/** The maximum difference between the spaces of a justified line, as a share of the font size. */
export const sameSpace = 0.05;
/** The minimum number of equal gaps in a row that are its spaces, whatever the other rows show. */
const minSpread = 4;
/** The same if less than half of the words after them start with small letters. */
const manySpread = 8;
/** The maximum difference between the ends of the lines of a column, as a share of the font size. */
const sameEdge = 0.25;
/** A bullet or a number before a line. */
const itemLabel = /^(?:[^\p{L}\p{N}]|[([]?\w{1,3}[.)\]])$/u;
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

/** The maximum number of lines of one start that are compared with a line. */
const maxCompared = 1000;

interface Line {
  parts: Atom[];
  baseline: number;
  left: number;
  right: number;
  size: number;
}

/**
 * Returns the parts of rows that start after the very wide spaces of a justified line in a narrow column. The line has the
 * start and the end of other lines, it had no room for the next word, small letters follow most of its spaces, and the line
 * above or below it continues over these spaces, or is such a line.
 */
export function stretchedWords(rows: readonly { row: { baseline: number }; atoms: Atom[] }[]): Set<Atom> {
  const lines = rows.map(({ row: { baseline }, atoms }) =>
    runsOf(atoms, (_run, { isApart, isOnlyWide }) => !isApart || isOnlyWide).map((run): Line => {
      const parts = run.length > 1 && itemLabel.test(textOf(run[0]!)) ? run.slice(1) : run;
      return { parts, baseline, left: parts[0]!.left, right: parts.at(-1)!.right, size: parts[0]!.size };
    }),
  );
  const full = new Map<number, Line[]>();
  for (const line of lines.flat()) if (line.parts.length === 1) append(full, Math.round(line.left), line);
  const isStretched = (line: Line): boolean => {
    const { left, parts, right, size } = line;
    const words = parts.slice(1);
    const small = words.filter((atom) => lowerStart.test(textOf(atom))).length;
    if (!words.some(({ isOnlyWide }) => isOnlyWide) || 2 * small <= words.length) return false;
    if (right - left < stretched.least * size || right - left > stretched.most * size) return false;
    const place = Math.round(left);
    const near = [place - 1, place, place + 1].flatMap((at) => full.get(at)?.slice(0, maxCompared) ?? []);
    return near.filter((other) => haveSameEnds(line, other)).length > 1;
  };
  /** Whether the first word of the next line had no room. */
  const isFull = ({ baseline, left, parts, right, size }: Line, index: number): boolean => {
    const next = [index + 1, index + 2]
      .flatMap((at) => lines[at] ?? [])
      .find((other) => other.left < right && other.right > left && other.baseline < baseline - 0.5 * size);
    const widths = parts.map((atom) => atom.right - atom.left + space * size);
    return next !== undefined && sum(widths) + firstWordWidth(next.parts[0]!) > right - left;
  };
  const found = new Set<Line>();
  const wide = lines.flatMap((row, index) =>
    row.flatMap((line) => (isStretched(line) && isFull(line, index) ? [{ line, index }] : [])),
  );
  for (const isNext of [isOver, (line: Line, other: Line) => found.has(other) && haveSameEnds(line, other)])
    for (const { line, index } of wide) {
      const near = [index - 2, index - 1, index + 1, index + 2].flatMap((at) => lines[at] ?? []);
      const isNear = ({ baseline }: Line) => Math.abs(baseline - line.baseline) < maxLineDistance * line.size;
      if (near.some((other) => isNear(other) && isNext(line, other))) found.add(line);
    }
  return new Set([...found].flatMap(({ parts }) => parts.slice(1)));
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
  return Math.hypot(other.left - one.left, other.right - one.right) < sameEdge * one.size;
}

/** Whether a line continues over the spaces of another one. */
function isOver({ parts }: Line, other: Line): boolean {
  const gaps = parts.slice(1).map((atom, at) => (parts[at]!.right + atom.left) / 2);
  return gaps.every((gap) => other.parts.some((atom) => atom.left < gap && atom.right > gap));
}
