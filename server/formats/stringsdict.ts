import { FileError } from './file-error.ts';
import { areForms, type FormItem, writeForms } from './messages/form-items.ts';
import { type KeyPath, KeyWriter, rootPath, withKey } from './messages/key-path.ts';
import { type PluralEntry, placesOfStrings, type StringEntry } from './messages/strings.ts';
import { escapeXmlText, withoutForbidden } from './office/splice.ts';
import { openTextFile, type TextFile, type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';
import {
  contentEdit,
  elementsIn,
  elementsWithComments,
  encodingEdits,
  isCdataOnly,
  parseXmlNodes,
  textIn,
  writeCdata,
  type XmlElement,
} from './xml/xml-nodes.ts';

/**
 * Strings dictionaries of Apple's platforms: property lists with the plural forms of a text, and its variants for devices
 * and widths. A format such as `%#@files@ in %#@folders@` is translated only if it has words.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild, texts } = textFormat(findStrings, openPropertyList);

function openPropertyList(bytes: Uint8Array): TextFile {
  if (Buffer.from(bytes.subarray(0, 6)).toString('latin1') === 'bplist')
    throw new FileError(
      'unreadable',
      'the file is a binary property list; convert it to XML with "plutil -convert xml1"',
    );
  return openTextFile(bytes);
}

function findStrings(text: string, { targetLanguage, kept }: TextOptions): TextPlaces {
  const root = parsePropertyList(text);
  const reader = new Reader(text);
  reader.read(root, rootPath, undefined);
  if (!reader.hasRules && root.children.some(({ kind }) => kind === 'element'))
    throw new FileError(
      'unreadable',
      `line ${root.line}: the property list is not a strings dictionary: no key has a dictionary with ${[...rules.keys()].join(', ')}`,
    );
  const found = placesOfStrings(reader.entries, { targetLanguage, kept });
  return {
    ...found,
    always: [...encodingEdits(text), ...found.always],
    characters: reader.characters,
  };
}

/** The keys of an entry's dictionary that say how its text is selected, and what each key of their dictionaries is. */
const rules: ReadonlyMap<string, string> = new Map([
  ['NSStringLocalizedFormatKey', ''],
  ['NSStringVariableWidthRuleType', 'for the width'],
  ['NSStringDeviceSpecificRuleType', 'for the device'],
]);

/** The type of a variable and of its value, such as `NSStringPluralRuleType` and `d`. */
const types: ReadonlySet<string> = new Set(['NSStringFormatSpecTypeKey', 'NSStringFormatValueTypeKey']);

class Reader {
  readonly entries: (StringEntry | PluralEntry)[] = [];
  /** Visible characters of all strings. */
  characters = 0;
  /** Whether an entry has one of the `rules`. */
  hasRules = false;
  readonly #text: string;
  readonly #keys: KeyWriter;

  constructor(text: string) {
    this.#text = text;
    this.#keys = new KeyWriter(text);
  }

  /** @param variants what each key of the dictionary is, if they select variants */
  read(dictionary: XmlElement, path: KeyPath, comment: string | undefined, variants = ''): void {
    const pairs = pairsOf(dictionary);
    const forms = pairs.filter(({ key }) => !types.has(key));
    const isPlural = pairs.some((pair) => isPluralRule(pair)) && areForms(forms.map(({ key }) => key));
    if (isPlural && forms.every(({ value }) => value.name === 'string')) {
      this.#readForms(forms, path, comment);
      return;
    }
    for (const pair of pairs) {
      const { key, value } = pair;
      const rule = rules.get(key);
      if (rule !== undefined && path.keys.length > 0) this.hasRules = true;
      const inner = rule === undefined ? withKey(path, key) : path;
      const said = note(pair.comment ?? comment, variants && `${variants} “${key}”`);
      if (value.name === 'dict') {
        const isVariable = path.keys.length > 0 && rule === undefined && variants === '';
        this.read(value, inner, isVariable ? note(said, `replaces %#@${key}@`) : said, rule);
      } else if (value.name === 'string' && !types.has(key))
        this.entries.push(this.#entry(value, inner, said));
    }
  }

  #readForms(pairs: readonly PropertyPair[], path: KeyPath, comment: string | undefined): void {
    const items = pairs.map(({ key, keyElement, value, comment: own }): FormItem => {
      const { start, innerStart, innerEnd } = keyElement;
      const entry = this.#entry(value, withKey(path, key), own ?? comment);
      return { category: key, entry, start, end: value.end, label: { start: innerStart, end: innerEnd } };
    });
    this.entries.push({
      key: path.keys.join('.'),
      type: 'cardinal',
      forms: new Map(items.map(({ category, entry }) => [category, entry])),
      // The forms of a translation without `other` have the same names.
      nameOf: (category) => withKey(path, category).names.join('.'),
      write: (texts: ReadonlyMap<string, string>) => writeForms(this.#text, items, texts),
    });
  }

  #entry(element: XmlElement, path: KeyPath, comment: string | undefined): StringEntry {
    const text = stringIn(element);
    this.characters += countCharacters(text);
    const write = isCdataOnly(element) ? writeCdata : escapeXmlText;
    return {
      ...this.#keys.write(path, element.line),
      text,
      line: element.line,
      comment,
      write: (translation) => contentEdit(element, write(withoutForbidden(translation))),
    };
  }
}

const isPluralRule = ({ key, value }: PropertyPair) =>
  key === 'NSStringFormatSpecTypeKey' && stringIn(value) === 'NSStringPluralRuleType';

const note = (comment: string | undefined, more: string) =>
  [comment, more].filter(Boolean).join('; ') || undefined;

/** A key of a dictionary with its value. */
interface PropertyPair {
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
function parsePropertyList(text: string): XmlElement {
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
function pairsOf(dictionary: XmlElement): PropertyPair[] {
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
function stringIn(element: XmlElement): string {
  const [inner] = elementsIn(element);
  if (inner) throw problem(inner, `${tagOf(inner)} is inside ${tagOf(element)}, which may only have text`);
  return textIn(element);
}

const tagOf = ({ name }: XmlElement) => `<${name.slice(0, 40)}>`;

const problem = ({ line }: XmlElement, what: string) => new FileError('unreadable', `line ${line}: ${what}`);
