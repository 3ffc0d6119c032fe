import type { SegmentKind } from '../document.ts';
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

/** Elements whose texts stay, with the reason. */
export const reasons: Readonly<Record<string, string>> = {
  'office:annotation': 'comments',
  'text:tracked-changes': 'tracked_changes',
  'style:master-page': 'masters',
};
/** Elements of a master page whose texts are translated. */
export const headers: Readonly<Record<string, SegmentKind>> = {
  'style:header': 'header',
  'style:header-left': 'header',
  'style:header-first': 'header',
  'style:footer': 'footer',
  'style:footer-left': 'footer',
  'style:footer-first': 'footer',
};
