import { type InlineContent, joinStrings, plainText } from '../inline-content.ts';
import { moved, rotationOf } from './fitting/frames.ts';
import { apply, type Rectangle } from './geometry.ts';
import { joinBetween } from './layout/content/joined-text.ts';
import { continues, isOpen, sentenceEnd, withoutCase } from './layout/sentences.ts';
import { openHyphen } from './layout/vocabulary.ts';
import { greatest, least } from './statistics.ts';
import { pageOfBlock, type TextBlock } from './text-block.ts';

/*
 * A paragraph may continue in the next column or on the next page. Its parts are blocks of the layout and one segment,
 * so that whole sentences are translated. The id of the segment lists its parts: `p3.b12_p4.b1`.
 */

/** The maximum number of whole texts, such as captions, between two parts. */
const maxBetween = 2;
/** The usual width of a letter, and of a character of a script without spaces, in em. */
const letterWidth = { spaced: 0.55, unspaced: 1 };
/** The space after which a line has no room for another word, in em. */
const lineEnd = 0.3;
/** The maximum difference between the widths of columns, as a share of the wider one. */
const maxWidthDifference = 0.15;
/** The minimum indent of the first line of a new paragraph, in em. */
const minIndent = 0.5;

/** The minimum distance of a link or a symbol from the end of a page in its text, in UTF-16 units. */
const nearCut = 150;

const rightToLeft = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const caption = /^\p{Lu}\p{L}*\.? \d+[.:]/u;

interface PlacedText {
  block: TextBlock;
  text: string;
  /** The box of the text, in a space in which the text is along the x axis. */
  box: Rectangle;
  lines: { left: number; right: number }[];
}

function placed(block: TextBlock): PlacedText {
  const [, , , , e, f] = block.matrix;
  const [x, y] = apply(rotationOf(block).fromPage, e, f);
  const lines = block.lines.map(({ left, right }) => ({ left: left + x, right: right + x }));
  return { block, text: plainText(block.content), box: moved(block.box, x, y), lines };
}

/** The paragraphs of a page that look the same, in reading order. */
interface Look {
  texts: PlacedText[];
  /** The lines of the texts that start at one position, by this position in em. */
  columns: Map<number, Column>;
}

interface Column {
  left: number;
  right: number;
  /** Whether a text has several lines. */
  isParagraph: boolean;
}

/** Groups the paragraphs of a page by their looks. */
function byLook(blocks: readonly TextBlock[]): Map<string, Look> {
  const looks = new Map<string, Look>();
  for (const block of blocks) {
    const isText = block.kind === 'paragraph' || (block.kind === 'table_cell' && !block.container);
    if (!isText) continue;
    const { family, bold, italic, size, color } = block.style;
    const key = `${rotationOf(block).name} ${family} ${bold} ${italic} ${size.toFixed(1)} ${color}`;
    const look = looks.get(key) ?? { texts: [], columns: new Map<number, Column>() };
    looks.set(key, look);
    const text = placed(block);
    look.texts.push(text);
    const start = Math.round(text.box.left / size);
    const { left, right, isParagraph } = look.columns.get(start) ?? { ...text.box, isParagraph: false };
    look.columns.set(start, {
      left: Math.min(left, text.box.left),
      right: Math.max(right, text.box.right),
      isParagraph: isParagraph || block.lines.length > 1,
    });
  }
  return looks;
}

/** Whether the last line of a text divides a word, or has no room for the first word of another text. */
function isFull({ block, lines, box, text }: PlacedText, next: string, { columns }: Look): boolean {
  if (joinBetween(text, next) === openHyphen) return true;
  const { size } = block.style;
  const start = Math.round(box.left / size);
  const near = [start - 1, start, start + 1].flatMap((at) => columns.get(at) ?? []);
  if (!near.some(({ isParagraph }) => isParagraph)) return false;
  const last = lines.at(-1)!;
  const isTurned = rightToLeft.test(next);
  const free = isTurned
    ? last.left - least(near.map(({ left }) => left))
    : greatest(near.map(({ right }) => right)) - last.right;
  const isSpaced = isTurned || !withoutCase.test(next);
  const word = isSpaced ? letterWidth.spaced * /^\S*/u.exec(next)![0].length : letterWidth.unspaced;
  return free < (word + lineEnd) * size;
}

/**
 * Returns whether a text continues in another one of the same look, and how sure this is: a small letter at the start is
 * the best sign.
 */
function continuation(
  one: PlacedText,
  { block, box, lines, text }: PlacedText,
  look: Look,
): 'certain' | 'likely' | undefined {
  if (block.label || block.indent > minIndent * block.style.size) return undefined;
  const isCertain = continues(one.text, text);
  // A short text without an end may be a name.
  const isSentence = lines.length > 1 || sentenceEnd.test(text);
  const isUnspaced = withoutCase.test(text) && !sentenceEnd.test(one.text) && isSentence;
  const isUnfinished = isOpen(one.text, text) && !one.text.endsWith(':') && !caption.test(text);
  if (!isCertain && !isUnspaced && !isUnfinished) return undefined;
  const [width, own] = [one.box.right - one.box.left, box.right - box.left];
  const areParagraphs = lines.length > 1 && one.lines.length > 1;
  if (areParagraphs && Math.abs(width - own) > maxWidthDifference * Math.max(width, own)) return undefined;
  // The short texts of a table are its cells.
  if (!areParagraphs && [one.block, block].some(({ kind }) => kind === 'table_cell')) return undefined;
  return isFull(one, text, look) ? (isCertain ? 'certain' : 'likely') : undefined;
}

/** Returns the text among the next ones in which a text continues. Only whole texts may be between them. */
function continuationAmong(one: PlacedText, next: readonly PlacedText[], look: Look): PlacedText | undefined {
  const others = next.slice(0, 1 + maxBetween);
  const end = others.findIndex(({ text }) => !sentenceEnd.test(text) && !caption.test(text));
  const near = others.slice(0, end < 0 ? undefined : end + 1);
  const found = near.map((other) => continuation(one, other, look));
  return near[found.findIndex(Boolean)];
}

/** Returns the ids of the texts of a page that continue in its next column, each with the id of its continuation. */
function nextColumns(blocks: readonly TextBlock[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const look of byLook(blocks).values())
    for (const [index, one] of look.texts.entries()) {
      const isNext = ({ box }: PlacedText) =>
        (box.left > one.box.right || one.box.left > box.right) &&
        box.top > one.box.bottom + one.block.style.size;
      const other = continuationAmong(one, look.texts.slice(index + 1, index + 2 + maxBetween), look);
      if (other && isNext(other)) found.set(one.block.id, other.block.id);
    }
  return found;
}

/**
 * Whether a text has symbols, which are drawn as in the source, or links, near the place where it is cut: they cannot move
 * to another page.
 *
 * @param range the first and the last position near this place, in UTF-16 units
 */
function isBoundToPage(
  { block: { content, moved, spans, style } }: PlacedText,
  range: readonly [from: number, to: number],
): boolean {
  const [from, to] = range;
  if (style.decoration?.marks.length) return true;
  let at = 0;
  return content.some((item) => {
    if (typeof item === 'string') at += item.length;
    else if (moved.has(item.tag) || spans.get(item.tag)?.decoration?.marks.length)
      return at >= from && at <= to;
    return false;
  });
}

/** Returns the ids of the text of a page that continues on the next page, and of its continuation. */
function nextPage(
  page: readonly TextBlock[],
  next: readonly TextBlock[],
): [from: string, to: string] | undefined {
  const lengthOf = ({ texts }: Look) => texts.reduce((sum, { text }) => sum + text.length, 0);
  const others = byLook(next);
  // The running text is the look of most of the text.
  const looks = [...byLook(page)].sort(([, one], [, other]) => lengthOf(other) - lengthOf(one));
  for (const [key, look] of looks) {
    const heads = others.get(key)?.texts ?? [];
    // Running headers are on both pages.
    const withoutNumbers = ({ text }: PlacedText) => text.replace(/[\d\s]+/gu, '');
    const running = new Set(look.texts.map(withoutNumbers)).intersection(new Set(heads.map(withoutNumbers)));
    const isOwn = (text: PlacedText) => !running.has(withoutNumbers(text));
    const tails = look.texts.filter((text) => isOwn(text) && !caption.test(text.text));
    // Short lines may be below the text, such as a remark below a table.
    const end = tails.findLastIndex(({ lines }) => lines.length > 1);
    for (const one of tails.slice(Math.max(end, tails.length - 1 - maxBetween)).reverse()) {
      const other = continuationAmong(one, heads.filter(isOwn), look);
      const isBound =
        other &&
        (isBoundToPage(one, [one.text.length - nearCut, one.text.length]) ||
          isBoundToPage(other, [0, nearCut]));
      if (other && !isBound) return [one.block.id, other.block.id];
    }
  }
  return undefined;
}

/**
 * Finds the texts of consecutive pages that continue in the next column or on the next page. A text is on two pages at
 * most.
 *
 * @returns the ids of the parts of each text, in reading order
 */
export function findContinued(pages: readonly { blocks: readonly TextBlock[] }[]): string[][] {
  const next = new Map<string, string>();
  const first = new Map<string, string>();
  const firstOf = (id: string): string => first.get(id) ?? id;
  const link = (from: string, to: string): void => {
    if (first.has(to)) return;
    next.set(from, to);
    first.set(to, firstOf(from));
  };
  for (const { blocks } of pages) for (const [from, to] of nextColumns(blocks)) link(from, to);
  for (const [index, { blocks }] of pages.slice(1).entries()) {
    const before = pages[index]!.blocks;
    const number = before[0]?.page;
    if (number === undefined || blocks[0]?.page !== number + 1) continue;
    const [from, to] = nextPage(before, blocks) ?? [];
    if (from && to && pageOfBlock(firstOf(from)) === number) link(from, to);
  }
  const starts = [...next.keys()].filter((id) => !first.has(id));
  return starts.map((id) => {
    const parts = [id];
    for (let part = next.get(id); part; part = next.get(part)) parts.push(part);
    return parts;
  });
}

/** Returns the id of a text that consists of several blocks. */
export const idOfParts = (parts: readonly string[]): string => parts.join('_');

/** Returns the ids of the blocks of a text. */
export const partsOf = (id: string): string[] => id.split('_');

/**
 * Joins the parts of texts. Changes the `blocks` of the pages: the first part of a text gets its whole content and its
 * id, and the other parts are removed.
 *
 * @param texts the ids of the parts of each text
 */
export function joinParts(pages: readonly { blocks: TextBlock[] }[], texts: readonly string[][]): void {
  const all = new Map(pages.flatMap(({ blocks }) => blocks.map((block) => [block.id, block] as const)));
  const joined = new Map<string, TextBlock | undefined>();
  for (const ids of texts) {
    const parts = ids.flatMap((id) => all.get(id) ?? []);
    for (const { id } of parts) joined.set(id, undefined);
    const [first] = parts;
    if (first) joined.set(first.id, { ...first, ...wholeOf(parts, first.page), id: idOfParts(ids) });
  }
  for (const page of pages)
    page.blocks = page.blocks.flatMap((block) =>
      joined.has(block.id) ? (joined.get(block.id) ?? []) : block,
    );
}

type Whole = Pick<TextBlock, 'content' | 'spans' | 'moved'>;

/**
 * Returns the content of all parts of a text. The tags of each part are numbered after those of the earlier parts.
 *
 * @param page the page on which the content is used: the links of another page are left out
 */
export function wholeOf(parts: readonly TextBlock[], page: number): Whole {
  const whole: Whole = { content: [], spans: new Map(), moved: new Map() };
  for (const part of parts) {
    const offset = Math.max(0, ...whole.content.map((item) => (typeof item === 'string' ? 0 : item.tag)));
    const own = (part.open ?? part.content).map((item) =>
      typeof item === 'string' ? item : { ...item, tag: item.tag + offset },
    );
    whole.content = joinStrings([...withJoin(whole.content, plainText(part.content)), ...own]);
    for (const [tag, { decoration, ...style }] of part.spans)
      whole.spans.set(tag + offset, part.page === page ? { ...style, decoration } : style);
    for (const [tag, glyphs] of part.moved) whole.moved.set(tag + offset, glyphs);
  }
  return whole;
}

/** Adds to a content what is between it and the next part: a space, nothing, or an open hyphen instead of its hyphen. */
function withJoin(content: InlineContent, next: string): InlineContent {
  if (content.length === 0) return content;
  const join = joinBetween(plainText(content), next);
  if (join !== openHyphen) return [...content, join];
  const at = content.findLastIndex((item) => typeof item === 'string');
  return content.with(at, `${(content[at] as string).slice(0, -1)}${openHyphen}`);
}
