import type { SegmentKind } from '../document.ts';
import type { FormatKind } from '../inline-content.ts';
import { attributeOf, readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import { type CellLook, lookOf, pointsOf, usualLook } from './text-block.ts';

export interface TextStyle {
  /** Null for a style without a visible effect, such as one that only has a language. */
  format: FormatKind | null;
  /** The visible properties as text. Styles with equal properties look the same. */
  look: string;
}

export interface Styles {
  /** The text styles by name. */
  ofTexts: ReadonlyMap<string, TextStyle>;
  /** The names of the page styles of hidden slides. */
  hiddenSlides: ReadonlySet<string>;
  /** The styles of cells by name; the name of the usual one is empty. */
  ofCells: ReadonlyMap<string, CellLook>;
  /** The widths in points by the name of the style. */
  columnWidths: ReadonlyMap<string, number>;
}

/** Attributes of text that readers do not see. LibreOffice gives each edit of a text a new style. */
const invisible =
  /rsid$|^(?:fo:|style:)?(?:language|country|script|rfc-language-tag)(?:-asian|-complex)?$|^xmlns|:hyphenat/;
const unformatted: TextStyle = { format: null, look: '' };

/** Reads the styles of the parts of a file. */
export function readStyles(parts: readonly string[]): Styles {
  const ofTexts = new Map<string, TextStyle>();
  const hiddenSlides = new Set<string>();
  const ofCells = new Map<string, CellLook>();
  const columnWidths = new Map<string, number>();
  for (const source of parts) {
    if (source === '') continue;
    let current: { name: string; family: string | undefined } | undefined;
    readPositionedXml(source, {
      openTag(tag) {
        const name = elementName(tag);
        if (name === 'style:style' || name === 'style:default-style') {
          current = { name: attributeOf(tag, 'name') ?? '', family: attributeOf(tag, 'family') };
          const parent = attributeOf(tag, 'parent-style-name') ?? '';
          if (current.family === 'text' && name === 'style:style')
            ofTexts.set(current.name, ofTexts.get(parent) ?? unformatted);
          if (current.family === 'table-cell')
            ofCells.set(current.name, ofCells.get(parent) ?? ofCells.get('') ?? usualLook);
        } else if (current?.family === 'table-cell' && /^style:(?:text|table-cell)-properties$/.test(name))
          ofCells.set(current.name, lookOf(tag, ofCells.get(current.name)!));
        else if (name === 'style:table-column-properties') {
          const width = pointsOf(attributeOf(tag, 'column-width'));
          if (width !== undefined) columnWidths.set(current?.name ?? '', width);
        } else if (name === 'style:text-properties' && current && ofTexts.has(current.name))
          ofTexts.set(current.name, styleOf(current.name, tag.attributes, ofTexts.get(current.name)!));
        else if (name === 'style:drawing-page-properties' && attributeOf(tag, 'visibility') === 'hidden')
          hiddenSlides.add(current?.name ?? '');
      },
      closeTag(tag) {
        if (/^style:(?:default-)?style$/.test(elementName(tag))) current = undefined;
      },
      text() {},
    });
  }
  return { ofTexts, hiddenSlides, ofCells, columnWidths };
}

function styleOf(name: string, attributes: Readonly<Record<string, string>>, parent: TextStyle): TextStyle {
  const seen = Object.keys(attributes).filter((one) => !invisible.test(one));
  if (seen.length === 0) return parent;
  const own = seen.map((one) => `${one}=${attributes[one]}`).sort();
  const look = [parent.look, ...own].join(' ');
  return { format: formatOf(attributes, seen), look: look.length > maxLook ? `style ${name}` : look };
}

/** The longest text of properties that is kept, so that styles that inherit from each other cannot fill the memory. */
const maxLook = 4_000;

function formatOf(attributes: Readonly<Record<string, string>>, seen: readonly string[]): FormatKind {
  const value = (local: string) => attributes[seen.find((name) => name.endsWith(`:${local}`)) ?? ''];
  const position = value('text-position');
  if (position && !/^0%?(?: 100%)?$/.test(position))
    return /^(?:sub|-)/.test(position) ? 'subscript' : 'superscript';
  if (/^(?:bold|[6-9]00)$/.test(value('font-weight') ?? '')) return 'bold';
  if (/italic|oblique/.test(value('font-style') ?? '')) return 'italic';
  if ((value('text-underline-style') ?? 'none') !== 'none') return 'underline';
  if ((value('text-line-through-style') ?? 'none') !== 'none') return 'strike';
  return 'other';
}

/** Returns the name of an element with the usual prefix of its namespace, such as `text:p`. */
export function elementName({
  name,
  local,
  namespace,
}: Pick<XmlStartTag, 'name' | 'local' | 'namespace'>): string {
  const [, group] =
    /^urn:oasis:names:tc:opendocument:xmlns:([\w-]+?)(?:-compatible)?:1\.0$/.exec(namespace ?? '') ?? [];
  return group === undefined ? name : `${group === 'drawing' ? 'draw' : group}:${local}`;
}

/** Elements whose texts stay, with the reason. */
export const reasons: Readonly<Record<string, string>> = {
  'office:annotation': 'comments',
  'text:tracked-changes': 'tracked_changes',
  'style:master-page': 'masters',
};
/** Elements of a master page whose texts are translated. */
export const headers: Readonly<Record<string, SegmentKind>> = {
  'style:header': 'header',
  'style:header-left': 'header',
  'style:header-first': 'header',
  'style:footer': 'footer',
  'style:footer-left': 'footer',
  'style:footer-first': 'footer',
};
/** Elements with the headers, footers and fixed dates of slides, which are translated. */
export const declarations: Readonly<Record<string, SegmentKind>> = {
  'presentation:header-decl': 'header',
  'presentation:footer-decl': 'footer',
  'presentation:date-time-decl': 'footer',
};
