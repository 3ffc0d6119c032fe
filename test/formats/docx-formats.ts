import type { InlineContent, InlineTag } from '#server/formats/inline-content.ts';
import { attribute, childOf, childrenOf, type Element, textOf, type WalkedParagraph } from './docx-walk.ts';

/** Properties that a reader sees, as written in a run. Fonts and small differences of size are left out. */
const visible = 'b i u strike dstrike vertAlign color highlight caps smallCaps rStyle'.split(' ');

/** The formatting that a run itself sets, as a text. */
export function formatOf(run: Element): string {
  const properties = childOf(run, 'rPr');
  return visible
    .flatMap((name) => {
      const element = childOf(properties, name);
      const value = element && (attribute(element, 'val') ?? '1');
      return value === undefined || /^(0|false|off|none|auto|baseline|000000)$/.test(value)
        ? []
        : [`${name}=${value}`];
    })
    .join(' ')
    .replaceAll('=true', '=1');
}

/** A text of a paragraph whose formatting differs from that of most of the paragraph. */
export interface FormattedSpan {
  text: string;
  format: string;
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

/** The texts of a paragraph with their formatting, in order. A run has a text before and one after each tab. */
function spansOf({ runs }: WalkedParagraph): FormattedSpan[] {
  return [...new Set(runs)].flatMap((run) =>
    childrenOf(run).flatMap((child) => {
      const text = child.name === 't' ? lettersOf(textOf(child)) : '';
      return text === '' ? [] : [{ text, format: formatOf(run) }];
    }),
  );
}

/** The spans of a paragraph that have another formatting than most of its letters. */
export function formattedSpans(paragraph: WalkedParagraph): FormattedSpan[] {
  const spans = spansOf(paragraph);
  const lengths = new Map<string, number>();
  for (const { text, format } of spans) lengths.set(format, (lengths.get(format) ?? 0) + text.length);
  const [usual] = [...lengths].sort(([, a], [, b]) => b - a)[0] ?? [''];
  return spans.filter(({ format }) => format !== usual);
}

/** Whether the letters of a text are together in the paragraph, with its formatting. */
export function hasSpan(paragraph: WalkedParagraph, { text, format }: FormattedSpan): boolean {
  return spansOf(paragraph).some((one) => one.format === format && one.text.includes(text));
}

/**
 * A translation in which the last part of a segment is the first one: every tag with its content is a part. Letters are
 * changed by `change`.
 */
export function moved(source: InlineContent, change: (text: string) => string): InlineContent {
  const parts: InlineContent[] = [];
  const open: InlineTag[] = [];
  for (const item of source) {
    const written = typeof item === 'string' ? change(item) : item;
    if (open.length === 0) parts.push([written]);
    else parts.at(-1)!.push(written);
    if (typeof item !== 'string' && item.type === 'open') open.push(item);
    if (typeof item !== 'string' && item.type === 'close') open.pop();
  }
  return parts.reverse().flat();
}
