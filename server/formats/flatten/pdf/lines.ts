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
/** Of the font's height: what starts further back before the end of what was drawn last is somewhere else. */
const furthestBack = 0.5;
/** Of the font's height: how far a superscript may be raised. */
const furthestUp = 0.8;

/** The lines of a page in the order in which it draws them. */
export function readLines(items: readonly (TextItem | TextMarkedContent)[]): Line[] {
  const lines: Line[] = [];
  let open: TextItem[] = [];
  let text = '';
  const close = (): void => {
    if (open.length > 0) lines.push(toLine(open, text));
    open = [];
    text = '';
  };
  for (const item of items) {
    if (!('str' in item)) continue;
    if (item.str.trim() === '') {
      text += item.str;
    } else {
      const step = stepTo(open.at(-1), item);
      if (step === 'elsewhere') close();
      if (step === 'next word' && !/\s$/.test(text)) text += ' ';
      open.push(item);
      text += item.str;
    }
    if (item.hasEOL) close();
  }
  close();
  return lines;
}

/** How a text follows the one that was drawn before it. pdf.js tells lines apart, but not where the font changes. */
function stepTo(last: TextItem | undefined, item: TextItem): 'same word' | 'next word' | 'elsewhere' {
  if (last === undefined) return 'same word';
  const angle = angleOf(last);
  const from = placeOf(last, angle);
  const to = placeOf(item, angle);
  const isRightToLeft = last.dir === 'rtl' || item.dir === 'rtl';
  // Which is drawn either way.
  const goesLeft = to.along < from.along && isRightToLeft;
  const gap = goesLeft ? from.along - (to.along + item.width) : to.along - (from.along + last.width);
  const size = Math.max(fontSize(last), fontSize(item));
  const isElsewhere =
    gap < -furthestBack * size ||
    gap > widestSpace * size ||
    Math.abs(to.across - from.across) > furthestUp * size;
  if (isElsewhere) return 'elsewhere';
  // Letters of joined scripts are drawn one by one, with gaps between.
  return gap > narrowestSpace * size && !isRightToLeft ? 'next word' : 'same word';
}

/** @param items at least one, and none blank */
function toLine(items: readonly TextItem[], text: string): Line {
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
    text: text.toWellFormed().replace(unprintable, ' ').trim(),
    left,
    right,
    baseline: placeOf(main, angle).across,
    size: fontSize(main),
    angle: Math.round((angle * 180) / Math.PI),
    fonts: { first: items[0]!.fontName, last: items.at(-1)!.fontName },
  };
}

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
