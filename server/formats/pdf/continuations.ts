import type { SegmentTranslation } from '../document.ts';
import { type InlineContent, type InlineTag, joinStrings, plainText } from '../inline-content.ts';
import { breakLines, countLines } from '../typesetting/lines.ts';
import { boxText } from '../typesetting/shaping.ts';
import { type Frame, lineWidths } from './fitting/fit.ts';
import {
  alignedText,
  type BlockTranslation,
  type Languages,
  moved,
  rotationOf,
  shapeTarget,
} from './fitting/frames.ts';
import type { Fitting } from './fitting/shrink.ts';
import { styledRuns } from './fitting/styled-text.ts';
import { apply, type Rectangle } from './geometry.ts';
import { joinBetween } from './layout/joined-text.ts';
import { continues, isOpen, sentenceEnd, withoutCase } from './layout/sentences.ts';
import { greatest, least } from './layout/statistics.ts';
import { openHyphen } from './layout/vocabulary.ts';
import { pageOfBlock, type TextBlock } from './text-block.ts';

/*
 * A paragraph may continue in the next column or on the next page. Its parts are blocks of the layout and one segment,
 * so that whole sentences are translated. The id of the segment lists its parts: `p3.b12_p4.b1`. The translation is
 * divided between the parts.
 */

/** The maximum number of whole texts, such as captions, between two parts. */
const maxBetween = 2;
/** The usual width of a letter, and of a character of a script without spaces, in em. */
const letterWidth = { spaced: 0.55, unspaced: 1 };
/** The space after which a line has no room for another word, in em. */
const lineEnd = 0.3;
/** The maximum difference between the widths of columns, as a share of the wider one. */
const maxWidthDifference = 0.15;
/** The maximum distance of a cut from the start of a word, in UTF-16 units. */
const maxToWord = 40;
/** The minimum indent of the first line of a new paragraph, in em. */
const minIndent = 0.5;

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

/** Groups the paragraphs of a page by their looks. */
function byLook(blocks: readonly TextBlock[]): Map<string, PlacedText[]> {
  const paragraphs = blocks.filter(({ kind }) => kind === 'paragraph');
  return Map.groupBy(paragraphs.map(placed), ({ block: { style, ...block } }) => {
    const { family, bold, italic, size, color } = style;
    const name = rotationOf({ ...block, style }).name;
    return `${name} ${family} ${bold} ${italic} ${size.toFixed(1)} ${color}`;
  });
}

/** Whether the last line of a text divides a word, or has no room for the first word of another text. */
function isFull({ block, lines, box, text }: PlacedText, next: string, look: readonly PlacedText[]): boolean {
  if (joinBetween(text, next) === openHyphen) return true;
  const { size } = block.style;
  const column = look.filter((other) => Math.abs(other.box.left - box.left) < size);
  if (!column.some((other) => other.lines.length > 1)) return false;
  const all = column.flatMap((other) => other.lines);
  const last = lines.at(-1)!;
  const isTurned = rightToLeft.test(next);
  const free = isTurned
    ? last.left - least(all.map(({ left }) => left))
    : greatest(all.map(({ right }) => right)) - last.right;
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
  look: readonly PlacedText[],
): 'certain' | 'likely' | undefined {
  if (block.label || block.indent > minIndent * block.style.size) return undefined;
  const [width, own] = [one.box.right - one.box.left, box.right - box.left];
  const areParagraphs = lines.length > 1 && one.lines.length > 1;
  if (areParagraphs && Math.abs(width - own) > maxWidthDifference * Math.max(width, own)) return undefined;
  if (!isFull(one, text, look)) return undefined;
  if (continues(one.text, text)) return 'certain';
  const isUnspaced = withoutCase.test(text) && !sentenceEnd.test(one.text);
  return isUnspaced || (isOpen(one.text, text) && !caption.test(text)) ? 'likely' : undefined;
}

/** Returns the text among others in which a text continues. Only whole texts may be between them. */
function continuationAmong(
  one: PlacedText,
  others: readonly PlacedText[],
  look: readonly PlacedText[],
): PlacedText | undefined {
  const end = others.findIndex(({ text }) => !sentenceEnd.test(text) && !caption.test(text));
  const near = others.slice(0, end < 0 ? undefined : end + 1);
  const found = near.map((other) => continuation(one, other, look));
  const certain = found.indexOf('certain');
  return near[certain < 0 && found[0] ? 0 : certain];
}

/** Returns the ids of the texts of a page that continue in its next column, each with the id of its continuation. */
function nextColumns(blocks: readonly TextBlock[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const look of byLook(blocks).values())
    for (const [index, one] of look.entries()) {
      const isNext = ({ box }: PlacedText) =>
        (box.left > one.box.right || one.box.left > box.right) &&
        box.top > one.box.bottom + one.block.style.size;
      const after = look.slice(index + 1, index + 2 + maxBetween);
      const other = continuationAmong(one, after, look);
      if (other && isNext(other)) found.set(one.block.id, other.block.id);
    }
  return found;
}

/** Returns the ids of the text of a page that continues on the next page, and of its continuation. */
function nextPage(
  page: readonly TextBlock[],
  next: readonly TextBlock[],
): [from: string, to: string] | undefined {
  const lengthOf = (texts: readonly PlacedText[]) => texts.reduce((sum, { text }) => sum + text.length, 0);
  const looks = [...byLook(page)].map(([look, texts]) => ({ look, texts, length: lengthOf(texts) }));
  // The running text is the look of most of the text.
  const [body] = looks.sort((one, other) => other.length - one.length);
  if (!body) return undefined;
  const others = byLook(next).get(body.look) ?? [];
  // Running headers are on both pages.
  const same = (texts: readonly PlacedText[]) => new Set(texts.map(({ text }) => text.replace(/\d+/gu, '0')));
  const running = same(body.texts).intersection(same(others));
  const isRunning = ({ text }: PlacedText) => running.has(text.replace(/\d+/gu, '0'));
  const one = body.texts.findLast((text) => !caption.test(text.text) && !isRunning(text));
  const heads = others.filter((text) => !isRunning(text)).slice(0, 1 + maxBetween);
  const other = one && continuationAmong(one, heads, body.texts);
  const hasSymbols = [one, other].some((text) => text && text.block.moved.size > 0);
  return other && !hasSymbols ? [one.block.id, other.block.id] : undefined;
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
 * Returns the content of all parts of a text. The tags of each part are numbered after those of the parts before.
 *
 * @param page the page on which the content is used: the links of another page are left out
 */
function wholeOf(parts: readonly TextBlock[], page: number): Whole {
  const whole: Whole = { content: [], spans: new Map(), moved: new Map() };
  for (const part of parts) {
    const offset = Math.max(0, ...whole.content.map((item) => (typeof item === 'string' ? 0 : item.tag)));
    const own = part.content.map((item) =>
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

/** Returns the text of an item of a content as it is set: a symbol that is drawn as in the source is one character. */
function setText(item: InlineContent[number], { moved }: Pick<TextBlock, 'moved'>): string {
  if (typeof item === 'string') return item;
  return moved.has(item.tag) ? boxText : (item.text ?? '');
}

/** Cuts a content at an offset in its text. The tags that are open there end before the cut and start again after it. */
function cut(
  content: InlineContent,
  offset: number,
  block: Pick<TextBlock, 'moved'>,
): [InlineContent, InlineContent] {
  const before: InlineContent = [];
  const open: InlineTag[] = [];
  let rest = offset;
  for (const [index, item] of content.entries()) {
    const { length } = setText(item, block);
    const isEnd = typeof item !== 'string' && item.type === 'close';
    if (rest < length || (rest === 0 && !isEnd)) {
      const [head, tail] = typeof item === 'string' ? [item.slice(0, rest), item.slice(rest)] : ['', item];
      const closed = open.toReversed().map(({ tag }): InlineTag => ({ tag, type: 'close' }));
      return [
        joinStrings([...before, head, ...closed]),
        joinStrings([...open, tail, ...content.slice(index + 1)]),
      ];
    }
    before.push(item);
    rest -= length;
    if (isEnd) open.pop();
    else if (typeof item !== 'string' && item.type === 'open') open.push(item);
  }
  return [before, []];
}

/** Returns the position of a word's start that is the nearest one to a position in a text. */
function wordStart(text: string, near: number): number {
  const from = Math.max(0, near - maxToWord);
  const around = text.slice(from, near + maxToWord);
  const spaces = [...around.matchAll(/\s+/gu)].map(({ 0: { length }, index }) => index + length);
  const words = () =>
    [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(around)]
      .filter(({ isWordLike, index }) => isWordLike && index > 0)
      .map(({ index }) => index);
  const starts = spaces.length > 0 ? spaces : words();
  const nearest = (one: number, other: number) =>
    Math.abs(from + other - near) < Math.abs(from + one - near) ? other : one;
  return starts.length > 0 ? from + starts.reduce(nearest) : near;
}

/** Divides the translation of a text between its parts, by the lengths of their sources. */
function divide(target: InlineContent, parts: readonly TextBlock[], whole: Whole): InlineContent[] {
  const pieces: InlineContent[] = [];
  let rest = target;
  let source = parts.reduce((sum, { content }) => sum + plainText(content).length, 0);
  for (const { content } of parts.slice(0, -1)) {
    const own = plainText(content).length;
    const text = rest.map((item) => setText(item, whole)).join('');
    const [piece, after] = cut(rest, wordStart(text, Math.round((own / source) * text.length)), whole);
    pieces.push(piece);
    rest = after;
    source -= own;
  }
  return [...pieces, rest];
}

interface DividedText {
  ids: string[];
  parts: Map<string, TextBlock>;
  target: InlineContent;
  pieces: Map<string, InlineContent> | undefined;
}

/** The translations of a file by block. A text with several parts is divided when all its parts have been read. */
export class BlockTargets {
  readonly #targets = new Map<string, InlineContent>();
  readonly #divided = new Map<string, DividedText>();

  constructor(translations: readonly SegmentTranslation[]) {
    for (const { regionId, target } of translations) {
      const ids = partsOf(regionId);
      if (ids.length === 1) this.#targets.set(regionId, target);
      const text = { ids, parts: new Map(), target, pieces: undefined };
      if (ids.length > 1) for (const id of ids) this.#divided.set(id, text);
    }
  }

  /** The numbers of the pages with translations. */
  get pages(): Set<number> {
    return new Set([...this.#targets.keys(), ...this.#divided.keys()].map(pageOfBlock));
  }

  /** Returns the other pages that must be read before the texts of a page are set. */
  neededFor(page: number): Set<number> {
    const texts = [...this.#divided].filter(([id, { pieces }]) => pageOfBlock(id) === page && !pieces);
    const missing = texts.flatMap(([, { ids, parts }]) => ids.filter((id) => !parts.has(id)));
    return new Set(missing.map(pageOfBlock).filter((number) => number !== page));
  }

  /** Keeps the blocks of a page that are parts of texts. */
  add(blocks: readonly TextBlock[]): void {
    for (const block of blocks) this.#divided.get(block.id)?.parts.set(block.id, { ...block, glyphs: [] });
  }

  /** Returns the translations of the blocks of a page. */
  of(blocks: readonly TextBlock[]): BlockTranslation[] {
    return blocks.flatMap((block): BlockTranslation[] => {
      const text = this.#divided.get(block.id);
      if (text) return this.#part(text, block);
      const target = this.#targets.get(block.id);
      return target ? [{ block, target }] : [];
    });
  }

  #part(text: DividedText, block: TextBlock): BlockTranslation[] {
    const parts = text.ids.flatMap((id) => text.parts.get(id) ?? []);
    const { spans, moved } = wholeOf(parts, block.page);
    text.pieces ??= new Map(
      divide(text.target, parts, { content: [], spans, moved }).map((piece, index) => [
        parts[index]!.id,
        piece,
      ]),
    );
    const after = parts.slice(parts.findIndex(({ id }) => id === block.id) + 1);
    const pieces = [block, ...after].map(({ id }) => text.pieces!.get(id)!);
    const next = after[0]?.id;
    return [
      {
        block: { ...block, spans, moved },
        target: pieces[0]!,
        ...(next && { next: { id: next, rest: joinStrings(pieces.flat()) } }),
      },
    ];
  }

  /** Returns the id of the text of which a block is a part. */
  textOf(block: string | null): string | null {
    const text = block === null ? undefined : this.#divided.get(block);
    return text ? idOfParts(text.ids) : block;
  }

  /** Sets what is left of a translation for a part of a text and the parts after it. */
  setRest(id: string, rest: InlineContent): void {
    const text = this.#divided.get(id)!;
    const parts = text.ids.slice(text.ids.indexOf(id)).flatMap((each) => text.parts.get(each) ?? []);
    for (const [index, piece] of divide(rest, parts, wholeOf(parts, 0)).entries())
      text.pieces!.set(parts[index]!.id, piece);
  }
}

/**
 * Fills the last line of each part of a text that continues, because it is a line within a paragraph. The words come from
 * the next part, or go to it.
 *
 * @param fittings the fitted texts of a page, by the ids of their blocks. Those of the parts are replaced
 * @returns the rest of the translations of the texts that continue on the next page, by the ids of their next parts
 */
export function fillLastLines(
  items: readonly BlockTranslation[],
  fittings: Map<string, Fitting>,
  languages: Languages,
): Map<string, InlineContent> {
  const rests = new Map<string, InlineContent>();
  const byId = new Map(items.map((item) => [item.block.id, item]));
  for (const { block, next } of items) {
    const fitting = fittings.get(block.id);
    if (!next || !fitting?.whole || fitting.frame.text.paragraphs.length > 1) continue;
    const rest = rests.get(block.id) ?? next.rest;
    const other = byId.get(next.id);
    const after = fittings.get(next.id);
    const filled = fill({ block, fitting, rest }, other && after && { ...other, fitting: after }, languages);
    rests.delete(block.id);
    if (!filled) continue;
    fittings.set(block.id, { ...fitting, frame: { ...filled.own, continues: true } });
    if (after && filled.next) fittings.set(next.id, { ...after, frame: filled.next });
    if (!other || other.next) rests.set(next.id, filled.rest);
  }
  return rests;
}

function fill(
  { block, fitting: { fit, frame }, rest }: { block: TextBlock; fitting: Fitting; rest: InlineContent },
  next: (BlockTranslation & { fitting: Fitting }) | undefined,
  languages: Languages,
): { own: Frame; next: Frame | undefined; rest: InlineContent } | undefined {
  const framed = (from: Frame, of: TextBlock, target: InlineContent): Frame => ({
    ...from,
    text: alignedText(shapeTarget(styledRuns(of, target), of, languages), from),
  });
  const [paragraph, ...others] = framed(frame, block, rest).text.paragraphs;
  const text = rest.map((item) => setText(item, block)).join('');
  if (others.length > 0 || paragraph!.shaped.text !== text) return undefined;
  const lines = breakLines(paragraph!.shaped, lineWidths(frame, fit, true));
  let found: ReturnType<typeof fill>;
  for (const count of [fit.lines, fit.lines - 1]) {
    if (count < 1 || count >= lines.length) continue;
    const [own, after] = cut(rest, wordStart(text, lines[count - 1]!.end), block);
    const filled = { own: framed(frame, block, own), next: undefined, rest: after };
    if (!next || next.next) return filled;
    const other = framed(next.fitting.frame, next.block, after);
    const { paragraphs } = other.text;
    const needed = countLines(paragraphs[0]!.shaped, lineWidths(other, next.fitting.fit, true));
    if (paragraphs.length > 1 || needed > next.fitting.fit.lines) continue;
    found ??= { ...filled, next: other };
    if (needed === next.fitting.fit.lines) return { ...filled, next: other };
  }
  return found;
}
