import { Paragraphs } from './paragraphs.ts';
import { createXmlReader } from './xml-reader.ts';

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
