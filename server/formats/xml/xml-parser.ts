import { type SaxesAttributeNS, SaxesParser, type SaxesTag } from 'saxes';

/**
 * The reason why a file of an exchange format (TMX, TBX, XLIFF) cannot be read. `encoding`: it is not text in an
 * accepted encoding. `not_xml`: it is not XML. `wrong_root`: it is another kind of XML. `forbidden`: it declares or
 * uses entities. `malformed`: it is not well-formed. `too_deep`: its elements are nested too deep. `invalid`: it breaks
 * a rule of its format.
 */
export type XmlReason =
  | 'encoding'
  | 'not_xml'
  | 'wrong_root'
  | 'forbidden'
  | 'malformed'
  | 'too_deep'
  | 'invalid';

/** The error for a file that cannot be read. The message is for the sender of the file and names the line, if known. */
export class XmlFileError extends Error {
  override name = 'XmlFileError';
  readonly reason: XmlReason;
  /** The physical line of the error, from 1; null if the error concerns the whole file. */
  readonly line: number | null;

  constructor(reason: XmlReason, message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.reason = reason;
    this.line = line;
  }
}

/** Receives the events of an XML document. */
interface XmlEvents {
  /**
   * Receives a start tag. `line` is the physical line of the tag's `<`. `attributes` is an object without a prototype,
   * whose keys are the attributes' names including prefixes. If the parser reads namespaces, `name` has no prefix and
   * `uri` is the element's namespace; otherwise `name` includes the prefix and `uri` is ''.
   */
  open: (name: string, attributes: Record<string, string>, line: number, uri: string) => void;
  close: () => void;
  /**
   * Receives text with its references decoded, and the content of CDATA sections. One text may arrive in several
   * pieces.
   */
  text: (text: string) => void;
}

/**
 * The maximum depth of nested elements. Elements of normal files are nested about ten deep, including inline markup.
 */
const maxDepth = 200;

/**
 * Creates an XML parser. Pass it the document in pieces, and close it after the last piece. The parser is not
 * recursive. It expands only character references and the five predefined entities of XML. It ignores a DOCTYPE without
 * entities, and it does not fetch external resources.
 *
 * The functions `write` and `close` throw an XmlFileError if the document cannot be read.
 */
export function createParser(
  events: XmlEvents,
  { namespaces = false }: { namespaces?: boolean } = {},
): { write(piece: string): void; close(): void } {
  // Documents of every version are read by the rules of XML 1.0, because exported files can only contain the characters
  // of XML 1.0.
  const parser = new SaxesParser({
    xmlns: namespaces,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  let depth = 0;
  let line = 1;
  let sawRoot = false;

  // Do not add another handler. With eight or more handlers, V8 stores the parser's properties in a dictionary, which
  // makes parsing five times slower.
  parser.on('error', (error) => {
    if (error.message === 'undefined entity.') throw forbidden('a reference to an entity', parser.line);
    if (!sawRoot) throw new XmlFileError('not_xml', 'the file is not XML', parser.line);
    throw new XmlFileError('malformed', `the XML is not well-formed: ${explain(error.message)}`, parser.line);
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('<!ENTITY')) throw forbidden('an entity declaration', parser.line);
    // References to parameter entities are also rejected, because such an entity can contain further declarations.
    if (doctype.includes('[') && /%[^\s%;]+;/.test(doctype))
      throw forbidden('a reference to an entity', parser.line);
  });
  parser.on('opentagstart', () => {
    sawRoot = true;
    // The parser has already read the character after the name. If this is a line end, the name is on the previous
    // line.
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

/** Returns the values of the attributes. If the parser reads namespaces, its attributes are objects. */
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

/** Rewords the parser's message for the most common mistake, which is an unescaped ampersand. */
function explain(message: string): string {
  return message === 'disallowed character in entity name.'
    ? 'an ampersand before this place is not written as &amp;'
    : message.replace(/\.$/, '').slice(0, 100);
}

/** The number of bytes that are decoded at a time. The text of a large file is thus never entirely in memory. */
const pieceBytes = 65_536;

/**
 * Decodes a file in pieces. Accepts UTF-8 (with or without a byte order mark) and UTF-16 with a byte order mark. The
 * encoding is determined from the bytes; an XML declaration is ignored.
 *
 * @param format the name of the format for messages, such as `a TMX file`
 * @throws {XmlFileError} `encoding` if the file is in another encoding
 */
export function* decodePieces(bytes: Uint8Array, format: string): Generator<string, void> {
  const encoding = encodingOf(bytes);
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const end = start + pieceBytes;
    const piece = decode(decoder, bytes.subarray(start, end), end < bytes.length, format);
    // XML never contains NUL characters. They occur if the file is in UTF-32, or in UTF-16 without a byte order mark.
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
