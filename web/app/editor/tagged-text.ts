import { isChip } from '#server/formats/chips.ts';
import type { InlineContent, InlineTag } from '#server/formats/inline-content.ts';
import type { Mark } from './marks.ts';
import type { EditedSegment } from './segment.ts';

/*
 * The text of a field with tags. A tag is written as its number in angle brackets. Isolating characters around it, which
 * have no width, keep the order of its characters in right-to-left texts, and tell it from text that looks like a tag.
 */

const start = '\u2066<';
const end = '>\u2069';
const pattern = /\u2066<(\/?)(\d{1,9})(\/?)>\u2069/g;

export type TagType = InlineTag['type'];

/** A tag in the text of a field, in UTF-16 units. */
export interface WrittenTag {
  start: number;
  end: number;
  tag: number;
  type: TagType;
}

/** Writes a tag as in the text of a field. */
export function writeTag(tag: number, type: TagType): string {
  return start + { open: `${tag}`, close: `/${tag}`, void: `${tag}/` }[type] + end;
}

/** Whether the text of a field has tags. */
export function hasTags(text: string): boolean {
  return text.includes(start);
}

/** Finds the tags in the text of a field. */
export function findTags(text: string): WrittenTag[] {
  return Array.from(text.matchAll(pattern), ({ 0: written, 1: closing, 2: tag, 3: single, index }) => ({
    start: index,
    end: index + written.length,
    tag: Number(tag),
    type: single ? 'void' : closing ? 'close' : 'open',
  }));
}

/** The text of a field for a content: line breaks and tabs are characters, other tags are written. */
export function writeContent(content: InlineContent): string {
  return content
    .map((item) => {
      if (typeof item === 'string') return item;
      return isChip(item) ? writeTag(item.tag, item.type) : item.text;
    })
    .join('');
}

/** The source and the translation of a segment as in fields; the translation is null without one. */
export function textsOf(segment: EditedSegment): { source: string; target: string | null } {
  const { source_content: source, target_content: target } = segment;
  return {
    source: source ? writeContent(source) : segment.source_text,
    target: target ? writeContent(target) : segment.target_text,
  };
}

/** The content of a field's text. @param source the content of the source, which has the same tags */
export function readContent(text: string, source: InlineContent): InlineContent {
  const known = new Map(source.flatMap((item) => (typeof item === 'string' ? [] : [[keyOf(item), item]])));
  const content: InlineContent = [];
  let at = 0;
  for (const written of findTags(text)) {
    if (written.start > at) content.push(text.slice(at, written.start));
    const tag = known.get(keyOf(written));
    if (tag) content.push(tag);
    at = written.end;
  }
  return at < text.length ? [...content, text.slice(at)] : content;
}

/** The text of a field without its tags. The texts of symbols stay, if the source is given. */
export function plainOf(text: string, source: InlineContent | null | undefined): string {
  if (!hasTags(text)) return text;
  return readContent(text, source ?? [])
    .map((item) => (typeof item === 'string' ? item : (item.text ?? '')))
    .join('');
}

/**
 * Moves marks of a plain text to the text of a field.
 * @param text the text of the field
 */
export function shiftRanges<Range extends { start: number; end: number }>(
  ranges: readonly Range[],
  text: string,
  source: InlineContent | null | undefined,
): readonly Range[] {
  const tags = findTags(text);
  if (tags.length === 0) return ranges;
  let skipped = 0;
  const places = tags.map((tag) => {
    const shown = plainOf(text.slice(tag.start, tag.end), source).length;
    const from = tag.start - skipped;
    skipped += tag.end - tag.start - shown;
    return { from, to: from + shown, added: skipped };
  });
  const added = (is: (place: { from: number; to: number }) => boolean) => places.findLast(is)?.added ?? 0;
  return ranges.map((range) => ({
    ...range,
    start: range.start + added(({ to }) => to <= range.start),
    end: range.end + added(({ from, to }) => from < range.end && to <= range.end),
  }));
}

/** The marks of the tags in a field's text. */
export function tagMarks(text: string, source: InlineContent): Mark[] {
  const formats = new Map(
    source.flatMap((item) => (typeof item === 'string' ? [] : [[item.tag, item.format] as const])),
  );
  return findTags(text).map(({ start, end, tag, type }) => {
    const format = formats.get(tag);
    return { start, end, kind: 'chip', chip: { tag, type, ...(format && { format }) } };
  });
}

function keyOf({ type, tag }: { type: TagType; tag: number }): string {
  return `${type} ${tag}`;
}
