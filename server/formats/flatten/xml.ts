import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FileError } from '../file-error.ts';
import { Paragraphs } from './paragraphs.ts';

/**
 * Returns the text of an XML document. If an element contains text directly, the whole element is one line, because its
 * child elements are parts of its sentences. If an element contains only elements, blank lines surround it, and each
 * child is on a separate line. Runs of whitespace become one space. Excludes attributes, comments and processing
 * instructions.
 *
 * @throws {FileError} `unreadable` if the document is not well-formed or uses entities that XML does not predefine.
 *   Entities of a DOCTYPE are not expanded, and external resources are not fetched.
 */
export function readXml(source: string): string {
  const shapes = findShapes(source);
  const paragraphs = new Paragraphs();
  const open: Shape[] = [];
  let mixedDepth = 0;
  let next = 0;
  const edge = (shape: Shape): void => {
    if (mixedDepth === 0) paragraphs.break(shape.hasElements && !shape.hasText ? 'paragraph' : 'line');
  };
  read(source, {
    openTag: () => {
      const shape = shapes[next++]!;
      edge(shape);
      open.push(shape);
      if (shape.hasText) mixedDepth++;
    },
    closeTag: () => {
      const shape = open.pop()!;
      if (shape.hasText) mixedDepth--;
      edge(shape);
    },
    text: (text) => paragraphs.appendWords(text),
  });
  return paragraphs.text();
}

/** The kinds of content that an element contains directly. */
interface Shape {
  hasText: boolean;
  hasElements: boolean;
}

/**
 * Returns the shapes of all elements, in the order of their start tags. An element can only be read if the shape of its
 * whole content is known, so the shapes are determined before the text is read.
 */
function findShapes(source: string): Shape[] {
  const shapes: Shape[] = [];
  const open: Shape[] = [];
  read(source, {
    openTag: () => {
      const parent = open.at(-1);
      if (parent) parent.hasElements = true;
      const shape = { hasText: false, hasElements: false };
      shapes.push(shape);
      open.push(shape);
    },
    closeTag: () => {
      open.pop();
    },
    text: (text) => {
      const parent = open.at(-1);
      if (parent && !parent.hasText && text.trim() !== '') parent.hasText = true;
    },
  });
  return shapes;
}

function read(source: string, events: Parameters<typeof createXmlReader>[0]): void {
  const reader = createXmlReader(events);
  reader.write(source);
  reader.close();
}

/** The events of an XML document. The names of elements and attributes include their prefixes. */
export interface XmlEvents {
  openTag: (tag: SaxesTagPlain) => void;
  closeTag?: (tag: SaxesTagPlain) => void;
  /**
   * Receives text with its references decoded, and the content of CDATA sections. One text may arrive in several
   * pieces.
   */
  text?: (text: string) => void;
}

/**
 * Creates an XML reader. Pass it the document in pieces, and close it after the last piece. The reader is not recursive
 * and ignores a DOCTYPE. The only references that it accepts are those to characters and to the five predefined
 * entities of XML.
 *
 * The functions `write` and `close` throw a FileError `unreadable` if the document is not well-formed or has another
 * reference.
 */
export function createXmlReader(events: XmlEvents): { write(piece: string): void; close(): void } {
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    throw notWellFormed(error);
  });
  parser.on('opentag', (tag) => events.openTag(tag));
  parser.on('closetag', (tag) => events.closeTag?.(tag));
  parser.on('text', (text) => events.text?.(text));
  parser.on('cdata', (text) => events.text?.(text));
  return {
    write: (piece) => {
      parser.write(piece);
    },
    close: () => {
      parser.close();
    },
  };
}

/** Returns the error for a document that the parser reports as not well-formed. */
export function notWellFormed(error: Error): FileError {
  return new FileError('unreadable', `the XML in the file is not well-formed: ${error.message}`, {
    cause: error,
  });
}
