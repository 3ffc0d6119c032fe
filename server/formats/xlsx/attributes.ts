import type { XmlStartTag } from '../office/xml-reader.ts';
import { escapeAttribute } from '../office/xml-reader.ts';
import type { PartEditor } from './part-stream.ts';

const attribute = /(\s([^\s=/>"']+)\s*=\s*)("[^"]*"|'[^']*')/g;

/**
 * Replaces the values of attributes of a tag. Attributes that the tag does not have are left out.
 *
 * @param values the new values by the names of the attributes, including prefixes
 */
export function replaceAttributes(
  editor: PartEditor,
  { start, end }: XmlStartTag,
  values: ReadonlyMap<string, string>,
): void {
  for (const { index, 0: found, 1: before = '', 2: name = '' } of editor
    .source(start, end)
    .matchAll(attribute)) {
    const value = values.get(name);
    if (value === undefined) continue;
    const at = start + index;
    editor.replace(at + before.length, at + found.length, `"${escapeAttribute(value)}"`);
  }
}

export function setAttribute(editor: PartEditor, tag: XmlStartTag, name: string, value: string): void {
  const nameEnd = tag.start + 1 + tag.name.length;
  if (tag.attributes[name] === undefined) editor.replace(nameEnd, nameEnd, ` ${name}="${value}"`);
  else replaceAttributes(editor, tag, new Map([[name, value]]));
}

/** Whether the value of an attribute is true. */
export function isOn(value: string | undefined): boolean {
  return /^(?:1|true)$/.test(value ?? '');
}

/** Returns the prefix of an element's name with its colon; '' if missing. */
export function prefixOf({ name, local }: { name: string; local: string }): string {
  return name.slice(0, name.length - local.length);
}
