import type { SegmentKind } from '../document.ts';
import type { Item } from '../markup/inline-runs.ts';
import type { CellRoom } from './cell-room.ts';

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
