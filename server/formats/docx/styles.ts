import {
  type RunProperties,
  type Switch,
  type TextFormat,
  toggles,
  type Value,
} from '../office/paragraph/text-format.ts';
import { attributeOf, readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import { isOn, isWord } from './word-xml.ts';

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
function textFormat(paragraph: RunProperties, style: RunProperties, run: RunProperties): TextFormat {
  const all: RunProperties = { ...paragraph, ...style, ...run };
  for (const toggle of toggles)
    if (run[toggle] === undefined && style[toggle] && paragraph[toggle]) all[toggle] = false;
  const { rtl, cs, bCs, iCs, szCs, csFont, ...format } = all;
  if (rtl || cs) Object.assign(format, { b: bCs, i: iCs, sz: szCs, font: csFont });
  for (const [name, value] of Object.entries(format)) if (!value) delete format[name as keyof TextFormat];
  return format;
}

/** The properties of a style that the reader needs; undefined if the style does not set them. */
interface StyleProperties {
  outlineLevel?: number;
  /** Whether text is hidden. */
  vanish?: boolean;
  /** Whether paragraphs are right-to-left. */
  bidi?: boolean;
  /** Whether text is right-to-left. */
  rtl?: boolean;
  /** Whether paragraphs hold the large first letters of the next one. */
  isDropCap?: boolean;
  /** The visible formatting of text. */
  run?: RunProperties;
}

interface Style extends StyleProperties {
  basedOn?: string;
}

/** The styles of a document, each with its inherited properties. */
export class Styles {
  readonly #byId: ReadonlyMap<string, Style>;
  readonly #defaults: StyleProperties;
  readonly #defaultParagraph: string | undefined;
  readonly #resolved = new Map<string, StyleProperties>();

  constructor(
    byId: ReadonlyMap<string, Style> = new Map(),
    defaults: StyleProperties = {},
    defaultParagraph?: string,
  ) {
    this.#byId = byId;
    this.#defaults = defaults;
    this.#defaultParagraph = defaultParagraph;
  }

  /** Returns the properties of the paragraph style with this id; without an id, those of the default style. */
  ofParagraph(id: string | undefined): StyleProperties {
    return inherit(this.#defaults, this.#resolve(id ?? this.#defaultParagraph));
  }

  /** Returns the visible formatting of a run, given the styles of the paragraph and the run and its own properties. */
  formatOf(paragraph: string | undefined, run: string | undefined, properties: RunProperties): TextFormat {
    return textFormat(this.ofParagraph(paragraph).run ?? {}, this.#resolve(run).run ?? {}, properties);
  }

  /** Whether the run's style or the paragraph's style hides the text of a run. */
  isHidden(paragraph: string | undefined, run: string | undefined): boolean {
    return this.#resolve(run).vanish ?? this.ofParagraph(paragraph).vanish ?? false;
  }

  #resolve(id: string | undefined): StyleProperties {
    if (id === undefined) return {};
    const known = this.#resolved.get(id);
    if (known) return known;
    const chain: Style[] = [];
    const seen = new Set<string>();
    for (let next: string | undefined = id; next !== undefined && !seen.has(next); ) {
      seen.add(next);
      const style: Style | undefined = this.#byId.get(next);
      if (style) chain.push(style);
      next = style?.basedOn;
    }
    const resolved = chain.reduceRight<Style>(inherit, {});
    this.#resolved.set(id, resolved);
    return resolved;
  }
}

/** Returns the properties of a style together with those that it inherits. */
function inherit<T extends StyleProperties>(inherited: T, own: T): T {
  return { ...inherited, ...own, run: { ...inherited.run, ...own.run } };
}

/**
 * Reads the styles part of a document.
 *
 * @throws {FileError} as `readPositionedXml` does
 */
export function readStyles(source: string): Styles {
  const byId = new Map<string, Style>();
  const defaults: StyleProperties = {};
  let defaultParagraph: string | undefined;
  let current: Style | undefined;
  /** The local names of the open elements. */
  const path: string[] = [];
  readPositionedXml(source, {
    openTag: (tag) => {
      path.push(tag.local);
      if (!isWord(tag)) return;
      const parent = path.at(-2);
      if (tag.local === 'style' && path.length === 2) {
        current = {};
        const id = attributeOf(tag, 'styleId');
        if (id !== undefined) byId.set(id, current);
        const isDefault = attributeOf(tag, 'default');
        if (attributeOf(tag, 'type') === 'paragraph' && isDefault !== undefined && isDefault !== '0')
          defaultParagraph ??= isDefault === 'false' ? undefined : id;
      } else if (tag.local === 'name' && parent === 'style' && current) {
        // Word recognizes its heading styles by their names, so a heading style may lack an outline level.
        const level = /^heading ([1-9])$/i.exec(attributeOf(tag, 'val') ?? '')?.[1];
        if (level !== undefined) current.outlineLevel ??= Number(level) - 1;
      } else if (tag.local === 'basedOn' && parent === 'style' && current) {
        const id = attributeOf(tag, 'val');
        if (id !== undefined) current.basedOn = id;
      } else if (parent === 'pPr' || parent === 'rPr') {
        const isOfStyle = path.length === 4 && path[1] === 'style';
        const isDefault = path[1] === 'docDefaults' && path.length === 5;
        const properties = isOfStyle ? current : isDefault ? defaults : undefined;
        if (!properties) return;
        if (tag.local === 'vanish' || tag.local === 'bidi' || tag.local === 'rtl')
          properties[tag.local] = isOn(tag);
        else if (tag.local === 'outlineLvl') properties.outlineLevel = Number(attributeOf(tag, 'val'));
        else if (tag.local === 'framePr')
          properties.isDropCap = /^(?:drop|margin)$/.test(attributeOf(tag, 'dropCap') ?? '');
        if (parent === 'rPr') {
          properties.run ??= {};
          addRunProperty(properties.run, tag);
        }
      }
    },
    closeTag: () => {
      path.pop();
      if (path.length === 1) current = undefined;
    },
  });
  return new Styles(byId, defaults, defaultParagraph);
}
