import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FlattenError } from '../flatten-error.ts';
import { Paragraphs } from './paragraphs.ts';

/**
 * The text of an XML document. An element with text of its own is a line, whatever elements are in it: they are parts of
 * its sentences. An element that holds only elements stands between blank lines, each of those in it on a line. Runs of
 * whitespace are one space; attributes, comments and processing instructions are left out.
 *
 * @throws {FlattenError} `unreadable` where the document is not well-formed, or uses entities that XML does not predefine:
 * nothing that a DOCTYPE declares is expanded, nothing it names is fetched.
 */
export function readXml(source: string): string {
  const shapes = findShapes(source);
  const paragraphs = new Paragraphs();
  const open: Shape[] = [];
  let mixedDepth = 0;
  let next = 0;
  const edge = (shape: Shape): void => {
    if (mixedDepth === 0) paragraphs.break(shape.holdsElements && !shape.holdsText ? 'paragraph' : 'line');
  };
  read(source, {
    openTag: () => {
      const shape = shapes[next++]!;
      edge(shape);
      open.push(shape);
      if (shape.holdsText) mixedDepth++;
    },
    closeTag: () => {
      const shape = open.pop()!;
      if (shape.holdsText) mixedDepth--;
      edge(shape);
    },
    text: (text) => paragraphs.appendWords(text),
  });
  return paragraphs.text();
}

/** What an element holds directly. */
interface Shape {
  holdsText: boolean;
  holdsElements: boolean;
}

/** The shapes of all elements, in the order of their start tags: an element's last child decides how its first is read. */
function findShapes(source: string): Shape[] {
  const shapes: Shape[] = [];
  const open: Shape[] = [];
  read(source, {
    openTag: () => {
      const parent = open.at(-1);
      if (parent) parent.holdsElements = true;
      const shape = { holdsText: false, holdsElements: false };
      shapes.push(shape);
      open.push(shape);
    },
    closeTag: () => {
      open.pop();
    },
    text: (text) => {
      const parent = open.at(-1);
      if (parent && !parent.holdsText && text.trim() !== '') parent.holdsText = true;
    },
  });
  return shapes;
}

function read(source: string, events: Parameters<typeof createXmlReader>[0]): void {
  const reader = createXmlReader(events);
  reader.write(source);
  reader.close();
}

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
