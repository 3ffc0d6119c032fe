import type { Finding } from '../document.ts';
import { type InlineContent, plainText } from '../inline-content.ts';
import { longestLine } from '../office/text-width.ts';
import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';

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
