import type { RunProperties, TextFormat } from '../office/paragraph/text-format.ts';
import type { XmlStartTag } from '../office/xml-reader.ts';
import { isOnValue } from './drawing-xml.ts';

/** The least letter-spacing that a reader notices, in hundredths of a point. */
const leastSpacing = 100;

/** Adds the visible properties that the attributes of an `rPr` or a `defRPr` element set. */
export function addAttributes(properties: RunProperties, { attributes }: XmlStartTag): void {
  const { b, i, u, strike, baseline, sz, cap, spc } = attributes;
  if (b !== undefined) properties.b = isOnValue(b);
  if (i !== undefined) properties.i = isOnValue(i);
  if (u !== undefined) properties.u = u === 'none' ? '' : u;
  if (strike !== undefined) properties.strike = strike !== 'noStrike';
  if (baseline !== undefined) {
    const raised = Number.parseFloat(baseline);
    properties.vertAlign = raised > 0 ? 'superscript' : raised < 0 ? 'subscript' : '';
  }
  // Sizes are compared in half-points.
  if (sz !== undefined) properties.sz = `${Number(sz) / 50}`;
  if (cap !== undefined) {
    properties.caps = cap === 'all';
    properties.smallCaps = cap === 'small';
  }
  if (spc !== undefined) properties.spacing = Math.abs(Number(spc)) < leastSpacing ? '' : spc;
}

const fonts = { latin: 'font', ea: 'eastAsiaFont', cs: 'csFont' } as const;
const fills: ReadonlySet<string> = new Set('noFill solidFill gradFill blipFill pattFill grpFill'.split(' '));

/** Adds the visible property that a child element of an `rPr` or a `defRPr` sets. @param raw the XML of the element */
export function addElement(properties: RunProperties, { local, attributes }: XmlStartTag, raw: string): void {
  if (local === 'latin' || local === 'ea' || local === 'cs')
    properties[fonts[local]] = attributes['typeface'] ?? '';
  else if (local === 'highlight') properties.highlight = raw;
  else if (fills.has(local)) properties.color = raw.replaceAll(/\s*(\/>|>)/g, '$1');
}

/** Returns the visible formatting of a run, from the properties that it inherits and its own. */
export function formatOf(inherited: RunProperties, own: RunProperties): TextFormat {
  const { csFont: _, ...format } = { ...inherited, ...own };
  for (const [name, value] of Object.entries(format)) if (!value) delete format[name as keyof TextFormat];
  return format;
}
