import { plainText } from '../inline-content.ts';
import { Bands, holds, type Matrix, type Rectangle, transformRectangle, widen } from './geometry.ts';
import { alignmentOf } from './layout/alignment/alignment.ts';
import { agreeOnRaggedEnds } from './layout/alignment/justified.ts';
import { markSharedEdges } from './layout/alignment/shared-edges.ts';
import { TextArea } from './layout/alignment/text-area.ts';
import { Decorations } from './layout/content/decorations.ts';
import {
  type JoinedCharacter,
  joinLines,
  readSmallCapitals,
  type SmallCapitals,
} from './layout/content/joined-text.ts';
import { type KeptText, onlySymbols, untranslatedReason } from './layout/content/kept-text.ts';
import { styledContent, usualStyleOf } from './layout/content/styled-content.ts';
import { hasUnknownLetters } from './layout/content/symbols.ts';
import { GlyphOwners } from './layout/glyph-owners.ts';
import { findTexts, type PageText } from './layout/page-texts.ts';
import type { TextLine } from './layout/paragraphs/text-lines.ts';
import { type DirectedTexts, directTexts, type Glyph, isUpright, plainTextOf } from './layout/pieces.ts';
import { inReadingOrder } from './layout/reading-order.ts';
import { openHyphen, Vocabulary } from './layout/vocabulary.ts';
import type { KeptReason, PageContent, Paint, ShownText } from './page-content.ts';
import { greatest, median } from './statistics.ts';
import { type BlockLabel, blockId, boxOfGlyphs, type GlyphRange, type TextBlock } from './text-block.ts';

/** The texts of a page. Each glyph of the page is in exactly one of these texts. */
export interface PageBlocks {
  /** The texts to translate, in reading order. */
  blocks: TextBlock[];
  /** The texts that are not translated, each with the reason. */
  kept: KeptText[];
}

/**
 * Finds the paragraphs, headings and cells of a page. The same page always gives the same blocks. Takes almost linear
 * time.
 *
 * @param vocabulary the words of the document, to which the page's words are added. After all pages have been read, the
 *   caller must pass the content of each block to `vocabulary.settle`. Without a vocabulary, the words of this page are
 *   used
 */
export function findBlocks(page: PageContent, vocabulary?: Vocabulary): PageBlocks {
  const words = vocabulary ?? new Vocabulary();
  const owners = new GlyphOwners(page);
  const blocks = new Map<number, TextBlock>();
  const labels = new Map<number, TextLine>();
  const kept = new Map<number, FoundKept>();
  for (const direction of directTexts(page)) {
    for (const found of readDirection(page, direction, words)) {
      const owner = owners.add(found.glyphs);
      if ('block' in found) {
        blocks.set(owner, { ...found.block, id: blockId(page.number, blocks.size + 1) });
        if (found.label) labels.set(owner, found.label);
      } else kept.set(owner, { reason: found.reason, text: found.text, cell: found.cell });
    }
  }
  for (const text of owners.unowned()) {
    if (text.glyphs.length === 0) continue;
    kept.set(owners.addText(text), {
      reason: reasonOf(text),
      text: plainTextOf(text),
      cell: null,
    });
  }
  const ranges = owners.ranges();
  const labelled = new Map([...labels].map(([owner, { glyphs }]) => [owners.ownerOf(glyphs[0]!), owner]));
  for (const owner of sharingShapes(ranges, (own) => labelled.get(own) ?? own)) {
    const block = blocks.get(owner);
    if (block) kept.set(owner, { reason: 'stencil', text: plainText(block.content), cell: null });
    blocks.delete(owner);
  }
  const images = new Map(page.paints.flatMap((paint) => (paint.isFaint ? [[paint.order + 1, paint]] : [])));
  const labelOf = (owner: number): BlockLabel | null => {
    const label = labels.get(owner);
    const own = label && owners.ownerOf(label.glyphs[0]!);
    const reason = own === undefined ? undefined : kept.get(own)?.reason;
    if (own === undefined || !(reason === 'label' || reason === 'number' || reason === 'symbol')) return null;
    return { text: label!.text, style: label!.style, left: label!.left, glyphs: ranges[own]! };
  };
  return {
    blocks: [...blocks].map(([owner, block]) => {
      const content = vocabulary ? block.content : words.settle(block.content);
      const isHyphenated =
        content !== block.content && plainText(content).length < plainText(block.content).length;
      return {
        ...block,
        content,
        glyphs: ranges[owner]!,
        rules: [...block.rules, ...shadowsOf(ranges[owner]!, images, block.style.size)],
        label: labelOf(owner),
        ...(content !== block.content && { open: block.content }),
        ...(isHyphenated && { isHyphenated }),
      };
    }),
    kept: [...kept].map(([owner, text]) => ({
      ...text,
      glyphs: ranges[owner]!,
      box: boxOfGlyphs(ranges[owner]!),
    })),
  };
}

/** Returns the texts whose letters are drawn in one path with those of another text. Such a path can only be removed whole. */
function sharingShapes(
  ranges: readonly (readonly GlyphRange[])[],
  blockOf: (owner: number) => number,
): Set<number> {
  const users = new Map<readonly Paint[], Set<number>>();
  for (const [owner, own] of ranges.entries())
    for (const { text, from, to } of own)
      if (text.shapes && text.glyphs.slice(from, to).some((glyph) => glyph.text.trim() !== ''))
        users.set(text.shapes, (users.get(text.shapes) ?? new Set()).add(blockOf(owner)));
  return new Set([...users.values()].filter(({ size }) => size > 1).flatMap((own) => [...own]));
}

/**
 * Returns the images of the shadow of a text: each is painted directly before a part of the text, and ends near the text.
 *
 * @param images the images that may be shadows, by the place in the painting order after them
 */
function shadowsOf(glyphs: readonly GlyphRange[], images: ReadonlyMap<number, Paint>, size: number): Paint[] {
  return glyphs.flatMap((range) => {
    const image = images.get(range.text.order);
    if (!image || !holds(image.box, boxOfGlyphs([range]))) return [];
    return holds(widen(boxOfGlyphs(glyphs), size), image.box) && image.isFaint!() ? [image] : [];
  });
}

function reasonOf(text: ShownText): KeptText['reason'] {
  return text.kept ?? (isUpright(text.matrix) ? 'blank' : 'mirrored');
}

type FoundKept = Omit<KeptText, 'glyphs' | 'box'>;

type Found = { glyphs: Glyph[] } & ({ block: TextBlock; label: TextLine | null } | FoundKept);

/** Returns the texts of one direction: first those to translate, in reading order, and then the others. */
function readDirection(page: PageContent, direction: DirectedTexts, vocabulary: Vocabulary): Found[] {
  const decorations = new Decorations(page, direction.inverse);
  const { texts, lines, areas } = findTexts(page, direction, (...of) => decorations.rulesIn(...of));
  vocabulary.add(lines);
  const read = texts.map((text) => {
    const joined = joinLines(text.lines);
    const smallCapitals = readSmallCapitals(joined);
    const characters = smallCapitals?.characters ?? joined;
    return {
      ...text,
      characters,
      smallCapitals,
      plain: characters
        .map((character) => character.text)
        .join('')
        .replaceAll(openHyphen, '')
        .trim(),
    };
  });
  const symbols = new Bands<{ middle: number; line: TextLine; reason: KeptReason }>();
  for (const text of read) {
    const reason = unreadReason(text) ?? (onlySymbols.test(text.plain) ? 'undecodable' : undefined);
    const line = text.lines[0]!;
    const { left, right, baseline } = line;
    if (reason)
      symbols.add({ bottom: baseline, top: baseline }, { middle: (left + right) / 2, line, reason });
  }
  /** A text cannot be typeset again without an unreadable symbol over it, such as an arrow over a letter of a formula. */
  const reasonAt = ({ left, right, baseline, size }: TextLine) => {
    const [bottom, top] = [baseline + symbolAt.lowest * size, baseline + symbolAt.highest * size];
    return [...symbols.near(bottom, top)].find(
      ({ middle, line }) =>
        middle >= left && middle <= right && line.baseline >= bottom && line.baseline <= top,
    )?.reason;
  };
  const reasons = new Map(
    read.map((text) => [
      text,
      keptReason(text) ?? text.lines.flatMap((line) => reasonAt(line) ?? [])[0] ?? null,
    ]),
  );
  const translated = read.filter((text) => reasons.get(text) === null);
  const kept = read.flatMap((text): Found[] => {
    const reason = reasons.get(text);
    if (!reason) return [];
    const isAskew = reason === 'label' && !isQuarterTurn(direction.matrix) && /^\p{L}+$/u.test(text.plain);
    const cell = text.isCell && text.container ? transformRectangle(direction.matrix, text.container) : null;
    return [
      {
        glyphs: glyphsOf(text),
        reason: isAskew ? 'askew' : reason,
        text: text.plain,
        cell,
      },
    ];
  });
  const rightToLeft = lines.filter((line) => line.isRightToLeft).length * 2 > lines.length;
  const ordered = inReadingOrder(
    translated.map((text) => ({ ...text, size: text.lines[0]!.size })),
    rightToLeft,
    (bottom, top, across) => areas.hasRuleBetween(bottom, top, across),
  );
  const bodySize = bodySizeOf(ordered);
  const area = new TextArea(lines);
  const pageBox = transformRectangle(direction.inverse, page.box);
  const blocks = ordered.map((text) =>
    toBlock(text, page.number, direction, { page: pageBox, area, bodySize, decorations }),
  );
  agreeOnRaggedEnds(
    ordered.map(({ lines }, index) => ({ block: blocks[index]!, lines })),
    area,
    rightToLeft,
  );
  markSharedEdges(blocks, rightToLeft);
  return [
    ...ordered.map((text, index) => ({ glyphs: glyphsOf(text), label: text.label, block: blocks[index]! })),
    ...kept,
  ];
}

/** The lowest and highest position of a symbol over or under the letters of a line, as shares of the font size. */
const symbolAt = { lowest: -0.3, highest: 0.9 };

function isQuarterTurn([cosine, sine]: Matrix): boolean {
  return cosine === 0 || sine === 0;
}

type ReadText = PageText & {
  characters: JoinedCharacter[];
  smallCapitals: SmallCapitals | undefined;
  plain: string;
};

function keptReason({ role, lines, characters, plain }: ReadText): KeptText['reason'] | null {
  if (role === 'listing') return 'code';
  if (role === 'label') return 'label';
  if (hasUnknownLetters(characters)) return 'undecodable';
  return unreadReason({ lines }) ?? untranslatedReason(plain, lines, characters);
}

function unreadReason({ lines }: Pick<ReadText, 'lines'>): KeptReason | undefined {
  return lines.flatMap(({ glyphs }) => glyphs.find(({ piece }) => piece.unread)?.piece.unread ?? [])[0];
}

function glyphsOf({ lines }: PageText): Glyph[] {
  return lines.flatMap(({ glyphs }) => glyphs);
}

function toBlock(
  text: ReadText,
  page: number,
  { matrix }: DirectedTexts,
  {
    page: pageBox,
    area,
    bodySize,
    decorations,
  }: { page: Rectangle; area: TextArea; bodySize: number; decorations: Decorations },
): TextBlock {
  const { lines, characters, smallCapitals, box, container, chain } = text;
  const decorated = decorations.of(lines);
  const style = usualStyleOf(smallCapitals?.full ?? characters, decorated.of);
  const { content, spans, moved, rules } = styledContent(characters, style, {
    decorations: decorated.of,
    rulesIn: (...of) => decorations.rulesIn(...of),
    hasOneSize: smallCapitals !== undefined,
  });
  const drops = lines.slice(1).map((line, index) => lines[index]!.baseline - line.baseline);
  const letterSpacing = moved.size > 0 ? 0 : letterSpacingOf(lines);
  return {
    id: '',
    page,
    ...(letterSpacing > 0 && { letterSpacing }),
    ...(smallCapitals && { smallCapitals: smallCapitals.share }),
    kind: text.isCell
      ? 'table_cell'
      : isHeading(text, style.bold, spans.size, bodySize)
        ? 'heading'
        : 'paragraph',
    content,
    spans,
    moved,
    style,
    matrix,
    box,
    lines: lines.map(({ left, right, baseline }) => ({ left, right, baseline })),
    ...alignmentOf(lines, { chain, container, page: pageBox, area, isItem: text.label !== null }),
    sharesEdge: false,
    leading: drops.length > 0 ? median(drops) : usualLeading * style.size,
    glyphs: [],
    label: null,
    container,
    rules: [...new Set([...decorated.rules, ...rules])],
  };
}

/** The default distance between baselines, as a factor of the font size. */
const usualLeading = 1.2;
/**
 * The factors of the body text's size from which a text counts as larger and as much larger. Headings are larger or
 * bold.
 */
const largerThanText = 1.12;
const muchLargerThanText = 1.4;
const maxLinesOfHeading = 4;
const maxHeadingLength = 250;

function isHeading({ lines, plain }: ReadText, isBold: boolean, spans: number, bodySize: number): boolean {
  if (lines.length > maxLinesOfHeading || plain.length > maxHeadingLength) return false;
  if (lines[0]!.size > muchLargerThanText * bodySize) return true;
  const isLarger = lines[0]!.size > largerThanText * bodySize;
  return (isLarger || (isBold && spans === 0)) && lines.length < maxLinesOfHeading && !/[.,;:]$/u.test(plain);
}

/**
 * Returns the size of the body text: the largest size that a substantial part of the text has. The most common size is
 * not used, because a page may have more footnotes than body text.
 */
function bodySizeOf(texts: readonly ReadText[]): number {
  const counts = new Map<number, number>();
  let total = 0;
  for (const { lines } of texts)
    for (const { size, text } of lines) {
      counts.set(size, (counts.get(size) ?? 0) + text.length);
      total += text.length;
    }
  return Math.max(0, greatest([...counts].filter(([, count]) => count > 0.2 * total).map(([size]) => size)));
}

/** The minimum space between letters that counts as wide spacing, and the maximum one, as shares of the font size. */
const minSpacing = 0.06;
const maxSpacing = 1;
/** The minimum share of the usual space that three quarters of the spaces must have. Otherwise the letters are placed unevenly. */
const minEven = 0.6;
/** The maximum length of a text with wide spacing, in glyphs. Longer texts are not headlines. */
const maxLength = 200;
const spaced = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]+$/u;

/** Returns the space that a text has between its letters in addition to their widths, in em; 0 if it is not wide. */
function letterSpacingOf(lines: readonly TextLine[]): number {
  const gaps: number[] = [];
  for (const { glyphs, text, size, style } of lines) {
    if (style.family === 'mono' || gaps.length + glyphs.length > maxLength || !spaced.test(text)) return 0;
    const visible = glyphs.filter(({ isBlank }) => !isBlank);
    for (const [index, { left }] of visible.slice(1).entries())
      gaps.push((left - visible[index]!.right) / size);
  }
  if (gaps.length < 2) return 0;
  const usual = median(gaps);
  const low = gaps.sort((one, other) => one - other)[gaps.length >> 2]!;
  return usual >= minSpacing && usual <= maxSpacing && low >= minEven * usual ? usual : 0;
}
