import type { QueryClient } from '@tanstack/react-query';
import { queryKeys } from '../query-keys.ts';
import type { Segment, SegmentPage } from './segment-filter.ts';

/**
 * Updates segments in all pages of the cache. Pages that are being loaded are requested again, because the response may
 * have the segments as they were before.
 */
export function storeSegments(queries: QueryClient, documentId: string, present: readonly Segment[]): void {
  const queryKey = queryKeys.documents.allSegments(documentId);
  const byPosition = new Map(present.map((segment) => [segment.position, segment]));
  void queries.invalidateQueries({
    queryKey,
    predicate: ({ state }) => state.fetchStatus === 'fetching',
    refetchType: 'all',
  });
  queries.setQueriesData<SegmentPage>(
    { queryKey },
    (page) =>
      page && {
        ...page,
        segments: page.segments.map((segment) => byPosition.get(segment.position) ?? segment),
      },
  );
}

/** A segment, if it is loaded. */
export function segmentAt(queries: QueryClient, documentId: string, position: number): Segment | undefined {
  const pages = queries.getQueriesData<SegmentPage>({
    queryKey: queryKeys.documents.allSegments(documentId),
  });
  for (const [, page] of pages) {
    const found = page?.segments.find((segment) => segment.position === position);
    if (found) return found;
  }
  return undefined;
}
