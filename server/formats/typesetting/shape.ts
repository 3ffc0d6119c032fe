import {
  BufferFlag,
  Direction,
  type GlyphInfo,
  type GlyphPosition,
  Buffer as ShapingBuffer,
  shape,
} from 'harfbuzzjs';
import type { FontName } from './font-files.ts';
import type { Item } from './itemize.ts';
import { openFont } from './open-font.ts';

/** A glyph of a cluster, placed from where the cluster starts on the baseline. In units of its font. */
export interface PlacedGlyph {
  id: number;
  x: number;
  y: number;
}

/** What shaping left undivided: letters with their marks, a ligature, a conjunct. The unit of text that is copied out. */
export interface Cluster {
  /** UTF-16 offsets into the paragraph. */
  start: number;
  end: number;
  text: string;
  font: FontName;
  level: number;
  /** In em. */
  advance: number;
  glyphs: readonly PlacedGlyph[];
}

/** Letters beyond an item's ends, so that cursive letters join across them. */
const context = 8;

/** What draws nothing: joiners, direction marks, variation selectors. */
const invisible = /^\p{Default_Ignorable_Code_Point}+$/u;

const buffer = new ShapingBuffer();

/** The clusters of an item, in logical order. */
export function shapeItem(text: string, item: Item, language: string): Cluster[] {
  const { font, unitsPerEm } = openFont(item.font);
  const from = Math.max(0, item.start - context);
  buffer.clearContents();
  // A tab has no glyph: a space stands in, and the line widens it.
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
        level: item.level,
        advance: advance / unitsPerEm,
        glyphs,
      });
    } else if (before) {
      // Some readers drop a code that stands for a joiner or a direction mark alone.
      before.end = end;
      before.text += piece;
    } else {
      clusters.push({ start, end, text: piece, font: item.font, level: item.level, advance: 0, glyphs: [] });
    }
  }
  return clusters;
}

interface Group {
  cluster: number;
  advance: number;
  glyphs: PlacedGlyph[];
}

/** Gathers each cluster's glyphs, in the visual order in which they come. */
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
