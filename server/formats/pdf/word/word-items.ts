import type { NewRun } from '../../docx/new-document.ts';
import type { InlineContent } from '../../inline-content.ts';
import type { Direction } from '../../typesetting/languages.ts';
import type { PageBlocks } from '../find-blocks.ts';
import { displayed, type Rectangle, transformRectangle } from '../geometry.ts';
import { isRunningHeader } from '../kept-findings.ts';
import type { KeptText } from '../layout/content/kept-text.ts';
import type { PageContent } from '../page-content.ts';
import { boxOfGlyphs, type GlyphRange, type TextBlock, type TextStyle } from '../text-block.ts';

/** A text of the Word file, with its place on the page. */
export interface Item {
  /** The id of a block. */
  id?: string;
  /**
   * The place of the text on the page as displayed, in points; y points upwards. x points in the direction in which the
   * source is read, so that rows are in reading order.
   */
  box: Rectangle;
  /** The table cell between rules that contains the text; null if missing. */
  cell: Rectangle | null;
  size: number;
  /** The height of the first line's baseline, in points. */
  baseline: number;
  /** The number of lines in the source. */
  lines: number;
  /** `sign` for a number or sign that the file keeps, `leader` for the dots in front of a page number. */
  role: 'text' | 'sign' | 'leader';
  isHeading: boolean;
  /** The bullet or number of a list item. */
  label: string | null;
  /** The position at which the text or its label starts, in points. */
  start: number;
  runs: NewRun[];
  /** `right` stands for the side at which lines end, also in right-to-left text. */
  align: 'center' | 'right' | undefined;
}

/** The texts of a page that has been read. */
export interface PageOfItems {
  box: Rectangle;
  rotation: PageContent['rotation'];
  blocks: TextBlock[];
  kept: Item[];
  /** The URLs of the links, by the position of the annotation. */
  links: ReadonlyMap<number, string>;
}

/** The reasons of kept texts that a reader sees and needs. */
export const readable = new Set<KeptText['reason']>([
  ...(['number', 'label', 'identifier', 'address', 'formula', 'code', 'leader'] as const),
]);

/**
 * Returns the texts of a page that has been read. The glyphs of the blocks are dropped, because a document has too many of
 * them to keep in memory. Labels of blocks are not in `kept`.
 *
 * @param links the URLs of the links, by the position of the annotation
 */
export function pageOfItems(
  page: PageContent,
  { blocks, kept }: PageBlocks,
  links: ReadonlyMap<number, string> = new Map(),
): PageOfItems {
  const { box, rotation } = page;
  // One operator may draw a label and, for example, the page number at the end of its line.
  const labels = new Map<unknown, Set<number>>();
  for (const { text, from } of blocks.flatMap((block) => labelOf(block)?.glyphs ?? []))
    labels.set(text, (labels.get(text) ?? new Set()).add(from));
  const isLabel = ({ text, from }: GlyphRange): boolean => labels.get(text)?.has(from) ?? false;
  const items = kept
    .filter(({ reason, text }) => readable.has(reason) && text.trim() !== '')
    .filter(({ glyphs }) => !glyphs.some(isLabel))
    .flatMap(splitSigns)
    .map((text) => keptItem(text, rotation, linkUnder(text.box, page, links)));
  const withoutGlyphs = blocks.map((block) => ({
    ...block,
    glyphs: [],
    label: block.label && { ...block.label, glyphs: [] },
  }));
  return { box, rotation, blocks: withoutGlyphs, kept: items, links };
}

function sizeOf({ text: { matrix } }: GlyphRange): number {
  return Math.hypot(matrix[2], matrix[3]);
}

/** The maximum distance of a label from its text, as a factor of the font size. */
const maxLabelDistance = 6;

/** Returns the label of a block, unless it is in another column. */
function labelOf({ label, box, style }: TextBlock): TextBlock['label'] {
  return label &&
    Math.abs(box.left - label.left) < maxLabelDistance * style.size + label.text.length * style.size
    ? label
    : null;
}

/** Divides bullets and numbers below each other that the layout takes for one text. */
function splitSigns(kept: KeptText): KeptText[] {
  if (kept.reason !== 'number' && kept.reason !== 'label') return [kept];
  const lines = linesOf(kept.glyphs);
  if (lines.length < 2) return [kept];
  return lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, glyphs }) => ({ ...kept, text, glyphs, box: boxOfGlyphs(glyphs) }));
}

function keptItem(
  { reason, text, box, cell, glyphs }: KeptText,
  rotation: PageContent['rotation'],
  link: string | undefined,
): Item {
  const place = displayed(box, rotation);
  const [, , , , x, y] = glyphs[0]!.text.matrix;
  const item: Item = {
    box: place,
    cell: cell && displayed(cell, rotation),
    size: sizeOf(glyphs[0]!),
    baseline: displayed(pointAt(x, y), rotation).top,
    lines: 1,
    role: reason === 'leader' ? 'leader' : reason === 'number' || reason === 'label' ? 'sign' : 'text',
    isHeading: false,
    label: null,
    start: place.left,
    runs: [{ text: text.trim(), link }],
    align: undefined,
  };
  if (reason !== 'code') return item;
  const lines = linesOf(glyphs);
  const code = lines.map(({ text }) => text).join('\n');
  return { ...item, lines: lines.length, runs: [{ text: code, properties: codeFont }] };
}

/** Returns the URL of the link over a text that is not translated, such as an address; undefined if missing. */
function linkUnder(
  { left, bottom, right, top }: Rectangle,
  { annotations }: PageContent,
  links: ReadonlyMap<number, string>,
): string | undefined {
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  const isOver = (area: Rectangle) => area.left < x && x < area.right && area.bottom < y && y < area.top;
  const over = annotations.find(({ index, areas }) => links.has(index ?? -1) && areas?.some(isOver));
  return links.get(over?.index ?? -1);
}

/** A line of kept glyphs, with the blanks that the file only has as distances. */
interface GlyphLine {
  text: string;
  glyphs: GlyphRange[];
}

/** The minimum distance between two glyphs that is a blank, as a share of the width of the glyph in front of it. */
const minBlank = 0.4;
/** The maximum number of blanks in front of a glyph. */
const maxBlanks = 80;

/** Returns the lines of glyphs in one direction, from the top, with the indents of program listings. */
function linesOf(ranges: readonly GlyphRange[]): GlyphLine[] {
  const lines = new Map<number, { range: GlyphRange; text: string; left: number; right: number }[]>();
  for (const range of ranges) {
    const { text, from, to } = range;
    const [a, b, , , x, y] = text.matrix;
    const scale = Math.hypot(a, b) || 1;
    const origin = (x * a + y * b) / scale;
    const height = Math.round((y * a - x * b) / scale);
    const line = lines.get(height) ?? [];
    for (const [index, glyph] of text.glyphs.slice(from, to).entries())
      line.push({
        range: { text, from: from + index, to: from + index + 1 },
        text: glyph.text,
        left: origin + scale * glyph.x,
        right: origin + scale * (glyph.x + glyph.advance),
      });
    lines.set(height, line);
  }
  const sorted = [...lines].sort(([one], [other]) => other - one).map(([, line]) => line);
  const margin = sorted.flat().reduce((least, { left }) => Math.min(least, left), Infinity);
  return sorted.map((line) => {
    let end = margin;
    const pieces = line
      .toSorted((one, other) => one.left - other.left)
      .map(({ text, left, right }) => {
        const width = right - left;
        const gap = width > 0 ? (left - end) / width : 0;
        end = Math.max(end, right);
        return (gap < minBlank ? '' : ' '.repeat(Math.min(maxBlanks, Math.max(1, Math.round(gap))))) + text;
      });
    return { text: pieces.join('').trimEnd(), glyphs: line.map(({ range }) => range) };
  });
}

/**
 * Returns the texts of a page, except running headers.
 *
 * @param targets the translations by the ids of the blocks; blocks without a translation keep their text
 * @param direction the reading direction of the source
 */
export function itemsOf(
  { blocks, kept, links, rotation }: PageOfItems,
  targets: ReadonlyMap<string, InlineContent>,
  direction: Direction,
): Item[] {
  const translated = blocks
    .filter((block) => !isRunningHeader(block))
    .map((block): Item => {
      const toPage = (box: Rectangle) => displayed(transformRectangle(block.matrix, box), rotation);
      const { box, lines, style, kind } = block;
      const label = labelOf(block);
      const isItem = label !== null && !/\p{N}/u.test(label.text);
      const start = label ? { ...box, left: Math.min(box.left, label.left) } : box;
      return {
        id: block.id,
        box: toPage(box),
        cell: block.container && kind === 'table_cell' ? toPage(block.container) : null,
        size: style.size,
        baseline: toPage(pointAt(lines[0]!.left, lines[0]!.baseline)).top,
        lines: lines.length,
        role: 'text',
        isHeading: kind === 'heading' && !isItem,
        label: label?.text.trim() ?? null,
        start: (direction === 'rtl' ? mirrored(toPage(start)) : toPage(start)).left,
        runs: runsOf(targets.get(block.id) ?? block.content, block, links),
        align: alignOf(block, direction),
      };
    });
  if (direction === 'ltr') return [...translated, ...kept];
  return [...translated, ...kept].map((item) => ({
    ...item,
    box: mirrored(item.box),
    cell: item.cell && mirrored(item.cell),
    start: item.role === 'text' ? item.start : mirrored(item.box).left,
  }));
}

/** Returns the alignment of a text that is not aligned to the side at which lines start. */
function alignOf({ alignment }: TextBlock, direction: Direction): Item['align'] {
  if (alignment === 'center') return 'center';
  return alignment === (direction === 'rtl' ? 'left' : 'right') ? 'right' : undefined;
}

function pointAt(x: number, y: number): Rectangle {
  return { left: x, right: x, bottom: y, top: y };
}

/** Turns a rectangle so that x points in the direction in which right-to-left text is read. */
function mirrored({ left, right, ...rest }: Rectangle): Rectangle {
  return { ...rest, left: -right, right: -left };
}

function runsOf(
  content: InlineContent,
  { style, spans, kind, smallCapitals }: TextBlock,
  links: ReadonlyMap<number, string>,
): NewRun[] {
  const open: TextStyle[] = [];
  const runs: NewRun[] = [];
  for (const item of content) {
    if (typeof item === 'string') {
      const own = open.at(-1) ?? style;
      const mark = own.decoration?.marks.find((each) => links.has(each));
      runs.push({
        text: item,
        properties: runProperties(own, { kind, smallCapitals }),
        link: links.get(mark ?? -1),
      });
    } else if (item.type === 'open') open.push(spans.get(item.tag) ?? style);
    else if (item.type === 'close') open.pop();
    else if (item.text) runs.push({ text: item.text });
  }
  return runs;
}

const codeFont = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>';

/** Returns the run properties of a style. Headings are bold by their style. */
function runProperties(
  { bold, italic, rise, family }: TextStyle,
  { kind, smallCapitals }: { kind: TextBlock['kind']; smallCapitals: number | undefined },
): string {
  return [
    family === 'mono' ? codeFont : '',
    bold && kind !== 'heading' ? '<w:b/><w:bCs/>' : '',
    italic ? '<w:i/><w:iCs/>' : '',
    smallCapitals ? '<w:smallCaps/>' : '',
    rise === 0 ? '' : `<w:vertAlign w:val="${rise > 0 ? 'superscript' : 'subscript'}"/>`,
  ].join('');
}
