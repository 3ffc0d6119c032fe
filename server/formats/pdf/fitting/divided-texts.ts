import type { SegmentTranslation } from '../../document.ts';
import { type InlineContent, type InlineTag, joinStrings, plainText } from '../../inline-content.ts';
import { breakLines, countLines } from '../../typesetting/lines.ts';
import { boxText } from '../../typesetting/shaping.ts';
import { idOfParts, partsOf, wholeOf } from '../continuations.ts';
import { withoutCase } from '../layout/sentences.ts';
import { pageOfBlock, type TextBlock } from '../text-block.ts';
import { type Frame, lineWidths } from './fit.ts';
import { alignedText, type BlockTranslation, type Languages, shapeTarget } from './frames.ts';
import { isSameText } from './same-text.ts';
import type { Fitting } from './shrink.ts';
import { styledRuns } from './styled-text.ts';

/** The maximum distance of a cut from the start of a word, in UTF-16 units. */
const maxToWord = 40;
/** The length below which a whole text is set in the first part, as a share of the length of its source. */
const muchShorter = 0.4;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Returns the text of an item of a content as it is set: a symbol that is drawn as in the source is one character. */
function setText(item: InlineContent[number], { moved }: Pick<TextBlock, 'moved'>): string {
  if (typeof item === 'string') return item;
  return moved.has(item.tag) ? boxText : (item.text ?? '');
}

function textOf(content: InlineContent, block: Pick<TextBlock, 'moved'>): string {
  return content.map((item) => setText(item, block)).join('');
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

/**
 * Returns the position of the word's start in a text that is nearest to a position. A text of one word stays whole.
 *
 * @param most the last possible position
 */
function wordStart(text: string, near: number, most = text.length): number {
  const from = Math.max(0, near - maxToWord);
  const around = text.slice(from, near + maxToWord);
  const isPossible = (at: number): boolean => at > from && at <= most;
  const spaces = [...around.matchAll(/[^\S\u00a0\u202f]+/gu)].map(
    ({ 0: { length }, index }) => from + index + length,
  );
  // Only a text in a script without spaces needs the words of a dictionary.
  const segments = spaces.some(isPossible) || !withoutCase.test(around) ? [] : [...segmenter.segment(around)];
  const words = segments.filter(({ isWordLike }) => isWordLike).map(({ index }) => from + index);
  const starts = [spaces, words, segments.map(({ index }) => from + index)]
    .map((places) => places.filter(isPossible))
    .find(({ length }) => length > 0) ?? [text.length];
  return starts.reduce((one, other) => (Math.abs(other - near) < Math.abs(one - near) ? other : one));
}

/** Divides the translation of a text between its parts, by the lengths of their sources. */
function divide(
  target: InlineContent,
  parts: readonly TextBlock[],
  whole: Pick<TextBlock, 'moved'>,
): InlineContent[] {
  const pieces: InlineContent[] = [];
  let rest = target;
  let source = parts.reduce((sum, { content }) => sum + plainText(content).length, 0);
  for (const { content } of parts.slice(0, -1)) {
    const own = plainText(content).length;
    const text = textOf(rest, whole);
    // A far shorter text is not divided.
    const isShort = text.length < Math.min(own, muchShorter * source);
    const near = isShort ? text.length : wordStart(text, Math.round((own / source) * text.length));
    const [piece, after] = cut(rest, near, whole);
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
      return target ? [{ block, target, isSame: isSameText(target, block.open ?? block.content) }] : [];
    });
  }

  #part(text: DividedText, block: TextBlock): BlockTranslation[] {
    const parts = text.ids.flatMap((id) => text.parts.get(id) ?? []);
    const { content, spans, moved } = wholeOf(parts, block.page);
    if (isSameText(text.target, content)) return [{ block, target: block.content, isSame: true }];
    text.pieces ??= new Map(
      divide(text.target, parts, { moved }).map((piece, index) => [parts[index]!.id, piece]),
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
  for (const { block, next, target } of items) {
    const fitting = fittings.get(block.id);
    const other = next && byId.get(next.id);
    const after = next && fittings.get(next.id);
    if (!next || !fitting || (other && !after)) continue;
    const changed = rests.get(block.id);
    const rest = changed ?? next.rest;
    const canFill = fitting.whole && fitting.frame.text.paragraphs.length === 1;
    const found = canFill
      ? fill({ block, fitting, rest }, other && after && { ...other, fitting: after }, languages)
      : undefined;
    if (!found && !changed) continue;
    // A part that cannot be filled keeps its share of what the part before has left.
    const lengthOf = (content: InlineContent) => textOf(content, block).length;
    const share = lengthOf(target) / Math.max(1, lengthOf(next.rest));
    const [own, left] =
      found ?? cut(rest, wordStart(textOf(rest, block), Math.round(share * lengthOf(rest))), block);
    const set = { ...framed(fitting.frame, block, own, languages), ...(found && { continues: true }) };
    fittings.set(block.id, { ...fitting, frame: set });
    rests.delete(block.id);
    if (!other || other.next) rests.set(next.id, left);
    else if (after)
      fittings.set(next.id, { ...after, frame: framed(after.frame, other.block, left, languages) });
  }
  return rests;
}

/** Sets another text in a frame. */
function framed(frame: Frame, block: TextBlock, target: InlineContent, languages: Languages): Frame {
  return { ...frame, text: alignedText(shapeTarget(styledRuns(block, target), block, languages), frame) };
}

/** Returns the contents of a part and of those after it, if its last line can be filled. */
function fill(
  { block, fitting: { fit, frame }, rest }: { block: TextBlock; fitting: Fitting; rest: InlineContent },
  next: (BlockTranslation & { fitting: Fitting }) | undefined,
  languages: Languages,
): [own: InlineContent, after: InlineContent] | undefined {
  const [paragraph, ...others] = framed(frame, block, rest, languages).text.paragraphs;
  const text = textOf(rest, block);
  if (others.length > 0 || paragraph!.shaped.text !== text) return undefined;
  const lines = breakLines(paragraph!.shaped, lineWidths(frame, fit, true));
  let found: ReturnType<typeof fill>;
  for (const count of [fit.lines, fit.lines - 1]) {
    if (count < 1 || count >= lines.length) continue;
    const { end } = lines[count - 1]!;
    const parts = cut(rest, wordStart(text, end, end), block);
    if (!next || next.next) return parts;
    const other = framed(next.fitting.frame, next.block, parts[1], languages);
    const { paragraphs } = other.text;
    const needed = countLines(paragraphs[0]!.shaped, lineWidths(other, next.fitting.fit, true));
    if (paragraphs.length > 1 || needed > next.fitting.fit.lines) continue;
    found ??= parts;
    if (needed === next.fitting.fit.lines) return parts;
  }
  return found;
}
