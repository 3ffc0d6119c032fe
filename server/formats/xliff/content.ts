import { type InlineContent, type InlineTag, joinStrings } from '../inline-content.ts';

/** A text of an XLIFF unit: strings and codes, in reading order. */
export type XliffContent = (string | XliffCode)[];

/** A placeholder or tag. CAT tools show it as one character and protect it from editing. */
export interface XliffCode {
  /** The type. `open` and `close` codes surround text and share an id; a `void` code stands alone. */
  type: 'open' | 'close' | 'void';
  /**
   * The id, unique in the text except for the two ends of a pair. If a code of the translation repeats a code of the
   * source, it has the same id.
   */
  id: string;
  /** The original text that the code represents. */
  data: string;
  /** The plain text that the code represents, if any. */
  equiv?: string;
  /** Whether a translation must contain the code exactly once. */
  fixed?: boolean;
}

/** The states of a segment in XLIFF, in order of progress. */
export const xliffStates = ['initial', 'translated', 'reviewed', 'final'] as const;

export type XliffState = (typeof xliffStates)[number];

/** The prefix of a unit's `subState` and the category of its metadata, which identify this service. */
export const xliffAuthority = 'lingualoop';

/** Returns the original text, in which each code is replaced by the text that it represents. */
export function originalText(content: XliffContent): string {
  return content.map((item) => (typeof item === 'string' ? item : item.data)).join('');
}

/** Returns a segment with its tags as XLIFF codes. */
export function contentOfTags(content: InlineContent): XliffContent {
  return content.map((item): string | XliffCode => {
    if (typeof item === 'string') return item;
    const { tag, type, text } = item;
    const data = { open: `<${tag}>`, close: `</${tag}>`, void: `<${tag}/>` }[type];
    return { type, id: String(tag), data, fixed: true, ...(text !== undefined && { equiv: text }) };
  });
}

/**
 * Returns the translation of a segment, given a text whose codes represent the tags of the source. A text without any
 * codes is also valid; `tagged` is then false.
 *
 * @returns the translation; or, as `wrong`, a description of the problem if codes are missing, unknown, duplicated or
 *   not well nested
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
    if (!tag)
      return { wrong: `the inline code ${item.id} is not in the source, or occurs twice in the target` };
    expected.delete(key);
    if (item.type === 'open') open.push(item.id);
    if (item.type === 'close' && open.pop() !== item.id)
      return { wrong: `the inline code ${item.id} is closed before a code inside it` };
    target.push(tag);
  }
  const [missing] = expected.values();
  if (missing) return { wrong: `the inline code ${missing.tag} of the source is missing in the target` };
  return { target: joinStrings(target), tagged: true };
}

function keyOf(type: XliffCode['type'], id: string | number): string {
  return `${type} ${id}`;
}

/** Whether two texts differ at most in their white space. Tools change white space when they reformat the XML. */
export function isSameSource(one: string, other: string): boolean {
  return one === other || squeezed(one) === squeezed(other);
}

function squeezed(text: string): string {
  return text.replace(/[\s\p{White_Space}]+/gu, ' ').trim();
}
