import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { queryKeys } from '../../query-keys.ts';
import { translationService } from '../../translation-service.ts';
import { type JobFilter, startOfDay } from './search.ts';

/** A job in a list. */
export interface JobSummary {
  id: string;
  status: string;
  source_lang: string;
  target_lang: string;
  /** At most 300 characters of each text. */
  source_excerpt: string;
  translation_excerpt: string | null;
  triggers: string[];
  updated_at: string;
}

/** Minimum number of jobs on a page of the list, unless there are no more. */
const pageSize = 25;

/**
 * Maximum number of requests for one page: the service examines a limited number of jobs in each request, and may find
 * no match among them.
 */
const maxRequests = 5;

interface JobPage {
  items: JobSummary[];
  nextCursor: string | null;
  /** The `updated_at` of the last job that was examined; null if all jobs were examined. */
  searchedTo: string | null;
}

/**
 * The jobs that match a filter, page by page. After the filter changes, the previous list stays until the new one
 * arrives.
 */
export function useJobs(filter: JobFilter) {
  return useInfiniteQuery({
    queryKey: queryKeys.jobs.list(filter),
    queryFn: ({ pageParam }) => readPage(filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    // The list is refreshed only while it has a single page: with several pages, a refresh would move the rows that the
    // member looks at.
    refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? 10_000 : false),
  });
}

async function readPage(filter: JobFilter, cursor: string | null): Promise<JobPage> {
  const found: JobPage = { items: [], nextCursor: cursor, searchedTo: null };
  for (let requests = 0; requests < maxRequests; requests += 1) {
    const input = { ...inputOf(filter), ...(found.nextCursor && { cursor: found.nextCursor }) };
    const page = await translationService.searchPage(input);
    found.items.push(...page.items);
    found.nextCursor = page.nextCursor;
    found.searchedTo = page.searchedTo;
    if (found.nextCursor === null || found.items.length >= pageSize) break;
  }
  return found;
}

function inputOf({ status, from, to, trigger, since, until, text }: JobFilter) {
  return {
    ...(status && { statuses: [status] }),
    ...(from && { source_lang: from }),
    ...(to && { target_lang: to }),
    ...(trigger && { trigger }),
    ...(since && { updated_from: startOfDay(since) }),
    ...(until && { updated_to: startOfDay(until, 1) }),
    ...(text && { text }),
  };
}
