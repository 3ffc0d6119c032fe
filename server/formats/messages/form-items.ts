import type { Edit } from '../office/splice.ts';
import { pluralCategories } from './plural-forms.ts';
import type { StringEntry } from './strings.ts';

/*
 * Plural forms that are a list of items in a file, such as the elements of Android and the pairs of a property list.
 */

/** An item of a list of plural forms. */
export interface FormItem {
  category: string;
  entry: StringEntry;
  /** The offsets of the item. */
  start: number;
  end: number;
  /** The offsets of the characters that name the category. They are before the text of the item. */
  label: { start: number; end: number };
}

/** Whether these are the categories of one message: different ones, one of which is `other`. */
export function areForms(categories: readonly string[]): boolean {
  const known: readonly string[] = pluralCategories;
  const names = new Set(categories);
  return (
    names.size === categories.length &&
    names.has('other') &&
    categories.every((category) => known.includes(category))
  );
}

/**
 * Changes the items that exist, removes those that the language does not have, and inserts the others in order.
 *
 * @param text the text of the file
 * @param texts the texts by category. `other` is one of them
 * @param labelOf returns the label of a category; by default its name
 */
export function writeForms(
  text: string,
  items: readonly FormItem[],
  texts: ReadonlyMap<string, string>,
  labelOf = (category: string): string => category,
): Edit[] {
  const edits: Edit[] = [];
  const stay = new Map<string, FormItem>();
  for (const item of items) {
    const { category, entry, start, end } = item;
    const written = texts.get(category);
    if (written === undefined) edits.push({ start: start - gapBefore(text, start).length, end, text: '' });
    else {
      stay.set(category, item);
      edits.push(...[entry.write(written)].flat());
    }
  }
  const model = stay.get('other')!;
  const gap = gapBefore(text, model.start);
  let before = '';
  let previous: FormItem | undefined;
  for (const category of pluralCategories) {
    const present = stay.get(category);
    if (present && !previous && before !== '')
      edits.push({ start: present.start, end: present.start, text: before });
    if (present) {
      previous = present;
      before = '';
      continue;
    }
    const written = texts.get(category);
    if (written === undefined) continue;
    const item = itemLike(text, model, labelOf(category), written);
    if (previous) edits.push({ start: previous.end, end: previous.end, text: gap + item });
    else before += item + gap;
  }
  return edits;
}

/** Returns the white space before an item. */
function gapBefore(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - 1_000), start);
  return before.slice(before.trimEnd().length);
}

/** Returns a new item with the tags of an item that exists. */
function itemLike(
  text: string,
  { start, end, label, entry }: FormItem,
  name: string,
  written: string,
): string {
  const edit = [entry.write(written)].flat()[0]!;
  return [
    text.slice(start, label.start),
    name,
    text.slice(label.end, edit.start),
    edit.text,
    text.slice(edit.end, end),
  ].join('');
}
