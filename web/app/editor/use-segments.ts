import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import type { DocumentQualityFinding } from '#sdk/types.ts';
import { client } from '../client.ts';
import { queryKeys } from '../query-keys.ts';
import type { SegmentRange } from './segment.ts';
import type { Segment, SegmentFilter, SegmentPage } from './segment-filter.ts';

/** Segments per request. */
const pageSize = 500;

/** Up to this number of segments, all that match the filter are loaded. */
const maxLoaded = 2000;

/** The request for a page of the segments that match a filter. */
export const segmentPage = (documentId: string, filter: SegmentFilter, offset: number) => ({
  queryKey: queryKeys.documents.segments(documentId, filter, offset),
  queryFn: () =>
    client.documents.search({ document_id: documentId, ...searched(filter), offset, limit: pageSize }),
});

/**
 * Loads the segments that match a filter: all of them if they are not too many, otherwise only the visible pages.
 * @param visible the first and last visible index
 */
export function useSegments(
  documentId: string,
  filter: SegmentFilter,
  visible: readonly [first: number, last: number],
) {
  const pageOf = (offset: number) => segmentPage(documentId, filter, offset);
  const first = useQuery({ ...pageOf(0), placeholderData: keepPreviousData });
  const total = first.data?.total ?? 0;
  const [from, to] = total <= maxLoaded ? [0, total - 1] : visible;
  const offsets: number[] = [];
  for (let offset = Math.floor(from / pageSize) * pageSize; offset <= to; offset += pageSize)
    if (offset > 0) offsets.push(offset);
  const others = useQueries({ queries: offsets.map(pageOf) });
  const pages = new Map<number, SegmentPage | undefined>([[0, first.data]]);
  for (const [index, offset] of offsets.entries()) pages.set(offset, others[index]?.data);
  const range: SegmentRange<Segment> | undefined = first.data && {
    total,
    at: (index) => pages.get(index - (index % pageSize))?.segments[index % pageSize],
    indexOf(position) {
      for (const [offset, page] of pages) {
        const index = page?.segments.findIndex((segment) => segment.position === position) ?? -1;
        if (index >= 0) return offset + index;
      }
      return undefined;
    },
  };
  return {
    data: range,
    readAt: first.dataUpdatedAt,
    error: first.error ?? others.find(({ error }) => error)?.error ?? null,
    refetch: () => Promise.all([first.refetch(), ...others.map((other) => other.refetch())]),
  };
}

/**
 * The filter as sent to the service. A segment that was confirmed no longer needs a review, so `flagged` excludes it.
 */
export function searched(filter: SegmentFilter): SegmentFilter {
  return filter.flagged ? { ...filter, confirmed: false } : filter;
}

/** Loads the current state of the segments at these positions. Positions that are close together share a request. */
export async function readSegments(documentId: string, positions: readonly number[]): Promise<Segment[]> {
  const asked = new Set(positions);
  const found: Segment[] = [];
  let read = -1;
  for (const position of positions.toSorted((a, b) => a - b)) {
    if (position <= read) continue;
    const page = await client.documents.search({ document_id: documentId, position, limit: pageSize });
    found.push(...page.segments.filter((segment) => asked.has(segment.position)));
    read = page.segments.at(-1)?.position ?? position;
  }
  return found;
}

/** Returns the segment of a finding; undefined for findings without a segment, such as those about a table. */
export async function segmentOfFinding(
  documentId: string,
  { unit_id: unitId, message }: DocumentQualityFinding,
): Promise<Segment | undefined> {
  if (unitId === null) return undefined;
  const { segments } = await client.documents.search({
    document_id: documentId,
    unit_id: unitId,
    limit: pageSize,
  });
  // Several sheets may have a cell with this ID. The message contains the name of the sheet; the longest matching name
  // wins, because the name of one sheet may be the end of another name.
  return (
    segments
      .filter(({ place }) => message.includes(place))
      .toSorted((one, other) => other.place.length - one.place.length)[0] ?? segments[0]
  );
}

/**
 * Returns the index of the segment at `position` among all segments that match the filter; undefined if that segment
 * does not match.
 */
export async function indexOf(
  documentId: string,
  filter: SegmentFilter,
  position: number,
): Promise<number | undefined> {
  if (Object.keys(filter).length === 0) return position;
  const page = await client.documents.search({
    document_id: documentId,
    ...searched(filter),
    position,
    limit: 1,
  });
  return page.segments[0]?.position === position ? page.first_index : undefined;
}
