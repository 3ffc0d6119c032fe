import type { TextItem, TextMarkedContent } from 'pdfjs-dist/types/src/display/api.js';

/** A line of text, or a cell of one, as a page draws it. Lengths are in points, in the frame in which the line is level. */
export interface Line {
  text: string;
  /** Where it starts and ends. */
  left: number;
  right: number;
  baseline: number;
  /** Height of its largest font. */
  size: number;
  /** Degrees counter-clockwise, a whole number. */
  angle: number;
  /** The fonts of its first and last letters. */
  fonts: { first: string; last: string };
}

/** Of the font's height: a wider gap is one between columns or cells. */
const widestSpace = 2;
/** Of the font's height: a wider gap is one between words, whether or not there is a space in it. */
const narrowestSpace = 0.25;
/** Of the font's height: a right-to-left word that is drawn from its left end starts this far from the one before. */
const widestWord = 8;
/** Of the font's height: what starts further back before the end of what was drawn last is somewhere else. */
const furthestBack = 0.5;
/** Of the font's height: how far a superscript may be raised. */
const furthestUp = 0.8;

/** The lines of a page in the order in which it draws them. */
export function readLines(items: readonly (TextItem | TextMarkedContent)[]): Line[] {
  const lines: Line[] = [];
  let open: TextItem[] = [];
  let pieces: Piece[] = [];
  /** Where the word starts that was drawn last. */
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
 * How a text follows the one that was drawn before it. pdf.js tells lines apart, but not where the font changes.
 *
 * @param wordStart where the word starts that `last` is in
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
    gap < -furthestBack * size ||
    gap > (goesLeft ? widestWord : widestSpace) * size ||
    Math.abs(to.across - from.across) > furthestUp * size;
  if (isElsewhere) return 'elsewhere';
  if (goesLeft) return 'word to the left';
  // Letters of joined scripts are drawn one by one, with gaps between.
  return gap > narrowestSpace * size && !isRightToLeft ? 'next word' : 'same word';
}

/** @param items at least one, and none blank */
function toLine(items: readonly TextItem[], pieces: readonly Piece[]): Line {
  // The largest gives the frame: smaller ones are raised or lowered against it.
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
    text: textOfLine(pieces, narrowestSpace * fontSize(main))
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

/** Arabic letters by their shape in a word. */
const presentationForms = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;
/** Whitespace, and the control characters that fonts without a proper table give. */
const unprintable = /[\s\p{Cc}]+/gu;

/** Where an item starts, along a line of this angle and across it, upwards. */
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

/** A piece of a line, as it was drawn. */
export interface Piece {
  text: string;
  /** Where it is along the line, in points; undefined of a blank one. */
  place?: { start: number; end: number; isRightToLeft: boolean };
}

/**
 * The text of a line. Some programs draw right-to-left words as they are read, others glyph by glyph from their left
 * end, and pdf.js turns round only what is inside a piece. So pieces of right-to-left text that follow each other
 * rightwards are turned round; where the next follows leftwards with a gap, there is a space.
 *
 * @param space width of the narrowest gap between words, in points
 */
export function textOfLine(pieces: readonly Piece[], space: number): string {
  let text = '';
  /** Right-to-left pieces, each right of the one before, and where they are. */
  let run: string[] = [];
  let start = 0;
  let end = 0;
  /** Blank pieces after them, which are part of the run if it goes on. */
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
