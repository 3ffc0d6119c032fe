/**
 * The text of a segment with its inline structure: hyperlinks, fields, breaks, images, note references. A model
 * receives this structure as numbered tags. It must return each tag once, and the tags must be well nested.
 */

/**
 * A numbered tag. A `void` tag has no content, such as a line break. `open` and `close` tags surround text, such as a
 * hyperlink.
 */
export interface InlineTag {
  /** The number of the tag, from 1 in each segment. The `open` and `close` tags of one element have the same number. */
  tag: number;
  type: 'open' | 'close' | 'void';
  /** The plain text that a void tag represents: '\n' for a break, '\t' for a tab; absent for an image. */
  text?: string;
  /** Set for a void tag that is a word of the sentence, such as code or a placeholder. A model also gets it at an edge. */
  isWord?: true;
  /** The words of a void tag that stay as they are, such as inline code. Only the translation memory has them. */
  code?: string;
  /** Set if the pair only formats its text: the most important difference from the text around it. */
  format?: FormatKind;
}

/** Kinds of formatting, the most important first. `other` stands for colors, fonts, sizes and similar. */
export const formatKinds = [
  'superscript',
  'subscript',
  'bold',
  'italic',
  'underline',
  'strike',
  'other',
] as const;

export type FormatKind = (typeof formatKinds)[number];

/** The strings and tags of a segment in reading order. Two strings are never adjacent, and no string is empty. */
export type InlineContent = (string | InlineTag)[];

/** Returns the text without its tags. Reviewers see this text, and its characters are billed. */
export function plainText(content: InlineContent): string {
  let text = '';
  for (const item of content) text += typeof item === 'string' ? item : (item.text ?? '');
  return text;
}

/** Returns the text as the reader of the document sees it, with inline code. The translation memory has this text. */
export function memoryText(content: InlineContent): string {
  return plainText(content.map((item) => (typeof item === 'string' ? item : (item.code ?? item))));
}

const tagPattern = /<(\/?)(\d{1,9})(\/?)>/g;

/**
 * Returns the number that is added to each tag number in the tagged text: the highest number in the source text that
 * looks like a tag, or 0.
 */
function offsetOf(content: InlineContent): number {
  let greatest = 0;
  for (const item of content) {
    if (typeof item !== 'string') continue;
    for (const [, , number] of item.matchAll(tagPattern)) greatest = Math.max(greatest, Number(number));
  }
  return greatest;
}

/** Writes a segment with its tags as text: `<1>` and `</1>` around text, `<2/>` for a void tag. */
export function formatTagged(content: InlineContent): string {
  const formatTag = tagWriter(content);
  return content.map((item) => (typeof item === 'string' ? item : formatTag(item))).join('');
}

/** Returns a function that writes a tag of a segment as `formatTagged` does. */
export function tagWriter(content: InlineContent): (tag: InlineTag) => string {
  const offset = offsetOf(content);
  return ({ tag, type }) => {
    const number = tag + offset;
    return type === 'open' ? `<${number}>` : type === 'close' ? `</${number}>` : `<${number}/>`;
  };
}

/** Whether two translations have the same text and tags. jsonb reorders the keys of objects, so their order is ignored. */
export function isSameContent(one: InlineContent | null, other: unknown[] | null): boolean {
  if (one === null || other === null) return one === other;
  return formatTagged(one) === formatTagged(other as InlineContent);
}

/**
 * Parses a model's response to `formatTagged(source)`.
 *
 * @returns null if the response does not contain each tag of the source once, or if its tags are not well nested
 */
export function parseTagged(reply: string, source: InlineContent): InlineContent | null {
  return parse(reply, source, source);
}

/**
 * Parses a model's response as `parseTagged` does, but without the pairs of formatting that are missing or broken in
 * it. If the tags are not well nested, no formatting is kept.
 */
export function parseWithoutFormats(reply: string, source: InlineContent): InlineContent | null {
  const offset = offsetOf(source);
  const found = Map.groupBy(reply.matchAll(tagPattern), ([written]) => written);
  const isPair = ({ tag }: InlineTag): boolean => {
    const [start, end] = [found.get(`<${tag + offset}>`), found.get(`</${tag + offset}>`)];
    return start?.length === 1 && end?.length === 1 && start[0]!.index < end[0]!.index;
  };
  const whole = source.filter((item) => typeof item === 'string' || !item.format || isPair(item));
  const plain = source.filter((item) => typeof item === 'string' || !item.format);
  return parse(reply, source, whole) ?? parse(reply, source, plain);
}

/** @param kept the source without the tags of formatting that are removed from the response */
function parse(reply: string, source: InlineContent, kept: InlineContent): InlineContent | null {
  const offset = offsetOf(source);
  const expected = new Map<string, InlineTag>();
  for (const item of kept) if (typeof item !== 'string') expected.set(`${item.type} ${item.tag}`, item);
  const numbers = new Set(source.filter((item) => typeof item !== 'string').map(({ tag }) => tag));
  const present = new Set(kept.filter((item) => typeof item !== 'string').map(({ tag }) => tag));
  const isRemoved = (number: number) => numbers.has(number) && !present.has(number);
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
      // This piece looks like a tag, but the source contains the same characters as text.
      append(written);
      continue;
    }
    if (isRemoved(number)) continue;
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

/** A segment's content without the tags around all of its text. */
export interface UnwrappedContent {
  inner: InlineContent;
  /** Puts the removed tags around a translation of `inner`. */
  wrap(inner: InlineContent): InlineContent;
}

/**
 * Removes void tags at the start and the end, except those that are words, and pairs that surround everything. A model
 * does not need these tags, and a tag that it does not receive cannot be lost.
 */
export function unwrap(content: InlineContent): UnwrappedContent {
  let start = 0;
  let end = content.length;
  for (;;) {
    const [first, last] = [content[start], content[end - 1]];
    if (start < end && isTag(first, 'void') && !first.isWord) start++;
    else if (start < end && isTag(last, 'void') && !last.isWord) end--;
    else if (isTag(first, 'open') && isTag(last, 'close') && first.tag === last.tag) {
      start++;
      end--;
    } else break;
  }
  const [before, after] = [content.slice(0, start), content.slice(end)];
  return { inner: content.slice(start, end), wrap: (inner) => [...before, ...inner, ...after] };
}

function isTag<T extends InlineTag['type']>(
  item: InlineContent[number] | undefined,
  type: T,
): item is InlineTag & { type: T } {
  return typeof item === 'object' && item.type === type;
}

/**
 * Inserts the tags of a translation into a reviewer's correction of this translation. If both texts have the same start
 * or the same end, tags in these parts keep their positions. Tags in the changed part go to the nearest word boundary.
 * A pair of formatting with an end in the changed part is inserted only if its words are in the correction once, because
 * formatting of the wrong words misleads.
 */
export function retag(correction: string, previous: InlineContent): InlineContent {
  const old = plainText(previous);
  const shorter = Math.min(old.length, correction.length);
  let head = 0;
  while (head < shorter && old[head] === correction[head]) head++;
  let foot = 0;
  while (foot < shorter - head && old.at(-1 - foot) === correction.at(-1 - foot)) foot++;
  const changed = { old: old.length - head - foot, now: correction.length - head - foot };
  return place(correction, previous, (offset) => {
    if (offset <= head) return { near: offset, exact: true };
    if (offset >= old.length - foot) return { near: correction.length - (old.length - offset), exact: true };
    const share = (offset - head) / Math.max(1, changed.old);
    return { near: head + Math.round(share * changed.now), exact: false };
  });
}

/** A position for a tag in a text. If it is not exact, the tag goes to the nearest word boundary. */
interface Place {
  near: number;
  exact: boolean;
}

/**
 * Inserts the tags of `tagged` into `text`, in their order. The tag of a line break or tab replaces the next such character
 * of the text, if there is one.
 *
 * @param placeOf returns the position for a tag, given its offset in the plain text of `tagged`
 */
export function place(
  text: string,
  tagged: InlineContent,
  placeOf: (offset: number) => Place,
): InlineContent {
  const content: InlineContent = [];
  const formats = placesOfFormats(text, tagged, placeOf);
  const nearestWord = nearestWordIn(text);
  const nextMark = nextMarkIn(text, tagged);
  const left = new Set<number>();
  let seen = 0;
  let at = 0;
  const appendUpTo = (end: number) => {
    if (end > at) content.push(text.slice(at, end));
    at = Math.max(at, end);
  };
  for (const [index, item] of tagged.entries()) {
    if (typeof item === 'string') {
      seen += item.length;
      continue;
    }
    if (item.format) {
      const places = formats.get(item.tag);
      if (!places || (item.type === 'open' && places.start < at)) left.add(item.tag);
      if (left.has(item.tag)) continue;
      appendUpTo(item.type === 'open' ? places!.start : places!.end);
      content.push(item);
      continue;
    }
    const { near, exact } = placeOf(seen);
    const mark = item.text ? indexOfMark(text, item.text, at, exact ? near : null) : -1;
    if (item.text && mark >= 0) {
      appendUpTo(mark);
      at = mark + item.text.length;
    } else if (exact) appendUpTo(near);
    else {
      let end = Math.min(nearestWord(near, at), nextMark(index, at));
      if (item.type === 'close') while (end > at && isSpace(text[end - 1]!)) end--;
      appendUpTo(end);
    }
    seen += item.text?.length ?? 0;
    content.push(item);
  }
  appendUpTo(text.length);
  return joinStrings(content);
}

/**
 * The maximum length of words that are searched for in a translation. Longer texts are translated, and the search would
 * take quadratic time in a text of equal letters.
 */
const maxWords = 200;

/**
 * Returns the start and end in `text` of each pair of formatting in `tagged`, by the number of the pair. Pairs whose
 * words are not found are left out.
 */
function placesOfFormats(
  text: string,
  tagged: InlineContent,
  placeOf: (offset: number) => Place,
): Map<number, { start: number; end: number }> {
  const found = new Map<number, { start: number; end: number }>();
  const starts = new Map<number, number>();
  const positions = new Map<string, number>();
  const plain = plainText(tagged);
  let seen = 0;
  for (const item of tagged) {
    if (typeof item === 'string' || !item.format)
      seen += typeof item === 'string' ? item.length : (item.text?.length ?? 0);
    else if (item.type === 'open') starts.set(item.tag, seen);
    else {
      const from = starts.get(item.tag)!;
      const [start, end] = [placeOf(from), placeOf(seen)];
      if (start.exact && end.exact) found.set(item.tag, { start: start.near, end: end.near });
      else if (seen - from <= maxWords) {
        const words = plain.slice(from, seen);
        const at = positions.get(words) ?? onlyPositionOf(text, words);
        positions.set(words, at);
        if (at >= 0) found.set(item.tag, { start: at, end: at + words.length });
      }
    }
  }
  return found;
}

/**
 * Returns a function that finds the character of the next line break or tab of `tagged` in a text, from a position on. A tag
 * before this break must not be placed after the character, or the text would have a second one.
 */
function nextMarkIn(text: string, tagged: InlineContent): (index: number, from: number) => number {
  const marks = new Array<string | undefined>(tagged.length);
  for (let at = tagged.length - 1; at >= 0; at--) {
    const item = tagged[at]!;
    marks[at] = (typeof item !== 'string' && item.text) || marks[at + 1];
  }
  const found = new Map<string, number>();
  return (index, from) => {
    const mark = marks[index];
    if (mark === undefined) return text.length;
    const known = found.get(mark) ?? -1;
    if (known >= from) return known;
    const at = text.indexOf(mark, from);
    found.set(mark, at < 0 ? text.length : at);
    return found.get(mark)!;
  };
}

/** A position between two letters or digits of one word. Scripts without spaces have no such positions. */
const insideWord =
  /(?<=[\p{L}\p{N}])(?<!\p{Ideo}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai})(?=[\p{L}\p{N}])/uy;

/** Whether a position is between two letters or digits of one word. */
export function isInsideWord(text: string, position: number): boolean {
  insideWord.lastIndex = position;
  return insideWord.test(text);
}

/** Returns the position of these words in a text that contains them once, not as a part of longer words; otherwise -1. */
export function onlyPositionOf(text: string, words: string): number {
  if (words.trim() === '') return -1;
  let found = -1;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    if (isInsideWord(text, at) || isInsideWord(text, at + words.length)) continue;
    if (found >= 0) return -1;
    found = at;
  }
  return found;
}

/**
 * Returns the position of a line break or tab character in a text: `known` if the character is there, otherwise the
 * next position from `from` on; -1 if missing.
 */
function indexOfMark(text: string, mark: string, from: number, known: number | null): number {
  if (known !== null && known >= from && text.startsWith(mark, known)) return known;
  return text.indexOf(mark, from);
}

/**
 * Returns a function that finds the start of a word that is nearest to `near`, but not before `from`. The two ends of the
 * text also count as starts.
 */
function nearestWordIn(text: string): (near: number, from: number) => number {
  // Both are found in one pass, because a text may have thousands of tags.
  const afterSpace = new Int32Array(text.length + 1);
  for (let at = 1; at <= text.length; at++)
    afterSpace[at] = isSpace(text[at - 1]!) ? at : afterSpace[at - 1]!;
  const nextStart = new Int32Array(text.length + 1).fill(text.length);
  for (let at = text.length - 2; at >= 0; at--)
    nextStart[at] = isSpace(text[at]!) && !isSpace(text[at + 1]!) ? at + 1 : nextStart[at + 1]!;
  return (near, from) => {
    if (near <= from) return from;
    if (near >= text.length) return text.length;
    const [before, after] = [afterSpace[near]!, nextStart[near]!];
    const candidates = [
      ...(before > from ? [before] : []),
      ...(after < text.length ? [after] : []),
      ...(near - from < text.length - near ? [from] : [text.length]),
    ];
    return candidates.reduce((best, one) => (Math.abs(one - near) < Math.abs(best - near) ? one : best));
  };
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

/** Joins adjacent strings, and removes empty ones. */
export function joinStrings(content: InlineContent): InlineContent {
  const joined: InlineContent = [];
  for (const item of content) {
    const last = joined.at(-1);
    if (item === '') continue;
    if (typeof item === 'string' && typeof last === 'string') joined[joined.length - 1] = last + item;
    else joined.push(item);
  }
  return joined;
}
