import { visualOrder } from './bidi.ts';
import { advanceIn, type FontName, openFont } from './fonts.ts';
import type { Paragraph } from './paragraph.ts';
import type { Cluster } from './shaping.ts';

/** Adjacent clusters of a line with the same font, direction and span, from left to right. */
export interface GlyphRun {
  font: FontName;
  /** The index of the run's span in the paragraph. */
  span: number;
  /** The size of the run, as a factor of the paragraph's size. */
  scale: number;
  rightToLeft: boolean;
  clusters: Cluster[];
}

/** A line of a paragraph. Widths are in em of the paragraph's size; multiply them by the font size to get points. */
export interface Line {
  /**
   * The start and end of the line in the paragraph's text, as UTF-16 offsets. The end includes trailing whitespace,
   * which is not drawn.
   */
  start: number;
  end: number;
  width: number;
  /** The runs of the line, from left to right. */
  runs: GlyphRun[];
}

const space = /^\s+$/;
const softHyphen = '\u00ad';

/** The distance between tab stops, in em. The first one is at the start of the line. */
const tabStop = 3;

/** The width of lines in em. If lines have different widths: a function of the line's number, from 0. */
export type LineWidth = number | ((line: number) => number);

/**
 * Breaks a paragraph into lines, each as full as possible. A word that is wider than a line is broken between
 * graphemes. A grapheme that is wider than a line gets a separate line and extends beyond the line's edge.
 *
 * @returns at least one line; an empty paragraph has one line without runs
 */
export function breakLines(paragraph: Paragraph, width: LineWidth): Line[] {
  return [...cutLines(paragraph, width)].map(({ start, end }) => makeLine(paragraph, start, end));
}

/** Returns the number of lines that `breakLines` would return. This is faster than `breakLines`. */
export function countLines(paragraph: Paragraph, width: LineWidth): number {
  let count = 0;
  for (const _ of cutLines(paragraph, width)) count++;
  return count;
}

/**
 * Returns the width of the widest part that cannot be broken by the rules, in em. Lines that are narrower break words.
 */
export function widestWord({ clusters, mayStartLine }: Paragraph): number {
  let widest = 0;
  let width = 0;
  for (const [index, { advance, scale, text }] of clusters.entries()) {
    if (mayStartLine[index]! >= 2) width = 0;
    if (space.test(text)) continue;
    width += advance * scale;
    widest = Math.max(widest, width);
  }
  return widest;
}

/** The maximum share of a line that stays free before a word that can be divided. */
const maxFree = 0.1;
/** The maximum number of consecutive lines that end with a hyphen, except for words that do not fit on a line. */
const maxHyphens = 2;

function hyphenWidth({ font, scale }: Cluster): number {
  return scale * (advanceIn(font, '\u2010') ?? advanceIn(font, '-') ?? 0);
}

/** Yields each line as a range of clusters, from the index `start` to the index before `end`. */
function* cutLines(
  { clusters, mayStartLine }: Paragraph,
  width: LineWidth,
): Generator<{ start: number; end: number }> {
  const widthOf = typeof width === 'function' ? width : () => width;
  let start = 0;
  let hyphens = 0;
  for (let line = 0; start < clusters.length || line === 0; line++) {
    const available = widthOf(line) + 1e-6;
    let x = 0;
    let end = start;
    let byRule = start;
    let byGrapheme = start;
    let byHyphen = start;
    let free = available;
    for (; end < clusters.length; end++) {
      const cluster = clusters[end]!;
      const kind = mayStartLine[end];
      if (kind === 2) [byRule, free] = [end, available - x];
      else if (kind === 1) byGrapheme = end;
      else if (kind === 3 && x + hyphenWidth(clusters[end - 1]!) <= available) byHyphen = end;
      const after = x + widthAt(cluster, x);
      // Spaces at the end of a line may extend beyond its edge. So may a grapheme that does not fit on any line.
      const mayEnd = byRule > start || byGrapheme > start || byHyphen > start;
      if (after > available && mayEnd && !space.test(cluster.text)) break;
      x = after;
    }
    if (end < clusters.length) {
      const isLoose = byRule === start || (free > maxFree * available && hyphens < maxHyphens);
      end = byHyphen > byRule && isLoose ? byHyphen : byRule > start ? byRule : byGrapheme;
      hyphens = mayStartLine[end] === 3 ? hyphens + 1 : 0;
    }
    yield { start, end };
    start = end;
  }
}

/** Returns the whole paragraph as one line, whatever its width is. */
export function singleLine(paragraph: Paragraph): Line {
  return makeLine(paragraph, 0, paragraph.clusters.length);
}

/**
 * Returns the width of a cluster that starts at the position `x`, in em of the paragraph's size. The width of a tab
 * depends on its position.
 */
function widthAt({ advance, scale, text }: Cluster, x: number): number {
  if (text !== '\t') return advance * scale;
  return (Math.floor(x / tabStop + 1e-6) + 1) * tabStop - x;
}

function makeLine(paragraph: Paragraph, start: number, end: number): Line {
  const { clusters, direction, mayStartLine, text } = paragraph;
  let drawn = end;
  while (drawn > start && space.test(clusters[drawn - 1]!.text)) drawn--;
  let width = 0;
  const placed = clusters.slice(start, drawn).map((cluster) => {
    const clusterWidth = widthAt(cluster, width);
    width += clusterWidth;
    return cluster.text === '\t' ? { ...cluster, advance: clusterWidth / cluster.scale } : cluster;
  });
  const isHyphenated = mayStartLine[end] === 3 || placed.at(-1)?.text.endsWith(softHyphen);
  if (end < clusters.length && isHyphenated) {
    const hyphenated = withHyphen(placed.pop()!);
    width += hyphenated.scale * (hyphenated.advance - clusters[drawn - 1]!.advance);
    placed.push(hyphenated);
  }
  const levels = Uint8Array.from(placed, ({ level }) => level);
  const order = visualOrder(placed.map((cluster) => cluster.text[0]).join(''), levels, direction);
  return {
    start: clusters[start]?.start ?? 0,
    end: clusters[end]?.start ?? text.length,
    width,
    runs: runsOf(order.map((index) => placed[index]!)),
  };
}

/**
 * Returns a cluster as it looks at the end of a line that divides a word: with a visible hyphen. Its text ends with a
 * soft hyphen, so programs that copy text know that the word is not written with a hyphen.
 */
function withHyphen(cluster: Cluster): Cluster {
  const { font, unitsPerEm } = openFont(cluster.font);
  const id = font.nominalGlyph(0x2010) ?? font.nominalGlyph(0x2d);
  if (id === undefined || cluster.level % 2) return cluster;
  return {
    ...cluster,
    text: cluster.text.endsWith(softHyphen) ? cluster.text : `${cluster.text}${softHyphen}`,
    advance: cluster.advance + font.glyphHAdvance(id) / unitsPerEm,
    glyphs: [...cluster.glyphs, { id, x: Math.round(cluster.advance * unitsPerEm), y: 0 }],
  };
}

function runsOf(clusters: Cluster[]): GlyphRun[] {
  const runs: GlyphRun[] = [];
  for (const cluster of clusters) {
    const rightToLeft = cluster.level % 2 === 1;
    const { font, scale, span } = cluster;
    const run = runs.at(-1);
    if (run?.font === font && run.span === span && run.rightToLeft === rightToLeft)
      run.clusters.push(cluster);
    else runs.push({ font, span, scale, rightToLeft, clusters: [cluster] });
  }
  return runs;
}
