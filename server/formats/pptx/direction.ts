import { withAttributes } from '../office/attributes.ts';
import type { Edit } from '../office/splice.ts';
import type { DirectionChange } from '../typesetting/languages.ts';
import type { DrawingParagraph } from './text-body.ts';

const mirrored: Readonly<Record<string, string>> = { l: 'r', r: 'l' };

/**
 * Returns the edit that gives a paragraph another direction. Texts at the left move to the right, and the other way
 * round, because alignments are absolute; centered and justified texts stay.
 *
 * @param source the XML of the part
 */
export function directionEdit(
  source: string,
  { properties, level, prefix, start }: DrawingParagraph,
  change: DirectionChange,
): Edit | undefined {
  if (change === 'kept') return undefined;
  const alignment = properties?.attributes['algn'] ?? level.alignment ?? 'l';
  const isRightToLeft = properties?.attributes['rtl'] ?? (level.isRightToLeft ? '1' : '0');
  const rtl = change === 'rtl' ? '1' : '0';
  if ((isRightToLeft === '1' || isRightToLeft === 'true') === (rtl === '1')) return undefined;
  const values = { algn: mirrored[alignment], rtl };
  const own = properties ? source.slice(properties.start, properties.end) : `<${prefix}pPr/>`;
  const at = properties ?? { start, end: start };
  // An alignment that is not mirrored stays as it is.
  const text = withAttributes(own, values.algn === undefined ? { rtl } : values);
  return { start: at.start, end: at.end, text };
}
