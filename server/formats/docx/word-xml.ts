import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';

/** The namespaces of WordprocessingML in transitional and in strict files. */
export const wordNamespaces: ReadonlySet<string | undefined> = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
]);

/** Whether an element belongs to WordprocessingML. */
export function isWord({ namespace }: { namespace: string | undefined }): boolean {
  return wordNamespaces.has(namespace);
}

/** Elements inside a run that represent a character, each with this character. */
export const runCharacters: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['ptab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '\u2011'],
]);

/** Whether this value turns off an on/off property. A property without a value is on. */
export function isOffValue(value: string | undefined): boolean {
  return value === '0' || value === 'false' || value === 'off';
}

/** Whether an on/off property is on. */
export function isOn(tag: XmlStartTag): boolean {
  return !isOffValue(attributeOf(tag, 'val'));
}

/** The name of the root element in each type of part that contains text. */
export const rootOfPart: Readonly<Record<string, string>> = {
  officeDocument: 'document',
  header: 'hdr',
  footer: 'ftr',
  footnotes: 'footnotes',
  endnotes: 'endnotes',
  comments: 'comments',
};
