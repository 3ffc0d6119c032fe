import type { Item } from '../markup/inline-runs.ts';
import { otherLanguage } from '../markup/other-language.ts';
import { decodeText, visibleRange } from './character-references.ts';
import { type TemplateCode, withoutTemplateCode } from './template-code.ts';
import type { TranslateMode } from './translate-attribute.ts';

interface TextItemOptions {
  templateCode: readonly TemplateCode[];
  /** Matches what is between two texts without being a tag. By default, this is markup that has no tag. */
  separator?: RegExp;
  /** Whether the text is translated. `code` is invisible. Undefined for source that the parser does not return as text. */
  mode: TranslateMode | undefined;
}

/**
 * Markup for which the parser returns no token: end tags without a name, and CDATA sections. It may be between
 * characters of one text.
 */
const silentMarkup = /<\/>|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g;

/** Returns the items of the source between two tags: texts, white space and template code. */
export function itemsOfText(source: string, start: number, end: number, options: TextItemOptions): Item[] {
  const { separator = silentMarkup, mode } = options;
  const kept = mode === 'no' ? 'identifier' : mode === 'other' ? otherLanguage : undefined;
  const items: Item[] = [];
  const addText = (from: number, to: number): void => {
    const raw = source.slice(from, to);
    const visible = visibleRange(raw);
    const [first, last] = [from + visible.start, from + visible.end];
    if (first > from) items.push(spaceOf(source, from, first));
    if (last === first) return;
    const range = { start: first, end: last };
    const text = decodeText(source.slice(first, last));
    if (mode === 'code') items.push({ ...range, type: 'void' });
    else if (mode === undefined || text.trim() === '') items.push({ ...range, type: 'boundary' });
    else items.push({ ...range, type: 'text', text, ...(kept && { kept }) });
    if (last < to) items.push(spaceOf(source, last, to));
  };
  const addSource = (from: number, to: number): void => {
    let at = from;
    for (const { index, 0: markup, 1: cdata } of source.slice(from, to).matchAll(separator)) {
      addText(at, from + index);
      at = from + index + markup.length;
      items.push({ start: from + index, end: at, type: 'boundary' });
      if (cdata && mode !== undefined && mode !== 'code') {
        const first = from + index + '<![CDATA['.length;
        const codes = codesWithin(options.templateCode, first, at);
        const inside = codes.map((code) => ({ ...code, start: code.start - first, end: code.end - first }));
        const text = withoutTemplateCode(cdata, inside);
        items.push({ start: at, end: at, type: 'text', text, kept: 'code' });
      }
    }
    addText(at, to);
  };
  let at = start;
  let sectionEnd = start;
  for (const code of codesWithin(options.templateCode, start, end)) {
    if (code.start >= sectionEnd && separator === silentMarkup && isInSection(source.slice(at, code.start)))
      sectionEnd = (source.indexOf(']]>', code.start) + 1 || end + 1) - 1;
    if (code.start < sectionEnd) continue;
    addSource(at, code.start);
    at = code.end;
    if (code.isShown) {
      const text = decodeText(source.slice(code.start, at));
      items.push(
        { start: code.start, end: code.start, type: 'open', name: 'shown', opaque: 'code' },
        { start: code.start, end: at, type: 'text', text },
        { start: at, end: at, type: 'close', name: 'shown' },
      );
    } else items.push({ start: code.start, end: at, type: code.isValue ? 'void' : 'boundary', isWord: true });
  }
  addSource(at, end);
  return items;
}

/** Whether a CDATA section is open at the end of a text: template code in it does not divide it. */
function isInSection(text: string): boolean {
  return text.lastIndexOf('<![CDATA[') > text.lastIndexOf(']]>');
}

function spaceOf(source: string, start: number, end: number): Item {
  return { start, end, type: 'text', text: decodeText(source.slice(start, end)) };
}

/** Returns the template code between two offsets. */
export function codesWithin(codes: readonly TemplateCode[], start: number, end: number): TemplateCode[] {
  let [low, high] = [0, codes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codes[middle]!.start < start) low = middle + 1;
    else high = middle;
  }
  const found: TemplateCode[] = [];
  for (let at = low; at < codes.length && codes[at]!.end <= end; at++) found.push(codes[at]!);
  return found;
}
