import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FlattenError } from './error.ts';

/** What of an XML document is of interest. Names are as written, prefix included. */
export interface XmlEvents {
  openTag: (tag: SaxesTagPlain) => void;
  closeTag: (tag: SaxesTagPlain) => void;
  /** Text, references decoded, and CDATA; one text may come in several pieces. */
  text: (text: string) => void;
}

/**
 * A reader that is fed a document piece by piece and closed after the last. It is not recursive, and expands nothing:
 * a DOCTYPE is passed over, and a reference to anything but a character or one of XML's five entities is an error.
 *
 * Its `write` and `close` throw a FlattenError `unreadable` where the document is not well-formed.
 */
export function createXmlReader(events: XmlEvents): { write(piece: string): void; close(): void } {
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    throw new FlattenError('unreadable', `the XML in the file is not well-formed: ${error.message}`, {
      cause: error,
    });
  });
  parser.on('opentag', events.openTag);
  parser.on('closetag', events.closeTag);
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
