import { median } from '../../statistics.ts';
import type { DrawnAreas } from '../drawn-areas.ts';
import type { Elements } from '../elements.ts';
import type { FormFields } from '../form-fields.ts';
import { startsWithBox } from '../item-signs.ts';
import type { Glyph } from '../pieces.ts';
import { jointAtEnd, lowerStart } from '../sentences.ts';
import type { Row } from './rows.ts';

/** Widths and distances as shares of the font size. */
export const minColumnGap = 0.8;
/** The minimum width of a gap that is wider than the spaces of its row, and is not filled with blanks. */
const minGutter = 0.5;
const maxWordGap = 2;
/** The number of blanks that separate texts of a row. After a sentence and in justified lines there may be two. */
const minTypedBlanks = 3;
const maxDotGap = 0.6;
/** The maximum distance of a blank from the words of its sentence. */
const maxBlankGap = 1;
/** The maximum distance between the lines of a text, as a factor of the font size. */
export const maxLineDistance = 1.7;
const minFieldGap = 0.3;
const minSpace = 0.15;
/** The maximum number of characters of a box that is written with brackets and blanks. */
const maxOfBox = 12;
/** The minimum ratio of the gap after a box to the gap before it if the box belongs to the text before it. */
const minBoxRatio = 1.5;
/** The maximum width of the spaces of a justified line, as a factor of their median. */
export const maxSpaceRatio = 1.5;
/**
 * The minimum ratio of two font sizes from which adjacent texts are separated, even if their gap is only as wide as a
 * space.
 */
const maxSizeRatio = 1.5;

/** A part of a row that contains no wide gap. */
export interface Atom {
  glyphs: Glyph[];
  left: number;
  right: number;
  size: number;
  /**
   * Whether the gap before the atom always separates: it contains a rule or a form field, it is very wide, the font
   * sizes or the declared elements differ, or dot leaders start or end there.
   */
  isApart: boolean;
  /** Whether the atom consists of dots or underscores that only fill the space before the next text. */
  isLeader: boolean;
  /** The widths of the spaces between the words of the atom. */
  spaces: number[];
}

/** What is drawn or declared in the rows of a page. */
export interface RowParts {
  areas: DrawnAreas;
  fields: FormFields;
  /** The small pictures. */
  icons: FormFields;
  elements: Elements;
  /** Whether a line to write on is drawn between two glyphs. */
  hasBlank: (before: Glyph, after: Glyph) => boolean;
}

/**
 * Splits a row into parts, at all gaps that may separate texts: at rules, form fields, boxes to check, dot leaders and
 * other sizes, and at gaps that are wider than the spaces between words.
 *
 * @param above the row above, whose sentence may continue after a blank at the start of the row
 * @param below the row below, in which a sentence may continue after a blank at the end of the row
 */
export function splitAtGaps(
  row: Row,
  { areas, fields, icons, elements, hasBlank }: RowParts,
  { above, below }: { above?: Row | undefined; below?: Row | undefined } = {},
): Atom[] {
  const { baseline, size, glyphs } = row;
  const rules = areas.verticalRules(baseline, size);
  const leaders = findLeaders(glyphs, around(row, above, below), ({ left, right }) =>
    fields.isInGap(left, right, row),
  );
  const gutters = narrowestGutters(glyphs);
  const typed = typedGaps(glyphs);
  // A single box before a small letter is in a sentence: check the box ☐ if it applies.
  const boxes = glyphs.filter((_, index) => isBoxAt(glyphs, index)).length;
  const atoms = new Atoms();
  let isLastLeader = false;
  /** Whether a form field is over the last sign: the sign is the box of the field, and not a part of a text. */
  let isLastChecked = false;
  let last: Glyph | undefined;
  let blanks: Glyph[] = [];
  for (const [index, glyph] of glyphs.entries()) {
    if (glyph.isBlank) {
      blanks.push(glyph);
      continue;
    }
    const { atom, gaps } = atoms;
    const gap = atom ? glyph.left - atom.right : 0;
    const em = atom
      ? Math.max(glyph.piece.size, Math.min(atom.size, 1.5 * glyph.piece.size))
      : glyph.piece.size;
    const isRuled =
      atom !== undefined &&
      gap > -0.3 * em &&
      hasBetween(rules, atom.right - 0.1 * em, glyph.left + 0.1 * em);
    const smaller = Math.min(em, glyph.piece.size, atom?.size ?? em);
    // A sign that is drawn between blanks parts the texts on its sides. A line without them may be that of a fraction.
    const middle = { left: glyph.left - 0.7 * gap, right: glyph.left - 0.3 * gap };
    const isCrossed =
      blanks.length > 1 && areas.hasRuleBetween(baseline + 0.2 * em, baseline + 0.6 * em, middle);
    const isInSentence = gap > minFieldGap * em && isSentence(last!, glyph);
    const isField =
      gap > minFieldGap * em &&
      (isInSentence ? [fields] : [fields, icons]).some((found) =>
        found.isInGap(atom!.right, glyph.left, row),
      );
    const minGap =
      gap > minGutter * smaller && gap > blankWidth(blanks) + minSpace * em
        ? Math.min(minColumnGap, gutters.get(glyph) ?? minColumnGap)
        : minColumnGap;
    // The letter spacing is only computed for gaps that are wide enough to end an atom, because there are few of them.
    const mayEnd = gap > Math.min(maxWordGap * em, minGap * smaller);
    const spacing = mayEnd && gaps.length >= 3 ? Math.max(0, median(gaps)) : 0;
    const isBlank = gap > minColumnGap * em && isInSentence && hasBlank(last!, glyph);
    const isLeader = leaders.has(glyph) && !isBlank;
    const isSpread = gap > minColumnGap * em && isSpreadLabel(atoms.all, glyphs, index, gap, blanks);
    const isWide = gap > Math.max(maxWordGap * em, 4 * spacing) && !isBlank && !isSpread;
    // Letters of different scripts look equally large at different font sizes. A text that becomes smaller is therefore
    // separated only at a wider gap than a text that becomes larger.
    const isOtherSize =
      (em > maxSizeRatio * smaller && gap > 0.3 * em) ||
      ((last?.piece.size ?? 0) > maxSizeRatio * glyph.piece.size && gap > minColumnGap * em);
    const isBox =
      gap > minFieldGap * em &&
      isBoxAt(glyphs, index) &&
      !isBoxAfterText(glyphs, index, gap) &&
      (boxes > 1 || /\p{Lu}/u.test(textFrom(glyphs, index)));
    const isChecked = isSign(glyph) && fields.isOver(glyph, row);
    const isApart =
      isWide ||
      isRuled ||
      isCrossed ||
      isField ||
      isBox ||
      isChecked ||
      isLastChecked ||
      isOtherSize ||
      typed.has(glyph) ||
      (last !== undefined && elements.areApart(last, glyph)) ||
      isLeader !== isLastLeader;
    const isInBox = last?.text === '[' && glyph.text === ']';
    const mayStay = isLeader || isBlank || isInBox || isSpread;
    if (!atom || isApart || (gap > Math.max(minGap * smaller, 3 * spacing) && !mayStay))
      atoms.begin(glyph, { isApart, isLeader });
    else atoms.extend(atom, glyph, blanks, gap, minSpace * em);
    blanks = [];
    isLastLeader = isLeader;
    isLastChecked = isChecked;
    last = glyph;
  }
  atoms.end();
  return atoms.all;
}

/** The visible glyphs of the rows above and below that a sentence of the row may continue. */
function around(row: Row, above: Row | undefined, below: Row | undefined) {
  const isNext = (upper: Row, lower: Row) =>
    upper.glyphs[0]?.text !== '_' && upper.baseline - lower.baseline < maxLineDistance * row.size;
  const shownIn = (other: Row) => other.glyphs.filter(({ isBlank }) => !isBlank);
  const continuesBelow =
    below &&
    isNext(row, below) &&
    Math.abs(below.glyphs[0]!.left - row.glyphs[0]!.left) < maxWordGap * row.size;
  return {
    above: above && isNext(above, row) ? shownIn(above).slice(-2) : [],
    below: continuesBelow ? shownIn(below).slice(0, 2) : [],
  };
}

/** The atoms of a row. Its glyphs are added from left to right. */
class Atoms {
  readonly all: Atom[] = [];
  /** The last atom. */
  atom: Atom | undefined;
  /** The gaps between the glyphs of the atom so far. Their median shows whether the letters have wide spacing. */
  gaps: number[] = [];
  /** The wide gaps without blanks. Between letters with wide spacing, only those that are clearly wider are spaces. */
  #unfilled: number[] = [];

  begin(glyph: Glyph, marks: Pick<Atom, 'isApart' | 'isLeader'>): void {
    this.end();
    const { left, right, piece } = glyph;
    this.atom = { glyphs: [glyph], left, right, size: piece.size, ...marks, spaces: [] };
    this.all.push(this.atom);
    this.gaps = [];
    this.#unfilled = [];
  }

  /**
   * Adds a glyph to the last atom.
   * @param blanks the blanks in the gap before the glyph
   * @param least the minimum width of a space
   */
  extend(atom: Atom, glyph: Glyph, blanks: readonly Glyph[], gap: number, least: number): void {
    this.gaps.push(gap);
    if (blanks.length > 0) atom.spaces.push(gap);
    else if (gap > least) this.#unfilled.push(gap);
    for (const between of blanks) atom.glyphs.push(between);
    atom.glyphs.push(glyph);
    atom.right = Math.max(atom.right, glyph.right);
    atom.left = Math.min(atom.left, glyph.left);
    atom.size = Math.max(atom.size, glyph.piece.size);
  }

  /** Ends the last atom, whose letter spacing is known then. */
  end(): void {
    const spacing = this.#unfilled.length > 0 ? median(this.gaps) : 0;
    for (const gap of this.#unfilled) if (gap > 2 * spacing) this.atom!.spaces.push(gap);
  }
}

/**
 * Returns the minimum width of a gap that may separate columns, as a share of the font size, for glyphs after a narrow
 * gap. Gaps that are not much wider than the spaces of their part of the row do not separate columns.
 */
function narrowestGutters(glyphs: readonly Glyph[]): Map<Glyph, number> {
  const gutters = new Map<Glyph, number>();
  let last: Glyph | undefined;
  let afterGap: Glyph[] = [];
  let spaces: number[] = [];
  const close = () => {
    // A single gap does not show how wide the spaces are.
    const usual = spaces.length > 1 ? median(spaces) : 0;
    for (const glyph of afterGap) gutters.set(glyph, Math.max(minGutter, maxSpaceRatio * usual));
    [afterGap, spaces] = [[], []];
  };
  for (const glyph of glyphs) {
    if (glyph.isBlank) continue;
    const gap = last ? (glyph.left - last.right) / glyph.piece.size : 0;
    if (gap > minColumnGap) close();
    else if (gap > minSpace) {
      spaces.push(gap);
      afterGap.push(glyph);
    }
    last = glyph;
  }
  close();
  return gutters;
}

/**
 * Returns the glyphs after three or more blanks, if the row has several such gaps and all others have one blank. If only
 * small letters follow such gaps, it is one sentence.
 */
function typedGaps(glyphs: readonly Glyph[]): Set<Glyph> {
  const typed = new Set<Glyph>();
  let blanks = 0;
  let isTyped = true;
  for (const glyph of glyphs) {
    if (glyph.isBlank) {
      blanks++;
      continue;
    }
    if (blanks >= minTypedBlanks) typed.add(glyph);
    else if (blanks > 1) isTyped = false;
    blanks = 0;
  }
  const isSentence = [...typed].every(({ text }) => /^\p{Ll}/u.test(text));
  return isTyped && !isSentence && typed.size > 1 ? typed : new Set();
}

/**
 * Whether a glyph is the second ideograph of a label whose two ideographs are spread with blanks, so that it is as wide
 * as longer labels: 姓　　名. Headings of columns, such as 年 and 月 or 長, 宽 and 高, and choices are separate labels.
 */
function isSpreadLabel(
  atoms: readonly Atom[],
  glyphs: readonly Glyph[],
  index: number,
  gap: number,
  blanks: readonly Glyph[],
): boolean {
  const [before, label] = [atoms.at(-2), atoms.at(-1)!];
  const [first, next] = [label.glyphs[0]!, glyphs[index]!];
  if (label.glyphs.length !== 1 || before?.glyphs.length === 1) return false;
  if (!ideographOfLabel.test(first.text) || !ideographOfLabel.test(next.text)) return false;
  let at = index + 1;
  while (glyphs[at]?.isBlank) at++;
  const after = glyphs[at];
  const isInRow = after && after.left - next.right > minColumnGap * next.piece.size;
  if (isInRow && ideographOfLabel.test(after.text)) return false;
  const { blankEnd = Number.NaN } = first.piece;
  const unfilled = blanks.length > 0 ? gap - blankWidth(blanks) : next.left - blankEnd;
  return Math.abs(unfilled) < minFieldGap * next.piece.size && gap < maxSpread * next.piece.size;
}

const ideographOfLabel = /^(?![年月日男女是否有无無])\p{Script=Han}$/u;
/** The maximum distance of the two ideographs of a label, as a factor of the font size. */
const maxSpread = 6;

function blankWidth(blanks: readonly Glyph[]): number {
  return blanks.reduce((width, { left, right }) => width + right - left, 0);
}

function isBoxAt(glyphs: readonly Glyph[], index: number): boolean {
  const { text } = glyphs[index]!;
  const mayStart = text > '~' || text === '[' || text === '(';
  return mayStart && startsWithBox(textFrom(glyphs, index));
}

/** Whether a box to check belongs to the text before it, because the text after it is farther away. */
function isBoxAfterText(glyphs: readonly Glyph[], index: number, gapBefore: number): boolean {
  const { right, text } = glyphs[index]!;
  if (text === '[' || text === '(') return false;
  const next = glyphs.slice(index + 1).find(({ isBlank }) => !isBlank);
  return !next || next.left - right > minBoxRatio * gapBefore;
}

function textFrom(glyphs: readonly Glyph[], index: number): string {
  return glyphs
    .slice(index, index + maxOfBox)
    .map(({ text, isBlank }) => (isBlank ? ' ' : text))
    .join('');
}

function isSign({ text }: Glyph): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}

/** Dots that fill space, alone or mixed. */
const dots = /^[·․.…‥]+$/u;
/** The end of a part of a sentence, and its continuation, between which a blank may be. */
const [sentenceStart, sentenceRest] = [/(?:[\p{L}\p{N}\p{Sc},(/)]|\p{L}\.)$/u, /^(?:[\p{Ll},.;)]|\(\p{Ll})/u];
/** The text after dots on a line of a list: a page number, or a price. */
const entryEnd = /^(?:[ivxlc]+|\P{N}{0,6}\p{N}\P{L}*)$/u;
/** The maximum number of dots in a sentence that are an ellipsis. */
const maxEllipsis = 5;

/**
 * Returns the dots and underscores that fill space: runs of four or more, and runs of any length with wide spacing. Four
 * dots with spaces at the end of a row are a period and an ellipsis. A blank within a sentence is a part of the sentence,
 * unless a form field is over it, which does not move.
 *
 * @param rows the end of the row above and the start of the row below, if a sentence may continue there
 */
function findLeaders(
  glyphs: readonly Glyph[],
  { above, below }: { above: readonly Glyph[]; below: readonly Glyph[] },
  hasField: (blank: { left: number; right: number }) => boolean,
): Set<Glyph> {
  const leaders = new Set<Glyph>();
  const shown = glyphs.filter(({ isBlank }) => !isBlank);
  const isFiller = ({ text }: Glyph) => /^[_·․.…‥~]+$/u.test(text);
  for (let from = 0, to = 0; from < shown.length; from = to) {
    const [first, last] = [shown[from]!, shown[from - 1]];
    const isAlike = ({ text }: Glyph) => text === first.text || (dots.test(text) && dots.test(first.text));
    for (to = from + 1; isFiller(first) && to < shown.length && isAlike(shown[to]!); ) to++;
    if (!isFiller(first)) continue;
    // The period of an abbreviation before dots: tel. ....
    const [dot, near] = [shown[from + 1], minSpace * first.piece.size];
    const isPeriod = first.text === '.' && last && first.left - last.right < near;
    if (isPeriod && dot && (dot.text !== '.' || dot.left - first.right > near)) to = from + 1;
    const run = shown.slice(from, to);
    const haveGaps = (min: number) =>
      run.every((dot, at) => dot.left - (run[at - 1] ?? last ?? dot).right >= min * dot.piece.size);
    const isEllipsis = to === shown.length && run.length === 4 && first.text === '.' && haveGaps(minSpace);
    const before = from > 0 ? shown.slice(Math.max(0, from - 2), from) : above;
    const textOfRow = first.text === '_' && run.length > 1 ? textBefore(shown, from) : '';
    const isAtEnd = to === shown.length && gapsIn(textOfRow) >= minWords;
    const isInSentence =
      (isBlankInSentence(before, run, shown.slice(to)) ||
        (isAtEnd && isSentenceOver(before, below)) ||
        isAfterJoint(textOfRow, shown[to])) &&
      !hasField({ left: first.left, right: run.at(-1)!.right });
    // The period of a name belongs to it: .NET
    const next = run.length === 1 ? shown[to] : undefined;
    const isOfName = next && next.left - first.right < minSpace * first.piece.size;
    if ((run.length >= 4 && !isEllipsis && !isInSentence) || (haveGaps(maxDotGap) && !isOfName))
      for (const glyph of run) leaders.add(glyph);
  }
  return leaders;
}

/**
 * Whether underscores or dots are a blank to fill in of a sentence that continues: on the ____ day of May. A comma that
 * touches underscores shows this too. A few dots that touch the text are an ellipsis.
 */
function isBlankInSentence(
  before: readonly Glyph[],
  run: readonly Glyph[],
  after: readonly Glyph[],
): boolean {
  const [{ left, text, piece }, { right }] = [run[0]!, run.at(-1)!];
  const [last, next] = [before.at(-1), after[0]];
  if (!next) return false;
  const isNear = (gap: number, most: number) => gap < most * piece.size;
  const [gapBefore, gap] = [last ? left - last.right : 0, next.left - right];
  const isBlank = text === '_';
  if (isBlank && /^[,;.]/u.test(next.text) && isNear(gap, minSpace)) return true;
  const isTouched = isNear(Math.max(gapBefore, gap), minSpace);
  if (!last || (!isBlank && entryEnd.test(stringOf(after)))) return false;
  if (!isBlank && run.length <= maxEllipsis && isTouched) return true;
  return (
    sentenceStart.test(stringOf(before)) &&
    sentenceRest.test(stringOf(after.slice(0, 2))) &&
    isNear(Math.max(gapBefore, gap), maxBlankGap)
  );
}

/** Whether a sentence continues with a name after a blank, because an article or a preposition is before the blank. */
function isAfterJoint(before: string, next: Glyph | undefined): boolean {
  const isStarted = gapsIn(before) >= minWords || lowerStart.test(before);
  return next !== undefined && /^\p{L}/u.test(next.text) && isStarted && jointAtEnd.test(before);
}

/** Whether a sentence may continue after a blank between two glyphs. */
function isSentence(before: Glyph, next: Glyph): boolean {
  return sentenceStart.test(before.text) && sentenceRest.test(next.text);
}

/** The same for a blank at the end of a row, from the glyphs before it and those of the row below. */
function isSentenceOver(before: readonly Glyph[], below: readonly Glyph[]): boolean {
  return sentenceStart.test(stringOf(before)) && /^\p{Ll}/u.test(stringOf(below));
}

/** The minimum number of words before a blank at the end of a row if a sentence continues below. A label has fewer. */
const minWords = 5;

/** The maximum number of glyphs before a blank that are read. A row may have thousands of blanks. */
const maxBefore = 80;

/** Returns the text before one of the visible glyphs of a row, with a space at each gap between words. */
function textBefore(shown: readonly Glyph[], end: number): string {
  const from = Math.max(0, end - maxBefore);
  return shown
    .slice(from, end)
    .map(({ left, piece, text }, at) => {
      const last = at > 0 ? shown[from + at - 1]! : undefined;
      return last && left - last.right > minSpace * piece.size ? ` ${text}` : text;
    })
    .join('');
}

function gapsIn(text: string): number {
  return text.split(' ').length - 1;
}

function stringOf(glyphs: readonly Glyph[]): string {
  return glyphs.map(({ text }) => text).join('');
}

export function textOf({ glyphs }: { glyphs: readonly Glyph[] }): string {
  return stringOf(glyphs);
}

export function hasBetween(places: readonly number[], from: number, to: number): boolean {
  return places.some((place) => place >= from && place <= to);
}
