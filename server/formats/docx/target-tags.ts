import type { InlineContent, InlineTag } from '../inline-content.ts';
import type { ParagraphContent } from './paragraph-content.ts';

/**
 * Returns the translation with tags that can be written: each tag of the source once, pairs well nested, and no pair inside
 * another than in the source (Word has no link within a link). If the tags must keep their order, or the translation breaks
 * these rules, the source's tags come in their order, each followed by the text that followed it in the translation.
 */
export function writableTarget(content: ParagraphContent, target: InlineContent): InlineContent {
  const joined = joinStrings(target);
  return isWritable(content, joined) ? joined : inSourceOrder(content.source, joined);
}

function keyOf({ type, tag }: InlineTag): string {
  return `${type} ${tag}`;
}

function tagsOf(content: InlineContent): InlineTag[] {
  return content.filter((item) => typeof item !== 'string');
}

function isWritable({ source, tags, isOrdered }: ParagraphContent, target: InlineContent): boolean {
  const sourceTags = tagsOf(source);
  const targetTags = tagsOf(target);
  if (sourceTags.length !== targetTags.length) return false;
  if (isOrdered) return sourceTags.every((tag, index) => keyOf(tag) === keyOf(targetTags[index]!));
  const expected = new Set(sourceTags.map(keyOf));
  const open: number[] = [];
  for (const tag of targetTags) {
    if (!expected.delete(keyOf(tag))) return false;
    if (tag.type === 'close') {
      if (open.pop() !== tag.tag) return false;
    } else if (tag.type === 'open') {
      if (tags.get(tag.tag)!.parent !== (open.at(-1) ?? 0)) return false;
      open.push(tag.tag);
    }
  }
  return open.length === 0;
}

/** No two strings are adjacent, and none is empty, whoever made the content. */
function joinStrings(content: InlineContent): InlineContent {
  const joined: InlineContent = [];
  for (const item of content) {
    const last = joined.at(-1);
    if (item === '') continue;
    if (typeof item === 'string' && typeof last === 'string') joined[joined.length - 1] = last + item;
    else joined.push(item);
  }
  return joined;
}

function inSourceOrder(source: InlineContent, target: InlineContent): InlineContent {
  const textAfter = new Map<string, string>();
  const known = new Set(tagsOf(source).map(keyOf));
  let after = '';
  for (const item of target) {
    if (typeof item !== 'string') after = known.has(keyOf(item)) ? keyOf(item) : after;
    else textAfter.set(after, (textAfter.get(after) ?? '') + item);
  }
  const written: InlineContent = [textAfter.get('') ?? ''];
  for (const tag of tagsOf(source)) written.push(tag, textAfter.get(keyOf(tag)) ?? '');
  return joinStrings(written);
}
