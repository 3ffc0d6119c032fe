import type { Finding, SegmentKind } from '../document.ts';
import { type InlineContent, plainText } from '../inline-content.ts';
import type { Item } from '../markup/inline-runs.ts';
import { longestLine } from '../office/text-width.ts';
import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';

/** A paragraph, heading, title or description. */
export interface TextBlock {
  kind: SegmentKind;
  /** The place for a reviewer, such as `content.xml, paragraph 3`, `Costs!B4` or `slide 2, notes, paragraph 1`. */
  place: string;
  /** The number of the sheet or slide; 1 in files without them. */
  page: number | undefined;
  /** The reference of the cell in a spreadsheet. */
  cellId?: string;
  room?: CellRoom | undefined;
  /** The largest number of characters that the cell accepts. */
  most?: number | undefined;
  items: Item[];
  /** The tags of elements without an effect, which are not items, in the order of the file. */
  leftOut: { start: number; end: number; type: 'open' | 'close' }[];
  /** The prefix of the elements of the text, such as `text:`; undefined for a text that cannot contain any. */
  prefix: string | undefined;
}

/** A block that is open, inside others if it is the text of a frame, a note or a comment. */
export interface OpenBlock extends TextBlock {
  /** Why its text stays. */
  reason: string | undefined;
  /** The offset of its start tag. */
  start: number;
  /** The offset after the last tag. */
  at: number;
  /** The text since the last tag. */
  text: string;
  /**
   * The element that becomes one tag, with the number of open elements around it. Ruby text becomes its base; `ruby` is
   * the part of it that is read.
   */
  whole:
    | { start: number; depth: number; isField: boolean; text?: string | undefined; ruby?: 'base' | 'text' }
    | undefined;
  /** The elements around the current text: the pairs, and null for those that are left out. */
  pairs: (Pair | null)[];
  /** The pair that the last tag closed. */
  closed: Pair | undefined;
}

/** A pair of tags: its name, and the effect of its style; the effect is undefined for a link. */
export interface Pair {
  name: string;
  look: string | undefined;
}

/**
 * Returns the items of a text between two tags: the text, and the white space at its edges.
 *
 * @param raw the text as it is written in the file
 * @param at the offset of the text
 */
export function textItems(raw: string, text: string, at: number): Item[] {
  const end = at + raw.length;
  const lead = /^[ \t\r\n]*/.exec(raw)![0].length;
  const trail = lead === raw.length ? 0 : /[ \t\r\n]*$/.exec(raw.slice(-1_000))![0].length;
  const items: Item[] = [
    { start: at, end: at + lead, type: 'text', text: ' ' },
    {
      start: at + lead,
      end: end - trail,
      type: 'text',
      text: text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, ''),
    },
    { start: end - trail, end, type: 'text', text: ' ' },
  ];
  return items.filter((item) => item.end > item.start);
}

/** How a cell sets its text. */
export interface CellLook {
  /** The size of the font in points. */
  size: number;
  /** Whether the text has lines or another size if it is too wide, or is turned. */
  adapts: boolean;
}

export const usualLook: CellLook = { size: 10, adapts: false };

/** The room for the text of a cell that does not adapt. */
export interface CellRoom {
  /** The width of the column in points. */
  width: number;
  size: number;
  /** Whether the next cell is filled. Otherwise a program shows a longer text over the next cells. */
  isTight: boolean;
}

const margins = 2;
/** Widths are approximate: a text that seems to be this much wider than its cell may fit. */
const tolerance = 1.1;
/** The maximum length of a text that is measured. */
const maxLength = 2_000;

/** Returns the look of cells with these properties of a style. */
export function lookOf(properties: XmlStartTag, look: CellLook): CellLook {
  const of = (name: string) => attributeOf(properties, name) ?? '';
  const size = /^[\d.]+(?=pt$)/.exec(of('font-size'));
  const adapts =
    of('wrap-option') === 'wrap' || of('shrink-to-fit') === 'true' || /[1-9]/.test(of('rotation-angle'));
  return {
    size: size ? Number(size[0]) : look.size,
    adapts: adapts || (look.adapts && of('wrap-option') !== 'no-wrap'),
  };
}

const points: Readonly<Record<string, number>> = { cm: 72 / 2.54, mm: 7.2 / 2.54, in: 72, pt: 1 };

/** Returns a length in points; undefined without a unit that is known. */
export function pointsOf(length: string | undefined): number | undefined {
  const [, number, unit] = /^([\d.]+)(cm|mm|in|pt)$/.exec(length ?? '') ?? [];
  return unit === undefined ? undefined : Number(number) * points[unit]!;
}

/** Returns a finding if a text fits in its cell, and its translation is cut there. */
export function cutFindings(
  { width, size, isTight }: CellRoom,
  place: string,
  source: InlineContent,
  target: InlineContent,
): Omit<Finding, 'unitId'>[] {
  const room = (width - margins) * tolerance;
  const [old, text] = [source, target].map(
    (content) => longestLine(plainText(content).slice(0, maxLength)) * size,
  );
  if (!isTight || old! > room || text! <= room) return [];
  const message = `the translation of ${place} is wider than its column, and the next cell is not empty`;
  return [{ severity: 'info', code: 'text_too_long', message }];
}
