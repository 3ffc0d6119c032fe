import {
  formatTagged,
  type InlineContent,
  type InlineTag,
  joinStrings,
  parseTagged,
  plainText,
  tagWriter,
} from '#server/formats/inline-content.ts';
import type { Protect } from '#server/platform/engines/engine.ts';
import { blanked, type Range } from '../integrity/found.ts';
import { findLinks } from '../integrity/links.ts';
import { findPlaceholders } from '../integrity/placeholders.ts';

/**
 * Code in running text: names with an underscore (`owner_id`, `UV_IT`), numbers of parts and tickets (`MATH-2800`), calls
 * (`file.close()`), and paths that begin with a slash, a dot or a tilde (`/usr/lib`). `red/green/blue` and `____Date` are
 * none, and `{owner_id}` is a placeholder. A match can only start at the start of a word, so the time is linear.
 */
const code =
  /(?<![\w/.\-{%$<&#@:~]|\{\s)(?:[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?:\(\))?|[A-Za-z]\w*(?:\.[A-Za-z]\w*)*\(\)|[A-Z]{2,12}-\d{3,}|(?:~|\.{1,2})?\/[\w-][\w.-]*(?:\/[\w.-]*[\w-])+\/?|[~.]\/[\w.-]*[\w-])(?![\w/}-])/g;

/** A text with words that the engine does not receive. */
export interface ProtectedText {
  /** The text with a void tag in the place of each protected word. */
  content: InlineContent;
  words: readonly string[];
  /** The placeholders for which tags stand, such as `<1/> {name}`; null without placeholders. */
  note: string | null;
  /** Whether `content` has other words or placeholders. If not, the text is its own translation. */
  hasOtherWords: boolean;
  /** Returns a translation of `content` with the words in the places of their tags. */
  restore: (translation: InlineContent) => InlineContent;
}

/** A word that is replaced by a tag. */
interface ProtectedRange extends Range {
  isPlaceholder?: true;
  /** Set for a placeholder of the workspace: unlike others, it is not an argument of a message. */
  isOwn?: true;
}

/** Further words that are replaced: names, but not inside of longer words, and placeholders anywhere. */
interface FurtherWords {
  names?: readonly string[];
  placeholders?: readonly string[];
}

/**
 * Replaces the links, email addresses, code and placeholders in a text by void tags, so that no engine can change them.
 * Classic machine translation changes them even if it is asked to repair them. The time is linear in the text.
 * @returns null without such words
 */
export function protectWords(
  source: InlineContent,
  sourceLang: string,
  further: FurtherWords = {},
): ProtectedText | null {
  const words = new Map<number, string>();
  const placeholders: InlineTag[] = [];
  let hasArguments = false;
  let tag = source.reduce((last, item) => Math.max(last, typeof item === 'string' ? 0 : item.tag), 0);
  const protect = (text: string): InlineContent => {
    const pieces: InlineContent = [];
    let done = 0;
    for (const { start, end, isPlaceholder, isOwn } of protectedRanges(text, sourceLang, further)) {
      tag += 1;
      words.set(tag, text.slice(start, end));
      const item = { tag, type: 'void' } as const;
      if (isPlaceholder || isOwn) placeholders.push(item);
      hasArguments ||= isPlaceholder === true;
      pieces.push(text.slice(done, start), item);
      done = end;
    }
    return [...pieces, text.slice(done)];
  };
  const content = joinStrings(source.flatMap((item) => (typeof item === 'string' ? protect(item) : [item])));
  if (words.size === 0) return null;
  const hasOtherWords =
    hasArguments || content.some((item) => typeof item === 'string' && /\p{L}/u.test(item));
  const restore = (translation: InlineContent): InlineContent =>
    joinStrings(translation.map((item) => (typeof item === 'string' ? item : (words.get(item.tag) ?? item))));
  const formatTag = tagWriter(content);
  const note = placeholders.map((item) => `${formatTag(item)} ${words.get(item.tag)}`).join(', ');
  return { content, words: [...words.values()], note: note || null, hasOtherWords, restore };
}

/** Returns a plain text with numbered tags in the places of its protected words; null without such words. */
export const protectText: Protect = (text, sourceLang, names) => {
  const found = protectWords([text], sourceLang, names && { names });
  return (
    found && {
      text: formatTagged(found.content),
      restore: (reply) => {
        const content = parseTagged(reply, found.content);
        return content && plainText(found.restore(content));
      },
    }
  );
};

/** Returns the ranges of the protected words in order. They do not overlap. */
function protectedRanges(
  text: string,
  lang: string,
  { names = [], placeholders: own = [] }: FurtherWords,
): ProtectedRange[] {
  const named: ProtectedRange[] = [
    ...names.flatMap((name) => rangesOf(name, text, false)),
    ...own.flatMap((one) => rangesOf(one, text, true).map((range) => ({ ...range, isOwn: true as const }))),
  ];
  // Most texts have none of these characters.
  if (named.length === 0 && !/[_@/(){}%$#[|<]|www\.|[A-Z]-\d/i.test(text)) return [];
  const { urls, addresses } = findLinks(text);
  const codes = [...text.matchAll(code)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const placeholders = placeholdersIn(blanked(text, [...urls, ...addresses]), lang);
  const found: ProtectedRange[] = [...urls, ...addresses, ...codes, ...placeholders, ...named];
  const ranges: ProtectedRange[] = [];
  for (const range of found.sort((a, b) => a.start - b.start || b.end - a.end))
    if (
      range.start >= (ranges.at(-1)?.end ?? 0) &&
      (range.isPlaceholder || range.isOwn || /\p{L}/u.test(text.slice(range.start, range.end)))
    )
      ranges.push(range);
  return ranges;
}

/** Returns the places of a name. Those inside longer words count only if `isAnywhere`. */
function rangesOf(name: string, text: string, isAnywhere: boolean): Range[] {
  const ranges: Range[] = [];
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + name.length)) {
    const end = start + name.length;
    const around = [text.slice(Math.max(0, start - 2), start), text.slice(end, end + 2)] as const;
    if (isAnywhere || (!/[\p{L}\p{N}]$/u.test(around[0]) && !/^[\p{L}\p{N}]/u.test(around[1])))
      ranges.push({ start, end });
  }
  return ranges;
}

/** Returns the placeholders that are never prose. Those of a message with choices belong to its syntax. */
function placeholdersIn(text: string, lang: string): ProtectedRange[] {
  const { certain, conversions, choices } = findPlaceholders(text, lang);
  if (choices.length > 0) return [];
  return [...certain, ...conversions].map(({ start, end }) => ({ start, end, isPlaceholder: true }));
}
