import { SaxesParser } from 'saxes';

/**
 * Why a file cannot be read as TMX: it is not text in an accepted encoding; it is not XML, or another kind of XML; it declares
 * or uses entities; it is not well-formed; its elements are nested too deep.
 */
export type TmxReason = 'encoding' | 'not_xml' | 'not_tmx' | 'forbidden' | 'malformed' | 'too_deep';

/** A file that cannot be read as TMX. The message is for the sender of the file and names the line, if known. */
export class TmxError extends Error {
  override name = 'TmxError';
  readonly reason: TmxReason;
  /** The physical line, from 1; null if the whole file is the problem. */
  readonly line: number | null;

  constructor(reason: TmxReason, message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.reason = reason;
    this.line = line;
  }
}

/** Events of an XML document. Names are as written. */
interface XmlEvents {
  /** `line` is the physical one of its `<`; `attributes` has no prototype. */
  open: (name: string, attributes: Record<string, string>, line: number) => void;
  close: () => void;
  /** References are decoded and CDATA is included. A text may come in several pieces. */
  text: (text: string) => void;
}

/** Elements of normal TMX files are nested about ten deep, inline markup included. */
const deepest = 200;

/**
 * Creates a parser. Feed it the document in pieces and close it after the last one. It is not recursive. It expands only
 * character references and XML's own five entities (C 7). It ignores a DOCTYPE and fetches nothing that it names.
 *
 * `write` and `close` throw a TmxError.
 */
export function createParser(events: XmlEvents): { write(piece: string): void; close(): void } {
  // Read every version by the rules of XML 1.0, because an export can write only the characters of 1.0.
  const parser = new SaxesParser({
    xmlns: false,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  let depth = 0;
  let line = 1;
  let sawRoot = false;

  // Do not add a handler: from eight on, V8 stores the parser's properties in a dictionary, which is five times slower.
  parser.on('error', (error) => {
    if (error.message === 'undefined entity.') throw forbidden('a reference to an entity', parser.line);
    if (!sawRoot) throw new TmxError('not_xml', 'the file is not XML', parser.line);
    throw new TmxError('malformed', `the XML is not well-formed: ${explain(error.message)}`, parser.line);
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('<!ENTITY')) throw forbidden('an entity declaration', parser.line);
    // Parameter entities are declared like others and stand for declarations.
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
    if (depth > deepest)
      throw new TmxError('too_deep', `elements are nested more than ${deepest} deep`, parser.line);
    events.open(tag.name, tag.attributes, line);
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

function forbidden(what: string, line: number): TmxError {
  return new TmxError(
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

/** Bytes that are decoded at a time, so that a large file is never in memory as text. */
const pieceBytes = 65_536;

/**
 * Decodes a file in pieces: UTF-8 with or without a byte order mark, or UTF-16 with one. Ignores the encoding that an XML
 * declaration states, because only the bytes decide.
 *
 * @throws {TmxError} `encoding`
 */
export function* decodePieces(bytes: Uint8Array): Generator<string, void> {
  const encoding = encodingOf(bytes);
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const end = start + pieceBytes;
    const piece = decode(decoder, bytes.subarray(start, end), end < bytes.length);
    // Detects UTF-32, and UTF-16 without its mark: XML never contains NUL characters.
    if (piece.includes('\0')) throw new TmxError('encoding', `${accepted}; this has NUL characters`);
    yield piece;
  }
}

const accepted = 'a TMX file must be UTF-8 (byte order mark optional) or UTF-16 with a byte order mark';

type Decoder = InstanceType<typeof TextDecoder>;

function decode(decoder: Decoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw new TmxError('encoding', `${accepted}; this is not valid ${decoder.encoding.toUpperCase()}`);
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
