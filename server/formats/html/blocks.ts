import { extractHtml } from './extract.ts';
import type { HtmlSegment } from './segment.ts';

/** Elements that stand inside a sentence (HTML's phrasing content, as far as it is not a control or a frame). */
const inlineElements = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd mark q rp rt ruby s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/**
 * Which segments belong together, as lists of indices in reading order: the texts of one block of the page, which only
 * inline tags interrupt, and each attribute by itself. A sentence never reaches beyond its block.
 *
 * @param segments what `extractHtml` found in this very source
 */
export function blocksOf(source: string, segments: readonly HtmlSegment[]): number[][] {
  const blocks: number[][] = [];
  let block: number[] | undefined;
  let end = 0;
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'attribute') {
      blocks.push([index]);
      continue;
    }
    if (block && isInline(source.slice(end, segment.start))) block.push(index);
    else {
      block = [index];
      blocks.push(block);
    }
    end = segment.end;
  }
  return blocks;
}

/** Whether the source between two texts holds no tag but inline ones. */
function isInline(between: string): boolean {
  for (const [, name = ''] of between.matchAll(/<\/?([a-z][\w-]*)/gi))
    if (!inlineElements.has(name.toLowerCase())) return false;
  return true;
}

/** The text of each block, whole as its reader sees it: "The <b>kitchen</b> closes" is one. */
export function readBlocks(source: string): string[] {
  const segments = extractHtml(source);
  return blocksOf(source, segments).map((block) => {
    let text = '';
    let end: number | undefined;
    for (const index of block) {
      const segment = segments[index]!;
      // Between two texts of a block are tags and white space.
      if (end !== undefined) text += source.slice(end, segment.start).replace(/<[^>]*>/g, '');
      text += segment.text;
      end = segment.end;
    }
    return text;
  });
}
