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
