import type { TextMarkup } from '../office/paragraph/tokens.ts';
import { escapeXmlText } from '../office/splice.ts';
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

/**
 * The properties of content controls whose text Word takes from elsewhere: from a list, a date, or data that the control
 * is bound to. When a file is opened or edited, Word replaces a translation by that value, so such a control is kept.
 */
const valueProperties = new Set(
  'dropDownList comboBox date picture dataBinding checkbox citation equation'.split(' '),
);

/** Whether the name is that of a property of a content control whose text Word takes from elsewhere. */
export function isValueProperty(local: string): boolean {
  return valueProperties.has(local);
}

/** Reads the `sdtPr` element of a content control. Its first event is the start tag of this element. */
export class ControlProperties {
  /** Whether the text of the control stays unchanged, because Word takes it from elsewhere. */
  hasValue = false;
  #depth = 0;

  open({ local }: XmlStartTag): void {
    if (++this.#depth === 2 && isValueProperty(local)) this.hasValue = true;
  }
  text(): void {}
  close(): void {
    this.#depth--;
  }
}

/** How Word represents text: breaks and tabs are elements inside of runs. */
export const wordMarkup: TextMarkup = {
  hasOneTextPerRun: false,
  textElement: (text, prefix) => `<${prefix}t xml:space="preserve">${escapeXmlText(text)}</${prefix}t>`,
  runs: (text, opening, properties, prefix) =>
    `${opening}${properties}${runContent(text, prefix)}</${prefix}r>`,
};

/** Characters that Word represents by elements, with these elements' names. */
const characterElements: ReadonlyMap<string, string> = new Map([
  ['\n', 'br'],
  ['\t', 'tab'],
  ['\u00ad', 'softHyphen'],
  ['\u2011', 'noBreakHyphen'],
]);

function runContent(text: string, prefix: string): string {
  let written = '';
  for (const piece of text.replace(/\r\n?/g, '\n').split(/([\n\t\u00ad\u2011])/)) {
    const element = characterElements.get(piece);
    if (element !== undefined) written += `<${prefix}${element}/>`;
    else if (piece !== '') {
      const space = /^\s|\s$|\s\s/.test(piece) ? ' xml:space="preserve"' : '';
      written += `<${prefix}t${space}>${escapeXmlText(piece)}</${prefix}t>`;
    }
  }
  return written;
}

/** Whether the value of an element is the title or the description of a table, which screen readers read. */
export const isTableText = (local: string): boolean => local === 'tblCaption' || local === 'tblDescription';
