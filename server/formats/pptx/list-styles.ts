import type { RunProperties, TextFormat } from '../office/paragraph/text-format.ts';
import { readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import { isOnValue } from './drawing-xml.ts';

/** The properties of the paragraphs of one level. */
export interface LevelStyle {
  /** The alignment as in the file: `l`, `r`, `ctr`, `just` or a variety of `just`. */
  alignment?: string;
  isRightToLeft?: boolean;
  run: RunProperties;
}

/** The properties of the nine levels of paragraphs. Levels that set nothing are missing. */
export type Levels = readonly (LevelStyle | undefined)[];

/** The maximum number of cached results. The shapes of a file have many lists, but few different ones. */
const maxCached = 200;
const cached = new Map<string, Levels>();

/**
 * Reads an element with properties of levels, such as `a:lstStyle`.
 *
 * @param raw the XML of the element; its namespaces may be declared outside of it
 * @throws {FileError} as `readPositionedXml` does
 */
export function readLevels(raw: string): Levels {
  const known = cached.get(raw);
  if (known) return known;
  const levels: LevelStyle[] = [];
  let depth = 0;
  let level: LevelStyle | undefined;
  let inRun = false;
  let property: XmlStartTag | undefined;
  readPositionedXml(raw, {
    openTag: (tag) => {
      depth++;
      if (depth === 2) {
        const number = /^lvl([1-9])pPr$/.exec(tag.local)?.[1];
        level = number === undefined ? undefined : { run: {} };
        if (!level) return;
        levels[Number(number) - 1] = level;
        const { algn, rtl } = tag.attributes;
        if (algn !== undefined) level.alignment = algn;
        if (rtl !== undefined) level.isRightToLeft = isOnValue(rtl);
      } else if (depth === 3 && level) {
        inRun = tag.local === 'defRPr';
        if (inRun) addAttributes(level.run, tag);
      } else if (depth === 4 && inRun) property = tag;
    },
    closeTag: ({ end }) => {
      if (depth === 4 && property && level) addElement(level.run, property, raw.slice(property.start, end));
      if (depth === 4) property = undefined;
      depth--;
    },
  });
  if (cached.size === maxCached) cached.clear();
  cached.set(raw, levels);
  return levels;
}

/** Returns the properties of a level. @param inherited the lists from the most general to the most specific */
export function levelOf(inherited: readonly Levels[], level: number): LevelStyle {
  const result: LevelStyle = { run: {} };
  for (const levels of inherited) {
    const own = levels[level];
    if (own) Object.assign(result, own, { run: { ...result.run, ...own.run } });
  }
  return result;
}

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
