import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { queryKeys } from '../query-keys.ts';
import type { Outline } from './segment-filter.ts';

/** The request for the number of a document's segments of each kind, and on each page. */
export const outlineQuery = (documentId: string) => ({
  queryKey: queryKeys.documents.outline(documentId),
  queryFn: () => client.documents.outline(documentId),
});

export function useOutline(documentId: string) {
  return useQuery(outlineQuery(documentId));
}

/** The page or sheet of a segment. In PDF and XLSX files, the segments of one page have consecutive positions. */
export function pageOfPosition({ pages }: Outline, position: number | null): number | undefined {
  if (position === null) return undefined;
  return pages.findLast(({ first_position }) => first_position <= position)?.page ?? undefined;
}
