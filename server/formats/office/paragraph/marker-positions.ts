import type { InlineContent } from '../../inline-content.ts';
import type { PlacedMarker } from './paragraph-content.ts';

/** A position in a segment's content: before the item at `index`, or inside this item if it is a string. */
interface Position {
  index: number;
  /** The offset in the string, in UTF-16 units. */
  offset: number;
}

/**
 * Finds the positions of a paragraph's markers in its translation. A marker next to a tag stays next to this tag. Any
 * other marker stays at the same relative position in its text, moved to the edge of a word. Markers keep their order,
 * so that a bookmark never ends before its start.
 *
 * @param markers the markers in the order of the source
 */
export function placeMarkers(
  markers: readonly PlacedMarker[],
  source: InlineContent,
  target: InlineContent,
): PlacedMarker[] {
  if (markers.length === 0) return [];
  const tagIndexes = new Map<string, number>();
  for (const [index, item] of target.entries())
    if (typeof item !== 'string') tagIndexes.set(`${item.type} ${item.tag}`, index);
  const sourceText = textOffsets(source);
  const targetText = textOffsets(target);
  const isSameShape = haveSameShape(source, target);
  let last: Position = { index: 0, offset: 0 };
  return markers.map(({ token, index, offset }): PlacedMarker => {
    let position = nextToTag(source, index, offset, token.isStart === true, tagIndexes);
    const item = target[index];
    if (!position && isSameShape && typeof item === 'string') {
      const share = offset / Math.max(1, (source[index] as string).length);
      position = { index, offset: wordEdge(item, Math.round(share * item.length), token.isStart === true) };
    }
    if (!position) {
      const share = (sourceText.before[index]! + offset) / sourceText.length;
      position = positionAt(target, targetText, share, token.isStart === true);
    }
    if (position.index < last.index || (position.index === last.index && position.offset < last.offset))
      position = last;
    last = position;
    return { token, ...position };
  });
}

/** Whether both contents have the same tags and texts at the same indices. */
export function haveSameShape(source: InlineContent, target: InlineContent): boolean {
  return (
    source.length === target.length &&
    source.every((item, index) => {
      const other = target[index]!;
      if (typeof item === 'string' || typeof other === 'string') return typeof item === typeof other;
      return item.tag === other.tag && item.type === other.type;
    })
  );
}

/**
 * Returns the new position of a marker that is next to a tag in the source. Returns undefined if the marker is inside a
 * text or at the edge of the segment.
 */
function nextToTag(
  source: InlineContent,
  index: number,
  offset: number,
  isStart: boolean,
  tagIndexes: ReadonlyMap<string, number>,
): Position | undefined {
  const item = source[index];
  const isText = typeof item === 'string';
  if (isText && offset > 0 && offset < item.length) return undefined;
  const gap = isText && offset > 0 ? index + 1 : index;
  const placeOf = (at: number, after: number): Position | undefined => {
    const neighbor = source[at];
    if (neighbor === undefined || typeof neighbor === 'string') return undefined;
    const found = tagIndexes.get(`${neighbor.type} ${neighbor.tag}`);
    return found === undefined ? undefined : { index: found + after, offset: 0 };
  };
  const before = placeOf(gap, 0);
  const after = placeOf(gap - 1, 1);
  return isStart ? (before ?? after) : (after ?? before);
}

/** Returns the length of the text before each item, and the length of the whole text (at least 1). */
function textOffsets(content: InlineContent): { before: number[]; length: number } {
  const before: number[] = [];
  let length = 0;
  for (const item of content) {
    before.push(length);
    if (typeof item === 'string') length += item.length;
  }
  before.push(length);
  return { before, length: Math.max(1, length) };
}

function positionAt(
  content: InlineContent,
  text: { before: number[]; length: number },
  share: number,
  isStart: boolean,
): Position {
  const at = Math.round(share * text.length);
  // Binary search for the first item that ends at or after the position.
  let index = 0;
  for (let after = content.length; index < after; ) {
    const middle = (index + after) >> 1;
    if (text.before[middle + 1]! >= at) after = middle;
    else index = middle + 1;
  }
  while (index < content.length && typeof content[index] !== 'string') index++;
  const item = content[index];
  if (typeof item !== 'string') return { index, offset: 0 };
  return { index, offset: wordEdge(item, Math.max(0, at - text.before[index]!), isStart) };
}

/** The maximum distance that a marker may be moved to reach the edge of a word, in UTF-16 units. */
const maxDistance = 24;

/**
 * Returns the nearest position that does not split a word. The start of a range goes after a space, and the end goes
 * before a space.
 */
function wordEdge(text: string, near: number, isStart: boolean): number {
  if (!/\s/.test(text)) return characterEdge(text, near);
  const isEdge = (at: number): boolean =>
    at === 0 || at === text.length || /\s/.test(text[isStart ? at - 1 : at]!);
  for (let distance = 0; distance <= maxDistance; distance++)
    for (const at of [near - distance, near + distance])
      if (at >= 0 && at <= text.length && isEdge(at)) return at;
  return characterEdge(text, near);
}

/** Returns the nearest position that does not split a character from its marks. Used for scripts without spaces. */
function characterEdge(text: string, near: number): number {
  let at = near;
  while (at < text.length && /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u.test(text.slice(at, at + 2))) at++;
  return at;
}
