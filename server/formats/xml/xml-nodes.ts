import { FileError } from '../file-error.ts';
import type { Edit } from '../office/splice.ts';
import { lineCounter } from '../text-file.ts';
import { createParser, XmlFileError } from './xml-parser.ts';
import { attributes as writeAttributes } from './xml-text.ts';

/*
 * A tree of an XML document with the positions of all nodes, for formats that replace texts and keep all other
 * characters. The events of a parser have no positions of texts, comments and attributes. So a parser first checks the
 * document; then a scan, which relies on well-formedness, finds the nodes.
 */

export interface XmlElement {
  kind: 'element';
  /** The name with its prefix. */
  name: string;
  attributes: ReadonlyMap<string, XmlAttribute>;
  children: XmlNode[];
  line: number;
  start: number;
  end: number;
  /** The offsets of the content. Both are the end of the tag for `<a/>`. */
  innerStart: number;
  innerEnd: number;
  isSelfClosing: boolean;
}

/** An attribute. `start` is the offset of its name, `end` the offset after its closing quote. */
interface XmlAttribute {
  value: string;
  start: number;
  end: number;
}

/** A text with its references decoded. A CDATA section is a separate text, whose positions include its delimiters. */
export interface XmlText {
  kind: 'text';
  text: string;
  isCdata: boolean;
  start: number;
  end: number;
}

/** A comment or a processing instruction. */
interface XmlOther {
  kind: 'comment' | 'instruction';
  /** The text of a comment. */
  text: string;
  start: number;
  end: number;
}

export type XmlNode = XmlElement | XmlText | XmlOther;

/**
 * Parses a document.
 *
 * @returns the root element
 * @throws {FileError} `unreadable` if the document is not well-formed, declares or uses entities, or declares an encoding
 *   other than UTF-8, UTF-16 and, if it has no other characters, US-ASCII
 */
export function parseXmlNodes(text: string): XmlElement {
  const [, , encoding] = declaration.exec(text) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  const isAscii = /^(?:us-)?ascii$/i.test(encoding ?? '') && /^[\0-\x7f]*$/.test(text);
  if (encoding !== undefined && !isAscii && !unicode.test(encoding))
    throw unreadable(
      `the XML declares the encoding ${JSON.stringify(encoding.slice(0, 40))}; send the file in UTF-8 or UTF-16, and declare it`,
    );
  const tags = new Tags();
  try {
    const parser = createParser({ open: tags.open, close: () => {}, text: () => {} });
    parser.write(text);
    parser.close();
  } catch (error) {
    if (!(error instanceof XmlFileError)) throw error;
    throw new FileError('unreadable', error.message, { cause: error });
  }
  return new Scanner(text, tags).root();
}

const declaration = /^(<\?xml\s[^>]*?encoding\s*=\s*["'])([^"']*)["']/;
const unicode = /^utf-?(?:8|16(?:le|be)?)$/i;

/**
 * Returns the change by which a file declares UTF-8, if it declares another encoding than that in which it was read: its
 * translation has other characters.
 */
export function encodingEdits(text: string): Edit[] {
  const [, before = '', encoding] = declaration.exec(text) ?? [];
  if (encoding === undefined || unicode.test(encoding)) return [];
  return [{ start: before.length, end: before.length + encoding.length, text: 'UTF-8' }];
}

/** The decoded attributes of all tags, in the order of the document. */
class Tags {
  readonly all: Record<string, string>[] = [];
  readonly open = (_name: string, attributes: Record<string, string>): void => {
    this.all.push(attributes);
  };
}

const unreadable = (message: string) => new FileError('unreadable', message);

const attributePattern = /([^\s=<>"'/]+)\s*=\s*(?:"[^"]*"|'[^']*')/y;
const spacePattern = /\s*/y;

class Scanner {
  readonly #text: string;
  readonly #tags: readonly Record<string, string>[];
  readonly #lineAt: (offset: number) => number;
  #at = 0;
  #opened = 0;

  constructor(text: string, tags: Tags) {
    this.#text = text;
    this.#tags = tags.all;
    this.#lineAt = lineCounter(text);
  }

  root(): XmlElement {
    const roots: XmlNode[] = [];
    const open: XmlElement[] = [];
    while (this.#at < this.#text.length) {
      const nodes = open.at(-1)?.children ?? roots;
      const start = this.#at;
      if (this.#text[start] !== '<') nodes.push(this.#textNode(start, this.#indexOf('<')));
      else if (this.#isAt('<!--')) nodes.push(this.#other('comment', start, this.#after('-->')));
      else if (this.#isAt('<![CDATA[')) nodes.push(this.#cdata(start, this.#after(']]>')));
      else if (this.#isAt('<?')) nodes.push(this.#other('instruction', start, this.#after('?>')));
      else if (this.#isAt('<!')) this.#skipDoctype();
      else if (this.#isAt('</')) {
        const element = open.pop()!;
        element.innerEnd = start;
        this.#at = element.end = this.#after('>');
      } else {
        const element = this.#startTag(start);
        nodes.push(element);
        if (!element.isSelfClosing) open.push(element);
      }
    }
    return roots.find((node) => node.kind === 'element')!;
  }

  #isAt(mark: string): boolean {
    return this.#text.startsWith(mark, this.#at);
  }

  #indexOf(mark: string): number {
    const found = this.#text.indexOf(mark, this.#at);
    return found < 0 ? this.#text.length : found;
  }

  #after(mark: string): number {
    return this.#indexOf(mark) + mark.length;
  }

  #skipDoctype(): void {
    const end = this.#after('>');
    if (this.#text.slice(this.#at, end).includes('['))
      throw unreadable('the XML has a DOCTYPE with declarations; remove them');
    this.#at = end;
  }

  #textNode(start: number, end: number): XmlText {
    this.#at = end;
    return { kind: 'text', text: decodeXml(this.#text.slice(start, end)), isCdata: false, start, end };
  }

  #cdata(start: number, end: number): XmlText {
    this.#at = end;
    const text = lineFeeds(this.#text.slice(start + '<![CDATA['.length, end - ']]>'.length));
    return { kind: 'text', text, isCdata: true, start, end };
  }

  #other(kind: XmlOther['kind'], start: number, end: number): XmlOther {
    this.#at = end;
    const text = kind === 'comment' ? this.#text.slice(start + '<!--'.length, end - '-->'.length).trim() : '';
    return { kind, text, start, end };
  }

  #startTag(start: number): XmlElement {
    const values = this.#tags[this.#opened++]!;
    const name = /[^\s/>]+/y;
    name.lastIndex = start + 1;
    const tagName = name.exec(this.#text)![0];
    this.#at = name.lastIndex;
    const attributes = new Map<string, XmlAttribute>();
    for (;;) {
      spacePattern.lastIndex = this.#at;
      spacePattern.exec(this.#text);
      attributePattern.lastIndex = spacePattern.lastIndex;
      const [, key] = attributePattern.exec(this.#text) ?? [];
      if (key === undefined) break;
      const end = attributePattern.lastIndex;
      attributes.set(key, { value: values[key] ?? '', start: spacePattern.lastIndex, end });
      this.#at = end;
    }
    const end = this.#after('>');
    this.#at = end;
    return {
      kind: 'element',
      name: tagName,
      attributes,
      children: [],
      line: this.#lineAt(start),
      start,
      end,
      innerStart: end,
      innerEnd: end,
      isSelfClosing: this.#text[end - 2] === '/',
    };
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const lineFeeds = (text: string) => text.replace(/\r\n?/g, '\n');

function decodeXml(raw: string): string {
  return lineFeeds(raw).replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|(\w+));/gi, (_, hex, digits, name) =>
    name ? entities[name]! : String.fromCodePoint(Number.parseInt(hex ?? digits, hex ? 16 : 10)),
  );
}

/** Returns the elements among the children of an element. */
export function elementsIn({ children }: XmlElement): XmlElement[] {
  return children.filter((node) => node.kind === 'element');
}

/** Returns the elements inside an element, each with the comments before it, and those after it on the same line. */
export function elementsWithComments(
  parent: XmlElement,
): { element: XmlElement; comment: string | undefined }[] {
  const found: { element: XmlElement; comments: string[] }[] = [];
  let comments: string[] = [];
  let isSameLine = false;
  for (const node of parent.children) {
    if (node.kind === 'text') isSameLine &&= !/[\r\n]/.test(node.text);
    else if (node.kind === 'comment') (isSameLine ? found.at(-1)!.comments : comments).push(node.text);
    else if (node.kind === 'element') {
      found.push({ element: node, comments });
      comments = [];
      isSameLine = true;
    }
  }
  return found.map(({ element, comments: own }) => ({
    element,
    comment: own.join(' ').replace(/\s+/g, ' ').trim().slice(0, 1_000) || undefined,
  }));
}

/** Returns all texts of an element and of the elements inside, joined. */
export function textIn(element: XmlElement): string {
  return element.children
    .map((node) => (node.kind === 'text' ? node.text : node.kind === 'element' ? textIn(node) : ''))
    .join('');
}

/** Whether the text of an element is one CDATA section. White space around it does not count. */
export function isCdataOnly({ children }: XmlElement): boolean {
  const [only, ...more] = children.filter((node) => node.kind !== 'text' || node.text.trim() !== '');
  return more.length === 0 && only?.kind === 'text' && only.isCdata;
}

/** Writes a text as a CDATA section. A text that has the end of a section becomes two sections. */
export function writeCdata(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** Returns the change that replaces the content of an element. An element without an end tag gets one. */
export function contentEdit(
  { name, isSelfClosing, innerStart, innerEnd }: XmlElement,
  content: string,
): Edit {
  return isSelfClosing
    ? { start: innerStart - '/>'.length, end: innerEnd, text: `>${content}</${name}>` }
    : { start: innerStart, end: innerEnd, text: content };
}

/**
 * Returns the changes of a start tag that set attributes.
 *
 * @param values the new values by name; null removes an attribute
 */
export function attributeEdits(
  { name, start, attributes }: XmlElement,
  values: Readonly<Record<string, string | null>>,
): Edit[] {
  const edits: Edit[] = [];
  const end = Math.max(start + 1 + name.length, ...[...attributes.values()].map((one) => one.end));
  let added = '';
  for (const [key, value] of Object.entries(values)) {
    const known = attributes.get(key);
    const text = value === null ? '' : writeAttributes({ [key]: value });
    // White space stands before each attribute.
    if (known) edits.push({ start: known.start - 1, end: known.end, text });
    else added += text;
  }
  if (added !== '') edits.push({ start: end, end, text: added });
  return edits.sort((one, other) => one.start - other.start || one.end - other.end);
}
