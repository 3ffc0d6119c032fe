import {
  type RunProperties,
  type Switch,
  type TextFormat,
  toggles,
  type Value,
} from '../office/paragraph/text-format.ts';
import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';
import { isOn } from './word-xml.ts';

const switches: ReadonlySet<string> = new Set([...toggles, 'dstrike', 'bCs', 'iCs', 'rtl', 'cs']);
const values: ReadonlySet<string> = new Set(
  'u color highlight shd bdr sz szCs vertAlign position spacing em effect'.split(' '),
);
/** Values that stand for the absence of a property, and those that look like it on a white page. */
const nothing: ReadonlySet<string> = new Set(
  'none nil auto baseline 0 color=000000 shd=FFFFFF highlight=white'.split(' '),
);

/** The least letter-spacing that a reader notices, in twentieths of a point. */
const leastSpacing = 20;

/** Adds a child of an `rPr` element to the properties, if it is visible. */
export function addRunProperty(properties: RunProperties, tag: XmlStartTag): void {
  const { local } = tag;
  if (switches.has(local)) properties[local as Switch] = isOn(tag);
  else if (local === 'rFonts') addFonts(properties, tag);
  else if (values.has(local)) {
    const value = attributeOf(tag, local === 'shd' ? 'fill' : 'val') ?? '';
    const isNoise = local === 'spacing' && Math.abs(Number(value)) < leastSpacing;
    const isVisible = !isNoise && !nothing.has(value) && !nothing.has(`${local}=${value}`);
    properties[local as Value] = isVisible ? value : '';
  }
}

/** A font of the theme, such as `minorHAnsi`, takes precedence over a named font. */
function addFonts(properties: RunProperties, tag: XmlStartTag): void {
  const set = (name: Value, script: string): void => {
    const font = attributeOf(tag, `${script}Theme`) ?? attributeOf(tag, script);
    if (font !== undefined) properties[name] = font;
  };
  set('font', 'ascii');
  set('eastAsiaFont', 'eastAsia');
  set('csFont', 'cs');
}

/**
 * Returns the visible formatting of a run, from the properties of its paragraph's style, its character style and
 * those of the run. The properties of right-to-left text are those for complex scripts.
 */
export function textFormat(paragraph: RunProperties, style: RunProperties, run: RunProperties): TextFormat {
  const all: RunProperties = { ...paragraph, ...style, ...run };
  for (const toggle of toggles)
    if (run[toggle] === undefined && style[toggle] && paragraph[toggle]) all[toggle] = false;
  const { rtl, cs, bCs, iCs, szCs, csFont, ...format } = all;
  if (rtl || cs) Object.assign(format, { b: bCs, i: iCs, sz: szCs, font: csFont });
  for (const [name, value] of Object.entries(format)) if (!value) delete format[name as keyof TextFormat];
  return format;
}
