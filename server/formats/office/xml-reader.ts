import { SaxesParser } from 'saxes';
import { limits, overLimit } from '../file-error.ts';
import { notWellFormed } from '../flatten/xml.ts';

/** A start tag. Its positions are offsets in the document, in UTF-16 units. */
export interface XmlStartTag {
  /** The name of the element, including its prefix. */
  name: string;
  /** The name of the element without its prefix. */
  local: string;
  /** The namespace of the element; undefined if its prefix is not declared. */
  namespace: string | undefined;
  /** The attributes by name, including prefixes. Namespace declarations are included. */
  attributes: Readonly<Record<string, string>>;
  /** Whether the tag is self-closing (`<a/>`). The end tag of such an element is reported with the same positions. */
  selfClosing: boolean;
  /** Whether the tag declares namespaces. */
  declaresNamespace: boolean;
  /** The offset of the tag's `<`. */
  start: number;
  /** The offset after the tag's `>`. */
  end: number;
}

export interface XmlEndTag {
  name: string;
  local: string;
  namespace: string | undefined;
  start: number;
  end: number;
}

/** The events of an XML reader, in the order of the document. */
export interface PositionedXmlEvents {
  openTag(tag: XmlStartTag): void;
  closeTag?(tag: XmlEndTag): void;
  /**
   * Receives text with its references decoded, and the content of CDATA sections. One text may arrive in several
   * pieces.
   */
  text?(text: string): void;
}

interface OpenElement {
  local: string;
  namespace: string | undefined;
  /** The prefixes that the element declares; '' for the default namespace. */
  prefixes: string[] | undefined;
}

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

/**
 * Creates an XML reader that reports the positions of tags, for parts of Office files that will be changed. Pass it the
 * document in one or more pieces, and close it after the last piece. The reader is not recursive, limits the depth and
 * the attributes, and ignores a DOCTYPE.
 *
 * The functions `write` and `close` throw a FileError: `unreadable` if the document is not well-formed or refers to an
 * entity that XML does not predefine, `too_large` if the document exceeds a limit.
 */
export function createPositionedXmlReader(events: PositionedXmlEvents): {
  write(piece: string): void;
  close(): void;
} {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const open: OpenElement[] = [];
  /** The namespaces of each prefix, with the innermost declaration last. */
  const declared = new Map([['xml', [xmlNamespace]]]);
  let attributeCount = 0;
  let declaresNamespace = false;
  let piece = '';
  let pieceStart = 0;
  /**
   * The offset of the last `<` before the current piece. It is needed for a tag that starts in one piece and ends in
   * another.
   */
  let lastBefore = -1;

  /**
   * Returns the offset of a tag's `<`, given the offset after its `>`. This is the last `<` before the end, because the
   * parser reports a tag when it has read the `>`, and a tag contains no other `<`.
   */
  const startOf = (end: number): number => {
    const found = piece.lastIndexOf('<', end - pieceStart - 1);
    return found >= 0 ? pieceStart + found : lastBefore;
  };
  parser.on('error', (error) => {
    throw notWellFormed(error);
  });
  parser.on('opentagstart', () => {
    attributeCount = 0;
    declaresNamespace = false;
  });
  parser.on('attribute', ({ name, value }) => {
    if (name.startsWith('xmlns')) declaresNamespace = true;
    if (++attributeCount > limits.officeXmlAttributes)
      throw overLimit('the number of attributes of an XML element', limits.officeXmlAttributes);
    if (value.length > limits.officeXmlAttributeLength)
      throw overLimit('the length of an XML attribute', limits.officeXmlAttributeLength);
  });
  parser.on('opentag', ({ name, attributes, isSelfClosing }) => {
    if (open.length >= limits.officeXmlDepth)
      throw overLimit('the depth of the XML elements', limits.officeXmlDepth);
    const prefixes = declaresNamespace ? declare(declared, attributes) : undefined;
    const colon = name.indexOf(':');
    const namespace = declared.get(colon < 0 ? '' : name.slice(0, colon))?.at(-1);
    const local = colon < 0 ? name : name.slice(colon + 1);
    open.push({ local, namespace, prefixes });
    const end = parser.position;
    events.openTag({
      name,
      local,
      namespace,
      attributes,
      selfClosing: isSelfClosing,
      declaresNamespace: prefixes !== undefined,
      start: startOf(end),
      end,
    });
  });
  parser.on('closetag', ({ name }) => {
    const { local, namespace, prefixes } = open.pop()!;
    for (const prefix of prefixes ?? []) declared.get(prefix)!.pop();
    const end = parser.position;
    events.closeTag?.({ name, local, namespace, start: startOf(end), end });
  });
  parser.on('text', (text) => events.text?.(text));
  parser.on('cdata', (text) => events.text?.(text));
  return {
    write: (next) => {
      const last = piece.lastIndexOf('<');
      if (last >= 0) lastBefore = pieceStart + last;
      pieceStart += piece.length;
      piece = next;
      parser.write(next);
    },
    close: () => {
      parser.close();
    },
  };
}

/** Records the namespace declarations of a tag. Returns the declared prefixes; undefined if missing. */
function declare(
  declared: Map<string, string[]>,
  attributes: Readonly<Record<string, string>>,
): string[] | undefined {
  let prefixes: string[] | undefined;
  for (const name in attributes) {
    if (!name.startsWith('xmlns')) continue;
    const prefix = name === 'xmlns' ? '' : name[5] === ':' ? name.slice(6) : undefined;
    if (prefix === undefined) continue;
    prefixes ??= [];
    prefixes.push(prefix);
    const uris = declared.get(prefix);
    if (uris) uris.push(attributes[name]!);
    else declared.set(prefix, [attributes[name]!]);
  }
  return prefixes;
}

/**
 * Returns the attribute with this local name and any prefix. Prefixes differ between strict and transitional files, and
 * between programs. Use this function only for elements whose attributes differ in their local names.
 */
export function attributeOf({ attributes }: XmlStartTag, local: string): string | undefined {
  for (const name in attributes) {
    const prefixLength = name.length - local.length;
    if (
      name.endsWith(local) &&
      (prefixLength === 0 || (name[prefixLength - 1] === ':' && !name.startsWith('xmlns:')))
    )
      return attributes[name];
  }
  return undefined;
}

/** Parses a document that is entirely in memory. */
export function readPositionedXml(source: string, events: PositionedXmlEvents): void {
  const reader = createPositionedXmlReader(events);
  reader.write(source);
  reader.close();
}

const attribute = /\s+([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')/g;

/**
 * Returns a start tag with other values of some attributes. New attributes come after the others.
 *
 * @param values the values by the names of the attributes, including prefixes; undefined removes an attribute
 */
export function withAttributes(tag: string, values: Readonly<Record<string, string | undefined>>): string {
  const missing = new Map(Object.entries(values));
  const changed = tag.replaceAll(attribute, (written, name: string) => {
    if (!missing.has(name)) return written;
    const value = missing.get(name);
    missing.delete(name);
    return value === undefined ? '' : ` ${name}="${escapeAttribute(value)}"`;
  });
  const added = [...missing].flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${escapeAttribute(value)}"`],
  );
  return changed.replace(/\s*(\/?>)$/, (_, end: string) => `${added.join('')}${end}`);
}

/** Escapes a text for the value of an XML attribute in double quotes. */
export function escapeAttribute(value: string): string {
  return value.replace(/[&<>"\t\n\r]/g, (character) => references[character]!);
}

const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** An attribute whose value is a text. */
export interface TextAttribute {
  /** The range of the attribute with the white space before it. */
  start: number;
  end: number;
  /** The offset of the value, after the quote. */
  valueStart: number;
  quote: string;
  text: string;
}

/** Returns the attribute of a tag with a local name; undefined if it is missing or has no visible text. */
export function textAttribute(source: string, tag: XmlStartTag, local: string): TextAttribute | undefined {
  const name = Object.keys(tag.attributes).find((one) => one === local || one.endsWith(`:${local}`));
  const text = name === undefined ? '' : tag.attributes[name]!;
  if (text.trim() === '') return undefined;
  const first = tag.start + 1 + tag.name.length;
  for (const { 0: written, 1: found, 2: value = '', index } of source
    .slice(first, tag.end)
    .matchAll(attribute)) {
    if (found !== name) continue;
    const end = first + index + written.length;
    let start = first + index;
    while (/\s/.test(source[start - 1]!)) start--;
    return { start, end, valueStart: end - value.length + 1, quote: value[0]!, text };
  }
  return undefined;
}
