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
 * Maximum number of rows in the DOM, where the browser's search and screen readers find them. Others follow as these are
 * completed.
 */
const maxRows = 2000;
const pageSize = 100;
/** Rows after the open one that are always loaded. */
const ahead = 30;
/** Milliseconds between two refreshes. */
const lookAgain = 20_000;

/** A row of the queue, and its review if that was not saved. */
export interface Row {
  summary: Summary;
  back: Sent | undefined;
}

/**
 * The jobs that await review, oldest first, without those that are being sent. A row keeps its place during a refresh, so
 * that nothing moves.
 * @param openId the open job, which stays even if someone else has completed it
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
    // A long list is refreshed only on demand, because each page is a request.
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
  // A failed page is loaded again with the list, or by the reviewer.
  const mayAsk = hasNextPage && !isFetching && !isFetchNextPageError;
  const needsMore = mayAsk && rows.length < maxRows && rows.length - openAt < ahead;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);

  const hasMore = hasNextPage && rows.length < maxRows;
  // The service counts all of them, but not by filters.
  const isCounted = hasMore && !source && !target && !trigger && !text;
  const counts = useJobCounts({ enabled: isCounted });
  const counted = isCounted ? counts.data?.waiting : undefined;

  return {
    rows,
    openAt,
    /** Whether more rows follow. */
    hasMore,
    /** The number of jobs that await review; for a partly loaded list, the known ones. */
    waiting: counted ?? { count: rows.length, more: hasMore },
    isWaiting: data === undefined || (rows.length === 0 && hasNextPage),
    error: found.error,
    refetch: found.refetch,
    fetchMore: () => void fetchNextPage(),
  };
}

/** Summaries of rows that are missing in the latest list. */
const lastKnown = new Map<string, Summary>();

/**
 * The next row that no one else has claimed: downwards, then from the top.
 * @param isFree whether no one else has claimed it
 */
export function nextFree(rows: readonly Row[], from: number, isFree: (row: Row) => boolean): Row | undefined {
  const after = rows.slice(from + 1);
  const before = rows.slice(0, Math.max(from, 0));
  return [...after, ...before].find((row) => !row.back && isFree(row));
}
