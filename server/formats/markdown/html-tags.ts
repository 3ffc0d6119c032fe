import { inlineFormats, inlineVoids, opaqueElements } from '../html/inline-formats.ts';
import type { MarkdownItem } from './items.ts';

/** Reads a tag or comment of HTML in a paragraph. */
export function readTag(html: string): Omit<MarkdownItem, 'start' | 'end'> {
  const [, slash, written = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(html) ?? [];
  const name = written.toLowerCase();
  if (name === '' || inlineVoids.has(name) || html.endsWith('/>'))
    return { type: 'void', ...(name === 'br' && { text: '\n' }) };
  if (slash) return { type: 'close', name: `html ${name}`, markup: 'other' };
  return {
    type: 'open',
    name: `html ${name}`,
    format: inlineFormats[name],
    markup: 'other',
    ...(opaqueElements[name] && { opaque: opaqueElements[name] }),
  };
}
