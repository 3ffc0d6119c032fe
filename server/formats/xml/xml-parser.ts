import { type SaxesAttributeNS, SaxesParser, type SaxesTag } from 'saxes';

/**
 * The reason why a file of an exchange format (TMX, TBX, XLIFF) cannot be read: it is not text in an accepted encoding; it is
 * not XML, or another kind of XML; it declares or uses entities; it is not well-formed; its elements are nested too deep; it
 * breaks a rule of its format.
 */
export type XmlReason =
  | 'encoding'
  | 'not_xml'
  | 'wrong_root'
  | 'forbidden'
  | 'malformed'
  | 'too_deep'
  | 'invalid';

/** A file that cannot be read. The message is for the sender of the file and names the line, if known. */
export class XmlFileError extends Error {
  override name = 'XmlFileError';
  readonly reason: XmlReason;
  /** The physical line, from 1; null if the whole file is the problem. */
  readonly line: number | null;

  constructor(reason: XmlReason, message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.reason = reason;
    this.line = line;
  }
}

/** Events of an XML document. */
interface XmlEvents {
  /**
   * `line` is the physical line of the `<`. `attributes` has no prototype, and its names are as written. The element's name is
   * as written, too, except that with namespaces it has no prefix, and `uri` is its namespace.
   */
  open: (name: string, attributes: Record<string, string>, line: number, uri: string) => void;
  close: () => void;
  /** Text with references decoded, and CDATA. A text may arrive in several pieces. */
  text: (text: string) => void;
}

/** The maximum depth. Elements of normal files are nested about ten deep, including inline markup. */
const maxDepth = 200;

/**
 * Creates a parser. Feed it the document in pieces and close it after the last one. It is not recursive. It expands only
 * character references and XML's five predefined entities. It ignores a DOCTYPE and fetches no external resources.
 *
 * `write` and `close` throw a XmlFileError.
 */
export function createParser(
  events: XmlEvents,
  { namespaces = false }: { namespaces?: boolean } = {},
): { write(piece: string): void; close(): void } {
  // Read every version by the rules of XML 1.0, because an export can write only the characters of 1.0.
  const parser = new SaxesParser({
    xmlns: namespaces,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  let depth = 0;
  let line = 1;
  let sawRoot = false;

  // Do not add a handler: with eight or more, V8 stores the parser's properties in a dictionary, which is five times slower.
  parser.on('error', (error) => {
    if (error.message === 'undefined entity.') throw forbidden('a reference to an entity', parser.line);
    if (!sawRoot) throw new XmlFileError('not_xml', 'the file is not XML', parser.line);
    throw new XmlFileError('malformed', `the XML is not well-formed: ${explain(error.message)}`, parser.line);
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('<!ENTITY')) throw forbidden('an entity declaration', parser.line);
    // Parameter entities are declared like other entities, and they represent declarations.
    if (doctype.includes('[') && /%[^\s%;]+;/.test(doctype))
      throw forbidden('a reference to an entity', parser.line);
  });
  parser.on('opentagstart', () => {
    sawRoot = true;
    // The parser has read one character after the name, which may be a line end.
    line = parser.column === 0 ? parser.line - 1 : parser.line;
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > maxDepth)
      throw new XmlFileError('too_deep', `elements are nested more than ${maxDepth} deep`, parser.line);
    events.open(tag.local ?? tag.name, valuesOf(tag.attributes), line, tag.uri ?? '');
  });
  parser.on('closetag', () => {
    depth -= 1;
    events.close();
  });
  parser.on('text', events.text);
  parser.on('cdata', events.text);
  return {
    write: (piece) => {
      parser.write(piece);
    },
    close: () => {
      parser.close();
    },
  };
}

/** With namespaces, the parser's attributes are objects. */
function valuesOf(attributes: SaxesTag['attributes']): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const name in attributes) {
    const attribute = attributes[name] as string | SaxesAttributeNS;
    if (typeof attribute === 'string') return attributes as Record<string, string>;
    values[name] = attribute.value;
  }
  return values;
}

function forbidden(what: string, line: number): XmlFileError {
  return new XmlFileError(
    'forbidden',
    `forbidden XML construct: ${what}; only character references and &amp; &lt; &gt; &quot; &apos; may be used`,
    line,
  );
}

/** Rewords the parser's message for the most common mistake, an unescaped ampersand. */
function explain(message: string): string {
  return message === 'disallowed character in entity name.'
    ? 'an ampersand before this place is not written as &amp;'
    : message.replace(/\.$/, '').slice(0, 100);
}

/** The number of bytes that are decoded at a time, so that a large file is never in memory as text. */
const pieceBytes = 65_536;

/**
 * Decodes a file in pieces: UTF-8 with or without a byte order mark, or UTF-16 with one. Ignores the encoding in an XML
 * declaration, because only the bytes decide.
 *
 * @param format in messages, such as `a TMX file`
 * @throws {XmlFileError} `encoding`
 */
export function* decodePieces(bytes: Uint8Array, format: string): Generator<string, void> {
  const encoding = encodingOf(bytes);
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const end = start + pieceBytes;
    const piece = decode(decoder, bytes.subarray(start, end), end < bytes.length, format);
    // Detects UTF-32, and UTF-16 without its mark, because XML never contains NUL characters.
    if (piece.includes('\0'))
      throw new XmlFileError('encoding', `${accepted(format)}; this has NUL characters`);
    yield piece;
  }
}

const accepted = (format: string) =>
  `${format} must be UTF-8 (byte order mark optional) or UTF-16 with a byte order mark`;

type Decoder = InstanceType<typeof TextDecoder>;

function decode(decoder: Decoder, bytes: Uint8Array, stream: boolean, format: string): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw new XmlFileError(
      'encoding',
      `${accepted(format)}; this is not valid ${decoder.encoding.toUpperCase()}`,
    );
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
