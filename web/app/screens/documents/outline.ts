import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Outline } from './search.ts';

/** The numbers of a document's segments, by kind and page. */
export function useOutline(documentId: string) {
  return useQuery({
    queryKey: queryKeys.documents.outline(documentId),
    queryFn: () => client.documents.outline(documentId),
  });
}

/** The page or sheet of a segment: in PDF and XLSX files, the segments of a page are consecutive. */
export function pageOfPosition({ pages }: Outline, position: number | null): number | undefined {
  if (position === null) return undefined;
  return pages.findLast(({ first_position }) => first_position <= position)?.page ?? undefined;
}
