import type { PageRectangle, Segment } from '../document.ts';
import type { InlineContent } from '../inline-content.ts';
import { joinParts, partsOf } from './continuations.ts';
import { type Rectangle, transformRectangle } from './geometry.ts';
import type { Vocabulary } from './layout/vocabulary.ts';
import { markRunningHeaders, type PageOfBlocks } from './running-headers.ts';
import type { Scans } from './scans/scans.ts';
import { pageOfBlock, type TextBlock } from './text-block.ts';

/* The segments of the blocks of pages. */

/** The segments of pages, some of whose blocks are parts of texts. Changes the pages. */
export function segmentsOf(
  pages: PageOfBlocks[],
  texts: readonly string[][],
  { places, scans, vocabulary }: { places: Map<string, string>; scans: Scans; vocabulary: Vocabulary },
): Segment[] {
  const areas = new Map(
    pages.flatMap(({ blocks }) =>
      blocks.map(({ id, matrix, box }) => [id, pageRectangle(transformRectangle(matrix, box))] as const),
    ),
  );
  joinParts(pages, texts);
  markRunningHeaders(pages);
  return pages.flatMap(({ blocks }) =>
    blocks.map((block) => {
      const parts = partsOf(block.id);
      const rectangles = parts.flatMap((id) => (pageOfBlock(id) === block.page ? [areas.get(id)!] : []));
      return scans.segment(
        segmentOf(block, vocabulary.settle(block.content), rectangles, places.get(parts[0]!)),
      );
    }),
  );
}

function segmentOf(
  { id, kind, page }: TextBlock,
  source: InlineContent,
  rectangles: PageRectangle[],
  place?: string,
): Segment {
  const isRunning = kind === 'header' || kind === 'footer';
  const part = isRunning ? kind : (place ?? (kind === 'heading' ? kind : undefined));
  const end = pageOfBlock(partsOf(id).at(-1)!);
  return {
    regionId: id,
    cellId: null,
    kind,
    page,
    place: [`page ${page}`, part, end > page && `continues on page ${end}`].filter(Boolean).join(', '),
    rectangles,
    source,
  };
}

/** Rounds the coordinates to a hundredth of a point, because smaller differences are not visible. */
export function pageRectangle({ left, bottom, right, top }: Rectangle): PageRectangle {
  return [left, bottom, right, top].map((value) => Math.round(100 * value) / 100) as PageRectangle;
}
