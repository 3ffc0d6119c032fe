import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { client } from '../../client.ts';
import { useJobCounts } from '../../parts/use-job-counts.ts';
import { queryKeys } from '../../query-keys.ts';
import { isBack, type Sent } from './decision.ts';
import type { Filters } from './filters.ts';
import type { Summary } from './items.ts';
import { useSent } from './outbox-provider.tsx';

/**
 * Maximum number of rows in the DOM. The browser's search and screen readers find all rows in the DOM. When rows are
 * completed, further ones appear.
 */
const maxRows = 2000;
const pageSize = 100;
/** The number of rows after the open one that are always loaded. */
const ahead = 30;
/** Milliseconds between two refreshes. */
const lookAgain = 20_000;

/** A row of the queue. If the row's review was not saved, `back` is that review. */
export interface Row {
  summary: Summary;
  back: Sent | undefined;
}

/**
 * The jobs that await review, oldest first. Jobs whose review is being sent are not listed. A refresh does not move a
 * row.
 * @param openId the open job, which stays listed even if someone else has completed it
 */
export function useQueue({ source, target, trigger, text }: Filters, openId: string | undefined) {
  const sent = useSent();
  const found = useInfiniteQuery({
    queryKey: queryKeys.jobs.queue({ source, target, trigger, text }),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      client.translations.searchPage(
        {
          statuses: ['awaiting_review', 'refined'],
          order: 'oldest',
          limit: pageSize,
          ...(source && { source_lang: source }),
          ...(target && { target_lang: target }),
          ...(trigger && { trigger }),
          ...(text && { text }),
          ...(cursor && { cursor }),
        },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // A long list is refreshed only on demand, because each page costs a request.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 3 ? lookAgain : false),
  });
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = found;

  const places = useRef<{ filters: string; order: string[] }>({ filters: '', order: [] });
  const rows = useMemo(() => {
    const filters = JSON.stringify([source, target, trigger, text]);
    if (places.current.filters !== filters) places.current = { filters, order: [] };
    const summaries = new Map(
      (data?.pages ?? []).flatMap(({ items }) => items.map((job) => [job.id, job] as const)),
    );
    const known = new Set(places.current.order);
    places.current.order.push(...[...summaries.keys()].filter((id) => !known.has(id)));
    return places.current.order.flatMap((id): Row[] => {
      const outcome = sent.get(id);
      const came = isBack(outcome);
      if (outcome && !came) return [];
      const summary = summaries.get(id) ?? lastKnown.get(id);
      if (!summary) return [];
      lastKnown.set(id, summary);
      return summaries.has(id) || came || id === openId ? [{ summary, back: outcome }] : [];
    });
  }, [data, sent, openId, source, target, trigger, text]);

  const openAt = rows.findIndex(({ summary }) => summary.id === openId);
  // If a page could not be loaded, it is not requested automatically: a reload of the list or the reviewer loads it
  // again.
  const mayAsk = hasNextPage && !isFetching && !isFetchNextPageError;
  const needsMore = mayAsk && rows.length < maxRows && rows.length - openAt < ahead;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);

  const hasMore = hasNextPage && rows.length < maxRows;
  // The service has a count of all jobs that await review, but no count for filters.
  const isCounted = hasMore && !source && !target && !trigger && !text;
  const counts = useJobCounts({ enabled: isCounted });
  const counted = isCounted ? counts.data?.waiting : undefined;

  return {
    rows,
    openAt,
    /** Whether more rows follow. */
    hasMore,
    /**
     * The number of jobs that await review: all of them if the service has a count, otherwise those in the list. `more`
     * is true if there are further jobs.
     */
    waiting: counted ?? { count: rows.length, more: hasMore },
    isWaiting: data === undefined || (rows.length === 0 && hasNextPage),
    error: found.error,
    refetch: found.refetch,
    fetchMore: () => void fetchNextPage(),
  };
}

/** The last known summaries of rows that the latest list no longer contains. */
const lastKnown = new Map<string, Summary>();

/**
 * The next row that no other member has claimed: first below the row `from`, then from the top.
 * @param isFree whether no other member has claimed the row
 */
export function nextFree(rows: readonly Row[], from: number, isFree: (row: Row) => boolean): Row | undefined {
  const after = rows.slice(from + 1);
  const before = rows.slice(0, Math.max(from, 0));
  return [...after, ...before].find((row) => !row.back && isFree(row));
}
