import type { InlineContent, InlineTag } from '#server/formats/inline-content.ts';
import {
  attribute,
  childOf,
  childrenOf,
  type Element,
  parse,
  textOf,
  type WalkedParagraph,
} from './docx-walk.ts';

/** Properties that a reader sees. Fonts and small differences of size are left out. */
const visible = 'b i u strike dstrike vertAlign color highlight caps smallCaps'.split(' ');

/** The visible properties of each character style, with those of the styles on which it is based, by its id. */
export type CharacterStyles = ReadonlyMap<string | undefined, ReadonlyMap<string, string>>;

export function characterStyles(stylesXml: string | undefined): CharacterStyles {
  const styles = stylesXml === undefined ? [] : childrenOf(parse(stylesXml));
  const byId = new Map(styles.map((style) => [attribute(style, 'styleId'), style]));
  const resolve = (style: Element | undefined, depth = 0): Map<string, string> => {
    if (!style || depth > 20) return new Map();
    const base = attribute(childOf(style, 'basedOn') ?? style, 'val');
    return new Map([...resolve(byId.get(base), depth + 1), ...propertiesOf(childOf(style, 'rPr'))]);
  };
  return new Map([...byId].map(([id, style]) => [id, resolve(style)]));
}

function propertiesOf(properties: Element | undefined): [name: string, value: string][] {
  return visible.flatMap((name): [string, string][] => {
    const element = childOf(properties, name);
    const byDefault = name === 'u' ? 'none' : '1';
    return element ? [[name, (attribute(element, 'val') ?? byDefault).replace('true', '1')]] : [];
  });
}

/** The formatting that a run and its style set, as a text. */
function formatOf(run: Element, styles: CharacterStyles): string {
  const properties = childOf(run, 'rPr');
  const style = childOf(properties, 'rStyle');
  const all = new Map([
    ...((style && styles.get(attribute(style, 'val'))) ?? []),
    ...propertiesOf(properties),
  ]);
  return [...all]
    .filter(([, value]) => !/^(0|false|off|none|auto|baseline|000000)$/.test(value))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(' ');
}

/** A text of a paragraph whose formatting differs from that of most of the paragraph. */
export interface FormattedSpan {
  text: string;
  format: string;
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

/** The texts of a paragraph with their formatting, in order. A run has a text before and one after each tab. */
function spansOf({ runs }: WalkedParagraph, styles: CharacterStyles): FormattedSpan[] {
  return [...new Set(runs)].flatMap((run) =>
    childrenOf(run).flatMap((child) => {
      const text = child.name === 't' ? lettersOf(textOf(child)) : '';
      return text === '' ? [] : [{ text, format: formatOf(run, styles) }];
    }),
  );
}

/** The spans of a paragraph that have another formatting than most of its letters. */
export function formattedSpans(paragraph: WalkedParagraph, styles: CharacterStyles): FormattedSpan[] {
  const spans = spansOf(paragraph, styles);
  const lengths = new Map<string, number>();
  for (const { text, format } of spans) lengths.set(format, (lengths.get(format) ?? 0) + text.length);
  const [usual] = [...lengths].sort(([, a], [, b]) => b - a)[0] ?? [''];
  return spans.filter(({ format }) => format !== usual);
}

/** Whether the letters of a text are together in the paragraph, with its formatting. They may be in several runs. */
export function hasSpan(
  paragraph: WalkedParagraph,
  { text, format }: FormattedSpan,
  styles: CharacterStyles,
): boolean {
  const joined: FormattedSpan[] = [];
  for (const span of spansOf(paragraph, styles)) {
    const last = joined.at(-1);
    if (last?.format === span.format) last.text += span.text;
    else joined.push({ ...span });
  }
  return joined.some((one) => one.format === format && one.text.includes(text));
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
