import type { TextItem, TextMarkedContent } from 'pdfjs-dist/types/src/display/api.js';

/**
 * A line of text as it is drawn, or one cell of such a line. Lengths are in points, in a coordinate system in which the
 * line is horizontal.
 */
export interface Line {
  text: string;
  /** The positions of the start and (`right`) the end of the line. */
  left: number;
  right: number;
  baseline: number;
  /** The height of the line's largest font. */
  size: number;
  /** The angle of the line in degrees counter-clockwise, a whole number. */
  angle: number;
  /** The names of the fonts of the line's first and last letters. */
  fonts: { first: string; last: string };
}

/** The maximum width of a space, as a share of the font's height. A wider gap separates columns or cells. */
const maxSpaceWidth = 2;
/**
 * The minimum width of a space, as a share of the font's height. A wider gap separates words, even if there is no space
 * character.
 */
const minSpaceWidth = 0.25;
/**
 * The maximum gap between a right-to-left word that is drawn from its left end and the previously drawn word, as a
 * share of the font's height.
 */
const maxWordStep = 8;
/**
 * The maximum step back, as a share of the font's height. A text that starts further to the left of the previous text's
 * end is on another line.
 */
const maxStepBack = 0.5;
/** The maximum height of a superscript above the baseline of its line, as a share of the font's height. */
const maxRaise = 0.8;

/** Collects the lines of a page, in drawing order. */
export function readLines(items: readonly (TextItem | TextMarkedContent)[]): Line[] {
  const lines: Line[] = [];
  let open: TextItem[] = [];
  let pieces: Piece[] = [];
  /** The position at which the last drawn word starts. */
  let wordStart = 0;
  const close = (): void => {
    if (open.length > 0) lines.push(toLine(open, pieces));
    open = [];
    pieces = [];
  };
  for (const item of items) {
    if (!('str' in item)) continue;
    if (item.str.trim() === '') {
      pieces.push({ text: item.str });
    } else {
      const step = stepTo(open.at(-1), item, wordStart);
      if (step === 'elsewhere') close();
      if (step === 'next word') pieces.push({ text: ' ' });
      open.push(item);
      const { along } = placeOf(item, angleOf(open[0]!));
      if (step !== 'same word') wordStart = along;
      const place = { start: along, end: along + item.width, isRightToLeft: item.dir === 'rtl' };
      pieces.push({ text: item.str, place });
    }
    if (item.hasEOL) close();
  }
  close();
  return lines;
}

/**
 * Determines the position of a text relative to the previously drawn text. pdf.js separates lines, but it does not do
 * so at each change of the font.
 *
 * @param wordStart the start of the word that contains `last`
 */
function stepTo(
  last: TextItem | undefined,
  item: TextItem,
  wordStart: number,
): 'same word' | 'next word' | 'word to the left' | 'elsewhere' {
  if (last === undefined) return 'elsewhere';
  const angle = angleOf(last);
  const from = placeOf(last, angle);
  const to = placeOf(item, angle);
  const isRightToLeft = last.dir === 'rtl' || item.dir === 'rtl';
  const goesLeft = isRightToLeft && to.along < from.along;
  const gap = goesLeft ? wordStart - (to.along + item.width) : to.along - (from.along + last.width);
  const size = Math.max(fontSize(last), fontSize(item));
  const isElsewhere =
    gap < -maxStepBack * size ||
    gap > (goesLeft ? maxWordStep : maxSpaceWidth) * size ||
    Math.abs(to.across - from.across) > maxRaise * size;
  if (isElsewhere) return 'elsewhere';
  if (goesLeft) return 'word to the left';
  // Some programs draw the letters of cursive scripts one by one, with gaps between them, so a gap does not end a
  // right-to-left word.
  return gap > minSpaceWidth * size && !isRightToLeft ? 'next word' : 'same word';
}

/** @param items the non-blank items of the line, at least one */
function toLine(items: readonly TextItem[], pieces: readonly Piece[]): Line {
  // The largest item determines the position of the line, because smaller items may be raised or lowered.
  const main = items.reduce((largest, item) => (fontSize(item) > fontSize(largest) ? item : largest));
  const angle = angleOf(main);
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    const { along } = placeOf(item, angle);
    left = Math.min(left, along);
    right = Math.max(right, along + item.width);
  }
  return {
    text: textOfLine(pieces, minSpaceWidth * fontSize(main))
      .replace(presentationForms, (letters) => letters.normalize('NFKC'))
      .toWellFormed()
      .replace(unprintable, ' ')
      .trim(),
    left,
    right,
    baseline: placeOf(main, angle).across,
    size: fontSize(main),
    angle: Math.round((angle * 180) / Math.PI),
    fonts: { first: items[0]!.fontName, last: items.at(-1)!.fontName },
  };
}

/** Arabic presentation forms: letters in the shape that they have at a position in a word. */
const presentationForms = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;
/** Whitespace, and control characters. Control characters come from fonts without a correct character table. */
const unprintable = /[\s\p{Cc}]+/gu;

/** Returns the start of an item: its distance along a line of this angle, and its distance above this line. */
function placeOf({ transform }: TextItem, angle: number): { along: number; across: number } {
  const [, , , , x, y] = transform as number[];
  const cosine = Math.cos(angle);
  const sine = Math.sin(angle);
  return { along: x! * cosine + y! * sine, across: y! * cosine - x! * sine };
}

function angleOf({ transform }: TextItem): number {
  const [a, b] = transform as number[];
  return Math.atan2(b!, a!);
}

function fontSize({ transform }: TextItem): number {
  const [, , c, d] = transform as number[];
  return Math.hypot(c!, d!);
}

/** A piece of a line, as the PDF draws it. */
export interface Piece {
  text: string;
  /** The position of the piece along the line, in points; undefined for a blank piece. */
  place?: { start: number; end: number; isRightToLeft: boolean };
}

/**
 * Returns the text of a line. Some programs draw right-to-left words in reading order, others draw their glyphs from
 * left to right. pdf.js only reverses the text inside a piece. This function therefore reverses the order of
 * right-to-left pieces that were drawn from left to right. Between pieces that were drawn from right to left, a gap
 * becomes a space.
 *
 * @param space the minimum gap between words, in points
 */
export function textOfLine(pieces: readonly Piece[], space: number): string {
  let text = '';
  /**
   * Consecutive right-to-left pieces, each to the right of the previous one. `start` and `end` are the ends of the run.
   */
  let run: string[] = [];
  let start = 0;
  let end = 0;
  /** The blank pieces after the run. If the run continues, they become part of it. */
  let blanks = '';
  const closeRun = (): void => {
    text += run.reverse().join('') + blanks;
    run = [];
    blanks = '';
  };
  for (const piece of pieces) {
    const { place } = piece;
    if (place === undefined) {
      blanks += piece.text;
    } else if (!place.isRightToLeft) {
      closeRun();
      text += piece.text;
    } else if (run.length > 0 && place.start >= end - space) {
      run.push(blanks, piece.text);
      blanks = '';
      end = place.end;
    } else {
      const leftGap = run.length > 0 ? start - place.end : 0;
      closeRun();
      if (leftGap > space && !/\s$/.test(text)) text += ' ';
      run = [piece.text];
      start = place.start;
      end = place.end;
    }
  }
  closeRun();
  return text;
}
