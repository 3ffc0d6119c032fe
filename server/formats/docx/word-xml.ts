import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';

/** WordprocessingML's namespaces, transitional and strict. */
export const wordNamespaces: ReadonlySet<string | undefined> = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
]);

/** Whether an element belongs to WordprocessingML. */
export function isWord({ namespace }: { namespace: string | undefined }): boolean {
  return wordNamespaces.has(namespace);
}

/** Elements inside a run that represent a character of the plain text. */
export const runCharacters: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['ptab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '\u2011'],
]);

/** Whether the value of an on/off property is off. A property without a value is on. */
export function isOffValue(value: string | undefined): boolean {
  return value === '0' || value === 'false' || value === 'off';
}

/** Returns the value of an on/off property. */
export function isOn(tag: XmlStartTag): boolean {
  return !isOffValue(attributeOf(tag, 'val'));
}

/** The root element of each type of part with text. */
export const rootOfPart: Readonly<Record<string, string>> = {
  officeDocument: 'document',
  header: 'hdr',
  footer: 'ftr',
  footnotes: 'footnotes',
  endnotes: 'endnotes',
  comments: 'comments',
};
