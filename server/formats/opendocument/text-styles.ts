import type { FormatKind } from '../inline-content.ts';
import { attributeOf, readPositionedXml } from '../office/xml-reader.ts';
import { elementName } from './elements.ts';

/** The formatting of text styles by name; null for a style without a visible effect, such as one that only has a language. */
export type TextStyles = ReadonlyMap<string, FormatKind | null>;

/** Attributes of text that readers do not see. LibreOffice marks each edit of a text with a style of its own. */
const invisible =
  /rsid$|^(?:fo:|style:)?(?:language|country|script|rfc-language-tag)(?:-asian|-complex)?$|^xmlns|:hyphenat/;

/** Reads the text styles of the parts of a file. */
export function readTextStyles(parts: readonly string[]): TextStyles {
  const styles = new Map<string, FormatKind | null>();
  for (const source of parts) {
    if (source === '') continue;
    let current: string | undefined;
    readPositionedXml(source, {
      openTag(tag) {
        const name = elementName(tag);
        if (name === 'style:style')
          current = attributeOf(tag, 'family') === 'text' ? attributeOf(tag, 'name') : undefined;
        if (current === undefined) return;
        if (name === 'style:style')
          styles.set(current, styles.get(attributeOf(tag, 'parent-style-name') ?? '') ?? null);
        else if (name === 'style:text-properties')
          styles.set(current, formatOf(tag.attributes) ?? styles.get(current) ?? null);
      },
      closeTag(tag) {
        if (elementName(tag) === 'style:style') current = undefined;
      },
      text() {},
    });
  }
  return styles;
}

function formatOf(attributes: Readonly<Record<string, string>>): FormatKind | undefined {
  const seen = Object.keys(attributes).filter((name) => !invisible.test(name));
  if (seen.length === 0) return undefined;
  const value = (local: string) => attributes[seen.find((name) => name.endsWith(`:${local}`)) ?? ''];
  const position = value('text-position');
  if (position && !/^0%?(?: 100%)?$/.test(position))
    return /^(?:sub|-)/.test(position) ? 'subscript' : 'superscript';
  if (/^(?:bold|[6-9]00)$/.test(value('font-weight') ?? '')) return 'bold';
  if (/italic|oblique/.test(value('font-style') ?? '')) return 'italic';
  if ((value('text-underline-style') ?? 'none') !== 'none') return 'underline';
  if ((value('text-line-through-style') ?? 'none') !== 'none') return 'strike';
  return 'other';
}
