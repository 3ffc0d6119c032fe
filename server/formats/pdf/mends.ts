import { countShown, type Doubt, type Mend, type PageRectangle } from '../document.ts';
import { idOfParts, partsOf } from './continuations.ts';
import { invert, type Rectangle, transformRectangle } from './geometry.ts';
import type { JoinedCharacter } from './layout/content/joined-text.ts';
import type { KeptText } from './layout/content/kept-text.ts';
import type { PageText } from './layout/page-texts.ts';
import { doubtAt } from './layout/paragraphs/paragraph-breaks.ts';
import { type TextLine, toTextLine } from './layout/paragraphs/text-lines.ts';
import type { Glyph } from './layout/pieces.ts';
import { openHyphen } from './layout/vocabulary.ts';
import { greatest, least } from './statistics.ts';
import { pageOfBlock, type TextBlock, type TextStyle } from './text-block.ts';

/*
 * Corrections of the texts of pages by reviewers (`Mend`). A page is mended after its texts have their ids, so that a mend
 * changes no other id. Texts of one page that can be set as one block are joined there. Others are one text with several
 * parts, like a paragraph that continues on the next page.
 */

/** The mends of a file, in the order in which they were made. */
export class Mends {
  readonly #mends: readonly Mend[];
  /** The joins that made one block of their texts. */
  readonly #blocks = new Set<Mend>();

  /** The doubts of the pages that were read; undefined if they are not collected. */
  readonly doubts: Doubt[] | undefined;

  constructor(mends: readonly Mend[] = [], doubts?: Doubt[]) {
    this.#mends = mends;
    this.doubts = doubts;
  }

  /** Returns the mends that concern the texts of one page only, and notes which of them are made there. */
  ofPage(page: number): { mends: Mend[]; made: Set<Mend> } {
    const mends = this.#mends.filter((mend) =>
      idsOf(mend).every((id) => partsOf(id).length === 1 && pageOfBlock(id) === page),
    );
    return { mends, made: this.#blocks };
  }

  has(page: number): boolean {
    return this.ofPage(page).mends.length > 0;
  }

  /** Returns the ids of the parts of each text with several parts, after the mends. All pages with mends must be read. */
  texts(continued: readonly string[][]): string[][] {
    const texts = new Map(continued.map((parts) => [idOfParts(parts), parts]));
    for (const mend of this.#mends) {
      if (this.#blocks.has(mend) || mend.kind === 'space' || mend.kind === 'size') continue;
      for (const id of idsOf(mend)) texts.delete(id);
      if (mend.kind === 'join') texts.set(idOfParts(mend.ids), mend.ids.flatMap(partsOf));
    }
    return [...texts.values()];
  }

  /** Returns the ids of the texts that a mend makes of those in its place. */
  madeBy(mend: Mend): string[] {
    if (mend.kind === 'space' || mend.kind === 'size') return [];
    if (mend.kind === 'translate') return [mend.id];
    if (mend.kind === 'join') return [this.#blocks.has(mend) ? joinedId(mend.ids) : idOfParts(mend.ids)];
    const parts = partsOf(mend.id);
    return parts.length > 1 ? parts : [0, ...mend.at].map((at) => partId(mend.id, at));
  }
}

/** Returns the ids of the texts that a mend changes. */
export function idsOf(mend: Mend): readonly string[] {
  if (mend.kind === 'size') return [mend.id, mend.like];
  return mend.kind === 'join' ? mend.ids : [mend.id];
}

/** Returns the numbers of the pages that mends concern, in order. */
export function pagesOf(mends: readonly Mend[]): number[] {
  const ids = mends.flatMap(idsOf).flatMap(partsOf);
  return [...new Set(ids.map(pageOfBlock))].sort((one, other) => one - other);
}

const joinedId = ([first = '', ...others]: readonly string[]): string =>
  [first, ...others.map((id) => id.replace(/^p\d+\./, ''))].join('-');

const partId = (id: string, at: number): string => `${id}.${at}`;

/** A text of a page with its id, and the reason why it is not translated; null if it is. */
export type NamedText<T extends PageText = PageText> = T & { id: string; reason: KeptText['reason'] | null };

interface PageParts<T extends PageText> {
  /** Makes a text of lines. What belongs to its place is taken from the second text. */
  read(lines: TextLine[], of: T): T;
  inOrder<U extends T>(texts: readonly U[]): U[];
}

type Read = PageText & { characters: readonly JoinedCharacter[] };

/**
 * Makes the mends of a page. A mend of a text that the page does not have is left out.
 * @param texts the texts of one direction: those to translate in reading order, and the others
 */
export function mendTexts<T extends Read>(
  texts: readonly NamedText<T>[],
  { mends, made }: ReturnType<Mends['ofPage']>,
  { read, inOrder }: PageParts<T>,
): NamedText<T>[] {
  let mended = [...texts];
  for (const mend of mends) {
    const own = idsOf(mend).flatMap((id) => mended.find((text) => text.id === id) ?? []);
    const [first] = own;
    if (!first || own.length < idsOf(mend).length || mend.kind === 'space' || mend.kind === 'size') continue;
    const name = (text: T, id: string): NamedText<T> => ({ ...text, id, reason: null });
    if (mend.kind === 'translate') {
      const others = mended.filter((text) => text !== first);
      const ordered = inOrder([...others.filter(({ reason }) => reason === null), name(first, first.id)]);
      const before = ordered[ordered.findIndex(({ id }) => id === first.id) - 1]?.id;
      const at = others.findIndex(({ id }) => id === before) + 1;
      mended = others.toSpliced(at, 0, name(first, first.id));
    } else {
      const found =
        mend.kind === 'split'
          ? cut(first, mend.at).map((lines, index) => ({
              lines,
              id: partId(mend.id, [0, ...mend.at][index]!),
            }))
          : [{ lines: inRows(own.flatMap(({ lines }) => lines)), id: joinedId(mend.ids) }];
      const replaced = found.map(({ lines, id }, index) => {
        const { label } = first;
        return name({ ...read(lines, first), isCell: first.isCell, label: index > 0 ? null : label }, id);
      });
      if (found.some(({ lines }) => lines.length === 0)) continue;
      const others = mended.filter((text) => !own.includes(text));
      if (
        mend.kind === 'join' &&
        others.some(({ reason, box }) => !reason && isInside(box, replaced[0]!.box))
      )
        continue;
      mended = mended.flatMap((text) => (text === first ? replaced : own.includes(text) ? [] : [text]));
    }
    made.add(mend);
  }
  const translated = new Set(mended.flatMap(({ reason, lines }) => (reason === null ? lines : [])));
  return mended.map((text) => (text.label && translated.has(text.label) ? { ...text, label: null } : text));
}

/** Returns the doubts about texts that no mend has made. */
export function doubtsAbout<T extends Read>(texts: readonly NamedText<T>[], page: number): Doubt[] {
  const translated = texts.filter(({ reason, id }) => reason === null && /^p\d+\.b\d+$/.test(id));
  const owners = new Map(translated.flatMap((text) => text.lines.map((line) => [line, text] as const)));
  return translated.flatMap((text) => {
    const count = (line: number) =>
      countShown(
        text.characters.map((one) => (one.line < line ? one.text.replaceAll(openHyphen, '') : '')).join(''),
      );
    return text.lines.flatMap((line, index): Doubt[] => {
      const { above, rule } = doubtAt(line) ?? {};
      const other = above && owners.get(above);
      if (!rule || !other || rule.breaks !== (index === 0 && other !== text)) return [];
      const ids = rule.breaks ? [other.id, text.id] : [text.id];
      const plain = (some: readonly TextLine[]) => some.map((one) => one.text.trim()).join(' ');
      const after = rule.breaks
        ? [plain([...other.lines, ...text.lines])]
        : [plain(text.lines.slice(0, index)), plain(text.lines.slice(index))];
      const mend: Mend = rule.breaks
        ? { kind: 'join', ids }
        : { kind: 'split', id: text.id, at: [count(index)] };
      return [{ page, ids, rule: rule.name, mend, after }];
    });
  });
}

/** Gives the blocks of a page the places and sizes of its mends. A place is what a cell is: the text never leaves it. */
export function placeBlocks(
  blocks: readonly TextBlock[],
  { mends }: ReturnType<Mends['ofPage']>,
): TextBlock[] {
  let placed = [...blocks];
  for (const mend of mends) {
    if (mend.kind !== 'space' && mend.kind !== 'size') continue;
    const change =
      mend.kind === 'space' ? placedIn(mend.rectangle) : sizedLike(placed.find(({ id }) => id === mend.like));
    placed = placed.map((block) => (block.id === mend.id ? change(block) : block));
  }
  return placed;
}

function placedIn([left, bottom, right, top]: PageRectangle): (block: TextBlock) => TextBlock {
  return (block) => {
    const container = transformRectangle(invert(block.matrix)!, { left, bottom, right, top });
    const { box } = block;
    const stretch = (container.right - container.left) / (box.right - box.left);
    const across = (x: number) => container.left + (x - box.left) * stretch;
    const lift = container.top - box.top;
    return {
      ...block,
      container,
      box: { ...container, bottom: Math.max(container.bottom, box.bottom + lift) },
      lines: block.lines.map((line) => ({
        ...line,
        left: across(line.left),
        right: across(line.right),
        baseline: line.baseline + lift,
      })),
    };
  };
}

function sizedLike(other: TextBlock | undefined): (block: TextBlock) => TextBlock {
  return (block) => {
    if (!other) return block;
    const ratio = other.style.size / block.style.size;
    const scaled = (style: TextStyle) => ({ ...style, size: style.size * ratio, rise: style.rise * ratio });
    const spans = new Map([...block.spans].map(([tag, style]) => [tag, scaled(style)]));
    const { box, alignment, lines } = block;
    const anchor =
      alignment === 'center' ? (box.left + box.right) / 2 : alignment === 'right' ? box.right : box.left;
    const from = (origin: number, x: number) => origin + (x - origin) * ratio;
    const across = <T extends { left: number; right: number }>(one: T): T => ({
      ...one,
      left: from(anchor, one.left),
      right: from(anchor, one.right),
    });
    const [first, last] = [lines[0]!.baseline, lines.at(-1)!.baseline];
    return {
      ...{ ...block, spans, style: scaled(block.style), leading: block.leading * ratio },
      box: { ...across(box), top: from(first, box.top), bottom: from(last, box.bottom) },
      lines: lines.map(across),
    };
  };
}

/** Whether the middle of a box is inside another box. */
function isInside(box: Rectangle, outer: Rectangle): boolean {
  const [x, y] = [(box.left + box.right) / 2, (box.bottom + box.top) / 2];
  return x > outer.left && x < outer.right && y > outer.bottom && y < outer.top;
}

/** The maximum difference between the baselines of one row, as a share of the font size. */
const sameRow = 0.3;

/** Puts lines in order from the top, and makes one line of those next to each other. */
function inRows(lines: readonly TextLine[]): TextLine[] {
  const rows: TextLine[][] = [];
  for (const line of lines.toSorted((one, other) => other.baseline - one.baseline)) {
    const row = rows.at(-1);
    if (row && row[0]!.baseline - line.baseline < sameRow * line.size) row.push(line);
    else rows.push([line]);
  }
  return rows.map((row) => (row.length === 1 ? row[0]! : lineOf(row)));
}

function lineOf(parts: readonly TextLine[]): TextLine {
  const [largest] = parts.toSorted((one, other) => other.glyphs.length - one.glyphs.length);
  const glyphs = parts.toSorted((one, other) => one.left - other.left).flatMap((line) => line.glyphs);
  const rises = new Map(parts.flatMap((line) => [...line.rises]));
  return toTextLine({ ...largest!, glyphs, rises, ...edgesOf(glyphs) });
}

function edgesOf(glyphs: readonly Glyph[]): { left: number; right: number } {
  const shown = glyphs.filter(({ isBlank }) => !isBlank);
  return { left: least(shown.map(({ left }) => left)), right: greatest(shown.map(({ right }) => right)) };
}

/** Cuts the lines of a text after some of its characters. A part is empty if the text does not have so many. */
function cut({ lines, characters }: Read, at: readonly number[]): TextLine[][] {
  const partOf = new Map<Glyph, number>();
  let count = 0;
  for (const { text, glyph, marks = [] } of characters) {
    count += countShown(text.replaceAll(openHyphen, ''));
    const part = at.filter((end) => count > end).length;
    for (const one of [glyph, ...marks]) if (one) partOf.set(one, part);
  }
  const parts = [0, ...at].map((): TextLine[] => []);
  for (const line of lines) {
    let last = line.glyphs.map((glyph) => partOf.get(glyph)).find((part) => part !== undefined) ?? 0;
    const glyphs = Map.groupBy(line.glyphs, (glyph) => {
      last = partOf.get(glyph) ?? last;
      return last;
    });
    for (const [part, own] of glyphs) {
      if (own.every(({ isBlank }) => isBlank)) continue;
      parts[part]!.push(glyphs.size === 1 ? line : toTextLine({ ...line, glyphs: own, ...edgesOf(own) }));
    }
  }
  return parts;
}
