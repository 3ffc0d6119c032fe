import { type FormatKind, type InlineContent, type InlineTag, joinStrings } from '../inline-content.ts';

/*
 * Texts with inline markup, whatever the language of the markup. A reader lists the texts and tags of a file in their
 * order. This file makes segments of them, so that each segment has well nested tags, and no tag moves out of it.
 */

/** A text or a tag of a file. White space at the edges of a text is a separate item. */
export interface Item {
  start: number;
  end: number;
  /** `boundary`: markup between blocks. No segment extends beyond it. */
  type: 'text' | 'open' | 'close' | 'void' | 'boundary';
  /** The text as the reader of the document sees it: of a text, or of a void tag that is a line break or a space. */
  text?: string;
  /** Connects an opening tag with its closing tag. */
  name?: string;
  format?: FormatKind | undefined;
  /** Set for an opening tag whose content is not translated, with the reason. The element becomes one void tag. */
  opaque?: string;
  /** Set for an opening tag of an element that is inline only if it has no text, such as an icon. */
  isInlineIfEmpty?: boolean;
  /** Set for a void tag that stands for a word, and for a pair that stays. They are in a segment even at its edge. */
  isWord?: boolean;
  /** The words of such a void tag (`InlineTag.code`). */
  code?: string | undefined;
  /** A text that is not translated: why, as the name of a reason. */
  kept?: string;
}

/** A text of the file with its tags. */
export interface Run {
  /** The range that a translation replaces. */
  start: number;
  end: number;
  source: InlineContent;
  /** The items of the tags: `open`, `close` or `void` and the number. */
  tags: ReadonlyMap<string, Item>;
}

export interface Runs {
  runs: Run[];
  /** Texts that are not translated. */
  kept: { reason: string; text: string }[];
}

export function keyOfTag({ type, tag }: Pick<InlineTag, 'type' | 'tag'>): string {
  return `${type} ${tag}`;
}

/**
 * Makes segments of the items between two blocks.
 *
 * @param items in the order of the file, without overlap
 */
export function runsOf(items: readonly Item[]): Runs {
  const kept: Runs['kept'] = [];
  const joined = withoutOpaque(items, kept);
  const boundaries = boundariesOf(joined);
  const runs: Run[] = [];
  let from = 0;
  for (let at = 0; at <= joined.length; at++) {
    if (at < joined.length && !boundaries.has(at)) continue;
    const run = runOf(joined.slice(from, at));
    if (run) runs.push(run);
    from = at + 1;
  }
  return { runs, kept };
}

/** Returns for each opening tag the index of its closing tag, and vice versa. Pairs do not overlap. */
function pairsOf(items: readonly Item[]): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  const names = new Map<string, number>();
  for (const [at, { type, name = '' }] of items.entries()) {
    if (type === 'open') {
      open.push(at);
      names.set(name, (names.get(name) ?? 0) + 1);
    } else if (type === 'close' && (names.get(name) ?? 0) > 0) {
      // Tags that are still open inside this element have no closing tag.
      for (;;) {
        const last = open.pop()!;
        const lastName = items[last]!.name ?? '';
        names.set(lastName, names.get(lastName)! - 1);
        if (lastName !== name) continue;
        pairs.set(last, at).set(at, last);
        break;
      }
    }
  }
  return pairs;
}

/** Joins each element without a translatable text into one void tag, so that a translation cannot break it up. */
function withoutOpaque(items: readonly Item[], kept: Runs['kept']): Item[] {
  const pairs = pairsOf(items);
  const counts = new Int32Array(items.length + 1);
  for (const [at, { type, text = '' }] of items.entries())
    counts[at + 1] =
      counts[at]! +
      (type === 'boundary' || (type === 'text' && text.trim() !== '') || (type === 'void' && text === '\n')
        ? 1
        : 0);
  const joined: Item[] = [];
  const ends = new Set<number>();
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    const end = item.type === 'open' ? pairs.get(at) : undefined;
    const isEmpty = end !== undefined && counts[end] === counts[at];
    if (end !== undefined && (isEmpty || item.opaque !== undefined)) {
      const inside = items.slice(at, end);
      const isWord = isEmpty ? inside.some((inner) => inner.isWord) : item.opaque !== undefined;
      const space = isEmpty ? inside.map(({ text = '' }) => text).join('') : '';
      const code = isEmpty ? undefined : codeOf(inside);
      const range = { start: item.start, end: items[end]!.end };
      joined.push({
        ...range,
        type: 'void',
        isWord,
        ...(space !== '' && { text: space.includes('\t') ? '\t' : ' ' }),
        ...(code && { code }),
      });
      for (const { type, text = '', kept: reason } of inside)
        if (type === 'text') keep(kept, reason ?? item.opaque ?? 'code', text);
      at = end;
    } else if (item.type === 'text' && item.kept !== undefined) {
      keep(kept, item.kept, item.text ?? '');
      joined.push({ ...item, type: 'boundary' });
    } else if (item.isInlineIfEmpty || ends.has(at)) {
      joined.push({ ...item, type: 'boundary' });
      if (end !== undefined) ends.add(end);
    } else joined.push(item);
  }
  return joined;
}

/** Maximum UTF-16 units of a code that the translation memory has as words. */
const maxCode = 200;

/** Returns the words of an element that is not translated; undefined if they are not known, or too many. */
function codeOf(inside: readonly Item[]): string | undefined {
  if (inside.some(({ type, code, isWord }) => type === 'boundary' || (isWord && code === undefined)))
    return undefined;
  const code = inside.map(({ text = '', code: own = text }) => own).join('');
  return visibleCode(code);
}

/** Returns a code with single spaces; undefined if it is blank or too long. */
export function visibleCode(code: string): string | undefined {
  const visible = code.replace(/[ \t\n\f\r]+/g, ' ').trim();
  return visible !== '' && visible.length <= maxCode ? visible : undefined;
}

function keep(kept: Runs['kept'], reason: string, text: string): void {
  if (text.trim() !== '') kept.push({ reason, text });
}

/**
 * Returns the indices of the items that end a segment: boundaries, tags that have no partner, pairs around a boundary,
 * and two line breaks in succession, which separate paragraphs.
 */
function boundariesOf(items: readonly Item[]): Set<number> {
  const pairs = pairsOf(items);
  const found = new Set<number>();
  let lastBreak = -1;
  for (const [at, { type, text = '' }] of items.entries()) {
    if (type === 'boundary' || ((type === 'open' || type === 'close') && !pairs.has(at))) found.add(at);
    if (type === 'void' && text === '\n') {
      if (lastBreak >= 0) found.add(lastBreak).add(at);
      lastBreak = at;
    } else if (type !== 'text' || text.trim() !== '') lastBreak = -1;
  }
  const before = new Int32Array(items.length + 1);
  for (let at = 0; at < items.length; at++) before[at + 1] = before[at]! + (found.has(at) ? 1 : 0);
  for (const [open, close] of pairs)
    if (open < close && before[close] !== before[open + 1]) found.add(open).add(close);
  return found;
}

/** Returns the segment of items whose tags are well nested; undefined if they have no text. */
function runOf(items: readonly Item[]): Run | undefined {
  const isEdge = ({ type, text = '', isWord }: Item): boolean =>
    type === 'text' ? text.trim() === '' : type === 'void' && !isWord;
  const pairs = pairsOf(items);
  let [first, last] = [0, items.length - 1];
  for (;;) {
    if (first > last) return undefined;
    if (isEdge(items[first]!)) first++;
    else if (isEdge(items[last]!)) last--;
    else if (items[first]!.type === 'open' && !items[first]!.isWord && pairs.get(first) === last) {
      first++;
      last--;
    } else break;
  }
  const inside = items.slice(first, last + 1);
  if (!inside.some(({ type, text = '' }) => type === 'text' && text.trim() !== '')) return undefined;
  const numbers = new Map<number, number>();
  const tags = new Map<string, Item>();
  let count = 0;
  const content = inside.map((item, at): InlineContent[number] => {
    if (item.type === 'text') return item.text!;
    const opened = item.type === 'close' ? pairs.get(first + at)! : first + at;
    const tag = item.type === 'close' ? numbers.get(opened)! : ++count;
    numbers.set(opened, tag);
    const type = item.type as InlineTag['type'];
    tags.set(keyOfTag({ type, tag }), item);
    const { format } = items[opened]!;
    return {
      tag,
      type,
      ...(item.text !== undefined && { text: item.text }),
      ...(type === 'void' && item.isWord && { isWord: true as const }),
      ...(type === 'void' && item.code !== undefined && { code: item.code }),
      ...(format && { format }),
    };
  });
  return { start: inside[0]!.start, end: inside.at(-1)!.end, source: trimmed(joinStrings(content)), tags };
}

/** Makes each white space of the strings one space, and removes it at the edges and next to line breaks. */
function trimmed(content: InlineContent): InlineContent {
  const isBreak = (item: InlineContent[number] | undefined): boolean =>
    item === undefined || (typeof item !== 'string' && item.text === '\n');
  return joinStrings(
    content.map((item, at) => {
      if (typeof item !== 'string') return item;
      let text = item.replace(/[ \t\n\f\r]+/g, ' ');
      if (isBreak(content[at - 1])) text = text.replace(/^ /, '');
      if (isBreak(content[at + 1])) text = text.replace(/ $/, '');
      return text;
    }),
  );
}
