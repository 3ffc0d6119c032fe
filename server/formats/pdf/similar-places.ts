import { countShown, type SimilarPlace } from '../document.ts';
import { type InlineContent, plainText } from '../inline-content.ts';
import type { PageBlocks } from './find-blocks.ts';
import { holds, type Rectangle, transformRectangle, widen } from './geometry.ts';
import type { KeptText } from './layout/content/kept-text.ts';
import { idsOf } from './mends.ts';
import type { TextBlock } from './text-block.ts';

/*
 * Finds the places of a file that are like one at which a reviewer made a mend: texts of the same look in the same relation
 * to each other, such as the labels of a form or the rows of a price list. A place is sure if its words are alike, too.
 */

/** A text of a page. A text that is not translated has a reason, and no block. */
export interface SeenText {
  id: string;
  page: number;
  text: string;
  look: string;
  box: Rectangle;
  size: number;
  reason: string | null;
  lines: TextBlock['lines'];
  content: InlineContent;
}

function seenBlock({ id, page, content, style, matrix, box, lines }: TextBlock): SeenText {
  const { family, bold, italic, size, color } = style;
  return {
    ...{ id, page, text: plainText(content), reason: null, lines, content, size },
    look: [family, bold, italic, Math.round(2 * size), color].join(' '),
    box: transformRectangle(matrix, box),
  };
}

function seenKept({ id, text, reason, glyphs, box }: KeptText, page: number): SeenText[] {
  const [first] = glyphs;
  if (id === undefined || !first) return [];
  const size = Math.hypot(first.text.matrix[2], first.text.matrix[3]);
  return [
    {
      id,
      page,
      text,
      reason,
      box,
      size,
      look: `${first.text.font.name} ${Math.round(2 * size)}`,
      lines: [],
      content: [text],
    },
  ];
}

/** Returns the texts of a page in reading order, and those that are not translated. */
export function seenTexts({ blocks, kept }: PageBlocks, page: number): SeenText[] {
  return [...blocks.map(seenBlock), ...kept.flatMap((text) => seenKept(text, page))];
}

/** The maximum difference between edges that count as one, in points. */
const sameEdge = 2;
/** The maximum difference between the distances of two texts, as a share of the font size. */
const sameDistance = 0.5;

/** @param pages the texts of each page in reading order, as they are without the mend */
export function similarPlaces(
  pages: readonly (readonly SeenText[])[],
  like: SimilarPlace['mend'],
): SimilarPlace[] {
  const ids = like.kind === 'keep' ? [like.id] : idsOf(like);
  const all = pages.flat();
  const model = ids.flatMap((id) => all.find((text) => text.id === id) ?? []);
  const [first] = model;
  if (!first || model.length < ids.length) return [];
  const others = (texts: readonly SeenText[]) => texts.filter(({ id }) => !ids.includes(id));
  switch (like.kind) {
    case 'join':
      return pages.flatMap((texts) => similarJoins(others(texts), model));
    case 'split':
      return others(all).flatMap((text) => similarSplit(text, first, like.at));
    case 'space':
    case 'size':
      return others(all).flatMap((text) => {
        const isThere = text.page !== first.page && holds(widen(first.box, sameEdge), text.box);
        if (text.reason !== null || text.look !== first.look || !(isThere || like.kind === 'size')) return [];
        const place = { page: text.page, now: [text.text], after: [text.text] };
        return [
          { mend: { ...like, id: text.id }, ...place, isSure: isThere || isInColumn(text.box, first.box) },
        ];
      });
    default:
      return others(all).flatMap((text) => similarText(text, first, like.kind));
  }
}

/** What is left of a text without its letters and digits: texts with the same pattern are codes of one kind. */
const patternOf = (text: string): string =>
  text
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/\p{Ll}+/gu, 'a')
    .replace(/\p{N}+/gu, '0');

const withoutNumbers = (text: string): string => text.replace(/\p{N}+/gu, '0');

function isInColumn(one: Rectangle, other: Rectangle): boolean {
  const middle = one.left + one.right - other.left - other.right;
  return [one.left - other.left, one.right - other.right, middle / 2].some((gap) => Math.abs(gap) < sameEdge);
}

function similarText(text: SeenText, model: SeenText, kind: 'keep' | 'translate'): SimilarPlace[] {
  const isSame = withoutNumbers(text.text) === withoutNumbers(model.text);
  const isAlike = text.reason === model.reason && text.look === model.look && isInColumn(text.box, model.box);
  if (text.reason !== model.reason || !(isSame || isAlike)) return [];
  const isSure = isSame || patternOf(text.text) === patternOf(model.text);
  return [{ mend: { kind, id: text.id }, page: text.page, now: [text.text], after: [text.text], isSure }];
}

/** How a text starts and ends: these signs show whether two texts belong together. */
function signsOf({ text }: SeenText): { start: string; end: string } {
  const kindOf = (letter: string) =>
    /\p{Lu}/u.test(letter) ? 'A' : /\p{L}/u.test(letter) ? 'a' : /\p{N}/u.test(letter) ? '0' : letter;
  const letters = [...text.trim()];
  const end = letters.at(-1) ?? '';
  return { start: kindOf(letters[0] ?? ''), end: /[\p{L}\p{N}]/u.test(end) ? '' : end };
}

function similarJoins(texts: readonly SeenText[], model: readonly SeenText[]): SimilarPlace[] {
  const translated = texts.filter(({ reason }) => reason === null);
  const found: SimilarPlace[] = [];
  for (let at = 0; at + model.length <= translated.length; ) {
    const own = translated.slice(at, at + model.length);
    if (!own.every((text, index) => isPartLike(text, own[index - 1], model[index]!, model[index - 1]))) {
      at += 1;
      continue;
    }
    const isSure = own.every((text, index) => {
      const [signs, wanted] = [signsOf(text), signsOf(model[index]!)];
      return (
        (index === 0 || signs.start === wanted.start) &&
        (index === own.length - 1 || signs.end === wanted.end)
      );
    });
    const now = own.map(({ text }) => text);
    const mend = { kind: 'join' as const, ids: own.map(({ id }) => id) };
    found.push({ mend, page: own[0]!.page, now, after: [now.join(' ')], isSure });
    at += model.length;
  }
  return found;
}

/** Whether a text has the look of a part of the model, and the same place relative to the part above it. */
function isPartLike(
  text: SeenText,
  above: SeenText | undefined,
  model: SeenText,
  over: SeenText | undefined,
): boolean {
  if (text.look !== model.look || text.reason !== model.reason) return false;
  if (!above || !over) return true;
  const near = sameDistance * model.size;
  const gap = above.box.bottom - text.box.top - (over.box.bottom - model.box.top);
  const shifts = (one: SeenText, other: SeenText) => [
    one.box.left - other.box.left,
    one.box.left + one.box.right - other.box.left - other.box.right,
    one.box.left - other.box.right,
  ];
  const wanted = shifts(model, over);
  return (
    Math.abs(gap) < near &&
    shifts(text, above).some((shift, index) => Math.abs(shift - wanted[index]!) < near)
  );
}

/** Where a text is divided: at the end of a line, after a sign, or where its formatting changes. */
function similarSplit(text: SeenText, model: SeenText, at: readonly number[]): SimilarPlace[] {
  if (text.look !== model.look || text.reason !== null || at.length !== 1) return [];
  const count = at[0]!;
  const line = model.lines.findIndex(({ end }) => end === count);
  const cutOf = (one: SeenText): number | undefined => {
    if (line >= 0) return one.lines.length === model.lines.length ? one.lines[line]?.end : undefined;
    const [before] = cutText(model.text, count);
    const sign = /[^\p{L}\p{N}\s]$/u.exec(before)?.[0];
    if (sign !== undefined) {
      const index = one.text.indexOf(sign);
      return index < 0 ? undefined : countShown(one.text.slice(0, index + sign.length));
    }
    const changes = changesOf(one.content);
    return changesOf(model.content).includes(count) ? changes[0] : undefined;
  };
  const cut = cutOf(text);
  if (cut === undefined || cut <= 0 || cut >= countShown(text.text)) return [];
  const after = cutText(text.text, cut);
  return [
    {
      mend: { kind: 'split', id: text.id, at: [cut] },
      page: text.page,
      now: [text.text],
      after,
      isSure:
        isInColumn(text.box, model.box) &&
        signsOf({ ...text, text: after[1]! }).start ===
          signsOf({ ...model, text: cutText(model.text, count)[1]! }).start,
    },
  ];
}

/** Returns the numbers of characters after which the formatting of a content changes. */
function changesOf(content: InlineContent): number[] {
  let count = 0;
  return content.flatMap((item) => {
    if (typeof item !== 'string') return count > 0 ? [count] : [];
    count += countShown(item);
    return [];
  });
}

/** Cuts a text after some of its characters (`countShown`). */
function cutText(text: string, count: number): [string, string] {
  let rest = count;
  let at = 0;
  for (const letter of text) {
    if (rest <= 0) break;
    rest -= countShown(letter);
    at += letter.length;
  }
  return [text.slice(0, at).trim(), text.slice(at).trim()];
}
