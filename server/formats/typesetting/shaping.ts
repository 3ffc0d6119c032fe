import {
  BufferFlag,
  Direction,
  type GlyphInfo,
  type GlyphPosition,
  Buffer as ShapingBuffer,
  shape,
} from 'harfbuzzjs';
import type { FontChoice } from './font-choice.ts';
import { type FontName, openFont } from './fonts.ts';

/** The scripts that the fonts support, by ISO 15924 code. OpenType fonts are shaped by rules for each script. */
const scripts: readonly (readonly [code: string, members: RegExp])[] = [
  ['Latn', /\p{Script=Latin}/u],
  ['Hani', /\p{Script=Han}/u],
  ['Arab', /\p{Script=Arabic}/u],
  ['Cyrl', /\p{Script=Cyrillic}/u],
  ['Deva', /\p{Script=Devanagari}/u],
  ['Hang', /\p{Script=Hangul}/u],
  ['Hira', /\p{Script=Hiragana}/u],
  ['Kana', /\p{Script=Katakana}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Grek', /\p{Script=Greek}/u],
  ['Bopo', /\p{Script=Bopomofo}/u],
];

const knownScripts = new Map<string, string | undefined>();

/**
 * Returns the script of a character; undefined for characters that several scripts share (digits, punctuation, marks,
 * symbols).
 */
function scriptOf(character: string): string | undefined {
  if (knownScripts.has(character)) return knownScripts.get(character);
  const script = scripts.find(([, members]) => members.test(character))?.[0];
  // Normal texts have about a thousand different characters. The limit bounds the memory for unusual texts.
  if (knownScripts.size < 20_000) knownScripts.set(character, script);
  return script;
}

/** A glyph of a cluster. Its position is relative to the start of the cluster on the baseline, in units of the font. */
export interface PlacedGlyph {
  id: number;
  x: number;
  y: number;
}

/**
 * The smallest unit of shaped text: a letter with its marks, a ligature, or a conjunct. PDF readers copy text in these
 * units.
 */
export interface Cluster {
  /** The start and end of the cluster in the paragraph's text, as UTF-16 offsets. */
  start: number;
  end: number;
  text: string;
  font: FontName;
  level: number;
  /** The index of the cluster's span in the paragraph. */
  span: number;
  /** The size of the cluster, as a factor of the paragraph's size. */
  scale: number;
  /** The width of the cluster, in em, at the font size of the cluster. */
  advance: number;
  glyphs: readonly PlacedGlyph[];
}

/** The character of a box: a free space in a text, in which something else is drawn. */
export const boxText = '\ufffc';

export function isBox({ text, glyphs }: Cluster): boolean {
  return text === boxText && glyphs.length === 0;
}

/**
 * The number of characters before and after an item that shaping takes into account, so that cursive letters are joined
 * across the ends of the item.
 */
const context = 8;

/** Invisible characters: joiners, direction marks, variation selectors. */
const invisible = /^\p{Default_Ignorable_Code_Point}+$/u;

const buffer = new ShapingBuffer();

/** Shapes an item. Returns the clusters of the item in logical order. */
export function shapeItem(text: string, item: Item, language: string): Cluster[] {
  const { level, scale, span, box } = item;
  if (box !== undefined) {
    const { start, end, font } = item;
    return [{ start, end, text: boxText, font, level, span, scale, advance: box / scale, glyphs: [] }];
  }
  const { font, unitsPerEm } = openFont(item.font);
  const from = Math.max(0, item.start - context);
  buffer.clearContents();
  // A tab has no glyph, so it is shaped as a space. The width of this space is set when the line is made.
  buffer.addText(
    text.slice(from, item.end + context).replaceAll('\t', ' '),
    item.start - from,
    item.end - item.start,
  );
  buffer.setFlags(BufferFlag.DO_NOT_INSERT_DOTTED_CIRCLE);
  buffer.guessSegmentProperties();
  if (item.script) buffer.setScript(item.script);
  buffer.setDirection(item.level % 2 ? Direction.RTL : Direction.LTR);
  buffer.setLanguage(language);
  shape(font, buffer);

  const groups = groupByCluster(buffer.getGlyphInfos(), buffer.getGlyphPositions());
  if (item.level % 2) groups.reverse();
  const clusters: Cluster[] = [];
  for (const [index, { cluster, advance, glyphs }] of groups.entries()) {
    const start = from + cluster;
    const next = groups[index + 1];
    const end = next ? from + next.cluster : item.end;
    const piece = text.slice(start, end);
    const before = clusters.at(-1);
    if (!invisible.test(piece)) {
      clusters.push({
        start,
        end,
        text: piece,
        font: item.font,
        level,
        span,
        scale,
        advance: advance / unitsPerEm,
        glyphs,
      });
    } else if (before) {
      // Invisible characters are added to the previous cluster, because some readers drop a code whose text is only a
      // joiner or a direction mark.
      before.end = end;
      before.text += piece;
    } else {
      clusters.push({ start, end, text: piece, font: item.font, level, span, scale, advance: 0, glyphs: [] });
    }
  }
  if (item.level % 2 === 0) keepSpaces(clusters);
  return clusters;
}

/**
 * Removes kerning that narrows the gaps around spaces, because PDF readers use the width of a gap to separate words.
 */
function keepSpaces(clusters: Cluster[]): void {
  const widen = (cluster: Cluster | undefined): void => {
    if (cluster?.glyphs.length !== 1) return;
    const { font, unitsPerEm } = openFont(cluster.font);
    cluster.advance = Math.max(cluster.advance, font.glyphHAdvance(cluster.glyphs[0]!.id) / unitsPerEm);
  };
  for (const [index, cluster] of clusters.entries())
    if (cluster.text === ' ') {
      widen(clusters[index - 1]);
      widen(cluster);
    }
}

interface Group {
  cluster: number;
  advance: number;
  glyphs: PlacedGlyph[];
}

/** Groups the glyphs by cluster, in visual order. */
function groupByCluster(infos: GlyphInfo[], positions: GlyphPosition[]): Group[] {
  const groups: Group[] = [];
  for (const [index, { codepoint: id, cluster }] of infos.entries()) {
    const { xAdvance, xOffset, yOffset } = positions[index]!;
    let group = groups.at(-1);
    if (group?.cluster !== cluster) {
      group = { cluster, advance: 0, glyphs: [] };
      groups.push(group);
    }
    group.glyphs.push({ id, x: group.advance + xOffset, y: yOffset });
    group.advance += xAdvance;
  }
  return groups;
}

/** A part of a paragraph in one style. */
export interface StyledSpan {
  /** The end of the span, as a UTF-16 offset in the paragraph's text. The span starts where the previous one ends. */
  end: number;
  fontFor: FontChoice;
  scale: number;
  /** The width of a box, in em of the paragraph's size. The span then has one `boxText` as its text. */
  box?: number | undefined;
}

/** A text that is shaped in one call. It has one span, one font, one script and one embedding level. */
interface Item {
  /** The start and end of the item in the paragraph's text, as UTF-16 offsets. */
  start: number;
  end: number;
  font: FontName;
  script: string | undefined;
  level: number;
  span: number;
  scale: number;
  box: number | undefined;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
/**
 * Text with only Latin, Greek and Cyrillic letters, ASCII and punctuation. Each of these characters is a separate
 * grapheme.
 */
const singleGraphemes =
  /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e]*$/;

function graphemesOf(text: string): Iterable<{ segment: string; index: number }> {
  if (!singleGraphemes.test(text)) return segmenter.segment(text);
  return Array.from(text, (segment, index) => ({ segment, index }));
}

/**
 * The maximum length of an item, in UTF-16 units. Shaping a long sequence of combining marks takes quadratic time, so
 * an item may end inside a grapheme.
 */
const maxItemLength = 1000;

/**
 * Splits a paragraph into items. Each tab is a separate item.
 *
 * @param spans the spans of the paragraph; they must cover the whole text. If a grapheme extends over the border of two
 *   spans, it belongs to the first one
 * @param boundaries an array for the result: it is set to 1 at each offset at which a grapheme starts
 */
export function itemize(
  text: string,
  levels: Uint8Array,
  spans: readonly StyledSpan[],
  boundaries: Uint8Array,
): Item[] {
  const items: Item[] = [];
  let current: Item | undefined;
  let span = 0;
  for (const { segment, index } of graphemesOf(text)) {
    boundaries[index] = 1;
    while (index >= spans[span]!.end && span < spans.length - 1) span++;
    const { fontFor, scale, box } = spans[span]!;
    const level = levels[index]!;
    const continues = current?.level === level && current.span === span;
    const font = fontFor(box === undefined ? segment : 'x', continues ? current!.font : undefined);
    const script = scriptOf(String.fromCodePoint(segment.codePointAt(0)!));
    for (let start = index; start < index + segment.length; start += maxItemLength) {
      const end = Math.min(start + maxItemLength, index + segment.length);
      const joins =
        current?.font === font &&
        current.level === level &&
        current.span === span &&
        (!script || !current.script || current.script === script) &&
        end - current.start <= maxItemLength &&
        segment !== '\t' &&
        text[current.start] !== '\t';
      if (joins) {
        current!.end = end;
        current!.script ??= script;
      } else {
        current = { start, end, font, script, level, span, scale, box };
        items.push(current);
      }
    }
  }
  return items;
}
