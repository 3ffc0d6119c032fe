import { type InlineContent, type InlineTag, joinStrings } from '../../inline-content.ts';
import type { ParagraphContent } from './paragraph-content.ts';

/**
 * Returns the translation with tags that can be written to the file. For this, the translation must have each tag of
 * the source once, and its pairs must be well nested. Each pair must be inside the same pair as in the source, because
 * Word does not allow a link within a link. If the paragraph requires the order of the source, the tags must also have
 * this order. If the translation breaks one of these rules, its tags are put in the order of the source, and each text
 * stays after the same tag as far as possible; `isReordered` is then true. Tags of formatting may be missing and may be
 * anywhere; they are removed from a translation whose other tags are put in order.
 */
export function writableTarget(
  content: ParagraphContent,
  target: InlineContent,
): { target: InlineContent; isReordered: boolean } {
  const joined = joinStrings(target);
  if (isWritable(content, joined)) return { target: joined, isReordered: false };
  return { target: inSourceOrder(content, joined), isReordered: true };
}

function keyOf({ type, tag }: InlineTag): string {
  return `${type} ${tag}`;
}

function tagsOf(content: InlineContent): InlineTag[] {
  return content.filter((item) => typeof item !== 'string');
}

function isWritable(content: ParagraphContent, target: InlineContent): boolean {
  const { source, tags, isOrdered, inertPlaces } = content;
  const isFormat = ({ tag }: InlineTag): boolean => tags.get(tag)?.isFormat ?? false;
  const missing = new Set(tagsOf(source).map(keyOf));
  /** The open pairs, and those of them that are links or fields. */
  const open: number[] = [];
  const outer: number[] = [];
  for (const tag of tagsOf(target)) {
    if (!missing.delete(keyOf(tag))) return false;
    if (tag.type === 'close') {
      if (open.pop() !== tag.tag) return false;
      if (!isFormat(tag)) outer.pop();
    } else if (tag.type === 'open') {
      open.push(tag.tag);
      if (isFormat(tag)) continue;
      if (tags.get(tag.tag)!.parent !== (outer.at(-1) ?? 0)) return false;
      outer.push(tag.tag);
    }
  }
  const kept = withoutFormats(content, target);
  if (open.length > 0 || tagsOf(withoutFormats(content, source)).some((tag) => missing.has(keyOf(tag))))
    return false;
  if (!isOrdered) return true;
  const order = tagsOf(withoutFormats(content, source)).map(keyOf);
  if (tagsOf(kept).some((tag, index) => keyOf(tag) !== order[index])) return false;
  let place = 0;
  return kept.every((item) => {
    if (typeof item !== 'string') place++;
    return typeof item !== 'string' || !inertPlaces.has(place);
  });
}

function withoutFormats({ tags }: ParagraphContent, content: InlineContent): InlineContent {
  return joinStrings(content.filter((item) => typeof item === 'string' || !tags.get(item.tag)?.isFormat));
}

/** Used instead of a pair's number for a position at which text is not allowed. */
const inert = -1;

/**
 * Returns the tags of the source in their order, with the texts of the translation between them, also in their order.
 * Each text follows the same tag as in the translation or a later one. A text in a pair stays inside this pair unless
 * the pair has already ended.
 */
function inSourceOrder(content: ParagraphContent, translation: InlineContent): InlineContent {
  const { inertPlaces } = content;
  const target = withoutFormats(content, translation);
  const tags = tagsOf(withoutFormats(content, content.source));
  /** The number of the innermost pair at each position between the tags. Position n is before the tag with index n. */
  const pairs: number[] = [];
  const placeAfter = new Map<string, number>();
  const lastPlaceIn = new Map<number, number>();
  let lastPlace = 0;
  const addPlace = (pair: number): void => {
    const place = pairs.length;
    pairs.push(inertPlaces.has(place) ? inert : pair);
    if (inertPlaces.has(place)) return;
    lastPlaceIn.set(pair, place);
    lastPlace = place;
  };
  addPlace(0);
  const open: number[] = [];
  for (const [index, tag] of tags.entries()) {
    if (tag.type === 'open') open.push(tag.tag);
    else if (tag.type === 'close') open.pop();
    addPlace(open.at(-1) ?? 0);
    placeAfter.set(keyOf(tag), index + 1);
  }
  const texts = pairs.map(() => '');
  let place = 0;
  const around: number[] = [];
  for (const item of target) {
    if (typeof item !== 'string') {
      place = Math.max(place, placeAfter.get(keyOf(item)) ?? 0);
      if (item.type === 'open' && placeAfter.has(keyOf(item))) around.push(item.tag);
      else if (item.type === 'close') around.pop();
      continue;
    }
    const pair = around.at(-1) ?? 0;
    if (lastPlaceIn.get(pair)! >= place) while (pairs[place] !== pair) place++;
    else if (place > lastPlace) place = lastPlace;
    else while (pairs[place] === inert) place++;
    texts[place] += item;
  }
  return joinStrings([texts[0]!, ...tags.flatMap((tag, index) => [tag, texts[index + 1]!])]);
}
