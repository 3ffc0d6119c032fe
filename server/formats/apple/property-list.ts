import { FileError } from '../file-error.ts';
import {
  elementsIn,
  elementsWithComments,
  parseXmlNodes,
  textIn,
  type XmlElement,
} from '../xml/xml-nodes.ts';

/** A key of a dictionary with its value. */
export interface PropertyPair {
  key: string;
  keyElement: XmlElement;
  value: XmlElement;
  /** The comments directly before the key. */
  comment: string | undefined;
}

/**
 * Parses a property list in XML whose root is a dictionary.
 *
 * @returns the dictionary
 * @throws {FileError} `unreadable` with the line
 */
export function parsePropertyList(text: string): XmlElement {
  const root = parseXmlNodes(text);
  if (root.name !== 'plist')
    throw problem(root, `the root element of the XML is ${tagOf(root)}; a property list has <plist>`);
  const [dictionary, ...more] = elementsIn(root);
  if (dictionary?.name !== 'dict' || more.length > 0)
    throw problem(dictionary ?? root, '<plist> must have one <dict>, which has the keys');
  return dictionary;
}

/**
 * Returns the pairs of a dictionary.
 *
 * @throws {FileError} `unreadable` with the line, if they are not keys and values in turn
 */
export function pairsOf(dictionary: XmlElement): PropertyPair[] {
  const elements = elementsWithComments(dictionary);
  const pairs: PropertyPair[] = [];
  for (let at = 0; at < elements.length; at += 2) {
    const { element: keyElement, comment } = elements[at]!;
    const value = elements[at + 1]?.element;
    if (keyElement.name !== 'key') throw problem(keyElement, `${tagOf(keyElement)} has no <key> before it`);
    if (!value || value.name === 'key') throw problem(keyElement, 'a <key> has no value after it');
    pairs.push({ key: stringIn(keyElement), keyElement, value, comment });
  }
  return pairs;
}

/**
 * Returns the text of a key or string.
 *
 * @throws {FileError} `unreadable` with the line, if it has elements
 */
export function stringIn(element: XmlElement): string {
  const [inner] = elementsIn(element);
  if (inner) throw problem(inner, `${tagOf(inner)} is inside ${tagOf(element)}, which may only have text`);
  return textIn(element);
}

const tagOf = ({ name }: XmlElement) => `<${name.slice(0, 40)}>`;

const problem = ({ line }: XmlElement, what: string) => new FileError('unreadable', `line ${line}: ${what}`);
