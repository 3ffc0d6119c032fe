import { isChip } from './chips.ts';
import { type InlineContent, type InlineTag, joinStrings, plainText, retag } from './inline-content.ts';

/**
 * Returns a reviewer's translation with the tags of the source. Tags that the source does not have, the later copies of
 * a tag and single halves of pairs are left out. The tags of line breaks and tabs replace these characters in order.
 */
export function reviewedContent(given: InlineContent, source: InlineContent): InlineContent {
  const known = new Map<string, InlineTag>();
  for (const item of source) if (typeof item !== 'string') known.set(keyOf(item), item);
  const content: InlineContent = [];
  const open = new Map<number, number>();
  const ended = new Set<number>();
  for (const item of given) {
    const tag = typeof item === 'string' ? undefined : known.get(keyOf(item));
    if (typeof item === 'string') content.push(item);
    if (!tag) continue;
    if (tag.type === 'close') {
      if (!open.has(tag.tag) || ended.has(tag.tag)) continue;
      ended.add(tag.tag);
    } else {
      if (open.has(tag.tag)) continue;
      open.set(tag.tag, content.length);
      if (tag.type === 'void') ended.add(tag.tag);
    }
    content.push(tag);
  }
  const whole = content.filter((item) => typeof item === 'string' || ended.has(item.tag));
  return withBreaks(joinStrings(whole), source);
}

/**
 * Returns a translation whose pairs are well nested, as files need them: a pair that is open at the end of a surrounding
 * pair ends before it.
 */
export function nestPairs(content: InlineContent): InlineContent {
  const tags = content.filter((item) => typeof item !== 'string');
  const closing = new Map(tags.filter(({ type }) => type === 'close').map((tag) => [tag.tag, tag]));
  const open: number[] = [];
  return content.flatMap((item) => {
    if (typeof item === 'string' || item.type === 'void') return [item];
    if (item.type === 'open') {
      open.push(item.tag);
      return [item];
    }
    const at = open.lastIndexOf(item.tag);
    return at < 0
      ? []
      : open
          .splice(at)
          .reverse()
          .map((tag) => closing.get(tag)!);
  });
}

/**
 * Replaces the characters of line breaks and tabs by their tags. If some of these characters are missing, their tags are
 * placed by position, because the file needs them.
 */
function withBreaks(content: InlineContent, source: InlineContent): InlineContent {
  const present = new Set(content.map((item) => (typeof item === 'string' ? '' : keyOf(item))));
  const left = source.filter(
    (item): item is InlineTag => typeof item !== 'string' && !isChip(item) && !present.has(keyOf(item)),
  );
  const byText = Map.groupBy(left, ({ text }) => text as string);
  const result = content.flatMap((item) => {
    if (typeof item !== 'string') return [item];
    return item.split(/([\n\t])/).map((part) => byText.get(part)?.shift() ?? part);
  });
  const missing = new Set([...byText.values()].flat());
  return missing.size > 0 ? withMissing(joinStrings(result), source, missing) : joinStrings(result);
}

function withMissing(
  content: InlineContent,
  source: InlineContent,
  missing: ReadonlySet<InlineTag>,
): InlineContent {
  const places: { offset: number; tag: InlineTag }[] = [];
  let offset = 0;
  for (const item of retag(plainText(content), source)) {
    if (typeof item !== 'string' && missing.has(item)) places.push({ offset, tag: item });
    else offset += typeof item === 'string' ? item.length : (item.text?.length ?? 0);
  }
  offset = 0;
  const result: InlineContent = [];
  for (const item of content) {
    let rest = typeof item === 'string' ? item : '';
    while (places[0] && places[0].offset < offset + rest.length) {
      const { offset: at, tag } = places.shift()!;
      result.push(rest.slice(0, at - offset), tag);
      rest = rest.slice(at - offset);
      offset = at;
    }
    result.push(typeof item === 'string' ? rest : item);
    offset += typeof item === 'string' ? rest.length : (item.text?.length ?? 0);
  }
  return joinStrings([...result, ...places.map(({ tag }) => tag)]);
}

function keyOf({ type, tag }: InlineTag): string {
  return `${type} ${tag}`;
}
