/**
 * The text of a segment with its inline structure: hyperlinks, fields, breaks, images, note references. A model sees the
 * structure as numbered tags and must return each of them once, well nested.
 */

/** A numbered tag. A `void` tag stands alone, such as a line break; `open` and `close` surround text, such as a hyperlink. */
export interface InlineTag {
  /** Counts from 1 in each segment; `open` and `close` of one element share the number. */
  tag: number;
  type: 'open' | 'close' | 'void';
  /** What a plain reading of the text shows for a void tag: '\n' for a break, '\t' for a tab; absent for an image. */
  text?: string;
}

/** Strings and tags in reading order. No two strings are adjacent, and none is empty. */
export type InlineContent = (string | InlineTag)[];

/** The text without its tags, as a reviewer sees it and as it is billed. */
export function plainText(content: InlineContent): string {
  let text = '';
  for (const item of content) text += typeof item === 'string' ? item : (item.text ?? '');
  return text;
}

const tagPattern = /<(\/?)(\d{1,9})(\/?)>/g;

/** The first number for the tags of a text: above every number that the text itself writes like a tag. */
function offsetOf(content: InlineContent): number {
  let greatest = 0;
  for (const item of content) {
    if (typeof item !== 'string') continue;
    for (const [, , number] of item.matchAll(tagPattern)) greatest = Math.max(greatest, Number(number));
  }
  return greatest;
}

/** Writes the tags into the text: `<1>` and `</1>` around text, `<2/>` alone. */
export function formatTagged(content: InlineContent): string {
  const offset = offsetOf(content);
  return content
    .map((item) => {
      if (typeof item === 'string') return item;
      const number = item.tag + offset;
      return item.type === 'open' ? `<${number}>` : item.type === 'close' ? `</${number}>` : `<${number}/>`;
    })
    .join('');
}

/**
 * Reads what a model returned for `formatTagged(source)`.
 *
 * @returns null unless every tag of the source is there once and well nested
 */
export function parseTagged(reply: string, source: InlineContent): InlineContent | null {
  const offset = offsetOf(source);
  const expected = new Map<string, InlineTag>();
  for (const item of source) if (typeof item !== 'string') expected.set(`${item.type} ${item.tag}`, item);
  const content: InlineContent = [];
  const open: number[] = [];
  const append = (text: string) => {
    if (text === '') return;
    const last = content.at(-1);
    if (typeof last === 'string') content[content.length - 1] = last + text;
    else content.push(text);
  };
  let end = 0;
  for (const match of reply.matchAll(tagPattern)) {
    const [written, closing, digits, single] = match;
    const number = Number(digits) - offset;
    append(reply.slice(end, match.index));
    end = match.index + written.length;
    if (number < 1) {
      // The text itself has these characters.
      append(written);
      continue;
    }
    const type = single ? 'void' : closing ? 'close' : 'open';
    const tag = closing && single ? undefined : expected.get(`${type} ${number}`);
    if (!tag) return null;
    expected.delete(`${type} ${number}`);
    if (type === 'open') open.push(number);
    if (type === 'close' && open.pop() !== number) return null;
    content.push(tag);
  }
  append(reply.slice(end));
  return expected.size === 0 ? content : null;
}
