import type { Box } from './geometry.ts';
import { type Graphics, noGraphics } from './graphics.ts';
import { judgePage, type Knowledge, type PageFigures } from './judge-page.ts';
import type { Page, Word } from './poppler.ts';
import { targets, WordMap } from './word-map.ts';

/** A line of text on a made page. Each letter is 5 points wide, and the line is as high as its size. */
export interface MadeLine {
  text: string;
  /** The place of its top left corner, in points. */
  x: number;
  y: number;
  size?: number;
  font?: string;
}

/** A page of 600 by 800 points, as poppler would read it. Lines below each other with less blank than text are a block. */
export function madePage(lines: readonly MadeLine[]): Page {
  const words: Word[] = [];
  const ends: { x: number; y: number; block: number }[] = [];
  for (const [line, { text, x, y, size = 10, font = 'Times' }] of lines.entries()) {
    const above = ends.find((end) => end.x === x && y > end.y && y - end.y < 2 * size);
    const block = above?.block ?? line;
    ends.push({ x, y, block });
    for (const match of text.matchAll(/\S+/g)) {
      const left = x + 5 * match.index;
      const box: Box = [left, y, left + 5 * match[0].length, y + size];
      words.push({ text: match[0], box, block, line, order: words.length, font: { size, name: font } });
    }
  }
  return { width: 600, height: 800, words };
}

/** Translates the words of made lines, without any change of their places. */
export function translated(lines: readonly MadeLine[], map: WordMap): MadeLine[] {
  return lines.map((line) => ({ ...line, text: map.translate([line.text]).join('') }));
}

/** A map whose words are as long as their sources, so that a translation has the same places. */
export function mapOfEqualLength(): WordMap {
  return new WordMap({ ...targets[0]!, lengthOf: (length) => length }, []);
}

/** Judges the change that a made translation has. @param change receives the translated lines in their order */
export function judgeMade(
  lines: readonly MadeLine[],
  change: (lines: MadeLine[]) => MadeLine[],
  graphics: Graphics = noGraphics,
  knowledge: Knowledge = {},
): PageFigures {
  const map = mapOfEqualLength();
  const after = change(translated(lines, map));
  return judgePage(1, madePage(lines), madePage(after), graphics, map, knowledge);
}
