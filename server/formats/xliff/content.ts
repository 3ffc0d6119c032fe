import { type InlineContent, type InlineTag, joinStrings } from '../inline-content.ts';

/** A text of an XLIFF unit: strings and codes in reading order. */
export type XliffContent = (string | XliffCode)[];

/** A placeholder or tag, which a CAT tool shows as one character and protects from editing. */
export interface XliffCode {
  /** `open` and `close` surround text and share their id; a `void` code stands alone. */
  type: 'open' | 'close' | 'void';
  /** Unique in its text. A code of a translation has the id of the source's code that it repeats. */
  id: string;
  /** The original text that the code represents. */
  data: string;
  /** The plain text of the code, if any. */
  equiv?: string;
  /** Whether a translation must contain it exactly once. */
  fixed?: boolean;
}

/** XLIFF's states of a segment, in order of progress. */
export const xliffStates = ['initial', 'translated', 'reviewed', 'final'] as const;

export type XliffState = (typeof xliffStates)[number];

/** The authority of a unit's `subState` and metadata. */
export const xliffAuthority = 'lingualoop';

/** Returns the original text, with each code replaced by the text that it represents. */
export function originalText(content: XliffContent): string {
  return content.map((item) => (typeof item === 'string' ? item : item.data)).join('');
}

/** The codes of a segment's tags. */
export function contentOfTags(content: InlineContent): XliffContent {
  return content.map((item): string | XliffCode => {
    if (typeof item === 'string') return item;
    const { tag, type, text } = item;
    const data = { open: `<${tag}>`, close: `</${tag}>`, void: `<${tag}/>` }[type];
    return { type, id: String(tag), data, fixed: true, ...(text !== undefined && { equiv: text }) };
  });
}

/**
 * Returns a segment's translation, from a text whose codes are the source's tags. A text without any tags is valid, too;
 * `tagged` is then false.
 * @returns a description of the problem if the tags are incomplete, duplicated or not well nested
 */
export function tagsOfContent(
  content: XliffContent,
  source: InlineContent,
): { target: InlineContent; tagged: boolean } | { wrong: string } {
  const expected = new Map<string, InlineTag>();
  for (const item of source) if (typeof item !== 'string') expected.set(keyOf(item.type, item.tag), item);
  const codes = content.filter((item) => typeof item !== 'string');
  if (codes.length === 0 && expected.size > 0)
    return { target: joinStrings(content as InlineContent), tagged: false };
  const open: string[] = [];
  const target: InlineContent = [];
  for (const item of content) {
    if (typeof item === 'string') {
      target.push(item);
      continue;
    }
    const key = keyOf(item.type, item.id);
    const tag = expected.get(key);
    if (!tag) return { wrong: `the code ${item.id} is not in the source, or occurs twice` };
    expected.delete(key);
    if (item.type === 'open') open.push(item.id);
    if (item.type === 'close' && open.pop() !== item.id)
      return { wrong: `the code ${item.id} is closed while another one is open` };
    target.push(tag);
  }
  const [missing] = expected.values();
  if (missing) return { wrong: `the code ${missing.tag} of the source is missing` };
  return { target: joinStrings(target), tagged: true };
}

function keyOf(type: XliffCode['type'], id: string | number): string {
  return `${type} ${id}`;
}

/** Whether two texts are equal except for the amount of white space, which tools change when they reformat the XML. */
export function isSameSource(one: string, other: string): boolean {
  return one === other || squeezed(one) === squeezed(other);
}

function squeezed(text: string): string {
  return text.replace(/[\s\p{White_Space}]+/gu, ' ').trim();
}
