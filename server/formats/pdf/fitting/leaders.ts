import type { PDFRef } from '@cantoo/pdf-lib';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import { faceOf } from '../../typesetting/font-style.ts';
import { singleLine } from '../../typesetting/lines.ts';
import { shapeParagraph } from '../../typesetting/paragraph.ts';
import { apply, type Matrix, multiply, type Rectangle } from '../geometry.ts';
import type { KeptText } from '../layout/content/kept-text.ts';
import type { ShownText } from '../page-content.ts';
import { greatest, least, median } from '../statistics.ts';
import type { GlyphRange, TextBlock } from '../text-block.ts';
import type { Frame } from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/** A kept glyph between two positions along the x axis of the rotated space. */
interface Dot {
  glyph: GlyphRange;
  left: number;
  right: number;
}

/** The dots between an entry, for example of a contents page, and the number after it. */
export interface Leader {
  /** The dots from left to right; at least two. */
  dots: Dot[];
  /** The distance between the starts of dots like the first one. */
  pitch: number;
  size: number;
  baseline: number;
  /** The distance between the end of the source text and the first dot. */
  gap: number;
  /** Whether a leader of another row ends at the same place. */
  endsWithOthers: boolean;
  /** The kept text after the dots, such as a page number; null if missing. */
  number: { text: string; glyphs: GlyphRange[]; left: number; right: number } | null;
}

/** The number of dots that stay between a translation and the number, and the distance from the text to them, in em. */
const minDots = 2;
const distance = 0.3;
/** The minimum number of dots without a number behind them. */
const minAlone = 6;
/** The share of a blank that a label leaves free. */
export const shareOfBlank = 0.6;
/** The share of their width to which the letters of a label are condensed to leave that much free. */
const mostCondensed = 0.85;
/** The maximum distance of a leader from its entry and from its number, in em. */
const reach = 4;
/** The maximum differences between baselines of one line, and between ends at the same place, in em. */
const sameEnd = 0.6;
const sameBaseline = 0.25;

interface PlacedText {
  kept: KeptText;
  dots: Dot[];
  size: number;
  baseline: number;
}

/**
 * Finds the leader of each block that has one.
 *
 * @param fromPage maps the page's user space to a space in which the text of the blocks is along the x axis
 * @returns the leaders by block id
 */
export function leadersOf(
  blocks: readonly TextBlock[],
  kept: readonly KeptText[],
  fromPage: Matrix,
): Map<string, Leader> {
  const leaders = new Map<string, Leader>();
  const placed = kept.flatMap((text) => place(text, fromPage) ?? []);
  if (!placed.some(isLeader)) return leaders;
  const rowOf = (baseline: number): number => Math.round(baseline / 4);
  const rows = Map.groupBy(placed, ({ baseline }) => rowOf(baseline));
  for (const block of blocks) {
    const [x, y] = apply(fromPage, block.matrix[4], block.matrix[5]);
    const line = block.lines.at(-1)!;
    const [right, baseline] = [line.right + x, line.baseline + y];
    const row = rowOf(baseline);
    const near = [row - 1, row, row + 1]
      .flatMap((place) => rows.get(place) ?? [])
      .filter((text) => Math.abs(text.baseline - baseline) < sameBaseline * block.style.size);
    const after = (from: number) =>
      near
        .filter(({ dots, size }) => {
          const gap = dots[0]!.left - from;
          return gap > -sameBaseline * size && gap < reach * size;
        })
        .sort((one, other) => one.dots[0]!.left - other.dots[0]!.left);
    const found = after(right).find(isLeader);
    if (!found) continue;
    const { dots, size } = found;
    const [dot] = dots as [Dot];
    const isMixed = dots.some(({ glyph }) => characterOf(glyph) !== characterOf(dot.glyph));
    const pitch = isMixed
      ? dot.right - dot.left
      : median(dots.slice(1).map(({ left }, index) => left - dots[index]!.left));
    const number = after(dots.at(-1)!.right).find((text) => !isLeader(text) && text.kept.reason === 'number');
    // A few dots are the end of a sentence.
    if (!number && !isLine(dots) && dots.length < minAlone) continue;
    leaders.set(block.id, {
      dots,
      pitch,
      size,
      baseline: found.baseline,
      gap: dots[0]!.left - right,
      endsWithOthers: placed.some((other) => {
        const apart = Math.abs(other.dots.at(-1)!.right - dots.at(-1)!.right);
        return isLeader(other) && other !== found && apart < sameEnd * size;
      }),
      number: number
        ? {
            text: number.kept.text,
            glyphs: number.kept.glyphs,
            left: number.dots[0]!.left,
            right: number.dots.at(-1)!.right,
          }
        : null,
    });
  }
  return leaders;
}

function isLeader({ kept, dots }: PlacedText): boolean {
  return kept.reason === 'leader' && dots.length >= minDots;
}

/** Returns the visible glyphs of a text along the x axis; undefined if it has none, or another direction. */
function place(kept: KeptText, fromPage: Matrix): PlacedText | undefined {
  if (kept.reason !== 'leader' && kept.reason !== 'number') return undefined;
  const dots: Dot[] = [];
  let [size, baseline] = [0, 0];
  for (const { text, from, to } of kept.glyphs) {
    const matrix = multiply(text.matrix, fromPage);
    if (matrix[0] <= 0 || Math.abs(matrix[1]) > 0.01 * matrix[0]) return undefined;
    [size, baseline] = [Math.abs(matrix[3]), matrix[5]];
    for (let index = from; index < to; index++) {
      const { text: shown, x, advance } = text.glyphs[index]!;
      if (shown.trim() === '') continue;
      const [left] = apply(matrix, x, 0);
      const [right] = apply(matrix, x + advance, 0);
      dots.push({ glyph: { text, from: index, to: index + 1 }, left, right });
    }
  }
  if (dots.length === 0) return undefined;
  return { kept, dots: dots.sort((one, other) => one.left - other.left), size, baseline };
}

/**
 * Lets the text of an entry grow over its leader, except for the last dots. A blank to fill in moves to the right instead,
 * as far as there is space. If the direction of the text changes, the
 * entry moves to the right end of its row, and its number to the left end.
 *
 * @param row the left and right edges of the entry's row, from the entries to the numbers
 * @param hasField whether a form field is over the leader. A field only becomes shorter, so the blank does not move
 */
export function besideLeader(
  frame: Frame,
  leader: Leader,
  row: Pick<Rectangle, 'left' | 'right'> | undefined,
  space: FreeSpace,
  hasField: boolean,
): Frame {
  const { bounds, box, id, size } = frame;
  const { dots, pitch, number } = leader;
  const room = minDots * pitch + distance * size;
  const own = { ...frame, flows: false, sharesEdge: true };
  if (!frame.mirrored || !row || !number) {
    const [left, right] = [dots[0]!.left, dots.at(-1)!.right];
    const kept = keepingBlank(frame, leader);
    const near = Math.min(right - room, kept ?? Number.POSITIVE_INFINITY);
    const after = { ...box, left: right, right: right + 0.01 };
    const free = space.right(after, bounds.right + distance * size, id) - distance * size;
    const mayMove = isBlank(leader) && !hasField && !(leader.endsWithOthers && kept !== undefined);
    const blankEnd = mayMove ? Math.max(right, Math.min(bounds.right, free)) : right;
    const limit = Math.max(near, mayMove ? blankEnd - (right - left) - distance * size : near);
    // The lines above the last one may be as long as the row, but any line may become the last one, before the number.
    const source = number ? frame.lines.at(-1)!.right : box.right;
    const end = Math.max(source, Math.min(bounds.right, limit));
    return {
      ...own,
      box: { ...box, right: Math.min(box.right, end) },
      bounds: { ...bounds, right: end },
      ...(blankEnd > right && { blankEnd }),
    };
  }
  const right = row.left + row.right - box.left;
  const start = row.left + number.right - number.left + room;
  return {
    ...own,
    box: { ...box, left: right - (box.right - box.left), right },
    bounds: { ...bounds, left: start, right },
    row,
  };
}

/** Whether a leader is the blank of a form: a line to write on, or dots without a number behind them. */
function isBlank({ dots, number }: Pick<Leader, 'dots' | 'number'>): boolean {
  return !number || isLine(dots);
}

function isLine([dot]: readonly Dot[]): boolean {
  return characterOf(dot!.glyph) === '_';
}

function characterOf({ text, from }: GlyphRange): string {
  return text.glyphs[from]!.text;
}

/**
 * Returns the right limit of a label that leaves most of a short blank free, if the label fits there when its letters are
 * condensed; otherwise undefined.
 */
function keepingBlank({ box, singleLine, size, stretch, text }: Frame, leader: Leader) {
  const { dots } = leader;
  if (!singleLine || !isBlank(leader) || text.paragraphs.length > 1) return undefined;
  const [left, right] = [dots[0]!.left, dots.at(-1)!.right];
  const limit = left + (1 - shareOfBlank) * (right - left);
  const width = text.paragraphs[0]!.width * size * stretch * mostCondensed;
  return width <= limit - box.left ? limit : undefined;
}

/** Returns the left and right edges of the rows that end with a number at the same right edge, by block id. */
export function rowsWithLeaders(
  frames: readonly Frame[],
  leaders: ReadonlyMap<string, Leader>,
): Map<string, Pick<Rectangle, 'left' | 'right'>> {
  const entries = frames.filter(({ id }) => leaders.get(id)?.number);
  const edgeOf = ({ id }: Frame): number => leaders.get(id)!.number!.right;
  const edges = new Map<string, Pick<Rectangle, 'left' | 'right'>>();
  for (const column of Map.groupBy(entries, (frame) => Math.round(edgeOf(frame) / 4)).values()) {
    const left = least(column.map(({ box }) => box.left));
    const right = greatest(column.map(edgeOf));
    for (const { id } of column) edges.set(id, { left, right });
  }
  return edges;
}

/** Returns the area of a leader's dots. */
export function areaOf({ dots, size, baseline }: Leader): Rectangle {
  return {
    left: dots[0]!.left,
    right: dots.at(-1)!.right,
    bottom: baseline - 0.2 * size,
    top: baseline + 0.4 * size,
  };
}

/** Returns the glyphs that may move: the dots and, if the direction of the text changes, the number. */
export function movable({ dots, number }: Leader, isTurned: boolean): { glyphs: GlyphRange[] } {
  return { glyphs: [...dots.map(({ glyph }) => glyph), ...(isTurned && number ? number.glyphs : [])] };
}

/** The operators that complete a leader, and the glyphs of the source that must be removed. */
export interface DrawnLeader {
  operators: string[];
  fonts: Map<string, PDFRef>;
  removed: GlyphRange[];
}

/**
 * Fits a leader to the translation of its entry: removes the dots that the text covers, or adds dots up to the text. A
 * blank to fill in gets nothing added.
 *
 * @param lines the rectangles of the translation's lines
 * @param frame the entry; `row` are the edges of its row, if the number moves to the left end of the row
 */
export function drawLeader(
  leader: Leader,
  lines: readonly Rectangle[],
  { blankEnd, row }: Pick<Frame, 'blankEnd' | 'row'>,
  toPage: Matrix,
  fonts: DocumentFonts,
): DrawnLeader {
  const { dots, pitch, size, baseline, number } = leader;
  const drawn: DrawnLeader = { operators: [], fonts: new Map(), removed: [] };
  const own = lines.filter(({ bottom, top }) => bottom < baseline && top > baseline);
  const gap = distance * size;
  const show = (text: string, x: number, from: GlyphRange, advance?: number): number => {
    const { operators, used, width } = shown(
      text,
      from.text,
      { size, advance, matrix: toPage, x, baseline },
      fonts,
    );
    if (operators) drawn.operators.push(operators);
    for (const [name, ref] of used) drawn.fonts.set(name, ref);
    return x + width;
  };
  const character = characterOf(dots[0]!.glyph);
  const fill = (from: number, count: number) => {
    if (count > 0) show(character.repeat(count), from, dots[0]!.glyph, pitch);
  };
  if (row && number) {
    drawn.removed.push(...dots.map(({ glyph }) => glyph), ...number.glyphs);
    const from = Math.ceil((show(number.text, row.left, number.glyphs[0]!) + gap) / pitch) * pitch;
    const until = own.length > 0 ? least(own.map(({ left }) => left)) : row.right;
    fill(from, Math.floor((until - gap - from) / pitch));
    return drawn;
  }
  const end = own.length > 0 ? greatest(own.map(({ right }) => right)) : dots[0]!.left - leader.gap;
  const [start, last] = [end + Math.max(0.1 * size, Math.min(gap, leader.gap)), dots.at(-1)!.right];
  if (blankEnd !== undefined && start > dots[0]!.left) {
    drawn.removed.push(...dots.map(({ glyph }) => glyph));
    const until = Math.min(blankEnd, last + start - dots[0]!.left);
    const count = Math.floor((until - start + 0.01) / pitch);
    fill(until - count * pitch, count);
    return drawn;
  }
  const first = dots.findIndex(({ left }) => left >= end + Math.min(gap, Math.max(0.1 * size, leader.gap)));
  drawn.removed.push(...dots.slice(0, first < 0 ? dots.length : first).map(({ glyph }) => glyph));
  // Lines to write on are aligned with those of other rows.
  if (first === 0 && !isLine(dots)) {
    const count = Math.floor((dots[0]!.left - end - gap) / pitch);
    fill(dots[0]!.left - count * pitch, count);
  }
  return drawn;
}

/** Shows a text in the style of a source text. With `advance`, each character gets this width, in points. */
function shown(
  text: string,
  { font, color }: ShownText,
  place: { size: number; advance: number | undefined; matrix: Matrix; x: number; baseline: number },
  fonts: DocumentFonts,
): { operators: string; used: ReadonlyMap<string, PDFRef>; width: number } {
  const { size, advance, matrix, x, baseline } = place;
  const { family, bold, italic } = font;
  const spans = [{ end: text.length, family, bold, italic, face: faceOf(font), scale: 1 }];
  const paragraph = shapeParagraph(text, { language: 'en', direction: 'ltr', spans });
  const clusters = advance
    ? paragraph.clusters.map((cluster) => ({ ...cluster, advance: advance / size }))
    : paragraph.clusters;
  const line = singleLine({ ...paragraph, clusters });
  const [a, b, c, d] = matrix;
  const [e, f] = apply(matrix, x, baseline);
  const { operators, fonts: used } = fonts.show(line, {
    fontSize: size,
    matrix: [a, b, c, d, e, f],
    spans: [{ bold, italic, rise: 0, color }],
  });
  return { operators, used, width: line.width * size };
}
