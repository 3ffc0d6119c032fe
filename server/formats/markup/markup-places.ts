import type { Finding, SegmentKind } from '../document.ts';
import type { FileText, KeptTexts } from '../existing-target.ts';
import type { Signs } from '../html/character-references.ts';
import { type InlineContent, isSameContent, plainText } from '../inline-content.ts';
import type { LengthLimit } from '../length-limit.ts';
import { reasonToKeep } from '../messages/strings.ts';
import { type Edit, splice } from '../office/splice.ts';
import {
  lineCounter,
  placeOfLine,
  type TextPlace,
  type TextPlaces,
  type TextSegment,
  type TextTarget,
} from '../text-file.ts';
import type { Item, Run } from './inline-runs.ts';

/** A text of a file, and how a translation of it is written. */
export interface MarkupText extends Pick<Run, 'start' | 'end' | 'source' | 'tags'> {
  kind: SegmentKind;
  /** The attribute or key of the text, such as `img alt`; empty for the text of a block. */
  name: string;
  /** The place for a reviewer. By default, this is the line of the text, and `name`. */
  place?: string;
  /** The number of the sheet or slide. */
  page?: number;
  /** The reference of the cell. */
  cellId?: string;
  /** @param markupOf returns the source of a tag, with the translations of the texts in it */
  write(target: InlineContent, markupOf: (item: Item) => string): string;
  /** The signs that are written as references. They begin no code. */
  signs?: Signs | undefined;
  /** The kind of text for an existing translation. A text of another kind has other syntax. By default, `kind`. */
  role?: string;
  /** Returns how a text of an existing translation is read and written. By default, it is written as it is in its file. */
  existing?(): ExistingMarkup;
  /** Returns changes outside of the range that a changed text needs. */
  around?(target: InlineContent): readonly Edit[];
  /** The longest translation for which there is room. */
  limit?: LengthLimit;
  /** Returns what is wrong with a changed text. */
  check?(target: InlineContent): readonly Omit<Finding, 'unitId'>[];
}

export interface ExistingMarkup {
  /** The text without its syntax. */
  text: string;
  /** The syntax of the place, such as the quotes. A text with the same syntax is written as it is in its file. */
  form?: string;
  write(text: string): string;
}

/** The length up to which a text may be a number, an address or code. */
const maxKept = 1_000;

function reasonFor(text: string): string | null {
  if (text.length > maxKept) return /\p{L}/u.test(text) ? null : 'number';
  return reasonToKeep(text);
}

/**
 * Returns the places of texts. A text inside the tag of another one, such as the `alt` of an image in a paragraph, is
 * written with this text, because the tag may move. A text of an existing translation is written with its markup.
 */
export function placesOfMarkup(
  source: string,
  texts: readonly MarkupText[],
  existing: KeptTexts = new Map(),
): Required<Pick<TextPlaces, 'always' | 'kept' | 'places' | 'texts'>> {
  const kept: { reason: string; text: string }[] = [];
  const always: Edit[] = [];
  const outer: MarkupText[] = [];
  let outermost = -1;
  let stays = false;
  const lineOf = lineCounter(source);
  const groups: [MarkupText, ...MarkupText[]][] = [];
  for (const text of [...texts].sort((one, other) => one.start - other.start || other.end - one.end)) {
    const plain = plainText(text.source);
    const { start, end } = text;
    if (end > outermost) {
      outermost = end;
      outer.push(text);
      const before = existing.get(String(outer.length));
      stays = before !== undefined;
      if (before) {
        const own = text.existing?.();
        const isSame = before.written !== undefined && before.written.form === own?.form;
        const written = isSame ? before.written!.markup : (own?.write(before.text) ?? before.text);
        always.push({ start, end, text: written }, ...(text.around?.([written]) ?? []));
      }
    }
    const reason = stays ? 'translated_before' : reasonFor(plain);
    const last = groups.at(-1);
    if (reason) kept.push({ reason, text: plain });
    else if (last && text.end <= last[0].end) last.push(text);
    else groups.push([text]);
  }
  return {
    places: groups.map((group) => placeOf(source, group, lineOf)),
    kept,
    always,
    texts: () => ({ isOrdered: true, all: outer.map((text, at) => fileTextOf(source, text, at, lineOf)) }),
  };
}

function fileTextOf(
  source: string,
  { start, end, kind, role = kind, name: label, existing }: MarkupText,
  at: number,
  lineOf: (offset: number) => number,
): FileText {
  const markup = source.slice(start, end);
  const { text = markup, form } = existing?.() ?? {};
  const name = String(at + 1);
  return {
    place: placeOfLine(lineOf(start), label),
    kind: role,
    source: text,
    names: [name],
    own: [{ name, text, ...(form !== undefined && { written: { form, markup } }) }],
  };
}

function placeOf(
  source: string,
  group: readonly [MarkupText, ...MarkupText[]],
  lineOf: (offset: number) => number,
): TextPlace {
  return {
    segments: group.map(
      ({ kind, start, name, place, page, cellId, source: content }): TextSegment => ({
        kind,
        place: place ?? placeOfLine(lineOf(start), name),
        ...(page !== undefined && { page }),
        ...(cellId !== undefined && { cellId }),
        source: content,
      }),
    ),
    write: (targets) => {
      // From the last text to the first, so that the texts inside a text are written before it. The last edit is the first
      // one in the file.
      const edits: Edit[] = [];
      for (let at = group.length - 1; at >= 0; at--) {
        const text = group[at]!;
        const { target } = targets[at]!;
        if (isSameContent(target, text.source)) continue;
        const inside: Edit[] = [];
        while (edits.length > 0 && edits.at(-1)!.start < text.end) inside.push(edits.pop()!);
        edits.push(editOf(source, text, target, editsByTag([...text.tags.values()], inside)));
      }
      return [
        ...edits.reverse(),
        ...ofChanged(group, targets, (text, target) => text.around?.(target) ?? []),
      ];
    },
    ...(group.length === 1 && group[0].limit && { limit: group[0].limit }),
    shown: group.map(({ signs }) => [...(signs?.references.keys() ?? [])].join('')).join(''),
    check: (targets) => ofChanged(group, targets, (text, target) => text.check?.(target) ?? []),
  };
}

/** Applies a function to the texts with a translation that differs from the source. */
function ofChanged<T>(
  group: readonly MarkupText[],
  targets: readonly TextTarget[],
  apply: (text: MarkupText, target: InlineContent) => readonly T[],
): T[] {
  return group.flatMap((text, at) => {
    const { target } = targets[at]!;
    return isSameContent(target, text.source) ? [] : apply(text, target);
  });
}

function editOf(
  source: string,
  { start, end, write }: MarkupText,
  target: InlineContent,
  edits: ReadonlyMap<Item, Edit[]>,
): Edit {
  const markupOf = (item: Item): string => {
    const own = (edits.get(item) ?? []).map((edit) => ({
      start: edit.start - item.start,
      end: edit.end - item.start,
      text: edit.text,
    }));
    return [...splice(source.slice(item.start, item.end), own)].join('');
  };
  return { start, end, text: write(target, markupOf) };
}

/** Returns the changes inside each tag. Tags and changes are in the order of the file. */
function editsByTag(tags: readonly Item[], edits: readonly Edit[]): Map<Item, Edit[]> {
  const found = new Map<Item, Edit[]>();
  let at = 0;
  for (const edit of edits) {
    while (tags[at]!.end < edit.end) at++;
    found.set(tags[at]!, [...(found.get(tags[at]!) ?? []), edit]);
  }
  return found;
}
