import type { XmlStartTag } from '../office/xml-reader.ts';

/** Returns the name of an element with the usual prefix of its namespace, such as `text:p`. */
export function elementName({
  name,
  local,
  namespace,
}: Pick<XmlStartTag, 'name' | 'local' | 'namespace'>): string {
  const [, group] =
    /^urn:oasis:names:tc:opendocument:xmlns:([\w-]+?)(?:-compatible)?:1\.0$/.exec(namespace ?? '') ?? [];
  return group === undefined ? name : `${group === 'drawing' ? 'draw' : group}:${local}`;
}
