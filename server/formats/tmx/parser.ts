import { SaxesParser } from 'saxes';
import { TmxError } from './error.ts';

/** What a reader is told of an XML document. Names are as written. */
export interface XmlEvents {
  /** `line` is the physical one of its `<`; `attributes` has no prototype. */
  open: (name: string, attributes: Record<string, string>, line: number) => void;
  close: () => void;
  /** References decoded, CDATA included; one text may come in several pieces. */
  text: (text: string) => void;
}

/** A TMX file's elements are some ten deep where its inline markup is nested. */
const deepest = 200;

/**
 * A parser that is fed a document piece by piece and closed after the last. It is not recursive, and expands nothing but
 * character references and XML's own five entities (C 7): a DOCTYPE is passed over, and what it names is never fetched.
 *
 * Its `write` and `close` throw a TmxError.
 */
export function createParser(events: XmlEvents): { write(piece: string): void; close(): void } {
  // Every version is read by the rules of 1.0, whose characters alone an export can write again.
  const parser = new SaxesParser({
    xmlns: false,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  let depth = 0;
  let line = 1;
  let sawRoot = false;

  // Not one handler more: from eight on, V8 keeps the parser's properties as a dictionary, and it is five times slower.
  parser.on('error', (error) => {
    if (error.message === 'undefined entity.') throw forbidden('a reference to an entity', parser.line);
    if (!sawRoot) throw new TmxError('not_xml', 'the file is not XML', parser.line);
    throw new TmxError('malformed', `the XML is not well-formed: ${explain(error.message)}`, parser.line);
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('<!ENTITY')) throw forbidden('an entity declaration', parser.line);
    // Entities of the DTD itself are declared like others, and stand for declarations.
    if (doctype.includes('[') && /%[^\s%;]+;/.test(doctype))
      throw forbidden('a reference to an entity', parser.line);
  });
  parser.on('opentagstart', () => {
    sawRoot = true;
    // One character behind the name is read by now, and may be the line's end.
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

/** The commonest mistake is an ampersand, of which the parser speaks in other words. */
function explain(message: string): string {
  return message === 'disallowed character in entity name.'
    ? 'an ampersand before this place is not written as &amp;'
    : message.replace(/\.$/, '').slice(0, 100);
}
