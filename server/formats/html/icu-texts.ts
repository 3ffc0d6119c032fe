import { type InlineContent, type InlineTag, joinStrings, plainText } from '../inline-content.ts';
import { hasIcuChoice, readIcu } from '../messages/icu.ts';
import { InlineCodes, marksIn, withoutMarks } from '../messages/inline-codes.ts';
import { placeOfMessage } from '../messages/strings.ts';
import type { TextPlace } from '../text-file.ts';

/*
 * Texts of pages that are ICU messages, as templates of Angular have them: `{files.length, plural, =1 {one file} other
 * {{{files.length}} files}}`. Their elements and template codes are tags.
 */

/** Whether a text has a choice in the syntax of ICU. */
export function isIcuText(content: InlineContent): boolean {
  return (
    content.some((item) => typeof item === 'string' && choice.test(item)) &&
    hasIcuChoice(markedText(content).text)
  );
}

/**
 * Returns the place of an ICU message as the place of its texts, and another place as it is. So is a message with an element
 * outside of its choices, because Angular has no directives inside of them.
 */
export function placeOfIcuText(place: TextPlace, targetLanguage: string | undefined): TextPlace {
  const [segment, ...others] = place.segments;
  if (!segment || others.length > 0 || !isIcuText(segment.source) || hasElementOutside(segment.source))
    return place;
  const { text, codes, tags, restore } = markedText(segment.source);
  const message = readIcu(text, targetLanguage);
  if (!message) return place;
  const write = (written: string, needsReview = false) => [
    ...place.write([{ target: joinStrings(marksIn(restore(written), tags)), needsReview }]),
  ];
  const [own] = codes.tagged({ places: [placeOfMessage({ key: '', line: 0, text, write }, message)] }).places;
  const { kind, place: at } = segment;
  return {
    ...own!,
    original: plainText(segment.source),
    segments: own!.segments.map((form) => ({ ...segment, ...form, kind, place: at })),
  };
}

/** A choice up to its options. The argument can be an expression of Angular, such as `files.length` or `n$ | async`. */
const choice = /\{\s*([^{},]{0,200}[^{},\s])\s*,\s*(plural|select|selectordinal)\s*,/;

/** A text in which a mark stands for each tag, and a name for each argument that ICU does not allow. */
interface MarkedText {
  text: string;
  codes: InlineCodes;
  tags: ReadonlyMap<string, InlineTag>;
  /** Returns a message with the arguments of the source. */
  restore(message: string): string;
}

function markedText(content: InlineContent): MarkedText {
  const codes = new InlineCodes();
  const tags = new Map<string, InlineTag>();
  const openings = new Map<number, string>();
  const marked = content.map((item) => {
    if (typeof item === 'string') return withoutMarks(item);
    const mark = codes.add({ ...item, written: '', opening: openings.get(item.tag) });
    if (item.type === 'open') openings.set(item.tag, mark);
    tags.set(mark, item);
    return mark;
  });
  const names = new Map<string, string>();
  const renamed = (text: string, nameOf: (argument: string) => string) =>
    text.replaceAll(
      new RegExp(choice, 'g'),
      (_, argument: string, type: string) => `{${nameOf(argument)}, ${type},`,
    );
  const joined = marked.join('');
  const text = renamed(joined, (argument) => {
    if (/^[\p{L}\p{N}_]+$/u.test(argument)) return argument;
    let name = argument.replace(/[^\p{L}\p{N}_]+/gu, '_');
    while (joined.includes(name) || (names.get(name) ?? argument) !== argument) name += '_';
    names.set(name, argument);
    return name;
  });
  return { text, codes, tags, restore: (message) => renamed(message, (name) => names.get(name) ?? name) };
}

/** Whether a pair of tags is outside of all braces. */
function hasElementOutside(content: InlineContent): boolean {
  let depth = 0;
  return content.some((item) => {
    if (typeof item !== 'string') return depth === 0 && item.type !== 'void';
    for (const sign of item) depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
    return false;
  });
}
