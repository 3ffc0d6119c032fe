import { plainText } from '../inline-content.ts';
import { displayed, type Rectangle, transformRectangle } from './geometry.ts';
import type { TextBlock } from './text-block.ts';

/** The height of the margins for headers and footers, as a share of the page's height. */
const margin = 0.12;
/** The maximum difference between the positions of a header or footer on different pages, in points. */
const sameHeight = 12;
const minPages = 2;

/** The data of a page that is needed to find its header and footer. */
export interface PageOfBlocks {
  /** The visible part of the page, in the page's user space, before its rotation. */
  box: Rectangle;
  rotation: 0 | 90 | 180 | 270;
  blocks: TextBlock[];
}

/**
 * Marks the headers and footers of a document: texts in the top and bottom margins that occur at the same height on at
 * least two pages and that differ only in their numbers. Changes the `kind` of these blocks.
 */
export function markRunningHeaders(pages: readonly PageOfBlocks[]): void {
  const places = new Map<string, { block: TextBlock; kind: 'header' | 'footer'; page: PageOfBlocks }[]>();
  for (const page of pages)
    for (const block of page.blocks) {
      const place = marginOf(block, page);
      if (!place) continue;
      const text = plainText(block.content).replace(/\p{N}+/gu, '0');
      // Two grids of heights are used, shifted by half a step. A position near the edge of a step in one grid is in the
      // middle of a step in the other.
      for (const shift of [0, 0.5]) {
        const key = `${place.kind} ${Math.floor(place.distance / sameHeight + shift)} ${shift} ${text}`;
        const found = places.get(key);
        if (found) found.push({ block, kind: place.kind, page });
        else places.set(key, [{ block, kind: place.kind, page }]);
      }
    }
  for (const found of places.values()) {
    if (new Set(found.map(({ page }) => page)).size < minPages) continue;
    for (const { block, kind } of found) block.kind = kind;
  }
}

/**
 * Returns the margin that contains a block, and the block's distance from the edge of the page as displayed; null if
 * the block is not in a margin.
 */
function marginOf(
  block: TextBlock,
  { box, rotation }: PageOfBlocks,
): { kind: 'header' | 'footer'; distance: number } | null {
  const own = displayed(transformRectangle(block.matrix, block.box), rotation);
  const page = displayed(box, rotation);
  const most = margin * (page.top - page.bottom);
  if (page.top - own.bottom < most) return { kind: 'header', distance: page.top - own.top };
  return own.top - page.bottom < most ? { kind: 'footer', distance: own.bottom - page.bottom } : null;
}
