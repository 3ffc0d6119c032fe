import { insertText } from './insert-text.ts';
import { findTags, type WrittenTag } from './tagged-text.ts';

/*
 * Tags in a field are whole: the caret does not enter them, and both tags of a pair are deleted together.
 */

/** Protects the tags of a field. @returns a function that ends the protection */
export function protectTags(field: HTMLTextAreaElement): () => void {
  let before: readonly [number, number] = [field.selectionStart, field.selectionEnd];
  const onSelection = () => {
    if (document.activeElement !== field) return;
    const range = snapped(findTags(field.value), [field.selectionStart, field.selectionEnd], before);
    if (range[0] !== field.selectionStart || range[1] !== field.selectionEnd)
      field.setSelectionRange(...range, field.selectionDirection);
    before = range;
  };
  const onBeforeInput = (event: InputEvent) => {
    if (event.isComposing) return;
    if (event.inputType === 'insertText' && typeof event.data === 'string') {
      // The caret has just entered a tag, and no event has moved it yet.
      const { selectionStart: caret, value } = field;
      const tag = findTags(value).find(({ start, end }) => start < caret && caret < end);
      if (!tag || caret !== field.selectionEnd) return;
      event.preventDefault();
      insertText(field, event.data, [tag.end, tag.end]);
    }
    if (!event.inputType.startsWith('delete')) return;
    const range = deletedRange(field, event.inputType);
    const removed = range && withPartners(field.value, range);
    if (!removed) return;
    event.preventDefault();
    insertText(field, removed.rest, removed.range);
    field.setSelectionRange(removed.caret, removed.caret);
  };
  const repair = ({ inputType = '', isComposing }: InputEvent) => {
    const repaired = repairedText(field.value);
    if (isComposing || repaired === field.value) return;
    // An undo to the state before a repair goes one step further.
    if (inputType.startsWith('history'))
      return void document.execCommand(inputType === 'historyUndo' ? 'undo' : 'redo');
    const caret = repairedText(field.value.slice(0, field.selectionStart), field.value).length;
    insertText(field, repaired, 'all');
    field.setSelectionRange(caret, caret);
  };
  // A command of the browser cannot run within another one, which may have caused the event.
  const onInput = (event: Event) => queueMicrotask(() => repair(event as InputEvent));
  document.addEventListener('selectionchange', onSelection);
  field.addEventListener('beforeinput', onBeforeInput);
  field.addEventListener('input', onInput);
  return () => {
    document.removeEventListener('selectionchange', onSelection);
    field.removeEventListener('beforeinput', onBeforeInput);
    field.removeEventListener('input', onInput);
  };
}

/** Moves the ends of a selection out of tags: a caret in the direction of its movement, a selection around the tag. */
function snapped(
  tags: readonly WrittenTag[],
  [start, end]: readonly [number, number],
  before: readonly [number, number],
): readonly [number, number] {
  const around = (position: number) => tags.find((tag) => tag.start < position && position < tag.end);
  const move = (position: number, was: number) => {
    const tag = around(position);
    if (!tag) return position;
    if (position > was) return tag.end;
    if (position < was) return tag.start;
    return position - tag.start < tag.end - position ? tag.start : tag.end;
  };
  if (start === end) return [move(start, before[0]), move(start, before[0])];
  // Only the end that moves follows the direction: the other one was outside of tags.
  return [move(start, before[0]), move(end, before[1])];
}

/** The range that a deletion removes; undefined if the browser decides, and no tag is at the caret. */
function deletedRange(field: HTMLTextAreaElement, inputType: string): [number, number] | undefined {
  const { selectionStart: start, selectionEnd: end, value } = field;
  if (start !== end) return [start, end];
  const isForward = inputType.endsWith('Forward');
  const tag = findTags(value).find((one) =>
    isForward ? one.start <= start && start < one.end : one.start < start && start <= one.end,
  );
  return tag && [tag.start, tag.end];
}

/**
 * A deletion with the other tags of the pairs in it.
 * @returns undefined if the range has no tags; otherwise the range to replace, and the text that stays of it
 */
function withPartners(text: string, [start, end]: readonly [number, number]) {
  const tags = findTags(text);
  const removed = new Set(tags.filter((tag) => tag.start >= start && tag.end <= end).map(({ tag }) => tag));
  if (removed.size === 0) return undefined;
  const gone = tags.filter(({ tag }) => removed.has(tag));
  const from = Math.min(start, gone[0]?.start ?? start);
  const to = Math.max(end, gone.at(-1)?.end ?? end);
  const isKept = (at: number) =>
    (at < start || at >= end) && !gone.some((tag) => tag.start <= at && at < tag.end);
  const kept = (first: number, last: number) =>
    Array.from(text.slice(first, last).split('').keys(), (index) => first + index)
      .filter(isKept)
      .map((at) => text[at])
      .join('');
  return { range: [from, to] as const, rest: kept(from, to), caret: from + kept(from, start).length };
}

/** What is left of a tag if a part of it was deleted or typed over. */
const fragment = /\u2066<\/?\d*\/?>?\u2069?|\u2066?\/?\d*\/?>\u2069/g;

/**
 * A text without parts of tags, second copies of tags and single tags of pairs.
 * @param whole the text of which `text` is the start
 */
function repairedText(text: string, whole = text): string {
  const tags = findTags(whole);
  const count = (tag: number, type: string) =>
    tags.filter((one) => one.tag === tag && one.type === type).length;
  const seen = new Set<string>();
  const isKept = ({ tag, type }: WrittenTag) => {
    const key = `${type} ${tag}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst && (type === 'void' || (count(tag, 'open') > 0 && count(tag, 'close') > 0));
  };
  let result = '';
  let at = 0;
  for (const tag of findTags(text)) {
    result += text.slice(at, tag.start).replace(fragment, '');
    if (isKept(tag)) result += text.slice(tag.start, tag.end);
    at = tag.end;
  }
  return result + text.slice(at).replace(fragment, '');
}
