import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../../client.ts';
import { summaryOf } from '../../parts/job-rows.tsx';
import type { JobFilter } from './search.ts';

/** The jobs that a filter admits, page after page. What was shown stays until the filter's own come. */
export function useJobs(filter: JobFilter) {
  return useInfiniteQuery({
    queryKey: ['jobs', 'list', filter],
    queryFn: async ({ pageParam }) => {
      const page = await client.translations.listPage({
        ...(filter.status && { status: filter.status }),
        ...(pageParam && { cursor: pageParam }),
      });
      return { items: page.items.map(summaryOf), nextCursor: page.nextCursor };
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}
