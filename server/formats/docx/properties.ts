import { readPositionedXml } from '../office/xml-reader.ts';

/** A child of a `pPr` or an `rPr`. */
export interface Property {
  /** Its name in Word's namespace; undefined for another namespace. */
  local: string | undefined;
  start: number;
  end: number;
}

/** The properties of a paragraph or a run, as far as a change requires them. */
export interface Properties {
  raw: string;
  /** Its start tag without `/>` or `>`, and its name. */
  opening: string;
  name: string;
  prefix: string;
  children: Property[];
  /** The offset of the end tag; undefined for `<w:pPr/>`. */
  endTag: number | undefined;
}

/**
 * Reads a `pPr` or an `rPr`. Its declarations are outside, so its own prefix identifies the children that belong to Word.
 *
 * @param source as written, or ''
 * @param outerName its name with the prefix, used if `source` is empty
 */
export function parseProperties(source: string, outerName: string): Properties {
  const raw = source || `<${outerName}></${outerName}>`;
  const properties: Properties = { raw, opening: '', name: '', prefix: '', children: [], endTag: undefined };
  let depth = 0;
  readPositionedXml(raw, {
    openTag: ({ name, end, start, selfClosing }) => {
      depth++;
      if (depth === 1) {
        properties.name = name;
        properties.prefix = name.slice(0, name.indexOf(':') + 1);
        properties.opening = raw.slice(0, end - (selfClosing ? 2 : 1));
      } else if (depth === 2) {
        const local = name.slice(properties.prefix.length);
        const isOwn = name.startsWith(properties.prefix) && !local.includes(':');
        properties.children.push({ local: isOwn ? local : undefined, start, end });
      }
    },
    closeTag: ({ start, end }) => {
      depth--;
      if (depth === 1) properties.children.at(-1)!.end = end;
      else if (depth === 0 && start > 0) properties.endTag = start;
    },
    text: () => {},
  });
  return properties;
}
