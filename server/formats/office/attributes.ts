import type { XmlStartTag } from './xml-reader.ts';

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
